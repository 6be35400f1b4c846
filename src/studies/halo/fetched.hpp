// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace gangway::halo {

/// For halo's and halo_blocks' OpenACC variants `wide`: the changes of the sweeps from `begin` to
/// `end`, which are done, of all ranks. `largest`, whose copy on the device has this rank's, is
/// brought over queue 2.
template <class Ranks>
void fetch(const Ranks& ranks, int begin, int end, double* largest, double* changes) {
  const int count = end - begin;
  if (count == 0)
    return;
#pragma acc update self(largest[begin : count]) async(2)
#pragma acc wait(2)
  for (int s = begin; s < end; ++s)
    changes[s] = largest[s];
  ranks.largest(changes + begin, count);
}

} // namespace gangway::halo
