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
__device__ inline unsigned lanes_of_thread(unsigned lanes) {
  return lanes == 32 ? ~0U : ((1U << lanes) - 1) << (threadIdx.y * lanes % 32);
}
#endif

/// Reduces the values of a worker's lanes, by a shuffle for each halving; all lanes get the result.
template <class Reducer>
__device__ void join_lanes(unsigned lanes, const Reducer& reducer,
                           typename Reducer::value_type& value) {
  if (lanes == 1)
    return;
#ifdef __CUDA_ARCH__
  const unsigned mask = lanes_of_thread(lanes);
#endif
  for (unsigned bits = lanes / 2; bits > 0; bits /= 2)
#ifdef __CUDA_ARCH__
    reducer.join(value, __shfl_xor_sync(mask, value, static_cast<int>(bits)));
#else
    reducer.join(value, __shfl_xor(value, static_cast<int>(bits)));
#endif
}

__device__ inline void abort_of_length() {
  Kokkos::abort("gangway::loop_vector: the launch's vector has another length than the handle's");
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
/// Errors: on these devices the program is aborted if the vector has another length.
template <int length, class Reducer, class Member, class OfLane>
KOKKOS_INLINE_FUNCTION auto reduce_worker([[maybe_unused]] const Member& team,
                                          const OfLane& of_lane) {
  typename Reducer::value_type value;
  const Reducer reducer(value);
  reducer.init(value);
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
  // A way for other lengths, beside this one, would take eight registers more.
  if (blockDim.x != length)
    abort_of_length();
  of_lane(static_cast<int>(threadIdx.x), value);
  join_lanes(length, reducer, value);
#else
  const int lanes = length; // a range takes a reference, and device code has none to constants
  Kokkos::parallel_reduce(Kokkos::ThreadVectorRange(team, lanes), of_lane, reducer);
#endif
  return value;
}

/// Reduces as `reduce_worker` over all lanes of a gang. `length` is 0 if only the launch knows how
/// many there are. Kokkos reduces what the warps have; its range over a team would take up to twice
/// as long.
template <int length, class Reducer, class Member, class OfLane>
KOKKOS_INLINE_FUNCTION auto reduce_gang([[maybe_unused]] const Member& team,
                                        const OfLane& of_lane) {
  typename Reducer::value_type value;
  const Reducer reducer(value);
  reducer.init(value);
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
  constexpr int most = 32; // lanes of a worker
  const int of_worker = length == 0 ? static_cast<int>(blockDim.x) : length < most ? length : most;
  const bool only_worker = length == 0 ? blockDim.y == 1 : length <= most;
  if constexpr (length != 0)
    if (blockDim.x * blockDim.y != length || (length > most && blockDim.x != most))
      abort_of_length();
  const int before = only_worker ? 0 : static_cast<int>(threadIdx.y) * of_worker;
  of_lane(before + static_cast<int>(threadIdx.x), value);
  join_lanes(of_worker, reducer, value);
  if (!only_worker)
    team.team_reduce(reducer);
#else
  const int lanes = length == 0 ? static_cast<int>(lanes_of(team)) : length;
  Kokkos::parallel_reduce(Kokkos::TeamVectorRange(team, lanes), of_lane, reducer);
#endif
  return value;
}

/// The value that lane `lane` of this worker has; lanes beyond the last count from the first.
template <int length, class Value>
KOKKOS_INLINE_FUNCTION Value value_of_lane(Value value, [[maybe_unused]] int lane) {
#ifdef __CUDA_ARCH__
  return __shfl_sync(lanes_of_thread(length), value, lane, length);
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
