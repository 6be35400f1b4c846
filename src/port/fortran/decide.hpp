// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "port/fortran/model.hpp"
#include "port/plan.hpp"

#include <vector>

namespace gangway::port::fortran {

/// Says of each directive what it becomes, unless the translation refuses it. Kernels of one source
/// may call procedures of another.
[[nodiscard]] std::vector<Plan> decide(const std::vector<Source>& sources);

/// Adds the message to the verdict, once.
void tell(Verdict& verdict, const Message& message);
/// Refuses what is part of a compute construct that is refused, and a construct of which a part is.
void follow(const Unit& unit, Plan& plan);

} // namespace gangway::port::fortran
