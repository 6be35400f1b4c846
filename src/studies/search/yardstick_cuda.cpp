// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/study.hpp"
#include "studies/search/search.hpp"

#include <thrust/execution_policy.h>
#include <thrust/find.h>

namespace gangway::search {
namespace {

struct NotBelow {
  __host__ __device__ bool operator()(float x) const { return x >= threshold; }
};

/// Thrust's search, which goes through the array in intervals and stops after the one that has it.
void native(long n, const float* a, int* /*found*/, long* first) {
  Data data;
  const auto element = data.copyin(a, n);
  const float* const begin = element.data();
  const float* const place = thrust::find_if(thrust::cuda::par.on(Kokkos::Cuda().cuda_stream()),
                                             begin, begin + n, NotBelow{});
  *first = place != begin + n ? place - begin : none;
}

const harness::Yardstick<Problem> find_if("thrust::find_if", native);

} // namespace
} // namespace gangway::search
