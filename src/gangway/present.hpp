// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "gangway/data.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

/// The present table as verify.cpp reads it.
namespace gangway::detail {

/// A host array and its copy on the device.
struct OnDevice {
  std::byte* host = nullptr;
  std::byte* device = nullptr; ///< the same as `host` where the array was mapped to itself
  std::size_t bytes = 0;
  bool writable = true; ///< the host's pages
  std::string name;     ///< empty where the clause gave none
  std::string brought_by;
  Layout layout;
  std::vector<std::size_t> pointers; ///< offsets of attached pointers, which differ on each side
  /// The host's array as it was when a clause or an update last brought both together; null for
  /// mapped arrays. Valid until the table changes.
  const std::byte* in_step = nullptr;
  bool created = false; ///< by a clause that copied nothing: `is_unset` says what has a value
};
[[nodiscard]] std::vector<OnDevice> arrays_on_device();
/// Takes the host's array as it is now for `in_step`.
void note_in_step(const std::byte* host);
/// Takes all of the device's array for set.
void note_brought(const std::byte* host);

/// Fills what a clause creates while ports are verified, four bytes after four: a NaN as `float`
/// and as `double`, and as an integer one that programs hardly compute.
inline constexpr std::uint32_t unset_word = 0x7FFDA5A5;
/// Returns whether a number on the device, of whole words, is as a clause left it.
inline bool is_unset(const std::byte* number, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; i += sizeof unset_word)
    if (std::memcmp(number + i, &unset_word, sizeof unset_word) != 0)
      return false;
  return true;
}

} // namespace gangway::detail
