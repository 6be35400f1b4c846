// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "snippets.hpp"

namespace guide::openacc {
namespace {

// [atomic_update]
void atomic_update(long n, int bins, const int* item, int* counts) {
#pragma acc data copyin(item[0 : n]) copyout(counts[0 : bins])
  {
#pragma acc parallel loop present(counts[0 : bins])
    for (int bin = 0; bin < bins; ++bin)
      counts[bin] = 0;
#pragma acc parallel loop present(item[0 : n], counts[0 : bins])
    for (long i = 0; i < n; ++i) {
#pragma acc atomic update
      counts[item[i]] += 1;
    }
  }
}
// [atomic_update]

// [atomic_write]
bool atomic_write(long n, const double* x) {
  int found = 0;
#pragma acc parallel loop copyin(x[0 : n]) copy(found)
  for (long i = 0; i < n; ++i)
    if (x[i] < 0) {
#pragma acc atomic write
      found = 1;
    }
  return found != 0;
}
// [atomic_write]

// [atomic_read]
bool atomic_read(long n, const double* x) {
  int found = 0;
#pragma acc parallel loop copyin(x[0 : n]) copy(found)
  for (long i = 0; i < n; ++i) {
    int seen;
#pragma acc atomic read
    seen = found;
    if (seen == 0 && x[i] < 0) {
#pragma acc atomic write
      found = 1;
    }
  }
  return found != 0;
}
// [atomic_read]

// [atomic_capture]
long atomic_capture(long n, const double* x, long* picked) {
  long count = 0;
#pragma acc parallel loop copyin(x[0 : n]) copy(count, picked[0 : n])
  for (long i = 0; i < n; ++i)
    if (x[i] < 0) {
      long place;
#pragma acc atomic capture
      place = count++;
      picked[place] = i;
    }
  return count;
}
// [atomic_capture]

} // namespace

const Atomics atomics{.atomic_update = atomic_update,
                      .atomic_write = atomic_write,
                      .atomic_read = atomic_read,
                      .atomic_capture = atomic_capture};

} // namespace guide::openacc
