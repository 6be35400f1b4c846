// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/normalize/normalize.hpp"

#include "base/parallel.hpp"
#include "gangway/levels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>

namespace gangway::normalize {

using harness::Effort;
using harness::Parameters;

namespace {

std::size_t size_of(const Parameters& parameters) {
  return static_cast<std::size_t>(parameters.integer("n", 0, 1000000000000));
}

/// Between 0.5 and 1.5, another in each place.
base::HostArray<double> numbers(std::size_t n) {
  base::HostArray<double> values(n);
  base::parallel_ranges(static_cast<long>(n), [&](long begin, long end) {
    for (long i = begin; i < end; ++i)
      values[static_cast<std::size_t>(i)] = 0.5 + static_cast<double>(i * 7919 % 1000003) / 1000003;
  });
  return values;
}

struct Sums {
  long double of_values = 0;
  long double of_sizes = 0;
};

Sums add(const base::HostArray<double>& values) {
  Sums sums;
  std::mutex guard;
  base::parallel_ranges(static_cast<long>(values.size()), [&](long begin, long end) {
    Sums mine;
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
      mine.of_values += static_cast<long double>(values[i]);
      mine.of_sizes += static_cast<long double>(std::abs(values[i]));
    }
    const std::lock_guard lock(guard);
    sums.of_values += mine.of_values;
    sums.of_sizes += mine.of_sizes;
  });
  return sums;
}

/// Relative to `expected`; 0 for equal infinities and for NaN where NaN is expected.
double error_of(double computed, double expected) {
  if (computed == expected || (std::isnan(computed) && std::isnan(expected)))
    return 0;
  const double error = std::abs((computed - expected) / expected);
  return std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
}

} // namespace

std::vector<std::string> Problem::stages() {
  return {"kernels"};
}

std::vector<harness::Key> Problem::keys() {
  return {{"n", "30000000", "entries"}};
}

std::vector<harness::Case> Problem::cases(Effort effort, double memory_bytes) {
  // More than twice the cache of a host.
  if constexpr (!has_device)
    return {{"default", {{"n", "30000000"}}}};
  // A compiler may leave `kernels` to one thread of a GPU: that stage has a case of its own size.
  const bool large = effort == Effort::full && memory_bytes > 12e9;
  return {{"every stage", {{"n", "1000000"}}},
          {"large", {{"n", large ? "134217728" : "67108864"}}, {"kernels"}}};
}

std::vector<harness::Case> Problem::edge_cases() {
  return {{"empty", {{"n", "0"}}},
          {"one", {{"n", "1"}}},
          {"two", {{"n", "2"}}},
          {"less than a chain each", {{"n", "7"}}},
          {"one less than a block", {{"n", "2047"}}},
          {"one more than a block", {{"n", "2049"}}},
          {"one less than a host block", {{"n", "8191"}}},
          {"one more than a host block", {{"n", "8193"}}},
          {"several blocks", {{"n", "100003"}}}};
}

double Problem::footprint(const Parameters& parameters) {
  return 2 * sizeof(double) * static_cast<double>(size_of(parameters));
}

Problem::Problem(const Parameters& parameters) : Problem(numbers(size_of(parameters))) {}

Problem::Problem(base::HostArray<double> values) : _values(std::move(values)), _v(_values.size()) {
  const auto [sum, sizes] = add(_values);
  _reference = static_cast<double>(sum);
  // Rounding errors of a sum of n terms of one sign, added one by one, make a random walk of about
  // sqrt(n) / 3 units of rounding: 1e-12 is three times that for 2^26 terms. Terms that cancel
  // magnify it.
  _tolerance = 1e-12 * std::max(1.0, std::sqrt(static_cast<double>(_v.size()) / (1L << 26)));
  if (sum != 0 && std::isfinite(sizes))
    _tolerance *= static_cast<double>(sizes / std::abs(sum));
  reset();
}

std::vector<harness::Buffer> Problem::buffers() {
  return {harness::Buffer::of("v", _v, harness::Intent::inout)};
}

void Problem::reset() {
  base::parallel_ranges(static_cast<long>(_v.size()), [&](long begin, long end) {
    std::copy(_values.begin() + begin, _values.begin() + end, _v.begin() + begin);
  });
  _sum = -12345.678;
}

harness::Check Problem::check() const {
  harness::Check check{true, error_of(_sum, _reference), _tolerance,
                       "the sum, each quotient and the sum of the quotients, relative"};
  if (!(check.error <= check.tolerance)) {
    check.passed = false;
    check.detail = fmt::format("sum {} instead of {}", _sum, _reference);
    return check;
  }
  const auto expected = [&](std::size_t i) { return _values[i] / _reference; };
  std::mutex guard;
  std::size_t worst = 0;
  long double total = 0;
  base::parallel_ranges(static_cast<long>(_v.size()), [&](long begin, long end) {
    double error = 0;
    std::size_t at = 0;
    long double of_part = 0;
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
      of_part += static_cast<long double>(_v[i]);
      if (const double mine = error_of(_v[i], expected(i)); mine > error) {
        error = mine;
        at = i;
      }
    }
    const std::lock_guard lock(guard);
    total += of_part;
    if (error > check.error) {
      check.error = error;
      worst = at;
    }
  });
  check.passed = check.error <= check.tolerance;
  if (!check.passed) {
    check.detail = fmt::format("entry {}: {} instead of {}", worst, _v[worst], expected(worst));
    return check;
  }
  if (_v.empty() || _reference == 0 || !std::isfinite(_reference))
    return check;
  const double error = error_of(static_cast<double>(total), 1);
  check.error = std::max(check.error, error);
  check.passed = error <= check.tolerance;
  if (!check.passed)
    check.detail = fmt::format("the quotients add up to 1 but for {}", error);
  return check;
}

harness::Work Problem::work() const {
  const auto n = static_cast<double>(_v.size());
  return {.bytes = 24 * n,
          .flops = 2 * n,
          .single_precision = false,
          .reasoning =
              "each entry is read for the sum and, as no division can begin before it is there, "
              "read again and written",
          .in_place = true};
}

std::string Problem::describe() const {
  return fmt::format("{} entries", _v.size());
}

} // namespace gangway::normalize
