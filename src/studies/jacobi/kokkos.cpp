// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/study.hpp"
#include "studies/jacobi/jacobi.hpp"
#include "studies/jacobi/solver.hpp"
#include "studies/jacobi/temporal.hpp"

#include <Kokkos_Graph.hpp>

#include <optional>

namespace gangway::jacobi {
namespace {

/// The new temperatures into `next`.
void average(const Task& task) {
  const long columns = task.columns;
  Data data;
  const auto old = data.copyin(task.plate, task.rows + 2, columns + 2);
  const auto mean = data.copyout(task.next, task.rows + 2, columns + 2);
  gangway::parallel_for(
      "jacobi/average", gang(task.rows).inner(columns),
      KOKKOS_LAMBDA(const Gang<>& gang, long row) {
        const long i = row + 1;
        loop_vector(gang, 1, columns + 1, [&](long j) {
          mean(i, j) = 0.25 * (old(i + 1, j) + old(i - 1, j) + old(i, j + 1) + old(i, j - 1));
        });
      });
}

/// The largest change, and `next` back into `plate`. Without the bound of 32 registers nvcc takes
/// 38, and loads the element that it overwrites last: on an H200 sweeps of 2500 to 8190 rows
/// took 1.26 to 1.38 times as long.
double change_and_copy_back(const Task& task) {
  const long columns = task.columns;
  Data data;
  const auto old = data.copy(task.plate, task.rows + 2, columns + 2);
  const auto mean = data.copyin(task.next, task.rows + 2, columns + 2);
  double change = 0;
  gangway::parallel_reduce(
      "jacobi/change",
      gang(task.rows).inner(columns).launch_bounds(Kokkos::LaunchBounds<1024, 2>()),
      KOKKOS_LAMBDA(const Gang<>& gang, long row, double& largest) {
        const long i = row + 1;
        loop_vector(
            gang, 1, columns + 1,
            [&](long j, double& mine) {
              mine = Kokkos::max(mine, Kokkos::abs(mean(i, j) - old(i, j)));
              old(i, j) = mean(i, j);
            },
            reduction::max(largest));
      },
      reduction::max(change));
  return change;
}

/// Sweeps with no region: every kernel brings its arrays and takes them away, unless a region has
/// them.
void no_data(Task task) {
  *task.change = std::numeric_limits<double>::infinity();
  *task.done = 0;
  while (task.goes_on()) {
    average(task);
    *task.change = change_and_copy_back(task);
    ++*task.done;
  }
}

/// Both plates on the device for as long as this lives: the plate crosses once each way, the other
/// array never.
struct OnDevice {
  explicit OnDevice(const Task& task)
      : plate(region.copy(task.plate, task.rows + 2, task.columns + 2)),
        next(region.create(task.next, task.rows + 2, task.columns + 2)) {}

  /// Plates of sweep s, which goes to and fro between them.
  [[nodiscard]] const Plate& from(int s) const { return s % 2 != 0 ? plate : next; }
  [[nodiscard]] const Plate& to(int s) const { return s % 2 != 0 ? next : plate; }

  Data region;
  Plate plate;
  Plate next;
};

/// A data region around the loop.
void data(Task task) {
  const OnDevice held(task);
  no_data(task);
}

/// The two kernels of `data` with both loops in one policy, `average` and `change`: what else
/// Kokkos offers for a nest.
using Average = void(const Plate& old, const Plate& mean);
using Change = double(const Plate& old, const Plate& mean);
void two_kernels(Average* average, Change* change, const Task& task) {
  const OnDevice plates(task);
  *task.change = std::numeric_limits<double>::infinity();
  *task.done = 0;
  while (task.goes_on()) {
    average(plates.plate, plates.next);
    *task.change = change(plates.plate, plates.next);
    ++*task.done;
  }
}

auto inside(const Plate& plate) {
  return tile<2>({static_cast<long>(plate.extent(0)) - 2, static_cast<long>(plate.extent(1)) - 2},
                 {4, 64});
}

void average_by_tiles(const Plate& old, const Plate& mean) {
  gangway::parallel_for(
      "jacobi/average by tiles", inside(old), KOKKOS_LAMBDA(long row, long column) {
        const long i = row + 1;
        const long j = column + 1;
        mean(i, j) = 0.25 * (old(i + 1, j) + old(i - 1, j) + old(i, j + 1) + old(i, j - 1));
      });
}

double change_by_tiles(const Plate& old, const Plate& mean) {
  double change = 0;
  gangway::parallel_reduce(
      "jacobi/change by tiles", inside(old),
      KOKKOS_LAMBDA(long row, long column, double& largest) {
        const long i = row + 1;
        const long j = column + 1;
        largest = Kokkos::max(largest, Kokkos::abs(mean(i, j) - old(i, j)));
        old(i, j) = mean(i, j);
      },
      reduction::max(change));
  return change;
}

/// tile(4, 64) on both loops.
void mdrange(Task task) {
  two_kernels(average_by_tiles, change_by_tiles, task);
}

void average_cell_by_cell(const Plate& old, const Plate& mean) {
  const long columns = static_cast<long>(old.extent(1)) - 2;
  const long cells = (static_cast<long>(old.extent(0)) - 2) * columns;
  Kokkos::parallel_for(
      "jacobi/average cell by cell", range(0, cells), KOKKOS_LAMBDA(long cell) {
        const long i = cell / columns + 1;
        const long j = cell % columns + 1;
        mean(i, j) = 0.25 * (old(i + 1, j) + old(i - 1, j) + old(i, j + 1) + old(i, j - 1));
      });
}

double change_cell_by_cell(const Plate& old, const Plate& mean) {
  const long columns = static_cast<long>(old.extent(1)) - 2;
  const long cells = (static_cast<long>(old.extent(0)) - 2) * columns;
  double change = 0;
  gangway::parallel_reduce(
      "jacobi/change cell by cell", range(0, cells),
      KOKKOS_LAMBDA(long cell, double& largest) {
        const long i = cell / columns + 1;
        const long j = cell % columns + 1;
        largest = Kokkos::max(largest, Kokkos::abs(mean(i, j) - old(i, j)));
        old(i, j) = mean(i, j);
      },
      reduction::max(change));
  return change;
}

/// collapse(2) by hand: one flat range, a division a cell.
void flat(Task task) {
  two_kernels(average_cell_by_cell, change_cell_by_cell, task);
}

/// Runs a solver that goes to and fro between two plates and launches sweeps ahead: one kernel per
/// sweep, or four sweeps per kernel.
template <class AnySolver>
class SolvedAhead {
public:
  void operator()(const Task& task) const {
    const OnDevice plates(task);
    const auto [done, change] =
        _solver.solve(plates.plate, plates.next, task.iterations, task.tolerance);
    *task.done = done;
    *task.change = change;
  }

private:
  AnySolver _solver;
};

/// Solves by sweeps that launch(plates, n) launches ahead: the first n.
template <class Launch>
void solve(const Solver& solver, const Task& task, const Launch& launch) {
  const OnDevice plates(task);
  const auto [done, change] =
      solver.solve(plates.plate, plates.next, task.iterations, task.tolerance,
                   [&](int sweeps) { launch(plates, sweeps); });
  *task.done = done;
  *task.change = change;
}

/// A fused sweep of a shape that is not the default.
template <int rows_each>
void sweep_of(const Clauses& clauses, const Plate& from, const Plate& to, const Changes& changes,
              int s, double tolerance) {
  const long lanes = static_cast<long>(clauses.workers) * clauses.vector;
  launch(
      "jacobi/sweep", clauses,
      FusedSweep<rows_each>{from, to, changes, s, tolerance, has_device ? lanes : fused_columns});
}

/// Sweeps with workers x vector columns per gang, and so many rows per lane.
void of_mapping(const kernels::Mapping& mapping, Task task) {
  const auto& sweep = mapping.items_per_worker >= 16  ? sweep_of<16>
                      : mapping.items_per_worker >= 8 ? sweep_of<8>
                      : mapping.items_per_worker >= 4 ? sweep_of<4>
                      : mapping.items_per_worker >= 2 ? sweep_of<2>
                                                      : sweep_of<1>;
  const Solver solver;
  solve(solver, task, [&](const OnDevice& plates, int sweeps) {
    for (int s = 1; s <= sweeps; ++s)
      sweep(mapping.clauses, plates.from(s), plates.to(s), solver.changes(), s, task.tolerance);
  });
}

/// What `cache` asks for: a gang brings its tile, with a rim of one cell, to memory that its
/// workers share, waits, and computes from there.
struct CachedSweep {
  static constexpr int tile_rows = 16;
  static constexpr int tile_columns = has_device ? 128 : 192; // hosts have 32 KiB
  using Tile = Kokkos::View<double**, Kokkos::LayoutRight,
                            Kokkos::DefaultExecutionSpace::scratch_memory_space,
                            Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  ConstPlate from;
  Plate to;
  Changes changes;
  int sweep;
  double tolerance;

  [[nodiscard]] KOKKOS_FUNCTION long tiles_across() const {
    return (static_cast<long>(from.extent(1)) - 2 + tile_columns - 1) / tile_columns;
  }
  [[nodiscard]] long gangs() const {
    return (static_cast<long>(from.extent(0)) - 2 + tile_rows - 1) / tile_rows * tiles_across();
  }

  KOKKOS_FUNCTION void operator()(const Member& gang) const {
    if (!still_changes(changes, sweep, tolerance))
      return;
    const long across = tiles_across();
    const long row = gang.league_rank() / across * tile_rows;
    const long column = gang.league_rank() % across * tile_columns;
    const int rows =
        static_cast<int>(Kokkos::min<long>(tile_rows, static_cast<long>(from.extent(0)) - 2 - row));
    const int columns = static_cast<int>(
        Kokkos::min<long>(tile_columns, static_cast<long>(from.extent(1)) - 2 - column));
    const Tile old(gang.team_scratch(0), tile_rows + 2, tile_columns + 2);
    Kokkos::parallel_for(Kokkos::TeamThreadRange(gang, rows + 2), [&](int i) {
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(gang, columns + 2),
                           [&](int j) { old(i, j) = from(row + i, column + j); });
    });
    gang.team_barrier();
    Bits largest = 0;
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(gang, 1, rows + 1),
        [&](int i, Bits& of_worker) {
          Bits of_row = 0;
          Kokkos::parallel_reduce(
              Kokkos::ThreadVectorRange(gang, 1, columns + 1),
              [&](int j, Bits& mine) {
                const double mean =
                    0.25 * (old(i + 1, j) + old(i - 1, j) + old(i, j + 1) + old(i, j - 1));
                to(row + i, column + j) = mean;
                mine = Kokkos::max(mine, bits_of_change(old(i, j), mean));
              },
              Kokkos::Max<Bits>(of_row));
          of_worker = Kokkos::max(of_worker, of_row);
        },
        Kokkos::Max<Bits>(largest));
    Kokkos::single(Kokkos::PerTeam(gang), [&] {
      if (largest > 0)
        Kokkos::atomic_max(&changes(sweep), largest);
    });
  }
};

class Cached {
public:
  void operator()(const Task& task) const {
    solve(_solver, task, [&](const OnDevice& plates, int sweeps) {
      for (int s = 1; s <= sweeps; ++s) {
        const CachedSweep sweep{plates.from(s), plates.to(s), _solver.changes(), s, task.tolerance};
        gangway::parallel_for(
            "jacobi/cached",
            team_policy(sweep.gangs())
                .num_workers(8)
                .vector_length(32)
                .scratch(0, CachedSweep::Tile::shmem_size(CachedSweep::tile_rows + 2,
                                                          CachedSweep::tile_columns + 2)),
            sweep);
      }
    });
  }

private:
  Solver _solver;
};

/// The fused sweeps as one graph, launched as a whole: where a sweep is shorter than a launch,
/// launches are what the solver waits for.
class SweepGraph {
public:
  explicit SweepGraph(const Problem& problem)
      : _solver(std::clamp(problem.iterations() - problem.iterations() % 2, 2, 256)) {}

  void operator()(const Task& task) const {
    solve(_solver, task, [&](const OnDevice& plates, int sweeps) {
      if (sweeps < _solver.ahead())
        for (int s = 1; s <= sweeps; ++s)
          with_sweep(plates, s, task.tolerance,
                     [](const auto& sweep) { launch("jacobi/graph", fused_clauses, sweep); });
      else
        graph_of(plates, task.tolerance).submit(Kokkos::DefaultExecutionSpace());
    });
  }

private:
  using Graph = Kokkos::Experimental::Graph<Kokkos::DefaultExecutionSpace>;

  template <class Launch>
  void with_sweep(const OnDevice& plates, int s, double tolerance, const Launch& launch) const {
    with_fused_sweep(plates.from(s), plates.to(s), _solver.changes(), s, tolerance, launch);
  }

  /// Recorded once for the places the plates have on the device, which last as long as their
  /// region.
  const Graph& graph_of(const OnDevice& plates, double tolerance) const {
    if (!_graph || _plate != plates.plate.data() || _next != plates.next.data()) {
      _plate = plates.plate.data();
      _next = plates.next.data();
      _graph =
          Kokkos::Experimental::create_graph<Kokkos::DefaultExecutionSpace>([&](const auto& root) {
            Kokkos::Experimental::GraphNodeRef<Kokkos::DefaultExecutionSpace> last = root;
            for (int s = 1; s <= _solver.ahead(); ++s)
              with_sweep(plates, s, tolerance, [&](const auto& node) {
                last = last.then_parallel_for(
                    "jacobi/graph",
                    team_policy(node.gangs()).clauses(fused_clauses).for_kernel(node), node);
              });
          });
      _graph->instantiate();
    }
    return *_graph;
  }

  Solver _solver;
  mutable std::optional<Graph> _graph;
  mutable const double* _plate = nullptr;
  mutable const double* _next = nullptr;
};

const harness::Study<Problem> study({
    .stages = {{.name = "no-data", .kernel = no_data}, {.name = "data", .kernel = data}},
    .beyond = {{.name = "fused", .kernel = harness::run_planned<SolvedAhead<Solver>>},
               {.name = "temporal",
                .kernel = harness::run_planned<SolvedAhead<TemporalSolver>>,
                .flag = harness::Flag::frame,
                .moves_less = "it makes four sweeps of each pass through memory"},
               {.name = "cached",
                .kernel = harness::run_planned<Cached>,
                .flag = harness::Flag::frame},
               {.name = "graph",
                .kernel = harness::run_planned<SweepGraph>,
                .openacc_cannot = "no directive records kernels to be launched again as one"},
               {.name = "mdrange", .kernel = mdrange, .flag = harness::Flag::tile},
               {.name = "flat", .kernel = flat}},
    .sweep = {.kernel = of_mapping,
              .own = {fused_clauses, has_device ? 8 : 1},
              .most_items_per_worker = 16},
});

} // namespace
} // namespace gangway::jacobi
