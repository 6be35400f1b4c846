// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gangway/kept_blocks.hpp"

#include "gangway/device.hpp"

#include <Kokkos_Core.hpp>

#include <exception>
#include <new>

namespace gangway::detail {
namespace {

/// At most 15 characters, because a string copies those without an allocation. If that allocation
/// failed, Kokkos would lose the memory that it has already allocated.
constexpr const char* label = "gangway region";

std::byte* allocate(std::size_t bytes) {
  return static_cast<std::byte*>(Kokkos::kokkos_malloc<DeviceSpace>(label, bytes));
}

} // namespace

void KeptBlocks::set_limit(std::size_t bytes) {
  _limit = bytes;
  if (_kept > _limit)
    release_all();
}

std::byte* KeptBlocks::take(std::size_t bytes) {
  if (const auto found = _blocks.find(bytes); found != _blocks.end()) {
    std::byte* const block = found->second;
    _blocks.erase(found);
    _kept -= bytes;
    return block;
  }
  if (_blocks.empty())
    return allocate(bytes);
  try {
    return allocate(bytes);
  } catch (const std::exception&) { // its type differs from version to version of Kokkos
    release_all();
    return allocate(bytes);
  }
}

void KeptBlocks::leave(std::byte* block, std::size_t bytes, Queue queue) {
  if (bytes > _limit) {
    Kokkos::kokkos_free<DeviceSpace>(block);
    return;
  }
  try {
    // Releasing would wait for the device, whose kernels may still read this block.
    if (queue != nullptr)
      queue->fence(label);
    else
      Kokkos::fence(label);
    // A program whose arrays change their sizes finds nothing of use in what has been kept so far.
    if (bytes > _limit - _kept)
      release_all();
    _blocks.emplace(bytes, block);
    _kept += bytes;
  } catch (const std::bad_alloc&) { // no memory to note it: there is nothing to keep it for
    Kokkos::kokkos_free<DeviceSpace>(block);
  }
}

void KeptBlocks::release_all() {
  for (const auto& [bytes, block] : _blocks)
    Kokkos::kokkos_free<DeviceSpace>(block);
  _blocks.clear();
  _kept = 0;
}

} // namespace gangway::detail
