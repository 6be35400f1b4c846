// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/histogram/openacc_private.hpp"

#include <bit>

namespace gangway::histogram {

void count_in_gangs(long n, int bins, const int* a, int* h) {
  constexpr int most_gangs = 256;      // of 512 lanes with four loads each: current GPUs are busy
  constexpr long fewest_items = 16384; // for which a gang clears and adds up
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

      // Four items per lane at a time, so that four loads are in flight before one is needed.
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

} // namespace gangway::histogram
