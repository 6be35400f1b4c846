// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/saxpy/saxpy.hpp"

#include "harness/check.hpp"

namespace gangway::saxpy {
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

long elements(const harness::Parameters& parameters) {
  return parameters.integer("n", 0, 1L << 35);
}

constexpr harness::Key keys[]{{"n", "30000000", "elements of each vector"}};

std::vector<harness::Case> cases(harness::Effort effort, double memory_bytes) {
  const long n = effort == harness::Effort::full    ? (memory_bytes > 10e9 ? 1L << 29 : 1L << 27)
                 : effort == harness::Effort::quick ? 30000000
                                                    : 40000000;
  return {{"large", {{"n", std::to_string(n)}}}};
}

} // namespace

constinit const harness::StudyInfo Problem::info{
    .id = "saxpy",
    .title = "y = 2 x + y, float: vector length by device_type",
    .source = "OpenACC Programming and Best Practices Guide, chapter 6 (device types)",
    .keys = keys,
    .cases = cases,
    .edge_cases = []() -> std::vector<harness::Case> {
      return {{"none", {{"n", "0"}}},
              {"one", {{"n", "1"}}},
              {"one less than a vector", {{"n", "127"}}},
              {"one more than a vector", {{"n", "129"}}},
              {"one less than a gang", {{"n", "8191"}}},
              {"a gang", {{"n", "8192"}}},
              {"one more than a gang", {{"n", "8193"}}},
              {"a prime", {{"n", "104729"}}}};
    },
    .footprint = [](const harness::Parameters& given) { return 8.0 * elements(given); },
};

Problem::Problem(const harness::Parameters& parameters)
    : _x(base::filled<float>(elements(parameters), x_at)), _y(_x.size()) {
  kernels_take(std::ssize(_y), in("x", _x), inout("y", _y, y_at));
  described_as(fmt::format("{} elements a vector", _y.size()));
}

harness::Check Problem::check() const {
  // Whole numbers that a float holds: no result is rounded.
  return harness::check_exact(_y, result_at);
}

harness::Work Problem::work() const {
  const auto n = static_cast<double>(_y.size());
  return {.bytes = 12 * n,
          .flops = 2 * n,
          .single_precision = true,
          .reasoning = "x and y read, y written, a multiplication and an addition each",
          .in_place = true};
}

} // namespace gangway::saxpy
