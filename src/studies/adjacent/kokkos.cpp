// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/study.hpp"
#include "studies/adjacent/adjacent.hpp"

namespace gangway::adjacent {
namespace {

/// Two kernels on one execution space: the second begins when the first is done.
void kernels(long n, const double* mob, const double* charge, double* a, double* c) {
  const long inside = std::max(n - 2, 0L);
  Data data;
  const auto mobility = data.copyin(mob, n);
  const auto of_charge = data.copyin(charge, n);
  const auto product = data.copyout(a, n);
  const auto mean = data.copyout(inside > 0 ? c + 1 : c, inside); // mean(i) is c[i + 1]
  gangway::parallel_for(
      "adjacent/products", gang_vector(n),
      KOKKOS_LAMBDA(long i) { product(i) = mobility(i) * of_charge(i); });
  gangway::parallel_for(
      "adjacent/means", gang_vector(inside),
      KOKKOS_LAMBDA(long i) { mean(i) = 0.5 * (product(i) + product(i + 2)); });
}

/// Two kernels on one execution space, one element per thread of a flat range.
void parallel_pair(long n, const double* mob, const double* charge, double* a, double* c) {
  using Range = Kokkos::RangePolicy<Kokkos::DefaultExecutionSpace, Kokkos::IndexType<long>>;
  const long inside = std::max(n - 2, 0L);
  Data data;
  const auto mobility = data.copyin(mob, n);
  const auto of_charge = data.copyin(charge, n);
  const auto product = data.copyout(a, n);
  const auto mean = data.copyout(inside > 0 ? c + 1 : c, inside); // mean(i) is c[i + 1]
  Kokkos::parallel_for(
      "adjacent/parallel-pair products", Range(0, n),
      KOKKOS_LAMBDA(long i) { product(i) = mobility(i) * of_charge(i); });
  Kokkos::parallel_for(
      "adjacent/parallel-pair means", Range(0, inside),
      KOKKOS_LAMBDA(long i) { mean(i) = 0.5 * (product(i) + product(i + 2)); });
}

/// One kernel: the products of the neighbours are made again instead of waited for. A gang takes a
/// block; the first gang has the ends, too.
void fused_by(const Clauses& clauses, long n, const double* mob, const double* charge, double* a,
              double* c) {
  if (n == 0)
    return;
  const long inside = std::max(n - 2, 0L);
  Data data;
  const auto mobility = data.copyin(mob, n);
  const auto of_charge = data.copyin(charge, n);
  const auto product = data.copyout(a, n);
  const auto mean = data.copyout(inside > 0 ? c + 1 : c, inside); // mean(i) is c[i + 1]
  constexpr long block = has_device ? 2048 : 8192;
  const long blocks = std::max((inside + block - 1) / block, 1L);
  gangway::parallel_for(
      "adjacent/fused", gang(blocks).clauses(clauses).num_gangs(blocks),
      KOKKOS_LAMBDA(const Gang<>& gang, long b) {
        const long first = b * block;
        loop_vector(gang, first, Kokkos::min(first + block, inside), [&](long i) {
          product(i + 1) = mobility(i + 1) * of_charge(i + 1);
          mean(i) = 0.5 * (mobility(i) * of_charge(i) + mobility(i + 2) * of_charge(i + 2));
        });
        if (first == 0)
          single(gang, [&] {
            product(0) = mobility(0) * of_charge(0);
            product(n - 1) = mobility(n - 1) * of_charge(n - 1);
          });
      });
}
void fused(long n, const double* mob, const double* charge, double* a, double* c) {
  fused_by({.vector = 256}, n, mob, charge, a, c);
}

void of_mapping(const kernels::Mapping& mapping, long n, const double* mob, const double* charge,
                double* a, double* c) {
  fused_by(mapping.clauses, n, mob, charge, a, c);
}

/// The same, one element per thread of a flat range.
void range(long n, const double* mob, const double* charge, double* a, double* c) {
  const long inside = std::max(n - 2, 0L);
  Data data;
  const auto mobility = data.copyin(mob, n);
  const auto of_charge = data.copyin(charge, n);
  const auto product = data.copyout(a, n);
  const auto mean = data.copyout(inside > 0 ? c + 1 : c, inside); // mean(i) is c[i + 1]
  Kokkos::parallel_for(
      "adjacent/range",
      Kokkos::RangePolicy<Kokkos::DefaultExecutionSpace, Kokkos::IndexType<long>>(0, n),
      KOKKOS_LAMBDA(long i) {
        product(i) = mobility(i) * of_charge(i);
        if (i < inside)
          mean(i) = 0.5 * (mobility(i) * of_charge(i) + mobility(i + 2) * of_charge(i + 2));
      });
}

const harness::Study<Problem> study({
    .stages = {{.name = "kernels", .kernel = kernels, .flag = harness::Flag::kernels}},
    .beyond = {{.name = "parallel-pair", .kernel = parallel_pair},
               {.name = "fused", .kernel = fused},
               {.name = "range", .kernel = range}},
    .sweep = {.kernel = of_mapping, .own = {{1, 256}, 1}},
});

} // namespace
} // namespace gangway::adjacent
