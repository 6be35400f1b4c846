// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/pi/pi.hpp"

// Every function here has the study's one type; a slip would be an error at this line.
extern "C" {
gangway::pi::Kernel gangway_pi_kernels, gangway_pi_kernels_data, gangway_pi_parallel,
    gangway_pi_parallel_data;

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

} // extern "C"
