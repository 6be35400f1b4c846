// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "heat.hpp"
#include "ranks/strip.hpp"
#include "studies/halo/rounds.hpp"
#include "studies/jacobi/solver.hpp"

#include <vector>

namespace gangway::heat {

/// The sweeps of jacobi::Solver on a strip of a plate, whose rows above and below are other ranks'.
/// The ranks exchange `State::around` rows after as many sweeps. They look only after many sweeps
/// how far the plate came: if that was too far, they go back and make as many as it takes. Every
/// cell, and every change, has the same bits as on one rank.
class StripSolver {
public:
  /// Sets up all ranks together as the solver of the plate that `state` is a strip of.
  StripSolver(const ranks::Communicator& ranks, const State& state);

  /// Solves as jacobi::Solver does, on plates of the size of `State::temperatures`. The rows around
  /// the strip need no content, unless they are the plate's edges.
  jacobi::Solver::Outcome solve(const jacobi::Plate& plate, const jacobi::Plate& next,
                                int iterations, double tolerance);

private:
  ranks::Strip _strip;
  halo::LocalStrip _local;
  halo::OfStrip<double> _exchange;
  halo::RoundsOfStrip<double, jacobi::temporal_sweeps> _rounds;
  Kokkos::View<double*, DeviceSpace> _largest; ///< change of each sweep
  std::vector<double> _changes;                ///< of all ranks
  /// The plate that the sweeps began with.
  Kokkos::View<double**, Kokkos::LayoutRight, DeviceSpace> _before;
};

} // namespace gangway::heat
