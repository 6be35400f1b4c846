// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>

/// The device intrinsics that Gangway uses; no other header has any.
namespace gangway::detail {

/// Loads what will not be used again: on CUDA the caches are asked to give it up first
/// (`ld.global.cs`), so that data which is used again, such as the vector of a sparse product,
/// stays. Elsewhere a plain load.
template <class T>
KOKKOS_INLINE_FUNCTION T load_once(const T& place) {
#ifdef __CUDA_ARCH__
  return __ldcs(&place);
#else
  return place;
#endif
}

#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
#ifdef __CUDA_ARCH__
/// The mask of this worker's lanes, of `lanes`, in its warp.
template <int lanes>
__device__ unsigned lanes_of_thread() {
  constexpr unsigned of_first = lanes == 32 ? ~0U : (1U << lanes) - 1;
  const unsigned threads_before = threadIdx.y % (32 / lanes);
  return of_first << (threads_before * lanes % 32);
}
#endif

/// The value of the worker's lane whose number differs from this one's in `bits`.
template <int lanes, class Value>
__device__ Value from_other_lane(Value value, int bits) {
#ifdef __CUDA_ARCH__
  return __shfl_xor_sync(lanes_of_thread<lanes>(), value, bits);
#else
  return __shfl_xor(value, bits);
#endif
}

#endif

/// Lanes of a gang. Kokkos does not say how many a thread has. On backends that do not say it
/// either, the answer is 32 for each thread, and a real lane takes several of these in turn.
template <class Member>
KOKKOS_INLINE_FUNCTION long lanes_of([[maybe_unused]] const Member& team) {
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
  return static_cast<long>(blockDim.x) * blockDim.y;
#else
  return 32L * team.team_size();
#endif
}

/// Returns whether a worker's vector is one lane, as only the launch knows. Elsewhere than on
/// NVIDIA's and AMD's devices Kokkos needs no such question.
template <class Member>
KOKKOS_INLINE_FUNCTION bool has_one_lane(const Member& /*team*/) {
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
  return blockDim.x == 1;
#else
  return false;
#endif
}

/// Reduces what of_lane(lane, partial) makes in each lane 0 … length - 1 of a worker; all lanes get
/// it. NVIDIA's and AMD's lanes reduce by the fewest shuffles and without a branch between them.
/// `only_worker`: the worker is the whole gang. Errors: on these devices the program is aborted if
/// the vector has another length, or if an only worker has company.
template <int length, bool only_worker, class Reducer, class Member, class OfLane>
KOKKOS_INLINE_FUNCTION auto reduce_worker([[maybe_unused]] const Member& team,
                                          const OfLane& of_lane) {
  typename Reducer::value_type value;
  const Reducer reducer(value);
  reducer.init(value);
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
  // A way for other lengths, beside this one, would take eight registers more.
  if ((only_worker ? blockDim.x * blockDim.y : blockDim.x) != length)
    Kokkos::abort("gangway::loop_vector: the launch's vector has another length than the handle's");
  of_lane(static_cast<int>(threadIdx.x), value);
  for (int bits = length / 2; bits > 0; bits /= 2)
    reducer.join(value, from_other_lane<length>(value, bits));
#else
  const int lanes = length; // a range takes a reference, and device code has none to constants
  Kokkos::parallel_reduce(Kokkos::ThreadVectorRange(team, lanes), of_lane, reducer);
#endif
  return value;
}

/// The value that lane `lane` of this worker has; lanes beyond the last count from the first.
template <int length, class Value>
KOKKOS_INLINE_FUNCTION Value value_of_lane(Value value, [[maybe_unused]] int lane) {
#ifdef __CUDA_ARCH__
  return __shfl_sync(lanes_of_thread<length>(), value, lane, length);
#elif defined(__HIP_DEVICE_COMPILE__)
  return __shfl(value, lane, length);
#else
#if !defined(KOKKOS_ENABLE_CUDA) && !defined(KOKKOS_ENABLE_HIP)
  static_assert(length == 1);
#endif
  return value;
#endif
}

} // namespace gangway::detail
