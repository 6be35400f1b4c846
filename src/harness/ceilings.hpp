// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "harness/problem.hpp"

#include <algorithm>
#include <string>

namespace gangway::harness {

/// What the hardware can do, measured in this process with kernels of its own. Each is the best of
/// several runs, a bandwidth also of several shapes: an H200 that gives each thread one element of
/// 8 bytes copies 3.2 TB/s, for it cannot start threads any faster, and 4.2 TB/s otherwise.
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
  /// The shape that each bandwidth was reached with, such as "flat, 16 bytes each".
  struct Shapes {
    std::string copy, triad, read, update, fill;
  } shapes;

  /// The bandwidth a kernel cannot pass, whatever its mix of reads and writes. Only one that writes
  /// in place is spared what fetching lines to overwrite them costs a host, and one that does
  /// nothing but write pays it for every byte, unless it writes past the cache as memset does.
  [[nodiscard]] double bandwidth(const Work& work) const {
    return work.write_only ? fill : std::max({copy, triad, read, work.in_place ? update : 0});
  }
};

/// Measures them. Takes a few seconds, and 3 arrays of memory, each at most an eighth of what is
/// free: 3 x the last-level cache on a host (quick: 2 x); on a device with its own memory 2 GB, and
/// 2 x 256 MiB of the host's.
[[nodiscard]] Ceilings measure_ceilings(Effort effort);

/// Whether the Kokkos side was compiled to contract a*b+c into one rounding, found by computing
/// one. Here, because this source alone of the harness is compiled as the studies are.
[[nodiscard]] bool contracts_multiply_add();

/// Stands in the place of a share if no ceiling was measured to divide by.
inline constexpr const char* no_ceiling_measured = "no ceiling measured";

/// How near one run came to what binds it.
struct Share {
  /// Time the ceiling would need / time taken, at most 1; 0 when it cannot be said.
  double value = 0;
  std::string ceiling; ///< "bandwidth", "flops (double)", "link", …; why not, when value is 0
};

/// `work` done in `seconds` on arrays of `working_set` bytes in all. If the working set is smaller
/// than twice the last-level cache, memory bandwidth is no ceiling and no share of it is given. Of
/// one a few times as large a part may still be served from the cache, and the kernel pass the
/// ceiling of the memory: then there is no share either. What passes a ceiling otherwise shows that
/// the ceiling was measured too low (on a busy machine), or that too much work was declared; that
/// is no result, and is said instead of a share.
[[nodiscard]] Share share_of_ceiling(const Ceilings& ceilings, const Work& work, double working_set,
                                     double seconds);
/// The same for the scope `whole`, where `bytes_in` and `bytes_out` cross the link besides. The
/// ceiling is the link at its best, from and to pinned memory.
[[nodiscard]] Share share_of_link(const Ceilings& ceilings, double bytes_in, double bytes_out,
                                  double seconds);

} // namespace gangway::harness
