// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/jacobi/openacc_private.hpp"

using namespace gangway::jacobi;

/// The new temperatures into `next`.
static void average(long rows, long columns, const double* plate, double* next) {
  const long stride = columns + 2;
  const long cells = (rows + 2) * stride;
#pragma acc parallel loop copyin(plate[0 : cells]) copyout(next[0 : cells])
  for (long i = 1; i <= rows; ++i) {
#pragma acc loop
    for (long j = 1; j <= columns; ++j)
      next[i * stride + j] = 0.25 * (plate[(i + 1) * stride + j] + plate[(i - 1) * stride + j] +
                                     plate[i * stride + j + 1] + plate[i * stride + j - 1]);
  }
}

/// The largest change, and `next` back into `plate`.
static double change_and_copy_back(long rows, long columns, double* plate, const double* next) {
  const long stride = columns + 2;
  const long cells = (rows + 2) * stride;
  double change = 0;
#pragma acc parallel loop reduction(max : change) copy(plate[0 : cells]) copyin(next[0 : cells])
  for (long i = 1; i <= rows; ++i) {
#pragma acc loop reduction(max : change)
    for (long j = 1; j <= columns; ++j) {
      const double difference = std::fabs(next[i * stride + j] - plate[i * stride + j]);
      change = difference > change ? difference : change;
      plate[i * stride + j] = next[i * stride + j];
    }
  }
  return change;
}

// `fused` and `cached`: one kernel per sweep, to and fro between two plates, many launched ahead.

/// Sweeps write the inside only; both plates need the edges.
static void copy_edges(long rows, long columns, const double* plate, double* next) {
  const long stride = columns + 2;
  const long cells = (rows + 2) * stride;
#pragma acc parallel loop present(plate[0 : cells], next[0 : cells]) async(1)
  for (long i = 0; i < rows + 2; ++i) {
    next[i * stride] = plate[i * stride];
    next[i * stride + columns + 1] = plate[i * stride + columns + 1];
  }
#pragma acc parallel loop present(plate[0 : cells], next[0 : cells]) async(1)
  for (long j = 0; j < stride; ++j) {
    next[j] = plate[j];
    next[(rows + 1) * stride + j] = plate[(rows + 1) * stride + j];
  }
}

/// Marks that the first sweep goes on, and resets the others, before any is launched ahead.
static void first_goes_on(int* goes_on) {
#pragma acc parallel loop present(goes_on[0 : ahead + 1]) async(1)
  for (int s = 0; s <= ahead; ++s)
    goes_on[s] = s == 0 ? 1 : 0;
}

/// Waits for what was launched; of so many sweeps, those that were done: all, or up to the first
/// that did not go on.
static int how_far(int sweeps, int* goes_on) {
#pragma acc update self(goes_on[0 : sweeps + 1]) async(1)
#pragma acc wait(1)
  int swept = 0;
  while (swept < sweeps && goes_on[swept] != 0)
    ++swept;
  return swept;
}

/// The last sweep that did anything has left these. They are few: one gang is enough.
static double largest_of(long blocks, const double* changes) {
  double largest = 0;
#pragma acc parallel loop gang worker vector num_gangs(1) num_workers(16) vector_length(32)        \
    reduction(max : largest) present(changes[0 : blocks])
  for (long block = 0; block < blocks; ++block)
    largest = changes[block] > largest ? changes[block] : largest;
  return largest;
}

static void copy_plate(long cells, const double* from, double* to) {
#pragma acc parallel loop present(from[0 : cells], to[0 : cells])
  for (long cell = 0; cell < cells; ++cell)
    to[cell] = from[cell];
}

/// Sweeps until `iterations` are done or one changes no cell by more than `tolerance`; nothing
/// waits for the host in between, and no change crosses before the last.
static void solve(Sweep* sweep, long blocks, const Task& task) {
  *task.change = std::numeric_limits<double>::infinity();
  *task.done = 0;
  if (task.iterations == 0)
    return;
  if (blocks == 0) { // no cell inside the edges
    *task.change = 0;
    *task.done = 1;
    return;
  }
  const long rows = task.rows;
  const long columns = task.columns;
  double* const plate = task.plate;
  double* const next = task.next;
  const long cells = (rows + 2) * (columns + 2);
  std::vector<int> still(ahead + 1);
  std::vector<double> of_blocks(static_cast<std::size_t>(blocks));
  int* const goes_on = still.data();
  double* const changes = of_blocks.data();
  const Solution solution{rows, columns, task.tolerance, goes_on, blocks, changes};
#pragma acc data copy(plate[0 : cells])                                                            \
    create(next[0 : cells], goes_on[0 : ahead + 1], changes[0 : blocks])
  {
    copy_edges(rows, columns, plate, next);
    bool more = true;
    while (more) {
      const int sweeps = std::min(ahead, task.iterations - *task.done);
      first_goes_on(goes_on);
      for (int s = 1; s <= sweeps; ++s)
        sweep(solution, s % 2 != 0 ? plate : next, s % 2 != 0 ? next : plate, s);
      const int swept = how_far(sweeps, goes_on);
      *task.done += swept;
      more = goes_on[swept] != 0 && *task.done < task.iterations;
    }
    *task.change = largest_of(blocks, changes);
    if (*task.done % 2 != 0)
      copy_plate(cells, next, plate);
  }
}

/// Cells of a row that a worker of `fused` takes at a time.
constexpr long piece = 512;

static void fused_sweep(const Solution& of, const double* from, double* to, int s) {
  const long columns = of.columns;
  const long stride = of.stride();
  const long cells = of.cells();
  const double tolerance = of.tolerance;
  int* const goes_on = of.goes_on;
  const long blocks = of.blocks;
  double* const changes = of.changes;
  const long across = blocks_of(columns, piece);
  const int gangs = gangs_of(blocks, 8);
#pragma acc parallel num_gangs(gangs) num_workers(8) vector_length(32)                             \
    present(from[0 : cells], to[0 : cells], goes_on[0 : ahead + 1], changes[0 : blocks]) async(1)
  {
    const long end = goes_on[s - 1] != 0 ? blocks : 0;
#pragma acc loop gang worker
    for (long block = 0; block < end; ++block) {
      const long i = block / across + 1;
      const long first = block % across * piece + 1;
      const long last = first + piece - 1 < columns ? first + piece - 1 : columns;
      double change = 0;
#pragma acc loop vector reduction(max : change)
      for (long j = first; j <= last; ++j) {
        const double old = from[i * stride + j];
        const double mean = 0.25 * (from[(i + 1) * stride + j] + from[(i - 1) * stride + j] +
                                    from[i * stride + j + 1] + from[i * stride + j - 1]);
        to[i * stride + j] = mean;
        const double difference = std::fabs(mean - old);
        change = difference > change ? difference : change;
      }
      changes[block] = change;
      if (change > tolerance) {
#pragma acc atomic write
        goes_on[s] = 1;
      }
    }
  }
}

/// Blocks of `fused`.
static long pieces_of(long rows, long columns) {
  return rows * blocks_of(columns, piece);
}

/// `solve` by passes of several sweeps each. Where it ends within a pass, the plate before that is
/// still there, and single sweeps go on from it.
static void solve_by_passes(const Task& task) {
  const long rows = task.rows;
  const long columns = task.columns;
  const int iterations = task.iterations;
  const double tolerance = task.tolerance;
  double* const plate = task.plate;
  double* const next = task.next;
  const long blocks = blocks_of(rows, tile_rows) * blocks_of(columns, tile_columns);
  if (blocks == 0 || iterations < sweeps_each) {
    solve(fused_sweep, pieces_of(rows, columns), task);
    return;
  }
  const long cells = (rows + 2) * (columns + 2);
  std::vector<int> still(ahead + 1);
  std::vector<double> of_blocks(static_cast<std::size_t>(blocks));
  int* const goes_on = still.data();
  double* const changes = of_blocks.data();
  const Solution solution{rows, columns, tolerance, goes_on, blocks, changes};
  double* from = plate;
  double* to = next;
  *task.done = 0;
#pragma acc data copy(plate[0 : cells])                                                            \
    create(next[0 : cells], goes_on[0 : ahead + 1], changes[0 : blocks])
  {
    copy_edges(rows, columns, plate, next);
    int single = 0;
    bool more = true;
    while (more) {
      const int passes = std::min(ahead, iterations - *task.done) / sweeps_each;
      first_goes_on(goes_on);
      for (int p = 0; p < passes; ++p)
        temporal_pass(solution, p % 2 == 0 ? from : to, p % 2 == 0 ? to : from,
                      p * sweeps_each + 1);
      const int swept = how_far(passes * sweeps_each, goes_on);
      const int whole = swept / sweeps_each;
      if (whole % 2 != 0)
        std::swap(from, to);
      *task.done += whole * sweeps_each;
      const bool ended = goes_on[swept] == 0;
      const int left = iterations - *task.done;
      single = ended ? swept % sweeps_each : left < sweeps_each ? left : 0;
      more = !ended && left >= sweeps_each;
    }
    if (single == 0) {
      *task.change = largest_of(blocks, changes);
    } else {
      int swept = 0;
      solve(fused_sweep, pieces_of(rows, columns),
            Task{rows, columns, single, tolerance, from, to, task.change, &swept});
      *task.done += swept;
    }
    if (from != plate)
      copy_plate(cells, from, plate);
  }
}

// `mdrange` and `flat`: the two kernels of `data` with both loops in one clause.

// GCC 16 makes of `tile` what leaves iterations out on a GPU; it gets the tiles as loops over tiles
// and loops over what is in one.
static void average_by_tiles(long rows, long columns, const double* plate, double* next) {
  const long stride = columns + 2;
  const long cells = (rows + 2) * stride;
#ifdef __NVCOMPILER
#pragma acc parallel loop tile(64, 4) copyin(plate[0 : cells]) copyout(next[0 : cells])
  for (long i = 1; i <= rows; ++i)
    for (long j = 1; j <= columns; ++j)
      next[i * stride + j] = 0.25 * (plate[(i + 1) * stride + j] + plate[(i - 1) * stride + j] +
                                     plate[i * stride + j + 1] + plate[i * stride + j - 1]);
#else
#pragma acc parallel loop gang collapse(2) copyin(plate[0 : cells]) copyout(next[0 : cells])
  for (long first_i = 1; first_i <= rows; first_i += 4)
    for (long first_j = 1; first_j <= columns; first_j += 64)
#pragma acc loop worker vector collapse(2)
      for (long i = first_i; i < first_i + 4; ++i)
        for (long j = first_j; j < first_j + 64; ++j)
          if (i <= rows && j <= columns)
            next[i * stride + j] =
                0.25 * (plate[(i + 1) * stride + j] + plate[(i - 1) * stride + j] +
                        plate[i * stride + j + 1] + plate[i * stride + j - 1]);
#endif
}

static double change_by_tiles(long rows, long columns, double* plate, const double* next) {
  const long stride = columns + 2;
  const long cells = (rows + 2) * stride;
  double change = 0;
#ifdef __NVCOMPILER
#pragma acc parallel loop tile(64, 4) reduction(max : change) copy(plate[0 : cells])               \
    copyin(next[0 : cells])
  for (long i = 1; i <= rows; ++i)
    for (long j = 1; j <= columns; ++j) {
      const double difference = std::fabs(next[i * stride + j] - plate[i * stride + j]);
      change = difference > change ? difference : change;
      plate[i * stride + j] = next[i * stride + j];
    }
#else
#pragma acc parallel loop gang collapse(2) reduction(max : change) copy(plate[0 : cells])          \
    copyin(next[0 : cells])
  for (long first_i = 1; first_i <= rows; first_i += 4)
    for (long first_j = 1; first_j <= columns; first_j += 64)
#pragma acc loop worker vector collapse(2) reduction(max : change)
      for (long i = first_i; i < first_i + 4; ++i)
        for (long j = first_j; j < first_j + 64; ++j)
          if (i <= rows && j <= columns) {
            const double difference = std::fabs(next[i * stride + j] - plate[i * stride + j]);
            change = difference > change ? difference : change;
            plate[i * stride + j] = next[i * stride + j];
          }
#endif
  return change;
}

static void average_cell_by_cell(long rows, long columns, const double* plate, double* next) {
  const long stride = columns + 2;
  const long cells = (rows + 2) * stride;
#pragma acc parallel loop gang worker vector collapse(2) num_workers(8) vector_length(32)          \
    copyin(plate[0 : cells]) copyout(next[0 : cells])
  for (long i = 1; i <= rows; ++i)
    for (long j = 1; j <= columns; ++j)
      next[i * stride + j] = 0.25 * (plate[(i + 1) * stride + j] + plate[(i - 1) * stride + j] +
                                     plate[i * stride + j + 1] + plate[i * stride + j - 1]);
}

static double change_cell_by_cell(long rows, long columns, double* plate, const double* next) {
  const long stride = columns + 2;
  const long cells = (rows + 2) * stride;
  double change = 0;
#pragma acc parallel loop gang worker vector collapse(2) num_workers(8) vector_length(32)          \
    reduction(max : change) copy(plate[0 : cells]) copyin(next[0 : cells])
  for (long i = 1; i <= rows; ++i)
    for (long j = 1; j <= columns; ++j) {
      const double difference = std::fabs(next[i * stride + j] - plate[i * stride + j]);
      change = difference > change ? difference : change;
      plate[i * stride + j] = next[i * stride + j];
    }
  return change;
}

/// Sweeps of two kernels each, until one changes too little.
using Average = void(long rows, long columns, const double* plate, double* next);
using Change = double(long rows, long columns, double* plate, const double* next);
static void two_kernels(Average* mean, Change* change, const Task& task, double* plate,
                        double* next) {
  *task.change = std::numeric_limits<double>::infinity();
  *task.done = 0;
  while (task.goes_on()) {
    mean(task.rows, task.columns, plate, next);
    *task.change = change(task.rows, task.columns, plate, next);
    ++*task.done;
  }
}

/// Runs the two kernels in a data region: the plate crosses once each way, the other array never.
static void in_a_region(Average* mean, Change* change, const Task& task) {
  double* const plate = task.plate;
  double* const next = task.next;
  const long cells = (task.rows + 2) * (task.columns + 2);
#pragma acc data copy(plate[0 : cells]) create(next[0 : cells])
  two_kernels(mean, change, task, plate, next);
}

extern "C" {

/// Sweeps with no region: every kernel brings its arrays and takes them away, unless a region has
/// them.
void gangway_jacobi_no_data(Task task) {
  two_kernels(average, change_and_copy_back, task, task.plate, task.next);
}

/// A data region around the loop.
void gangway_jacobi_data(Task task) {
  in_a_region(average, change_and_copy_back, task);
}

/// Means and change in one kernel, plates swapped instead of copied back, the host asked every 256
/// sweeps.
void gangway_jacobi_fused(Task task) {
  solve(fused_sweep, pieces_of(task.rows, task.columns), task);
}

/// Four sweeps per pass through memory.
void gangway_jacobi_temporal(Task task) {
  solve_by_passes(task);
}

/// `fused` with tiles in memory of each gang's own.
void gangway_jacobi_cached(Task task) {
  solve(cached_sweep, blocks_of(task.rows, tile_rows) * blocks_of(task.columns, tile_columns),
        task);
}

/// tile(64, 4) on both loops; the first size is the innermost loop's.
void gangway_jacobi_mdrange(Task task) {
  in_a_region(average_by_tiles, change_by_tiles, task);
}

/// collapse(2) on both loops.
void gangway_jacobi_flat(Task task) {
  in_a_region(average_cell_by_cell, change_cell_by_cell, task);
}

} // extern "C"
