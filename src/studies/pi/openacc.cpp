// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "openacc/reduction_shape.hpp"
#include "studies/pi/pi.hpp"

extern "C" {

/// The compiler finds the reduction and what is parallel, or does not: GCC runs it on one thread.
void gangway_pi_kernels(long points, double* pi) {
  double sum = 0;
#pragma acc kernels
  for (long i = 0; i < points; ++i) {
    const double x = (static_cast<double>(i) + 0.5) / static_cast<double>(points);
    sum += 4.0 / (1.0 + x * x);
  }
  *pi = sum / static_cast<double>(points);
}

void gangway_pi_kernels_data(long points, double* pi) {
  double sum = 0;
#pragma acc data copy(sum)
  {
#pragma acc kernels
    for (long i = 0; i < points; ++i) {
      const double x = (static_cast<double>(i) + 0.5) / static_cast<double>(points);
      sum += 4.0 / (1.0 + x * x);
    }
  }
  *pi = sum / static_cast<double>(points);
}

void gangway_pi_parallel(long points, double* pi) {
  double sum = 0;
#pragma acc parallel loop reduction(+ : sum)
  for (long i = 0; i < points; ++i) {
    const double x = (static_cast<double>(i) + 0.5) / static_cast<double>(points);
    sum += 4.0 / (1.0 + x * x);
  }
  *pi = sum / static_cast<double>(points);
}

void gangway_pi_parallel_data(long points, double* pi) {
  double sum = 0;
#pragma acc data copy(sum)
  {
#pragma acc parallel loop reduction(+ : sum)
    for (long i = 0; i < points; ++i) {
      const double x = (static_cast<double>(i) + 0.5) / static_cast<double>(points);
      sum += 4.0 / (1.0 + x * x);
    }
  }
  *pi = sum / static_cast<double>(points);
}

/// Integrates with few gangs, whose threads stride over the points. Each adds to one sum, and its
/// midpoints grow by a constant. The integrand has the only division, and no index is converted.
void gangway_pi_team(long points, double* pi) {
  using namespace gangway::openacc;
  // Arithmetic fills a GPU better with more threads than it can hold at once.
  const int gangs = gangs_for_reduction(points, 256, 1024);
  const long threads = static_cast<long>(gangs) * threads_of_a_gang;
  const double step = 1 / static_cast<double>(points);
  double sum = 0;
#pragma acc parallel loop gang worker vector num_gangs(gangs) num_workers(workers)                 \
    vector_length(lanes) reduction(+ : sum)
  for (long thread = 0; thread < threads; ++thread) {
    // Midpoints are exact in double up to 2^52.
    double midpoint = static_cast<double>(thread) + 0.5;
    double of_thread = 0;
#pragma acc loop seq
    for (long i = thread; i < points; i += threads) {
      const double x = midpoint * step;
      of_thread += 1 / (1 + x * x);
      midpoint += static_cast<double>(threads);
    }
    sum += of_thread;
  }
  *pi = 4 * sum * step;
}

} // extern "C"
