// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/unified/unified.hpp"

#include "gangway/data.hpp"
#include "gangway/levels.hpp"
#include "harness/check.hpp"

#include <fmt/format.h>

namespace gangway::unified {
namespace {

constexpr std::int64_t max_n = 20'000'000'000;

/// Whole numbers below 2^22, so that 2 x + y is exact; x is never 0, so that an untouched y shows.
float x_value(long i) {
  return static_cast<float>((i * 7919 & 0x3fffff) + 1);
}
float y_value(long i) {
  return static_cast<float>(i * 104729 & 0x3fffff);
}

constexpr harness::Key keys[]{{"n", "20000000", "elements"}};

std::vector<harness::Case> cases(harness::Effort effort, double memory_bytes) {
  if (effort == harness::Effort::full && has_device && memory_bytes > 16e9)
    return {{"1e6", {{"n", "1000000"}}}, {"2.56e8", {{"n", "256000000"}}}};
  return {{"1e6", {{"n", "1000000"}}}, {"3.2e7", {{"n", "32000000"}}}};
}

} // namespace

constinit const harness::StudyInfo Problem::info{
    .id = "unified",
    .title = "saxpy on copied and on managed memory",
    .source = "short course on OpenACC (UFRJ), section 2.2",
    .whole_by_default = true,
    .keys = keys,
    .cases = cases,
    .edge_cases = []() -> std::vector<harness::Case> {
      std::vector<harness::Case> some;
      for (const char* n : {"0", "1", "255", "257", "4095", "4096", "4097", "100001"})
        some.push_back({n, {{"n", n}}});
      return some;
    },
    .footprint =
        [](const harness::Parameters& parameters) {
          return 16.0 * parameters.integer("n", 0, max_n);
        },
};

Problem::Managed Problem::allocate_managed(long n) {
  using Space = Kokkos::SharedSpace;
  const auto bytes = static_cast<std::size_t>(std::max(n, 1L)) * sizeof(float);
  return {static_cast<float*>(Kokkos::kokkos_malloc<Space>("unified/managed", bytes)),
          [](float* memory) { Kokkos::kokkos_free<Space>(memory); }};
}

Problem::Problem(const harness::Parameters& parameters)
    : _n(parameters.integer("n", 0, max_n)), _x(static_cast<std::size_t>(_n)),
      _y(static_cast<std::size_t>(_n)), _managed_x(allocate_managed(_n)),
      _managed_y(allocate_managed(_n)) {
  base::fill_each(_x.data(), _n, x_value);
  base::fill_each(_managed_x.get(), _n, x_value);
  // No data clause names managed memory.
  kernels_take(_n, alpha, in("x", _x), inout("y", _y, y_value), _managed_x.get(),
               inout("", _managed_y.get(), _n, y_value));
  described_as(fmt::format(
      "{} elements{}", _n,
      has_device ? "; the managed arrays move by page when host or device touches them"
                 : "; here managed memory is the host's own: explicit and managed do the same"));
}

harness::Check Problem::check() const {
  const auto compare = [&](const char* name, const float* y) {
    harness::Check check =
        harness::check_exact(_n, y, [](long i) { return alpha * x_value(i) + y_value(i); });
    check.detail = fmt::format("{}: {}", name, check.detail);
    return check;
  };
  const auto untouched = [&](const float* y) {
    return harness::check_exact(_n, y, y_value).passed;
  };
  harness::Check copied = compare("y", _y.data());
  harness::Check managed = compare("managed y", _managed_y.get());
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

} // namespace gangway::unified
