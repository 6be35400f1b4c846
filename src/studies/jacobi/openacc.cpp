// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/jacobi/jacobi.hpp"

#include <cmath>
#include <limits>

// Every function here has the study's one type; a slip would be an error at this line.
extern "C" {
gangway::jacobi::Kernel gangway_jacobi_no_data, gangway_jacobi_data;
}

namespace {

/// The new temperatures into `next`.
void average(long rows, long columns, const double* plate, double* next) {
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
double change_and_copy_back(long rows, long columns, double* plate, const double* next) {
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

} // namespace

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

} // extern "C"
