// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/unified/unified.hpp"

#include "base/parallel.hpp"
#include "gangway/data.hpp"
#include "gangway/levels.hpp"
#include "harness/check.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gangway::unified {

using harness::Buffer;
using harness::Case;
using harness::Check;
using harness::Effort;
using harness::Intent;
using harness::Parameters;

namespace {

constexpr std::int64_t max_n = 20'000'000'000;

/// Whole numbers below 2^22, so that 2 x + y is exact; x is never 0, so that an untouched y shows.
float x_value(long i) {
  return static_cast<float>((i * 7919 & 0x3fffff) + 1);
}
float y_value(long i) {
  return static_cast<float>(i * 104729 & 0x3fffff);
}

} // namespace

std::vector<std::string> Problem::stages() {
  return {"explicit", "managed"};
}

std::vector<harness::Key> Problem::keys() {
  return {{"n", "20000000", "elements"}};
}

std::vector<Case> Problem::cases(Effort effort, double memory_bytes) {
  if (effort == Effort::full && has_device && memory_bytes > 16e9)
    return {{"1e6", {{"n", "1000000"}}}, {"2.56e8", {{"n", "256000000"}}}};
  return {{"1e6", {{"n", "1000000"}}}, {"3.2e7", {{"n", "32000000"}}}};
}

std::vector<Case> Problem::edge_cases() {
  std::vector<Case> cases;
  for (const char* n : {"0", "1", "255", "257", "4095", "4096", "4097", "100001"})
    cases.push_back({n, {{"n", n}}});
  return cases;
}

double Problem::footprint(const Parameters& parameters) {
  return 16 * static_cast<double>(parameters.integer("n", 0, max_n));
}

Problem::Managed Problem::allocate_managed(long n) {
  using Space = Kokkos::SharedSpace;
  const auto bytes = static_cast<std::size_t>(std::max(n, 1L)) * sizeof(float);
  return {static_cast<float*>(Kokkos::kokkos_malloc<Space>("unified/managed", bytes)),
          [](float* memory) { Kokkos::kokkos_free<Space>(memory); }};
}

Problem::Problem(const Parameters& parameters)
    : _n(parameters.integer("n", 0, max_n)), _x(static_cast<std::size_t>(_n)),
      _y(static_cast<std::size_t>(_n)), _managed_x(allocate_managed(_n)),
      _managed_y(allocate_managed(_n)) {
  base::parallel_ranges(_n, [&](long begin, long end) {
    for (long i = begin; i < end; ++i)
      _x[static_cast<std::size_t>(i)] = _managed_x.get()[i] = x_value(i);
  });
  reset();
}

std::vector<Buffer> Problem::buffers() {
  return {Buffer::of("x", _x, Intent::in), Buffer::of("y", _y, Intent::inout)};
}

void Problem::reset() {
  base::parallel_ranges(_n, [&](long begin, long end) {
    for (long i = begin; i < end; ++i)
      _y[static_cast<std::size_t>(i)] = _managed_y.get()[i] = y_value(i);
  });
}

Check Problem::check() const {
  const auto compare = [&](const char* name, const float* y) {
    Check check = harness::check_exact(
        _n, [=](long i) { return y[i]; }, [](long i) { return alpha * x_value(i) + y_value(i); });
    check.detail = fmt::format("{}: {}", name, check.detail);
    return check;
  };
  const auto untouched = [&](const float* y) {
    return harness::check_exact(_n, [=](long i) { return y[i]; }, y_value).passed;
  };
  Check copied = compare("y", _y.data());
  Check managed = compare("managed y", _managed_y.get());
  if (copied.passed && (managed.passed || untouched(_managed_y.get())))
    return copied;
  // The other one is right and this one untouched, or here is what went wrong.
  return copied.passed || untouched(_y.data()) ? managed : copied;
}

harness::Work Problem::work() const {
  const auto n = static_cast<double>(_n);
  return {.bytes = 12 * n,
          .flops = 2 * n,
          .single_precision = true,
          .reasoning = "x read, y read and written",
          .in_place = true};
}

std::string Problem::describe() const {
  return fmt::format(
      "{} elements{}", _n,
      has_device ? "; the managed arrays move by page when host or device touches them"
                 : "; here managed memory is the host's own: explicit and managed do the same");
}

} // namespace gangway::unified
