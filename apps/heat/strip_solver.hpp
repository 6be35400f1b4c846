// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ranks/strip.hpp"
#include "studies/jacobi/solver.hpp"

namespace gangway::heat {

/// The sweeps of jacobi::Solver on a strip of a plate, whose rows above and below are other ranks'.
/// After each sweep the ranks ask each other for the largest change, so none are launched ahead;
/// the rows at the border travel while the others are swept. Every cell, and every change, has the
/// same bits as on one rank.
class StripSolver {
public:
  /// Sets up all ranks together as the solver of the whole plate.
  StripSolver(const ranks::Communicator& ranks, long rows, long columns);

  /// Solves as jacobi::Solver does. The rows above and below the strip need no content, unless they
  /// are the plate's edges. In the result they are what the other ranks have.
  jacobi::Solver::Outcome solve(const jacobi::Plate& plate, const jacobi::Plate& next,
                                int iterations, double tolerance);

private:
  [[nodiscard]] ranks::Border border_of(const jacobi::Plate& plate) const;

  ranks::Strip _strip;
  jacobi::Changes _changes; ///< of the sweep before and of this one
};

} // namespace gangway::heat
