// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "gangway/parallel.hpp"
#include "kernels/packs.hpp"
#include "sparse/device_csr.hpp"

#include <Kokkos_Core.hpp>

namespace gangway::sparse {

/// Numbers in a team's scratch.
using Products = Kokkos::View<double*, Kokkos::DefaultExecutionSpace::scratch_memory_space,
                              Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

/// Products of consecutive non-zeros in a team's scratch.
struct StagedProducts {
  Products product;
  int first; ///< the non-zero of product(0)

  /// Returns the product of non-zero j, which must be one of those that were asked for.
  KOKKOS_INLINE_FUNCTION double operator()(int j) const { return product(j - first); }
};

/// Products that each thread of a staging team loads; all its loads are in flight before it uses
/// the first.
inline constexpr int staged_per_thread = 8;

/// Non-zeros of whose multiples teams begin to load: there, lines of the caches begin. If a warp's
/// lanes began between two lines, each of their loads would touch one line more.
inline constexpr int loads_begin_at = 32;

/// Non-zeros that a team of so many threads can stage wherever they begin.
[[nodiscard]] constexpr int most_staged(int threads) {
  return threads * staged_per_thread - (loads_begin_at - 1);
}

/// The policy of gangs with these clauses, both given, that stage staged_per_thread products for
/// each of their threads, and want so many bytes of scratch beside.
[[nodiscard]] inline auto staging_policy(const Clauses& clauses, long gangs,
                                         std::size_t bytes_beside = 0) {
  const int staged = clauses.workers * clauses.vector * staged_per_thread;
  return team_policy(gangs).clauses(clauses).scratch(0,
                                                     Products::shmem_size(staged) + bytes_beside);
}

/// The products of non-zeros [begin, end), at most `most_staged(threads)`, with `in`: neighbouring
/// lanes load neighbouring non-zeros, whatever the rows are. `gang` has so many threads and a
/// `staging_policy`; when this returns, each sees what all have staged.
/// `streaming`: the caches are asked to keep `in` rather than the matrix.
template <int threads, bool streaming>
KOKKOS_INLINE_FUNCTION StagedProducts stage_products(const Member& gang, const DeviceCsr& a,
                                                     const DeviceView<const double>& in, int begin,
                                                     int end) {
  const Products product(gang.team_scratch(0), threads * staged_per_thread);
  const int first = begin / loads_begin_at * loads_begin_at;
  const int lanes = threads; // ranges take references, and device code has none to constants
  Kokkos::parallel_for(Kokkos::TeamVectorRange(gang, lanes), [&](int lane) {
    int column[staged_per_thread];
    double own[staged_per_thread];
    for (int k = 0; k < staged_per_thread; ++k) {
      const int j = first + k * threads + lane;
      const bool asked = j >= begin && j < end;
      column[k] = !asked      ? 0
                  : streaming ? gangway::detail::load_once(a.column_indices(j))
                              : a.column_indices(j);
      own[k] = !asked ? 0.0 : streaming ? gangway::detail::load_once(a.values(j)) : a.values(j);
    }
    for (int k = 0; k < staged_per_thread; ++k)
      own[k] *= in(column[k]);
    for (int k = 0; k < staged_per_thread; ++k)
      product(k * threads + lane) = own[k];
  });
  gang.team_barrier();
  return {product, first};
}

} // namespace gangway::sparse
