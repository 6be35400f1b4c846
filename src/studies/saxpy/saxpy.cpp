// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/saxpy/saxpy.hpp"

#include "base/parallel.hpp"
#include "harness/check.hpp"

namespace gangway::saxpy {

using harness::Effort;
using harness::Parameters;

namespace {

// Whole numbers below 2^18 whose periods have no common factor: every result is exact with and
// without a fused multiply-add, and an element of the wrong place gives a wrong one. x is nowhere
// 0, so that no result looks like an untouched y.
float x_at(long i) {
  return static_cast<float>(i % 16381 + 1);
}
float y_at(long i) {
  return static_cast<float>(2 * (i % 65537) + 1);
}
float result_at(long i) {
  return 2 * x_at(i) + y_at(i);
}

constexpr long most = 1L << 35;

} // namespace

std::vector<std::string> Problem::stages() {
  return {"device-type"};
}

std::vector<harness::Key> Problem::keys() {
  return {{"n", "30000000", "elements of each vector"}};
}

std::vector<harness::Case> Problem::cases(Effort effort, double memory_bytes) {
  const long n = effort == Effort::full    ? (memory_bytes > 10e9 ? 1L << 29 : 1L << 27)
                 : effort == Effort::quick ? 30000000
                                           : 40000000;
  return {{"large", {{"n", std::to_string(n)}}}};
}

std::vector<harness::Case> Problem::edge_cases() {
  return {{"none", {{"n", "0"}}},
          {"one", {{"n", "1"}}},
          {"one less than a vector", {{"n", "127"}}},
          {"one more than a vector", {{"n", "129"}}},
          {"one less than a gang", {{"n", "8191"}}},
          {"a gang", {{"n", "8192"}}},
          {"one more than a gang", {{"n", "8193"}}},
          {"a prime", {{"n", "104729"}}}};
}

double Problem::footprint(const Parameters& parameters) {
  return 8 * static_cast<double>(parameters.integer("n", 0, most));
}

Problem::Problem(const Parameters& parameters)
    : _x(static_cast<std::size_t>(parameters.integer("n", 0, most))), _y(_x.size()) {
  base::parallel_ranges(static_cast<long>(_x.size()), [&](long begin, long end) {
    for (long i = begin; i < end; ++i)
      _x[static_cast<std::size_t>(i)] = x_at(i);
  });
  reset();
}

std::vector<harness::Buffer> Problem::buffers() {
  using harness::Buffer;
  using harness::Intent;
  return {Buffer::of("x", _x, Intent::in), Buffer::of("y", _y, Intent::inout)};
}

void Problem::reset() {
  base::parallel_ranges(static_cast<long>(_y.size()), [&](long begin, long end) {
    for (long i = begin; i < end; ++i)
      _y[static_cast<std::size_t>(i)] = y_at(i);
  });
}

harness::Check Problem::check() const {
  // Whole numbers that a float holds: nothing is rounded.
  return harness::check_exact(
      static_cast<long>(_y.size()), [&](long i) { return _y[static_cast<std::size_t>(i)]; },
      result_at);
}

harness::Work Problem::work() const {
  const auto n = static_cast<double>(_y.size());
  return {.bytes = 12 * n,
          .flops = 2 * n,
          .single_precision = true,
          .reasoning = "x and y read, y written, a multiplication and an addition each",
          .in_place = true};
}

std::string Problem::describe() const {
  return fmt::format("{} elements a vector", _y.size());
}

} // namespace gangway::saxpy
