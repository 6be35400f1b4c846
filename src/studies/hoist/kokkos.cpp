// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/study.hpp"
#include "studies/hoist/hoist.hpp"

namespace gangway::hoist {
namespace {

/// One product. Its clauses say what it needs, and move only what no region around it holds.
void multiply(const char* label, const Clauses& clauses, int n, const float* a, const float* b,
              float* c) {
  Data data;
  const auto left = data.copyin(a, n, n);
  const auto right = data.copyin(b, n, n);
  const auto out = data.copyout(c, n, n);
  gangway::parallel_for(
      label, gang(n).clauses(clauses), KOKKOS_LAMBDA(const Gang<>& gang, int i) {
        loop_vector(gang, 0, n, [&](int j) {
          float sum = 0;
          for (int k = 0; k < n; ++k)
            sum += left(i, k) * right(k, j);
          out(i, j) = sum;
        });
      });
}

constexpr Clauses clauses{.workers = 1, .vector = 128};

void region_per_call(int n, const float* a, const float* b, float* c) {
  const long all = static_cast<long>(n) * n;
  for (int p = 0; p < products; ++p)
    multiply("hoist/region-per-call", clauses, n, a, b, c + p * all);
}

void around(const char* label, const Clauses& of_product, int n, const float* a, const float* b,
            float* c) {
  const long all = static_cast<long>(n) * n;
  Data region;
  static_cast<void>(region.copyin(a, all));
  static_cast<void>(region.copyin(b, all));
  for (int p = 0; p < products; ++p)
    multiply(label, of_product, n, a, b, c + p * all);
}
void region_around(int n, const float* a, const float* b, float* c) {
  around("hoist/region-around", clauses, n, a, b, c);
}

void of_mapping(const kernels::Mapping& mapping, int n, const float* a, const float* b, float* c) {
  around("hoist/of-mapping", mapping.clauses, n, a, b, c);
}

/// The region holds the results as well: nothing waits for a copy between the products, and one at
/// the end brings all five.
void results_too(int n, const float* a, const float* b, float* c) {
  const long all = static_cast<long>(n) * n;
  Data region;
  static_cast<void>(region.copyin(a, all));
  static_cast<void>(region.copyin(b, all));
  static_cast<void>(region.copyout(c, products * all));
  for (int p = 0; p < products; ++p)
    multiply("hoist/results-too", clauses, n, a, b, c + p * all);
}

const harness::Study<Problem> study({
    .stages = {{"region-per-call", region_per_call}, {"region-around", region_around}},
    .beyond = {{"results-too", results_too}},
    .sweep = {.kernel = of_mapping, .own = {clauses, 1}},
});

} // namespace
} // namespace gangway::hoist
