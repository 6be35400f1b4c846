// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "smooth.hpp"

#include "harness/study.hpp"

namespace smooth {

/// collapse(2): tiles of the plane.
static void collapse(int rows, int columns, const double* in, double* out) {
  Data data;
  const auto from = data.copyin(in, rows, columns);
  const auto to = data.copyout(out, rows, columns);
  Kokkos::parallel_for(
      "smooth/collapse",
      Kokkos::MDRangePolicy<Kokkos::DefaultExecutionSpace, Kokkos::Rank<2>>(
          {1, 1}, {rows - 1, columns - 1}, {4, 64}),
      KOKKOS_LAMBDA(int i, int j) {
        to(i, j) = (from(i - 1, j) + from(i + 1, j) + from(i, j - 1) + from(i, j + 1)) / 4;
      });
}

/// A gang takes so many rows as there are workers x items, a worker's vector the columns of one.
static void of_mapping(const kernels::Mapping& mapping, int rows, int columns, const double* in,
                       double* out) {
  Data data;
  const auto from = data.copyin(in, rows, columns);
  const auto to = data.copyout(out, rows, columns);
  const int per_gang = mapping.clauses.workers * mapping.items_per_worker;
  const int gangs = (rows - 2 + per_gang - 1) / per_gang;
  gangway::parallel_for(
      "smooth/levels", gang(gangs).num_gangs(gangs).clauses(mapping.clauses),
      KOKKOS_LAMBDA(const Gang<>& gang, int block) {
        const int first = 1 + block * per_gang;
        const int last = Kokkos::min(first + per_gang, rows - 1);
        loop_worker(gang, first, last, [&](const Worker<>& worker, int i) {
          loop_vector(worker, 1, columns - 1, [&](int j) {
            to(i, j) = (from(i - 1, j) + from(i + 1, j) + from(i, j - 1) + from(i, j + 1)) / 4;
          });
        });
      });
}

static const harness::Study<Problem> study({
    .stages = {{"collapse", collapse}, {"levels", {of_mapping, {{.workers = 4, .vector = 32}, 1}}}},
    .sweep = {of_mapping, {{.workers = 4, .vector = 32}, 1}, 4},
});

} // namespace smooth
