// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/normalize/normalize.hpp"

#include "gangway/device.hpp"
#include "harness/check.hpp"

#include <mutex>

namespace gangway::normalize {
namespace {

long entries(const harness::Parameters& parameters) {
  return parameters.integer("n", 0, 1000000000000);
}

/// Between 0.5 and 1.5, another in each place.
double number(long i) {
  return 0.5 + static_cast<double>(i * 7919 % 1000003) / 1000003;
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

/// One number: within `tolerance`, relative to `expected`.
harness::Check check_number(const char* what, double computed, double expected, double tolerance) {
  harness::Check check = harness::check_within(
      1, [=](long) { return computed; }, [=](long) { return expected; },
      [=](long) { return tolerance * std::abs(expected); },
      "the sum, each quotient and the sum of the quotients");
  if (!check.passed)
    check.detail = fmt::format("{}: {} instead of {}", what, computed, expected);
  return check;
}

std::vector<harness::Case> cases(harness::Effort effort, double memory_bytes) {
  // More than twice the cache of a host.
  if constexpr (!has_device)
    return {{"default", {{"n", "30000000"}}}};
  // A compiler may leave `kernels` to one thread of a GPU: that stage has a case of its own size.
  const bool large = effort == harness::Effort::full && memory_bytes > 12e9;
  return {{"every stage", {{"n", "1000000"}}},
          {"large", {{"n", large ? "134217728" : "67108864"}}, {"kernels"}}};
}

constexpr harness::Key keys[]{{"n", "30000000", "entries"}};

} // namespace

constinit const harness::StudyInfo Problem::info{
    .id = "normalize",
    .title = "divide by the sum: a reduction that the next loop needs, double",
    .source = "kernels versus parallel (notes in Chinese)",
    .keys = keys,
    .cases = cases,
    .edge_cases = []() -> std::vector<harness::Case> {
      return {{"empty", {{"n", "0"}}},
              {"one", {{"n", "1"}}},
              {"two", {{"n", "2"}}},
              {"less than a chain each", {{"n", "7"}}},
              {"one less than a block", {{"n", "2047"}}},
              {"one more than a block", {{"n", "2049"}}},
              {"one less than a host block", {{"n", "8191"}}},
              {"one more than a host block", {{"n", "8193"}}},
              {"several blocks", {{"n", "100003"}}}};
    },
    .footprint = [](const harness::Parameters& given) { return 16.0 * entries(given); },
};

Problem::Problem(const harness::Parameters& parameters)
    : Problem(base::filled<double>(entries(parameters), number)) {}

Problem::Problem(base::HostArray<double> values) : _values(std::move(values)), _v(_values.size()) {
  const auto [sum, sizes] = add(_values);
  _reference = static_cast<double>(sum);
  // Rounding errors of a sum of n terms of one sign, added one by one, make a random walk of about
  // sqrt(n) / 3 units of rounding: 1e-12 is three times that for 2^26 terms. Terms that cancel
  // magnify it.
  _tolerance = 1e-12 * std::max(1.0, std::sqrt(static_cast<double>(_v.size()) / (1L << 26)));
  if (sum != 0 && std::isfinite(sizes))
    _tolerance *= static_cast<double>(sizes / std::abs(sum));
  kernels_take(std::ssize(_v),
               inout("v", _v, [values = _values.data()](long i) { return values[i]; }),
               result(_sum, -12345.678));
  described_as(fmt::format("{} entries", _v.size()));
}

harness::Check Problem::check() const {
  harness::Check check = check_number("the sum", _sum, _reference, _tolerance);
  const auto worst_of_both = [&](const harness::Check& next) {
    if (!next.passed)
      check = next;
    check.error = std::max(check.error, next.error);
  };
  const auto quotient = [&](long i) { return _values[static_cast<std::size_t>(i)] / _reference; };
  if (check.passed)
    worst_of_both(harness::check_within(
        std::ssize(_v), _v, quotient, [&](long i) { return _tolerance * std::abs(quotient(i)); },
        check.detail));
  if (check.passed && !_v.empty() && _reference != 0 && std::isfinite(_reference))
    worst_of_both(check_number("the sum of the quotients", static_cast<double>(add(_v).of_values),
                               1, _tolerance));
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

} // namespace gangway::normalize
