// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <vector>

/// What `Memory::strict` does on a host that plays a device: while a kernel runs, the host arrays
/// that are on the device are out of its reach. Used by data.cpp.
namespace gangway::detail {

/// A host array that kernels have no business with.
struct Watched {
  std::byte* begin;
  std::size_t bytes;
  bool writable;           ///< of read-only memory: restored as such
  const std::byte* device; ///< its copy
  const char* held_by;     ///< "copyin(u) at solver.cpp:41"; lives while the array is watched
};

/// From now on, until `stop_watching`, the arrays that `arrays` tells of are out of reach while a
/// kernel of the default execution space runs: their whole pages are protected, and what shares a
/// page with something else is overwritten and restored afterwards. The program ends by a signal
/// (SIGSEGV, SIGABRT) after a message with the array's clause and the kernel's label
///
/// - at a kernel's use of a protected page,
/// - after a kernel that wrote to an overwritten byte,
/// - after one that left what it read there, or computed from it, near the ends of an array on the
///   device,
///
/// and where AddressSanitizer is in the program, in its way, at every use of an overwritten byte.
/// A kernel that reads there finds NaN, an integer above two thousand million, or a pointer that
/// leads nowhere. Kokkos must be running. Other tools' callbacks are kept and called.
void start_watching(std::vector<Watched> (*arrays)());
void stop_watching();
[[nodiscard]] bool is_watching();

/// Whose kernel runs now: arrays are out of everybody's reach meanwhile.
enum class Runs { nobody, this_thread, another_thread };
[[nodiscard]] Runs kernel_runs();
/// Ends the watch over a kernel of this thread's whose end was never told: it was left by an
/// exception.
void kernel_was_left();

/// Returns whether all of begin[0:bytes] may be written.
[[nodiscard]] bool is_writable(const std::byte* begin, std::size_t bytes);

} // namespace gangway::detail
