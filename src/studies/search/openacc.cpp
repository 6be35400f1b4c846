// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "openacc/reduction_shape.hpp"
#include "studies/search/search.hpp"

extern "C" {

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

/// The smallest index of those found, as a reduction: no flags, and one number to the host.
void gangway_search_reduction(long n, const float* a, int* /*found*/, long* first) {
  using namespace gangway::openacc;
  const float least = gangway::search::threshold;
  const int gangs = gangs_for_reduction(n, 64, 512);
  long smallest = n;
#pragma acc parallel loop gang worker vector num_gangs(gangs) num_workers(workers)                 \
    vector_length(lanes) reduction(min : smallest) copyin(a[0 : n])
  for (long i = 0; i < n; ++i) {
    const long here = a[i] >= least ? i : n;
    smallest = here < smallest ? here : smallest;
  }
  *first = smallest < n ? smallest : gangway::search::none;
}

/// Searches by gangs that take chunks in the array's order from one queue. A gang that finds
/// something puts the queue to its end: other gangs have the chunks before it, and those after it
/// need no search.
void gangway_search_chunked(long n, const float* a, int* /*found*/, long* first) {
  using namespace gangway::openacc;
  constexpr long chunk = 16384; // 32 elements per thread
  const float least = gangway::search::threshold;
  const long chunks = (n + chunk - 1) / chunk;
  const int gangs = static_cast<int>(std::clamp(chunks, 1L, 256L));
  long next = 0;
  long smallest = n;
#pragma acc parallel loop gang num_gangs(gangs) num_workers(workers) vector_length(lanes)          \
    reduction(min : smallest) copyin(a[0 : n]) copy(next)
  for (int gang = 0; gang < gangs; ++gang) {
    long taken;
#pragma acc atomic capture
    taken = next++;
    while (taken < chunks) {
      const long begin = taken * chunk;
      const long end = begin + chunk < n ? begin + chunk : n;
      long where = n;
#pragma acc loop worker vector reduction(min : where)
      for (long i = begin; i < end; ++i) {
        const long here = a[i] >= least ? i : n;
        where = here < where ? here : where;
      }
      if (where < n) {
        smallest = where < smallest ? where : smallest;
#pragma acc atomic write
        next = chunks;
      }
#pragma acc atomic capture
      taken = next++;
    }
  }
  *first = smallest < n ? smallest : gangway::search::none;
}

} // extern "C"
