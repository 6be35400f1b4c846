// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "strip_solver.hpp"

#include <utility>

namespace gangway::heat {

using jacobi::Bits;
using jacobi::Plate;

StripSolver::StripSolver(const ranks::Communicator& ranks, long rows, long columns)
    : _strip(ranks, rows, static_cast<std::size_t>(columns + 2) * sizeof(double),
             ranks::halo_choice().way),
      _changes("heat/changes", 2) {}

ranks::Border StripSolver::border_of(const Plate& plate) const {
  const auto stride = static_cast<std::size_t>(plate.extent(1));
  const auto rows = static_cast<std::size_t>(_strip.part().count());
  double* const above = plate.data();
  return {above + stride, above + rows * stride, above, above + (rows + 1) * stride,
          stride * sizeof(double)};
}

jacobi::Solver::Outcome StripSolver::solve(const Plate& plate, const Plate& next, int iterations,
                                           double tolerance) {
  const long rows = _strip.part().count();
  Plate from = plate;
  Plate to = next;
  // `count` rows of the strip, the first of which is row 1.
  const auto sweep = [&](const char* label, long first, long count) {
    if (count < 1)
      return;
    const auto with_neighbours = std::pair(first - 1, first + count + 1);
    jacobi::with_fused_sweep(
        Kokkos::subview(from, with_neighbours, Kokkos::ALL),
        Kokkos::subview(to, with_neighbours, Kokkos::ALL), _changes, 1, tolerance,
        [&](const auto& fused) { jacobi::launch(label, jacobi::fused_clauses, fused); });
  };
  jacobi::Solver::copy_edges(plate, next);
  Kokkos::fence("heat: the plates are there");
  if (rows > 0) {
    _strip.start(border_of(plate));
    _strip.finish();
  }
  jacobi::Solver::Outcome outcome;
  const auto changes = Kokkos::create_mirror(_changes);
  while (outcome.done < iterations && outcome.change > tolerance) {
    changes(0) = Kokkos::bit_cast<Bits>(outcome.change);
    changes(1) = 0;
    Kokkos::deep_copy(_changes, changes);
    if (rows > 0) {
      sweep("heat/first row", 1, 1);
      sweep("heat/last row", rows, rows > 1 ? 1 : 0);
      Kokkos::fence("heat: the border is swept");
      _strip.start(border_of(to));
      sweep("heat/inside", 2, rows - 2);
      _strip.finish();
    }
    Kokkos::deep_copy(changes, _changes);
    outcome.change = _strip.largest(Kokkos::bit_cast<double>(changes(1)));
    ++outcome.done;
    std::swap(from, to);
  }
  if (outcome.done % 2 != 0)
    Kokkos::deep_copy(plate, next);
  return outcome;
}

} // namespace gangway::heat
