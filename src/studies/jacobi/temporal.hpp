// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "studies/jacobi/solver.hpp"
#include "studies/jacobi/temporal_pass.hpp"

#include <utility>

/// The solver that makes four sweeps of each pass through memory.
namespace gangway::jacobi {

/// A pass that is launched ahead: the sweeps `first` and on. Where one of the four before them is
/// not above the tolerance, nothing is done, and their changes stay zero.
template <class Pass>
struct PassAhead {
  Pass pass;
  Changes changes;
  int first;
  double tolerance;

  KOKKOS_FUNCTION void operator()(const Member& gang) const {
    for (int s = 1; s <= Pass::sweeps; ++s)
      if (!still_changes(changes, first + 1 - s, tolerance))
        return;
    pass(gang);
  }
};

/// Sweeps until `iterations` are done or one changes no cell by more than `tolerance`, as Solver:
/// the same sweeps, plate and change, by passes of four as long as there are four to do.
class TemporalSolver {
public:
  using Outcome = Solver::Outcome;
  static constexpr int sweeps = temporal_sweeps;

  /// `next` needs no content. The result is in `plate`.
  Outcome solve(const Plate& plate, const Plate& next, int iterations, double tolerance) const {
    Plate from = plate;
    Plate to = next;
    Outcome outcome;
    const auto by_single_sweeps = [&](int count) {
      const Outcome rest = _solver.solve(from, to, count, tolerance);
      outcome = {outcome.done + rest.done, rest.change};
    };
    Solver::copy_edges(from, to);
    while (fits_pass(plate) && iterations - outcome.done >= sweeps && outcome.change > tolerance) {
      const int passes = std::min(_solver.ahead() - sweeps + 1, iterations - outcome.done) / sweeps;
      const Bits* const changes = _solver.launch_ahead(sweeps, outcome.change, [&] {
        for (int p = 0; p < passes; ++p)
          launch_pass(_solver.changes(), p % 2 == 0 ? from : to, p % 2 == 0 ? to : from,
                      (p + 1) * sweeps, tolerance);
      });
      for (int p = 0; p < passes && outcome.change > tolerance; ++p) {
        int swept = 0;
        double change = outcome.change;
        while (swept < sweeps && change > tolerance)
          change = Kokkos::bit_cast<double>(changes[(p + 1) * sweeps + swept++]);
        if (swept == sweeps) {
          outcome = {outcome.done + sweeps, change};
          std::swap(from, to);
        } else { // it ends within this pass, and `from` is as it was before
          by_single_sweeps(swept);
        }
      }
    }
    if (outcome.done < iterations && outcome.change > tolerance)
      by_single_sweeps(iterations - outcome.done);
    if (from.data() != plate.data())
      Kokkos::deep_copy(plate, from);
    return outcome;
  }

private:
  static void launch_pass(const Changes& changes, const Plate& from, const Plate& to, int first,
                          double tolerance) {
    with_pass<double>(
        from, to, changes.data() + first, PassCells::whole(from), [&](const auto& pass) {
          const PassAhead ahead{pass, changes, first, tolerance};
          gangway::parallel_for("jacobi/temporal", policy_of(Kokkos::DefaultExecutionSpace(), pass),
                                ahead);
        });
  }

  Solver _solver;
};

} // namespace gangway::jacobi
