// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "openacc/reduction_shape.hpp"
#include "studies/normalize/normalize.hpp"

extern "C" {

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

/// The sum stays where the division reads it: nothing waits between the two kernels of one queue.
/// The second one has to name s, or it would take the host's along. It has a lane for each entry.
void gangway_normalize_resident(long n, double* v, double* sum) {
  using namespace gangway::openacc;
  static constexpr int flat_lanes = 128;
  const int gangs = gangs_for_reduction(n, 64, 256);
  const long flat_gangs = n > flat_lanes ? (n + flat_lanes - 1) / flat_lanes : 1;
  double s = 0;
#pragma acc data copy(v[0 : n], s)
  {
#pragma acc parallel loop gang worker vector num_gangs(gangs) num_workers(workers)                 \
    vector_length(lanes) reduction(+ : s) copy(v[0 : n], s) async(1)
    for (long i = 0; i < n; ++i)
      s += v[i];
#pragma acc parallel loop gang vector num_gangs(flat_gangs) vector_length(flat_lanes)              \
    copy(v[0 : n]) present(s) async(1)
    for (long i = 0; i < n; ++i)
      v[i] /= s;
#pragma acc wait(1)
  }
  *sum = s;
}

} // extern "C"
