// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A device that has no room, on a host that plays one: preloaded into a program, it refuses
// allocations from REFUSED_BYTES on, up to REFUSED_MOST if that is set. Kokkos asks for a host's
// memory by this operator new, which does not throw, and nothing else here does.
#include <cstddef>
#include <cstdlib>
#include <limits>
#include <new>

// NOLINTNEXTLINE(misc-new-delete-overloads): its partner is the system's, which calls free
void* operator new(std::size_t bytes, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  const auto limit = [](const char* name, std::size_t otherwise) {
    const char* const value = std::getenv(name);
    return value == nullptr ? otherwise : std::strtoull(value, nullptr, 10);
  };
  constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
  void* memory = nullptr;
  if (bytes >= limit("REFUSED_BYTES", none) && bytes <= limit("REFUSED_MOST", none))
    return nullptr;
  return posix_memalign(&memory, static_cast<std::size_t>(alignment), bytes) == 0 ? memory
                                                                                  : nullptr;
}
