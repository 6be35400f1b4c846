// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gangway/gangway.hpp"
#include "harness/registry.hpp"
#include "studies/adjacent/adjacent.hpp"

#include <algorithm>

namespace gangway::adjacent {
namespace {

using Device = Kokkos::DefaultExecutionSpace;
using Member = Kokkos::TeamPolicy<>::member_type;

/// Iterations of a gang.
constexpr long block = has_wide_teams<Device> ? 2048 : 8192;

long gangs_for(long iterations) {
  return (iterations + block - 1) / block;
}

/// Two kernels on one execution space: the second begins when the first is done.
void kernels(long n, const double* mob, const double* charge, double* a, double* c) {
  const long inside = std::max(n - 2, 0L);
  Data data;
  const auto mobility = data.copyin(mob, n);
  const auto of_charge = data.copyin(charge, n);
  const auto product = data.copyout(a, n);
  const auto mean = data.copyout(inside > 0 ? c + 1 : c, inside); // mean(i) is c[i + 1]
  const auto multiply = KOKKOS_LAMBDA(const Member& gang) {
    const long first = gang.league_rank() * block;
    Kokkos::parallel_for(Kokkos::TeamVectorRange(gang, first, Kokkos::min(first + block, n)),
                         [&](long i) { product(i) = mobility(i) * of_charge(i); });
  };
  Kokkos::parallel_for("adjacent/products",
                       team_policy({}, gangs_for(n), multiply, Kokkos::ParallelForTag{}), multiply);
  const auto average = KOKKOS_LAMBDA(const Member& gang) {
    const long first = gang.league_rank() * block;
    Kokkos::parallel_for(Kokkos::TeamVectorRange(gang, first, Kokkos::min(first + block, inside)),
                         [&](long i) { mean(i) = 0.5 * (product(i) + product(i + 2)); });
  };
  Kokkos::parallel_for("adjacent/means",
                       team_policy({}, gangs_for(inside), average, Kokkos::ParallelForTag{}),
                       average);
}

/// One kernel: the products of the neighbours are made again instead of waited for.
void fused(long n, const double* mob, const double* charge, double* a, double* c) {
  if (n == 0)
    return;
  constexpr int lanes = 256;
  constexpr int depth = has_wide_teams<Device> ? 4 : 1; // a host loads ahead by itself
  const long inside = std::max(n - 2, 0L);
  Data data;
  const auto mobility = data.copyin(mob, n);
  const auto of_charge = data.copyin(charge, n);
  const auto product = data.copyout(a, n);
  const auto mean = data.copyout(inside > 0 ? c + 1 : c, inside); // mean(i) is c[i + 1]
  const auto body = KOKKOS_LAMBDA(const Member& gang) {
    const long first = gang.league_rank() * block;
    const long last = Kokkos::min(first + block, inside);
    long start = first;
    // Every lane asks for the operands of four elements before it writes the first: a write could
    // be, for all the compiler knows, to what is read next.
    for (; start + lanes * depth <= last; start += lanes * depth)
      Kokkos::parallel_for(Kokkos::TeamVectorRange(gang, lanes), [&](int lane) {
        double before[depth];
        double at[depth];
        double after[depth];
        for (int k = 0; k < depth; ++k) {
          const long i = start + k * lanes + lane;
          before[k] = mobility(i) * of_charge(i);
          at[k] = mobility(i + 1) * of_charge(i + 1);
          after[k] = mobility(i + 2) * of_charge(i + 2);
        }
        for (int k = 0; k < depth; ++k) {
          const long i = start + k * lanes + lane;
          product(i + 1) = at[k];
          mean(i) = 0.5 * (before[k] + after[k]);
        }
      });
    Kokkos::parallel_for(Kokkos::TeamVectorRange(gang, start, last), [&](long i) {
      product(i + 1) = mobility(i + 1) * of_charge(i + 1);
      mean(i) = 0.5 * (mobility(i) * of_charge(i) + mobility(i + 2) * of_charge(i + 2));
    });
    if (first == 0)
      Kokkos::single(Kokkos::PerTeam(gang), [&] {
        product(0) = mobility(0) * of_charge(0);
        product(n - 1) = mobility(n - 1) * of_charge(n - 1);
      });
  };
  const long gangs = std::max(gangs_for(inside), 1L);
  Kokkos::parallel_for("adjacent/fused",
                       team_policy({.vector = lanes}, gangs, body, Kokkos::ParallelForTag{}), body);
}

const harness::Study<Problem> study({{"kernels", kernels}}, {{"fused", fused}});

} // namespace
} // namespace gangway::adjacent
