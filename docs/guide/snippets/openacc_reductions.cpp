// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "snippets.hpp"

#include <cstddef>
#include <vector>

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

// [arg_min]
long arg_min(long n, const double* x) {
  double least = x[0];
  long place = n;
#pragma acc data copyin(x[0 : n])
  {
#pragma acc parallel loop reduction(min : least) present(x[0 : n])
    for (long i = 0; i < n; ++i)
      least = x[i] < least ? x[i] : least;
#pragma acc parallel loop reduction(min : place) present(x[0 : n])
    for (long i = 0; i < n; ++i) {
      const long found = x[i] == least ? i : n;
      place = found < place ? found : place;
    }
  }
  return place;
}
// [arg_min]

// [scan]
void scan(long n, double* x) {
  constexpr long block = 256;
  const long blocks = (n + block - 1) / block;
  std::vector<double> of_blocks(static_cast<std::size_t>(blocks));
  double* const before = of_blocks.data();
#pragma acc data copy(x[0 : n]) create(before[0 : blocks])
  {
#pragma acc parallel loop present(x[0 : n], before[0 : blocks])
    for (long b = 0; b < blocks; ++b) { // each block by itself
      const long end = (b + 1) * block < n ? (b + 1) * block : n;
      double sum = 0;
#pragma acc loop seq
      for (long i = b * block; i < end; ++i) {
        sum += x[i];
        x[i] = sum;
      }
      before[b] = sum;
    }
#pragma acc serial present(before[0 : blocks])
    {
      double sum = 0;
      for (long b = 0; b < blocks; ++b) { // what is before each block
        const double own = before[b];
        before[b] = sum;
        sum += own;
      }
    }
#pragma acc parallel loop present(x[0 : n], before[0 : blocks])
    for (long i = 0; i < n; ++i)
      x[i] += before[i / block];
  }
}
// [scan]

} // namespace

const Reductions reductions{.reduction = reduction,
                            .two_reductions = two_reductions,
                            .min_prior = min_prior,
                            .into_view = into_view,
                            .arg_min = arg_min,
                            .scan = scan};

} // namespace guide::openacc
