// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/async/async.hpp"

#include "base/parallel.hpp"

#include <Kokkos_Core.hpp>
#include <fmt/format.h>

#include <atomic>
#include <cstdint>
#include <limits>
#include <stdexcept>

namespace gangway::async {

using harness::Effort;
using harness::Parameters;

namespace {

/// Whole numbers below 2^20, spread over them: 2 x + y is exact, fused or not.
float x_of(long i) {
  return static_cast<float>(static_cast<std::uint64_t>(i) * 2654435761U >> 8 & 0xfffffU);
}
float y_of(long i) {
  return static_cast<float>(static_cast<std::uint64_t>(i) * 2246822519U >> 9 & 0xfffffU);
}

long count_of(const Parameters& parameters) {
  return parameters.integer("n", 0, 1'000'000'000'000);
}

} // namespace

std::vector<std::string> Problem::stages() {
  return {"sync", "async"};
}

std::vector<harness::Key> Problem::keys() {
  return {{"n", "33554432", "elements"}, {"blocks", "16", "blocks, each with a queue of its own"}};
}

std::vector<harness::Case> Problem::cases(Effort effort, double memory_bytes) {
  const bool large = effort == Effort::full && memory_bytes > 12e9;
  return {{"saxpy", {{"n", large ? "67108864" : "33554432"}, {"blocks", "16"}}}};
}

std::vector<harness::Case> Problem::edge_cases() {
  return {{"nothing", {{"n", "0"}, {"blocks", "4"}}},
          {"one element", {{"n", "1"}, {"blocks", "1"}}},
          {"more blocks than elements", {{"n", "5"}, {"blocks", "8"}}},
          {"one block", {{"n", "5000"}, {"blocks", "1"}}},
          {"empty last blocks", {{"n", "17"}, {"blocks", "12"}}},
          {"uneven blocks", {{"n", "10007"}, {"blocks", "3"}}}};
}

double Problem::footprint(const Parameters& parameters) {
  return 2.0 * sizeof(float) * static_cast<double>(count_of(parameters));
}

Problem::Pinned Problem::pinned(long n) {
  using Space = Kokkos::SharedHostPinnedSpace;
  void* const memory =
      Kokkos::kokkos_malloc<Space>("async pinned", static_cast<std::size_t>(n) * sizeof(float));
  return {static_cast<float*>(memory), [](float* array) { Kokkos::kokkos_free<Space>(array); }};
}

Problem::Problem(const Parameters& parameters)
    : _n(count_of(parameters)), _blocks(static_cast<int>(parameters.integer("blocks", 1, 1024))),
      _x(pinned(_n)), _y(pinned(_n)) {
  base::parallel_ranges(_n, [&](long begin, long end) {
    for (long i = begin; i < end; ++i)
      _x.get()[i] = x_of(i);
  });
  reset();
}

std::vector<harness::Buffer> Problem::buffers() {
  const std::size_t bytes = static_cast<std::size_t>(_n) * sizeof(float);
  return {{"x", _x.get(), bytes, harness::Intent::in},
          {"y", _y.get(), bytes, harness::Intent::inout}};
}

void Problem::reset() {
  base::parallel_ranges(_n, [&](long begin, long end) {
    for (long i = begin; i < end; ++i)
      _y.get()[i] = y_of(i);
  });
}

harness::Check Problem::check() const {
  harness::Check check{.passed = true, .error = 0, .tolerance = 0, .detail = "exact"};
  std::atomic<long> wrong{_n};
  base::parallel_ranges(_n, [&](long begin, long end) {
    for (long i = begin; i < end; ++i)
      if (_y.get()[i] != 2 * x_of(i) + y_of(i)) {
        long seen = wrong.load();
        while (i < seen && !wrong.compare_exchange_weak(seen, i)) {
        }
        return;
      }
  });
  if (const long i = wrong.load(); i < _n) {
    check.passed = false;
    check.error = std::numeric_limits<double>::infinity();
    check.detail = fmt::format("y[{}] is {} instead of {}", i, _y.get()[i], 2 * x_of(i) + y_of(i));
  }
  return check;
}

harness::Work Problem::work() const {
  const auto n = static_cast<double>(_n);
  return {.bytes = 3 * sizeof(float) * n,
          .flops = 2 * n,
          .single_precision = true,
          .reasoning = "x and y read, y written",
          .in_place = true};
}

std::string Problem::describe() const {
  return fmt::format("{} elements in {} blocks of {}", _n, _blocks, first_of(1, _n, _blocks));
}

} // namespace gangway::async
