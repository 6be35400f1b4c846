// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A device that has no room, on a host that plays one: preloaded into a program, it refuses
// allocations from REFUSED_BYTES on. Kokkos asks for a host's memory by this operator new, which
// does not throw, and nothing else here does.
#include <cstddef>
#include <cstdlib>
#include <new>

// NOLINTNEXTLINE(misc-new-delete-overloads): its partner is the system's, which calls free
void* operator new(std::size_t bytes, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  const char* const least = std::getenv("REFUSED_BYTES");
  void* memory = nullptr;
  if (least != nullptr && bytes >= std::strtoull(least, nullptr, 10))
    return nullptr;
  return posix_memalign(&memory, static_cast<std::size_t>(alignment), bytes) == 0 ? memory
                                                                                  : nullptr;
}
