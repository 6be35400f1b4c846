// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/study.hpp"
#include "studies/jacobi/jacobi.hpp"

#include <cstring>

namespace gangway::jacobi {
/// Native OpenMP: mean and change in one pass, the plates swapped.
static void native(Task task) {
  const long rows = task.rows;
  const long columns = task.columns;
  double* const plate = task.plate;
  double* const next = task.next;
  const long stride = columns + 2;
  const double* from = plate;
  double* to = next;
  std::memcpy(next, plate, sizeof(double) * stride);
  std::memcpy(next + (rows + 1) * stride, plate + (rows + 1) * stride, sizeof(double) * stride);
  for (long i = 1; i <= rows; ++i)
    for (const long j : {0L, columns + 1})
      next[i * stride + j] = plate[i * stride + j];
  double largest = std::numeric_limits<double>::infinity();
  int sweeps = 0;
  while (sweeps < task.iterations && largest > task.tolerance) {
    largest = 0;
#pragma omp parallel for schedule(static) reduction(max : largest)
    for (long i = 1; i <= rows; ++i) {
#pragma omp simd reduction(max : largest)
      for (long j = 1; j <= columns; ++j) {
        const double* const cell = from + i * stride + j;
        const double mean = 0.25 * (cell[stride] + cell[-stride] + cell[1] + cell[-1]);
        const double difference = std::abs(mean - *cell);
        largest = difference > largest ? difference : largest;
        to[i * stride + j] = mean;
      }
    }
    double* const written = to;
    to = const_cast<double*>(from); // NOLINT: both plates are this function's to write
    from = written;
    ++sweeps;
  }
  if (from != plate)
    std::memcpy(plate, next, sizeof(double) * (rows + 2) * stride);
  *task.change = largest;
  *task.done = sweeps;
}

const harness::Yardstick<Problem> openmp("openmp", native);

} // namespace gangway::jacobi
