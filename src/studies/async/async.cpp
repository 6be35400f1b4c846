// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/async/async.hpp"

#include "harness/check.hpp"

#include <Kokkos_Core.hpp>

namespace gangway::async {
namespace {

/// Whole numbers below 2^20, spread over them: 2 x + y is exact, fused or not.
float x_of(long i) {
  return static_cast<float>(static_cast<std::uint64_t>(i) * 2654435761U >> 8 & 0xfffffU);
}
float y_of(long i) {
  return static_cast<float>(static_cast<std::uint64_t>(i) * 2246822519U >> 9 & 0xfffffU);
}

long count_of(const harness::Parameters& parameters) {
  return parameters.integer("n", 0, 1'000'000'000'000);
}

int blocks_of(const harness::Parameters& parameters) {
  return static_cast<int>(parameters.integer("blocks", 1, 1024));
}

double footprint(const harness::Parameters& parameters) {
  static_cast<void>(blocks_of(parameters));
  return 8.0 * static_cast<double>(count_of(parameters));
}

std::vector<harness::Case> cases(harness::Effort effort, double memory_bytes) {
  const bool large = effort == harness::Effort::full && memory_bytes > 12e9;
  return {{"saxpy", {{"n", large ? "67108864" : "33554432"}, {"blocks", "16"}}}};
}

constexpr harness::Key keys[]{{"n", "33554432", "elements"},
                              {"blocks", "16", "blocks, each with a queue of its own"}};

} // namespace

constinit const harness::StudyInfo Problem::info{
    .id = "async",
    .title = "saxpy in blocks, copies and kernels on one or several queues",
    .source = "no document: blocks of the study saxpy on queues",
    .whole_by_default = true,
    .keys = keys,
    .cases = cases,
    .edge_cases = []() -> std::vector<harness::Case> {
      return {{"nothing", {{"n", "0"}, {"blocks", "4"}}},
              {"one element", {{"n", "1"}, {"blocks", "1"}}},
              {"more blocks than elements", {{"n", "5"}, {"blocks", "8"}}},
              {"one block", {{"n", "5000"}, {"blocks", "1"}}},
              {"empty last blocks", {{"n", "17"}, {"blocks", "12"}}},
              {"uneven blocks", {{"n", "10007"}, {"blocks", "3"}}}};
    },
    .footprint = footprint,
};

Problem::Pinned Problem::pinned(long n) {
  using Space = Kokkos::SharedHostPinnedSpace;
  void* const memory =
      Kokkos::kokkos_malloc<Space>("async pinned", static_cast<std::size_t>(n) * sizeof(float));
  return {static_cast<float*>(memory), [](float* array) { Kokkos::kokkos_free<Space>(array); }};
}

Problem::Problem(const harness::Parameters& parameters)
    : _n(count_of(parameters)), _blocks(blocks_of(parameters)), _x(pinned(_n)), _y(pinned(_n)) {
  base::fill_each(_x.get(), _n, x_of);
  kernels_take(_n, _blocks, 2.0F, in("x", _x.get(), _n), inout("y", _y.get(), _n, y_of));
  described_as(
      fmt::format("{} elements in {} blocks of {}", _n, _blocks, first_of(1, _n, _blocks)));
}

harness::Check Problem::check() const {
  // Whole numbers below 2^22: no result is rounded.
  return harness::check_exact(_n, _y.get(), [](long i) { return 2 * x_of(i) + y_of(i); });
}

harness::Work Problem::work() const {
  const auto n = static_cast<double>(_n);
  return {.bytes = 3 * sizeof(float) * n,
          .flops = 2 * n,
          .single_precision = true,
          .reasoning = "x and y read, y written",
          .in_place = true};
}

} // namespace gangway::async
