// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/histogram/histogram.hpp"

#include <bit>

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
  // 2 KiB of a gang's memory, and of each lane's where a compiler hands such an array to workers as
  // it hands them variables: GCC does, once for each loop over workers.
  constexpr int counters = 512;
  constexpr int most_gangs = 256;      // of 512 lanes with four loads each: current GPUs are busy
  constexpr long fewest_items = 16384; // for which a gang clears and adds up
  if (bins > counters) {
    gangway_histogram_atomic(n, bins, a, h);
    return;
  }
  const int copies =
      static_cast<int>(std::bit_floor(static_cast<unsigned>(std::min(counters / bins, 32))));
  const int mask = copies - 1;
  const int gangs = static_cast<int>(std::clamp(n / fewest_items, 1L, long{most_gangs}));
  const long quarter = n / (4L * gangs);
  int mine[counters];
#pragma acc data copyin(a[0 : n]) copyout(h[0 : bins])
  {
#pragma acc parallel loop present(h[0 : bins])
    for (int bin = 0; bin < bins; ++bin)
      h[bin] = 0;
#pragma acc parallel loop gang num_gangs(gangs) num_workers(16) vector_length(32) private(mine)    \
    copyin(a[0 : n]) present(h[0 : bins])
    for (int gang = 0; gang < gangs; ++gang) {
      // Clearing and adding up are little work, for one worker. All of a gang's workers wait for
      // one another before a loop that they share, and after it.
#pragma acc loop vector
      for (int k = 0; k < copies * bins; ++k)
        mine[k] = 0;

      // Four items a lane at a time, so that four loads are under way before one is needed.
      const long first = 4 * quarter * gang;
#pragma acc loop worker vector
      for (long i = first; i < first + quarter; ++i) {
        const int copy = static_cast<int>(i) & mask;
        const int bin_0 = a[i];
        const int bin_1 = a[i + quarter];
        const int bin_2 = a[i + 2 * quarter];
        const int bin_3 = a[i + 3 * quarter];
#pragma acc atomic update
        mine[bin_0 * copies + copy] += 1;
#pragma acc atomic update
        mine[bin_1 * copies + copy] += 1;
#pragma acc atomic update
        mine[bin_2 * copies + copy] += 1;
#pragma acc atomic update
        mine[bin_3 * copies + copy] += 1;
      }
      if (gang == gangs - 1) { // what the shares leave over
#pragma acc loop vector
        for (long i = 4 * quarter * gangs; i < n; ++i) {
#pragma acc atomic update
          mine[a[i] * copies] += 1;
        }
      }

      // Each lane begins with another copy, so that they read from different banks.
#pragma acc loop vector
      for (int bin = 0; bin < bins; ++bin) {
        int sum = 0;
#pragma acc loop seq
        for (int k = 0; k < copies; ++k)
          sum += mine[bin * copies + ((bin + k) & mask)];
        if (sum != 0) {
#pragma acc atomic update
          h[bin] += sum;
        }
      }
    }
  }
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
