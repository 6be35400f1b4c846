// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/adjacent/adjacent.hpp"

namespace {

/// A flat grid: as many gangs as give each lane one iteration. (At least one: a construct of no
/// gangs is an error.)
constexpr int lanes = 128;
long gangs_for(long iterations) {
  return iterations > lanes ? (iterations + lanes - 1) / lanes : 1;
}

} // namespace

extern "C" {

/// One construct, two kernels: the second begins when the first is done.
///
/// With `parallel` instead of `kernels` both loops would be parts of one kernel, without a barrier
/// between its gangs: the second loop would read products that other gangs have not written yet.
/// That form is wrong, and not here.
void gangway_adjacent_kernels(long n, const double* mob, const double* charge, double* a,
                              double* c) {
  const long inside = n > 2 ? n - 2 : 0;
#pragma acc kernels copyin(mob[0 : n], charge[0 : n]) copyout(a[0 : n], c[1 : inside])
  {
#pragma acc loop independent
    for (long i = 0; i < n; ++i)
      a[i] = mob[i] * charge[i];
#pragma acc loop independent
    for (long i = 1; i < n - 1; ++i)
      c[i] = 0.5 * (a[i - 1] + a[i + 1]);
  }
}

/// A construct for each loop, both on one queue: the second begins when the first is done, and the
/// host waits once.
void gangway_adjacent_parallel_pair(long n, const double* mob, const double* charge, double* a,
                                    double* c) {
  const long inside = n > 2 ? n - 2 : 0;
#pragma acc data copyin(mob[0 : n], charge[0 : n]) copyout(a[0 : n], c[1 : inside])
  {
#pragma acc parallel loop gang vector num_gangs(gangs_for(n)) vector_length(lanes)                 \
    copyin(mob[0 : n], charge[0 : n]) copyout(a[0 : n]) async(1)
    for (long i = 0; i < n; ++i)
      a[i] = mob[i] * charge[i];
#pragma acc parallel loop gang vector num_gangs(gangs_for(inside)) vector_length(lanes)            \
    copyout(a[0 : n], c[1 : inside]) async(1)
    for (long i = 1; i < n - 1; ++i)
      c[i] = 0.5 * (a[i - 1] + a[i + 1]);
#pragma acc wait(1)
  }
}

/// One kernel: the products of the neighbours are made again instead of waited for. How many gangs
/// there are, and what block of iterations each takes, is the compiler's choice.
void gangway_adjacent_fused(long n, const double* mob, const double* charge, double* a, double* c) {
  const long inside = n > 2 ? n - 2 : 0;
#pragma acc parallel loop gang vector vector_length(256) copyin(mob[0 : n], charge[0 : n])         \
    copyout(a[0 : n], c[1 : inside])
  for (long i = 0; i < n; ++i) {
    a[i] = mob[i] * charge[i];
    if (i > 0 && i < n - 1)
      c[i] = 0.5 * (mob[i - 1] * charge[i - 1] + mob[i + 1] * charge[i + 1]);
  }
}

/// The same, one element per lane: as many gangs as that takes.
void gangway_adjacent_range(long n, const double* mob, const double* charge, double* a, double* c) {
  const long inside = n > 2 ? n - 2 : 0;
#pragma acc parallel loop gang vector num_gangs(gangs_for(n)) vector_length(lanes)                 \
    copyin(mob[0 : n], charge[0 : n]) copyout(a[0 : n], c[1 : inside])
  for (long i = 0; i < n; ++i) {
    a[i] = mob[i] * charge[i];
    if (i > 0 && i < n - 1)
      c[i] = 0.5 * (mob[i - 1] * charge[i - 1] + mob[i + 1] * charge[i + 1]);
  }
}

} // extern "C"
