// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mapped.hpp"

std::map<void*, Mapped> shared_mapped;
