// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "port/edits.hpp"
#include "port/model.hpp"

#include <string>
#include <vector>

/// Conflicts between the source's macros and names that the translation writes, such as `max`.
namespace gangway::port {

/// Writes `(Kokkos::max)(…)` if the source has a macro `max` with arguments. Returns the macros
/// without arguments, which it cannot avoid.
std::vector<std::string> keep_from_macros(Edits::Result& result, const Unit& unit);

} // namespace gangway::port
