// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "port/fortran/model.hpp"
#include "port/plan.hpp"

#include <vector>

namespace gangway::port::fortran {

/// Says of each directive what would become of it. Kernels of one source may call procedures of
/// another.
[[nodiscard]] std::vector<Plan> decide(const std::vector<Source>& sources);

} // namespace gangway::port::fortran
