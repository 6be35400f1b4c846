// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <map>

/// What acc_map_data noted of host memory.
struct Mapped {
  void* device;
  std::size_t bytes;
};

/// Of the libraries that share one pretended runtime, as those of one compiler share libgomp.
extern std::map<void*, Mapped> shared_mapped;
