// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "gangway/data.hpp"

#include <gtest/gtest.h>

namespace gangway::testing {

/// Sets the library's memory mode for one scope: `separate` makes a host backend play a device with
/// its own memory, so that transfers are made and counted.
class WithMemory {
public:
  explicit WithMemory(Memory wanted) : _before(memory()) { set_memory(wanted); }
  ~WithMemory() {
    try {
      set_memory(_before);
    } catch (const DataError& error) {
      ADD_FAILURE() << error.what();
    }
  }
  WithMemory(const WithMemory&) = delete;
  WithMemory& operator=(const WithMemory&) = delete;

private:
  Memory _before;
};

} // namespace gangway::testing
