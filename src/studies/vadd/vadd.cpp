// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/vadd/vadd.hpp"

#include "gangway/device.hpp"
#include "harness/check.hpp"

namespace gangway::vadd {

// Multiples of 1/4 below 2^36: sums of them are exact, and the sum of a wrong pair is a wrong sum.
static double a_at(long i) {
  return static_cast<double>(i) + 0.25;
}
static double b_at(long i) {
  return 2 * static_cast<double>(i) + 0.5;
}
static double c_at(long i) {
  return 3 * static_cast<double>(i) + 0.75;
}

static long elements(const harness::Parameters& parameters) {
  return parameters.integer("n", 0, 1L << 34);
}

static std::vector<harness::Case> cases(harness::Effort effort, double memory_bytes) {
  const bool full = effort == harness::Effort::full;
  const long n = full ? (memory_bytes > 14e9 ? 1L << 28 : 1L << 26)
                      : (effort == harness::Effort::quick ? 10000000 : 16000000);
  if constexpr (!has_device)
    return {{"large", {{"n", std::to_string(n)}}, {}}};
  // One thread of a GPU adds a few million elements a second: what a compiler may leave to one, and
  // what is one by definition, has a case of its own.
  return {{"every stage", {{"n", "1000000"}}, {}},
          {"large",
           {{"n", std::to_string(full ? n : 1L << 26)}},
           {"kernels", "kernels-independent", "redundant"}}};
}

constexpr harness::Key keys[]{{"n", "10000000", "elements of each vector"}};

static std::vector<harness::Case> edge_cases() {
  return {{"none", {{"n", "0"}}},
          {"one", {{"n", "1"}}},
          {"one less than a gang", {{"n", "4095"}}},
          {"a gang", {{"n", "4096"}}},
          {"one more than a gang", {{"n", "4097"}}},
          {"a prime", {{"n", "104729"}}}};
}

constinit const harness::StudyInfo Problem::info{
    .id = "vadd",
    .title = "vector sum c = a + b, double: kernels, parallel, device_type",
    .source = "kernels versus parallel (notes in Chinese); short course on OpenACC (UFRJ), "
              "example 2.5",
    .keys = keys,
    .cases = cases,
    .edge_cases = edge_cases,
    .footprint = [](const harness::Parameters& given) { return 24.0 * elements(given); },
};

Problem::Problem(const harness::Parameters& parameters)
    : _a(base::filled<double>(elements(parameters), a_at)),
      _b(base::filled<double>(std::ssize(_a), b_at)), _c(_a.size()) {
  kernels_take(std::ssize(_c), in("a", _a), in("b", _b), out("c", _c));
  described_as(fmt::format("{} elements a vector", _c.size()));
}

harness::Check Problem::check() const {
  // One addition of numbers whose sum is a double: no result is rounded.
  return harness::check_exact(_c, c_at);
}

harness::Work Problem::work() const {
  const auto n = static_cast<double>(_c.size());
  return {.bytes = 24 * n,
          .flops = n,
          .single_precision = false,
          .reasoning = "two elements read, one written, one addition each"};
}

} // namespace gangway::vadd
