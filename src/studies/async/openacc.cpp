// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/async/async.hpp"

using gangway::async::first_of;

extern "C" {

/// Each step waits for the one before it.
void gangway_async_sync(long n, int blocks, float a, const float* x, float* y) {
#pragma acc data create(x[0 : n], y[0 : n])
  for (int block = 0; block < blocks; ++block) {
    const long first = first_of(block, n, blocks);
    const long last = first_of(block + 1, n, blocks);
    if (first == last)
      break;
#pragma acc update device(x[first : last - first], y[first : last - first])
#pragma acc parallel loop gang vector present(x[0 : n], y[0 : n])
    for (long i = first; i < last; ++i)
      y[i] = a * x[i] + y[i];
#pragma acc update self(y[first : last - first])
  }
}

/// A block's steps go on the block's queue: in order there, and beside those of other blocks.
void gangway_async_async(long n, int blocks, float a, const float* x, float* y) {
#pragma acc data create(x[0 : n], y[0 : n])
  {
    for (int block = 0; block < blocks; ++block) {
      const long first = first_of(block, n, blocks);
      const long last = first_of(block + 1, n, blocks);
      if (first == last)
        break;
#pragma acc update device(x[first : last - first], y[first : last - first]) async(block)
#pragma acc parallel loop gang vector present(x[0 : n], y[0 : n]) async(block)
      for (long i = first; i < last; ++i)
        y[i] = a * x[i] + y[i];
#pragma acc update self(y[first : last - first]) async(block)
    }
#pragma acc wait
  }
}

} // extern "C"
