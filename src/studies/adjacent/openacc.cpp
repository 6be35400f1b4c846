// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/adjacent/adjacent.hpp"

// Every function here has the study's one type; a slip would be an error at this line.
extern "C" {
gangway::adjacent::Kernel gangway_adjacent_kernels;

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

} // extern "C"
