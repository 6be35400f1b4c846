// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/pi/pi.hpp"

#include "gangway/device.hpp"

#include <fmt/format.h>

#include <numbers>

namespace gangway::pi {
namespace {

/// Beyond this the next term of the error, of order points^-4, is less than a rounding of long
/// double.
constexpr long few = 20000;

std::vector<harness::Case> cases(harness::Effort effort, double /*memory_bytes*/) {
  const auto of = [](const char* points) { return harness::Case{points, {{"points", points}}}; };
  // A compiler may leave `kernels` to one thread, which takes minutes for the document's sizes.
  const auto in_parallel = [](const char* points) {
    return harness::Case{points, {{"points", points}}, {"kernels", "kernels-data"}};
  };
  if (has_device) {
    if (effort == harness::Effort::quick)
      return {of("1e7")};
    if (effort == harness::Effort::normal)
      return {of("1e7"), in_parallel("1e9")};
    return {of("2e7"), in_parallel("1e9"), in_parallel("2e9"), in_parallel("1e10"),
            in_parallel("1.5e10")};
  }
  if (effort == harness::Effort::quick)
    return {of("2e6")};
  if (effort == harness::Effort::normal)
    return {of("1e7")};
  return {of("1e8"), in_parallel("1e9")};
}

std::vector<harness::Case> edge_cases() {
  std::vector<harness::Case> all;
  // One, about a vector, about a block of points, and one more than whole blocks.
  for (const char* points : {"1", "2", "3", "31", "32", "33", "63", "65", "1023", "1025", "16383",
                             "16384", "16385", "98305", "300007"})
    all.push_back({points, {{"points", points}}});
  return all;
}

long points_of(const harness::Parameters& parameters) {
  return parameters.integer("points", 1, 1000000000000);
}

constexpr harness::Key keys[]{{"points", "1e9", "points of the rule"}};

} // namespace

constinit const harness::StudyInfo Problem::info{
    .id = "pi",
    .title = "pi by the midpoint rule, double",
    .source = "short course on OpenACC (UFRJ), section 2.9.1",
    .keys = keys,
    .cases = cases,
    .edge_cases = edge_cases,
    .footprint =
        [](const harness::Parameters& given) {
          static_cast<void>(points_of(given));
          return 0.0;
        },
};

double midpoint_rule(long points) {
  if (points > few) {
    // Euler and Maclaurin: the rule's error is (f'(1) - f'(0)) / (24 points²), and f'(1) = -2.
    const auto n = static_cast<long double>(points);
    return static_cast<double>(std::numbers::pi_v<long double> + 1 / (12 * n * n));
  }
  long double sum = 0;
  for (long i = 0; i < points; ++i) {
    const long double x = (static_cast<long double>(i) + 0.5L) / static_cast<long double>(points);
    sum += 4 / (1 + x * x);
  }
  return static_cast<double>(sum / static_cast<long double>(points));
}

Problem::Problem(const harness::Parameters& parameters)
    : _points(points_of(parameters)), _expected(midpoint_rule(_points)) {
  kernels_take(_points, result(_pi));
  described_as(fmt::format("{} points; the rule itself is off by {:.2g}", _points,
                           std::abs(_expected - std::numbers::pi)));
}

harness::Check Problem::check() const {
  // In any order n sums and their terms are off by n + 16 roundings at most; and half the smallest
  // term is the limit, so that one point left out, or taken twice, is seen however many there are.
  const auto n = static_cast<double>(_points);
  const double rounding = (n + 16) * std::numeric_limits<double>::epsilon() * _expected;
  const double error = std::abs(_pi - _expected);
  const double tolerance = std::min(rounding, 1 / n);
  return {error <= tolerance, std::isnan(error) ? std::numeric_limits<double>::infinity() : error,
          tolerance, fmt::format("{:.15f}, the rule gives {:.15f}", _pi, _expected)};
}

harness::Work Problem::work() const {
  return {.bytes = sizeof(double),
          .flops = 6 * static_cast<double>(_points),
          .single_precision = false,
          .reasoning = "a point is + 0.5, times the step, squared, + 1, a reciprocal, and the sum"};
}

} // namespace gangway::pi
