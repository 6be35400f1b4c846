// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "port/edits.hpp"
#include "port/plan.hpp"

namespace gangway::port {

/// Returns the new text of a source: `unit` with the changes of `plan`.
[[nodiscard]] Edits::Result emit(const Unit& unit, const Plan& plan);

} // namespace gangway::port
