// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "port/edits.hpp"
#include "port/plan.hpp"

namespace gangway::port {

/// The new text of a source: what `plan` says of `unit`, and everything else as it was.
[[nodiscard]] Edits::Result emit(const Unit& unit, const Plan& plan);

} // namespace gangway::port
