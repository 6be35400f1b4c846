// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "gangway/data.hpp"

#include <cstddef>
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
};
[[nodiscard]] std::vector<OnDevice> arrays_on_device();
/// Takes the host's array as it is now for `in_step`.
void note_in_step(const std::byte* host);

} // namespace gangway::detail
