// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "gangway/levels.hpp"
#include "kernels/packs.hpp"

#include <Kokkos_Core.hpp>

#include <algorithm>

namespace gangway::kernels {

/// The number of partial sums that a thread keeps at a time: on a host the lanes of a few vector
/// registers, on a device enough to have several loads in flight.
template <class Real>
constexpr int chains_of_a_sum = has_device ? 8 : 256 / sizeof(Real);

/// Returns term(first) + term(first + stride) + … up to, not including, `last`, as `chains`
/// independent partial sums. Kokkos' reductions give a host's thread one sum, which no compiler may
/// split, because that changes the rounding. Each addition then waits for the last, and the loop
/// reaches a fraction of the memory's bandwidth. With a stride of 1 the chains can be lanes of
/// vector registers, as with OpenMP's `simd reduction(+ : …)`. Each term is evaluated once; `term`
/// may write what belongs to its index. `first` from 0 to `last` or beyond it, `stride` at least 1.
template <class Real, int chains = chains_of_a_sum<Real>, class Term>
KOKKOS_FORCEINLINE_FUNCTION Real sum_in_chains(long first, long last, int stride,
                                               const Term& term) {
  Real chain[chains] = {};
  long i = first;
  for (; i + static_cast<long>(chains - 1) * stride < last; i += static_cast<long>(chains) * stride)
    for (int k = 0; k < chains; ++k)
      chain[k] += term(i + static_cast<long>(k) * stride);
  for (; i < last; i += stride)
    chain[0] += term(i);
  Real sum = 0;
  for (int k = 0; k < chains; ++k)
    sum += chain[k];
  return sum;
}

/// Returns term(first) + … + term(last - 1), of a host's long loop over one array, read from four
/// places at a time. A core fetches ahead for each place that it reads from. With one place it does
/// not reach its share of the bandwidth (22 of 29 GB/s on two cores of a Xeon).
template <class Real, class Term>
KOKKOS_FORCEINLINE_FUNCTION Real sum_in_streams(long first, long last, const Term& term) {
  const long part = last > first ? (last - first) / 4 : 0;
  const Real of_parts = sum_in_chains<Real>(first, first + part, 1, [&](long i) {
    return (term(i) + term(i + part)) + (term(i + 2 * part) + term(i + 3 * part));
  });
  return of_parts + sum_in_chains<Real>(first + 4 * part, last, 1, term);
}

/// Returns one device thread's part of values[0] + … + values[n - 1]: every `threads`-th pack of 16
/// bytes, starting at pack `thread`. It loads eight packs before it adds the first. It also adds
/// every `threads`-th value outside the packs; an array whose address is no multiple of 16 has no
/// packs. `thread` is from 0 to `threads` - 1.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T sum_of_packs(const T* values, long n, long thread, long threads) {
  constexpr int depth = 8;
  constexpr int size = Pack<T>::size;
  const long packs = is_pack_aligned(values) ? n / size : 0;
  const auto* const pack = reinterpret_cast<const Pack<T>*>(values);
  T part[size] = {};
  const auto add = [&](const Pack<T>& loaded) {
    for (int k = 0; k < size; ++k)
      part[k] += loaded.at[k];
  };
  long at = thread;
  for (; at + (depth - 1) * threads < packs; at += depth * threads) {
    Pack<T> loaded[depth];
    for (int d = 0; d < depth; ++d)
      loaded[d] = pack[at + d * threads];
    for (int d = 0; d < depth; ++d)
      add(loaded[d]);
  }
  for (; at < packs; at += threads)
    add(pack[at]);
  for (long i = packs * size + thread; i < n; i += threads)
    part[0] += values[i];
  T sum = 0;
  for (int k = 0; k < size; ++k)
    sum += part[k];
  return sum;
}

/// The clauses and gangs for `sum_of_packs` over a whole array: a gang of 1024 threads for every
/// 2048 that run at a time. That is one per multiprocessor of NVIDIA's data-centre devices. With
/// eight loads each, more threads bring nothing, and more gangs make the reduction longer.
struct SumGangs {
  Clauses clauses{.workers = 1024, .vector = 1};
  long gangs = std::max(1, Kokkos::DefaultExecutionSpace().concurrency() / 2048);
};

} // namespace gangway::kernels
