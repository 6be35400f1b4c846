// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "snippets.hpp"

namespace guide::openacc {
namespace {

// [reduction]
double reduction(long n, double start, const double* x, const double* y) {
  double sum = start;
#pragma acc parallel loop reduction(+ : sum) copyin(x[0 : n], y[0 : n])
  for (long i = 0; i < n; ++i)
    sum += x[i] * y[i];
  return sum;
}
// [reduction]

// [two_reductions]
void two_reductions(long n, const double* x, double* sum, double* highest) {
  double total = 0;
  double most = x[0];
#pragma acc parallel loop reduction(+ : total) reduction(max : most) copyin(x[0 : n])
  for (long i = 0; i < n; ++i) {
    total += x[i];
    most = x[i] > most ? x[i] : most;
  }
  *sum = total;
  *highest = most;
}
// [two_reductions]

// [min_prior]
double min_prior(long n, double limit, const double* x) {
  double least = limit;
#pragma acc parallel loop reduction(min : least) copyin(x[0 : n])
  for (long i = 0; i < n; ++i)
    least = x[i] < least ? x[i] : least;
  return least;
}
// [min_prior]

// [into_view]
void into_view(long n, double* v) {
  double sum = 0;
#pragma acc data copy(v[0 : n]) copyin(sum) // sum is on the device, and stays there
  {
#pragma acc parallel loop reduction(+ : sum) present(v[0 : n], sum) async(1)
    for (long i = 0; i < n; ++i)
      sum += v[i];
#pragma acc parallel loop present(v[0 : n], sum) async(1)
    for (long i = 0; i < n; ++i)
      v[i] /= sum;
#pragma acc wait(1)
  }
}
// [into_view]

} // namespace

const Reductions reductions{.reduction = reduction,
                            .two_reductions = two_reductions,
                            .min_prior = min_prior,
                            .into_view = into_view};

} // namespace guide::openacc
