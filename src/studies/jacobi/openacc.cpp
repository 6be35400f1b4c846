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

// `fused` and `cached`: one kernel a sweep, to and fro between two plates, many launched ahead.

/// Sweeps until `iterations` are done or one changes no cell by more than `tolerance`; nothing
/// waits for the host in between, and no change crosses before the last.
static void solve(Sweep* sweep, long blocks, long rows, long columns, int iterations,
                  double tolerance, double* plate, double* next, double* change, int* done) {
  *change = std::numeric_limits<double>::infinity();
  *done = 0;
  if (iterations == 0)
    return;
  if (blocks == 0) { // no cell inside the edges
    *change = 0;
    *done = 1;
    return;
  }
  const long stride = columns + 2;
  const long cells = (rows + 2) * stride;
  std::vector<int> still(ahead + 1);
  std::vector<double> of_blocks(static_cast<std::size_t>(blocks));
  int* const goes_on = still.data();
  double* const changes = of_blocks.data();
  double largest = 0;
#pragma acc data copy(plate[0 : cells])                                                            \
    create(next[0 : cells], goes_on[0 : ahead + 1], changes[0 : blocks])
  {
    // Sweeps write the inside only; both plates need the edges.
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
    bool more = true;
    while (more) {
      const int sweeps = std::min(ahead, iterations - *done);
#pragma acc parallel loop present(goes_on[0 : ahead + 1]) async(1)
      for (int s = 0; s <= ahead; ++s)
        goes_on[s] = s == 0 ? 1 : 0;
      for (int s = 1; s <= sweeps; ++s)
        sweep(rows, columns, s % 2 != 0 ? plate : next, s % 2 != 0 ? next : plate, tolerance, s,
              goes_on, blocks, changes);
#pragma acc update self(goes_on[0 : sweeps + 1]) async(1)
#pragma acc wait(1)
      int swept = 0;
      while (swept < sweeps && goes_on[swept] != 0)
        ++swept;
      *done += swept;
      more = goes_on[swept] != 0 && *done < iterations;
    }
    // The last sweep that did anything has left these. They are few: one gang is enough.
#pragma acc parallel loop gang worker vector num_gangs(1) num_workers(16) vector_length(32)        \
    reduction(max : largest) present(changes[0 : blocks])
    for (long block = 0; block < blocks; ++block)
      largest = changes[block] > largest ? changes[block] : largest;
    if (*done % 2 != 0) {
#pragma acc parallel loop present(plate[0 : cells], next[0 : cells])
      for (long cell = 0; cell < cells; ++cell)
        plate[cell] = next[cell];
    }
  }
  *change = largest;
}

/// Cells of a row that a worker of `fused` takes at a time.
constexpr long piece = 512;

static void fused_sweep(long rows, long columns, const double* from, double* to, double tolerance,
                        int s, int* goes_on, long blocks, double* changes) {
  const long stride = columns + 2;
  const long cells = (rows + 2) * stride;
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

extern "C" {

/// Every kernel brings its arrays and takes them away again, unless somebody holds them already.
void gangway_jacobi_no_data(long rows, long columns, int iterations, double tolerance,
                            double* plate, double* next, double* change, int* done) {
  *change = std::numeric_limits<double>::infinity();
  *done = 0;
  while (*done < iterations && *change > tolerance) {
    average(rows, columns, plate, next);
    *change = change_and_copy_back(rows, columns, plate, next);
    ++*done;
  }
}

/// A data region around the loop: the plate crosses once each way, the other array never.
void gangway_jacobi_data(long rows, long columns, int iterations, double tolerance, double* plate,
                         double* next, double* change, int* done) {
  const long cells = (rows + 2) * (columns + 2);
#pragma acc data copy(plate[0 : cells]) create(next[0 : cells])
  gangway_jacobi_no_data(rows, columns, iterations, tolerance, plate, next, change, done);
}

/// Means and change in one kernel, plates swapped instead of copied back, the host asked every 256
/// sweeps.
void gangway_jacobi_fused(long rows, long columns, int iterations, double tolerance, double* plate,
                          double* next, double* change, int* done) {
  solve(fused_sweep, rows * blocks_of(columns, piece), rows, columns, iterations, tolerance, plate,
        next, change, done);
}

/// The same with tiles in memory of each gang's own.
void gangway_jacobi_cached(long rows, long columns, int iterations, double tolerance, double* plate,
                           double* next, double* change, int* done) {
  solve(cached_sweep, blocks_of(rows, tile_rows) * blocks_of(columns, tile_columns), rows, columns,
        iterations, tolerance, plate, next, change, done);
}

/// tile(64, 4) on both loops; the first size is the innermost loop's.
void gangway_jacobi_mdrange(long rows, long columns, int iterations, double tolerance,
                            double* plate, double* next, double* change, int* done) {
  const long cells = (rows + 2) * (columns + 2);
  *change = std::numeric_limits<double>::infinity();
  *done = 0;
#pragma acc data copy(plate[0 : cells]) create(next[0 : cells])
  while (*done < iterations && *change > tolerance) {
    average_by_tiles(rows, columns, plate, next);
    *change = change_by_tiles(rows, columns, plate, next);
    ++*done;
  }
}

/// collapse(2) on both loops.
void gangway_jacobi_flat(long rows, long columns, int iterations, double tolerance, double* plate,
                         double* next, double* change, int* done) {
  const long cells = (rows + 2) * (columns + 2);
  *change = std::numeric_limits<double>::infinity();
  *done = 0;
#pragma acc data copy(plate[0 : cells]) create(next[0 : cells])
  while (*done < iterations && *change > tolerance) {
    average_cell_by_cell(rows, columns, plate, next);
    *change = change_cell_by_cell(rows, columns, plate, next);
    ++*done;
  }
}

} // extern "C"
