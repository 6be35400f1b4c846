// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>

/// The shape of a construct whose gangs reduce into one variable: few gangs of many threads,
/// `num_gangs(gangs) num_workers(workers) vector_length(lanes)`.
///
/// GCC's gangs reduce by compare-and-swap on one address, so that the time follows their number, by
/// default thousands. A few hundred gangs of 512 threads fill a current GPU as well: it has one to
/// two hundred multiprocessors, each of which holds four such gangs. A vector of 32 is a warp,
/// whose lanes reduce by shuffles. The lanes of a longer one reduce in shared memory, one by one.
namespace gangway::openacc {

inline constexpr int workers = 16;
inline constexpr int lanes = 32;
inline constexpr int threads_of_a_gang = workers * lanes;

/// Returns so many gangs that each thread has at least `least` iterations: 1 to `most`.
/// `iterations` from 0 on.
inline int gangs_for_reduction(long iterations, int least, int most) {
  const long of_a_gang = static_cast<long>(least) * threads_of_a_gang;
  return static_cast<int>(std::clamp(iterations / of_a_gang, 1L, static_cast<long>(most)));
}

} // namespace gangway::openacc
