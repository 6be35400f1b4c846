// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/vadd/vadd.hpp"

#include "base/parallel.hpp"
#include "gangway/levels.hpp"
#include "harness/exact.hpp"

#include <limits>

namespace gangway::vadd {

using harness::Effort;
using harness::Parameters;

namespace {

// Multiples of 1/4 below 2^36: sums of them are exact, and the sum of a wrong pair is a wrong sum.
double a_at(long i) {
  return static_cast<double>(i) + 0.25;
}
double b_at(long i) {
  return 2 * static_cast<double>(i) + 0.5;
}
double c_at(long i) {
  return 3 * static_cast<double>(i) + 0.75;
}

constexpr long most = 1L << 34;

} // namespace

std::vector<std::string> Problem::stages() {
  return {"kernels", "kernels-independent", "parallel", "redundant", "device-type"};
}

std::vector<harness::Key> Problem::keys() {
  return {{"n", "10000000", "elements of each vector"}};
}

std::vector<harness::Case> Problem::cases(Effort effort, double memory_bytes) {
  const bool full = effort == Effort::full;
  const long n = full ? (memory_bytes > 14e9 ? 1L << 28 : 1L << 26)
                      : (effort == Effort::quick ? 10000000 : 16000000);
  if constexpr (!has_device)
    return {{"large", {{"n", std::to_string(n)}}, {}}};
  // One thread of a GPU adds a few million elements a second: what a compiler may leave to one, and
  // what is one by definition, has a case of its own.
  return {{"every stage", {{"n", "1000000"}}, {}},
          {"large",
           {{"n", std::to_string(full ? n : 1L << 26)}},
           {"kernels", "kernels-independent", "redundant"}}};
}

std::vector<harness::Case> Problem::edge_cases() {
  return {{"none", {{"n", "0"}}},
          {"one", {{"n", "1"}}},
          {"one less than a gang", {{"n", "4095"}}},
          {"a gang", {{"n", "4096"}}},
          {"one more than a gang", {{"n", "4097"}}},
          {"a prime", {{"n", "104729"}}}};
}

double Problem::footprint(const Parameters& parameters) {
  return 24 * static_cast<double>(parameters.integer("n", 0, most));
}

Problem::Problem(const Parameters& parameters)
    : _a(static_cast<std::size_t>(parameters.integer("n", 0, most))), _b(_a.size()), _c(_a.size()) {
  base::parallel_ranges(static_cast<long>(_c.size()), [&](long begin, long end) {
    for (long i = begin; i < end; ++i) {
      _a[static_cast<std::size_t>(i)] = a_at(i);
      _b[static_cast<std::size_t>(i)] = b_at(i);
    }
  });
  reset();
}

std::vector<harness::Buffer> Problem::buffers() {
  using harness::Buffer;
  using harness::Intent;
  return {Buffer::of("a", _a, Intent::in), Buffer::of("b", _b, Intent::in),
          Buffer::of("c", _c, Intent::out)};
}

void Problem::reset() {
  base::parallel_ranges(static_cast<long>(_c.size()), [&](long begin, long end) {
    std::fill(_c.begin() + begin, _c.begin() + end, std::numeric_limits<double>::quiet_NaN());
  });
}

harness::Check Problem::check() const {
  // One addition of numbers whose sum is a double: nothing is rounded.
  return harness::check_exact(
      static_cast<long>(_c.size()), [&](long i) { return _c[static_cast<std::size_t>(i)]; }, c_at);
}

harness::Work Problem::work() const {
  const auto n = static_cast<double>(_c.size());
  return {.bytes = 24 * n,
          .flops = n,
          .single_precision = false,
          .reasoning = "two elements read, one written, one addition each"};
}

std::string Problem::describe() const {
  return fmt::format("{} elements a vector", _c.size());
}

} // namespace gangway::vadd
