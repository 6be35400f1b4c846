// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "strip_solver.hpp"

#include <algorithm>
#include <utility>

namespace gangway::heat {

using jacobi::Plate;

namespace {

/// Sweeps before the ranks look. Each time they keep what they begin with, which takes as long as a
/// pass of four.
constexpr int ahead = 256;

halo::LocalStrip local_strip(const State& state) {
  const bool any = state.strip.count() > 0;
  return {.rows = state.strip.count(),
          .columns = state.columns,
          .wide = state.around,
          .above = any && state.strip.begin > 0 ? 1 : 0,
          .below = any && state.strip.end < state.rows ? 1 : 0};
}

} // namespace

StripSolver::StripSolver(const ranks::Communicator& ranks, const State& state)
    : _strip(ranks, state.rows,
             static_cast<std::size_t>(state.around * (state.columns + 2)) * sizeof(double),
             ranks::halo_choice().way),
      _local(local_strip(state)), _exchange{&_strip, _local},
      _rounds("heat/rounds", _local, _exchange), _largest("heat/changes", ahead), _changes(ahead),
      _before(Kokkos::view_alloc("heat/before", Kokkos::WithoutInitializing),
              state.rows_with_halo(), state.columns + 2) {}

jacobi::Solver::Outcome StripSolver::solve(const Plate& plate, const Plate& next, int iterations,
                                           double tolerance) {
  halo::Plates<double> plates{plate, next, _largest};
  const auto sweep = [&](int count) { _rounds.run(plates, count, _changes.data()); };
  Kokkos::deep_copy(next, plate); // for the edges, wherever they are in a strip
  jacobi::Solver::Outcome outcome;
  while (outcome.done < iterations && outcome.change > tolerance) {
    _exchange.start(plates.from);
    _exchange.finish(Kokkos::DefaultExecutionSpace(), plates.from);
    Kokkos::deep_copy(_before, plates.from);
    const int sweeps = std::min(ahead, iterations - outcome.done);
    sweep(sweeps);
    int done = 0;
    while (done < sweeps && outcome.change > tolerance)
      outcome.change = _changes[static_cast<std::size_t>(done++)];
    if (done < sweeps) { // once more from where they began, and that far
      plates.from = _before;
      sweep(done);
    }
    outcome.done += done;
  }
  plates.put_result(plate);
  return outcome;
}

} // namespace gangway::heat
