// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "harness/problem.hpp"

#include <algorithm>
#include <string>

namespace gangway::harness {

/// The limits of the hardware, measured in this process with kernels of its own. Each is the best
/// of several runs, a bandwidth also of several shapes. With one element of 8 bytes per thread an
/// H200 copies 3.2 TB/s, because it cannot start threads any faster, and 4.2 TB/s otherwise.
/// Bandwidths in bytes per second count bytes read plus bytes written; `link_*` count the bytes
/// that cross. Zero: does not exist here (a link, on a host backend).
struct Ceilings {
  double copy = 0;   ///< b(i) = a(i)
  double triad = 0;  ///< a(i) = b(i) + s c(i)
  double read = 0;   ///< sum of a(i)
  double update = 0; ///< a(i) = s a(i) + t, in place
  double fill = 0;   ///< a(i) = s
  double flops_double =
      0; ///< multiply-add, two operations each, enough independent chains to fill the pipes
  double flops_single = 0;
  double launch = 0;  ///< seconds of an empty kernel, fenced
  double link_in = 0; ///< host -> device, pageable
  double link_out = 0;
  double link_in_pinned = 0;
  double link_out_pinned = 0;
  double array_bytes = 0; ///< of each array the bandwidths were measured with
  double cache_bytes = 0; ///< last-level cache of the device; 0 if unknown
  /// The shape that reached each bandwidth, such as "flat, 16 bytes each".
  struct Shapes {
    std::string copy, triad, read, update, fill;
  } shapes;

  /// Returns the bandwidth that a kernel cannot pass, whatever its mix of reads and writes. To
  /// overwrite a line costs a host a fetch. Only a kernel that writes in place is spared it; one
  /// that only writes pays it for every byte, unless it writes past the cache as memset does.
  [[nodiscard]] double bandwidth(const Work& work) const {
    return work.write_only ? fill : std::max({copy, triad, read, work.in_place ? update : 0});
  }
};

/// Measures the ceilings. Takes a few seconds, and 3 arrays of memory, each at most 1/8 of what is
/// free: 3 x the last-level cache on a host (quick: 2 x); on a device with its own memory 2 GB, and
/// 2 x 256 MiB of the host's.
[[nodiscard]] Ceilings measure_ceilings(Effort effort);

/// Returns whether the Kokkos side was compiled to contract a*b+c into one rounding, found by
/// computing one. It is here because this source alone of the harness is compiled as the studies
/// are.
[[nodiscard]] bool contracts_multiply_add();

/// The text in the place of a share if no ceiling was measured to divide by.
inline constexpr const char* no_ceiling_measured = "no ceiling measured";

/// The share of its ceiling that one run reached.
struct Share {
  /// Time the ceiling would need / time taken, at most 1; 0 when it cannot be said.
  double value = 0;
  std::string ceiling; ///< "bandwidth", "flops (double)", "link", …; why not, when value is 0
};

/// Returns the share that `work` in `seconds` reached, on arrays of `working_set` bytes in all. If
/// these are smaller than twice the last-level cache, memory bandwidth is no ceiling, and has no
/// share. Up to 8 times the cache, part of the data may still come from it. If the kernel passes
/// the memory's ceiling there, it has no share either. Any other pass shows that the ceiling was
/// measured too low (on a busy machine), or that too much work was declared; the text says so
/// instead of a share.
[[nodiscard]] Share share_of_ceiling(const Ceilings& ceilings, const Work& work, double working_set,
                                     double seconds);
/// Returns the share of the link, for the scope `whole`, where `bytes_in` and `bytes_out` cross it.
/// The ceiling is the link at its best, from and to pinned memory.
[[nodiscard]] Share share_of_link(const Ceilings& ceilings, double bytes_in, double bytes_out,
                                  double seconds);

} // namespace gangway::harness
