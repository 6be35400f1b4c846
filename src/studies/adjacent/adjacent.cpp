// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/adjacent/adjacent.hpp"

#include "base/parallel.hpp"
#include "gangway/levels.hpp"
#include "harness/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace gangway::adjacent {

using harness::Effort;
using harness::Parameters;

namespace {

std::size_t size_of(const Parameters& parameters) {
  return static_cast<std::size_t>(parameters.integer("n", 0, 1000000000000));
}

/// Numbers of 20 bits, another in each place: their products and the means of two products are
/// exact in double, fused multiply-add or not.
base::HostArray<double> numbers(std::size_t n, long factor) {
  base::HostArray<double> values(n);
  base::parallel_ranges(static_cast<long>(n), [&](long begin, long end) {
    for (long i = begin; i < end; ++i)
      values[static_cast<std::size_t>(i)] =
          static_cast<double>((i + 1) * factor % 1048573 - 524286) / 1024;
  });
  return values;
}

} // namespace

std::vector<std::string> Problem::stages() {
  return {"kernels"};
}

std::vector<harness::Key> Problem::keys() {
  return {{"n", "8000000", "entries of each array"}};
}

std::vector<harness::Case> Problem::cases(Effort effort, double memory_bytes) {
  if constexpr (!has_device)
    return {{"default", {{"n", "8000000"}}}};
  // A compiler may leave `kernels` to one thread of a GPU: that stage has a case of its own size.
  const bool large = effort == Effort::full && memory_bytes > 12e9;
  return {{"every stage", {{"n", "1000000"}}},
          {"large", {{"n", large ? "67108864" : "33554432"}}, {"kernels"}}};
}

std::vector<harness::Case> Problem::edge_cases() {
  return {{"empty", {{"n", "0"}}},
          {"one", {{"n", "1"}}},
          {"two", {{"n", "2"}}},
          {"three", {{"n", "3"}}},
          {"one less than a block", {{"n", "2047"}}},
          {"one more than a block inside", {{"n", "2051"}}},
          {"one less than a host block inside", {{"n", "8193"}}},
          {"one more than a host block inside", {{"n", "8195"}}},
          {"several blocks", {{"n", "100003"}}}};
}

double Problem::footprint(const Parameters& parameters) {
  return 4 * sizeof(double) * static_cast<double>(size_of(parameters));
}

Problem::Problem(const Parameters& parameters)
    : Problem(numbers(size_of(parameters), 7919), numbers(size_of(parameters), 104729)) {}

Problem::Problem(base::HostArray<double> mob, base::HostArray<double> charge)
    : _mob(std::move(mob)), _charge(std::move(charge)), _a(_mob.size()), _c(_mob.size()) {
  reset();
}

std::vector<harness::Buffer> Problem::buffers() {
  using harness::Buffer;
  using harness::Intent;
  return {Buffer::of("mob", _mob, Intent::in), Buffer::of("charge", _charge, Intent::in),
          Buffer::of("a", _a, Intent::out), Buffer::of("c", _c, Intent::out)};
}

void Problem::reset() {
  constexpr double poison = std::numeric_limits<double>::quiet_NaN();
  base::parallel_ranges(static_cast<long>(_a.size()), [&](long begin, long end) {
    std::fill(_a.begin() + begin, _a.begin() + end, poison);
    std::fill(_c.begin() + begin, _c.begin() + end, poison);
  });
}

harness::Check Problem::check() const {
  const auto n = static_cast<long>(_mob.size());
  const auto product = [&](long i) {
    return _mob[static_cast<std::size_t>(i)] * _charge[static_cast<std::size_t>(i)];
  };
  harness::Check check =
      harness::check_exact(n, [&](long i) { return _a[static_cast<std::size_t>(i)]; }, product);
  if (!check.passed) {
    check.detail = "a: " + check.detail;
    return check;
  }
  check = harness::check_exact(
      std::max(n - 2, 0L), [&](long i) { return _c[static_cast<std::size_t>(i + 1)]; },
      [&](long i) { return 0.5 * (product(i) + product(i + 2)); });
  if (!check.passed)
    check.detail = "c, inside: " + check.detail;
  return check;
}

harness::Work Problem::work() const {
  const auto n = static_cast<double>(_mob.size());
  return {.bytes = 32 * n,
          .flops = 3 * n,
          .single_precision = false,
          .reasoning = "mob and charge are read once, a and c written once"};
}

std::string Problem::describe() const {
  return fmt::format("{} entries", _mob.size());
}

} // namespace gangway::adjacent
