// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/normalize/normalize.hpp"

// Every function here has the study's one type; a slip would be an error at this line.
extern "C" {
gangway::normalize::Kernel gangway_normalize_kernels;

/// One construct, two kernels: the sum is complete before the second begins.
///
/// In one `parallel` construct the reduction would be complete only at the end of the construct:
/// the second loop would divide by whatever its gang has of the sum so far. That form is wrong, and
/// not here.
void gangway_normalize_kernels(long n, double* v, double* sum) {
  double s = 0;
#pragma acc kernels copy(v[0 : n])
  {
#pragma acc loop reduction(+ : s)
    for (long i = 0; i < n; ++i)
      s += v[i];
#pragma acc loop independent
    for (long i = 0; i < n; ++i)
      v[i] /= s;
  }
  *sum = s;
}

} // extern "C"
