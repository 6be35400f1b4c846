// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/search/search.hpp"

// Every function here has the study's one type; a slip would be an error at this line.
extern "C" {
gangway::search::Kernel gangway_search_flags;

/// Every element is looked at and gets a flag; the host looks for the first flag.
void gangway_search_flags(long n, const float* a, int* found, long* first) {
  const float least = gangway::search::threshold;
#pragma acc data copyin(a[0 : n]) create(found[0 : n])
  {
#pragma acc parallel loop copyin(a[0 : n]) create(found[0 : n])
    for (long i = 0; i < n; ++i)
      found[i] = a[i] >= least ? 1 : 0;
// GCC's runtime ends the program over an update of nothing.
#pragma acc update self(found[0 : n]) if (n > 0)
  }
  long i = 0;
  while (i < n && found[i] == 0)
    ++i;
  *first = i < n ? i : gangway::search::none;
}

} // extern "C"
