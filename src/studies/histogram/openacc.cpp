// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/histogram/histogram.hpp"
#include "studies/histogram/openacc_private.hpp"

extern "C" {

/// Every item counted in the one array of counters. Clauses on the loops find what the region
/// brought; `copyin` rather than `present`, which has nothing to find where there are no items.
void gangway_histogram_atomic(long n, int bins, const int* a, int* h) {
#pragma acc data copyin(a[0 : n]) copyout(h[0 : bins])
  {
#pragma acc parallel loop present(h[0 : bins])
    for (int bin = 0; bin < bins; ++bin)
      h[bin] = 0;
#pragma acc parallel loop copyin(a[0 : n]) present(h[0 : bins])
    for (long i = 0; i < n; ++i) {
#pragma acc atomic update
      h[a[i]] += 1;
    }
  }
}

/// Each gang counts a share of the items in memory of its own, and adds what it has to the counters
/// of all. Private memory has a size that the compiler knows: more bins than it holds are counted
/// as in `atomic`.
///
/// Fewer bins have several copies of each counter, side by side, and neighbouring lanes count in
/// different copies: equal items wait less for one another.
void gangway_histogram_gang_private(long n, int bins, const int* a, int* h) {
  if (bins > gangway::histogram::counters)
    gangway_histogram_atomic(n, bins, a, h);
  else
    gangway::histogram::count_in_gangs(n, bins, a, h);
}

// The four forms of `atomic`, as the study's header says what each makes.

void gangway_histogram_atomic_update(long n, int bins, const int* a, int* h) {
#pragma acc data copyin(a[0 : n]) copyout(h[0 : bins])
  {
#pragma acc parallel loop present(h[0 : bins])
    for (int bin = 0; bin < bins; ++bin)
      h[bin] = 0;
#pragma acc parallel loop copyin(a[0 : n]) present(h[0 : bins])
    for (long i = 0; i < n; ++i) {
#pragma acc atomic update
      h[a[i]] += static_cast<int>(i % 3);
    }
  }
}

void gangway_histogram_atomic_write(long n, int bins, const int* a, int* h) {
#pragma acc data copyin(a[0 : n]) copyout(h[0 : bins])
  {
#pragma acc parallel loop present(h[0 : bins])
    for (int bin = 0; bin < bins; ++bin)
      h[bin] = -1;
#pragma acc parallel loop copyin(a[0 : n]) present(h[0 : bins])
    for (long i = 0; i < n; ++i) {
#pragma acc atomic write
      h[a[i]] = static_cast<int>(i);
    }
  }
}

void gangway_histogram_atomic_read(long n, int bins, const int* a, int* h, int* result) {
#pragma acc data copyin(a[0 : n]) copyout(h[0 : bins], result[0 : n])
  {
#pragma acc parallel loop present(h[0 : bins])
    for (int bin = 0; bin < bins; ++bin)
      h[bin] = 0;
#pragma acc parallel loop copyin(a[0 : n]) copyout(result[0 : n]) present(h[0 : bins])
    for (long i = 0; i < n; ++i) {
      int seen;
#pragma acc atomic update
      h[a[i]] += 1;
#pragma acc atomic read
      seen = h[a[i]];
      result[i] = seen;
    }
  }
}

void gangway_histogram_atomic_capture(long n, int bins, const int* a, int* h, int* result) {
#pragma acc data copyin(a[0 : n]) copyout(h[0 : bins], result[0 : n])
  {
#pragma acc parallel loop present(h[0 : bins])
    for (int bin = 0; bin < bins; ++bin)
      h[bin] = 0;
#pragma acc parallel loop copyin(a[0 : n]) copyout(result[0 : n]) present(h[0 : bins])
    for (long i = 0; i < n; ++i) {
      int place;
#pragma acc atomic capture
      place = h[a[i]]++;
      result[i] = place;
    }
  }
}

} // extern "C"
