// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "port/edits.hpp"
#include "port/model.hpp"

#include <string>
#include <vector>

/// The source's macros take names that the translation writes, such as `max`.
namespace gangway::port {

/// `(Kokkos::max)(…)`, where the source has a macro `max` with arguments. Returns those without,
/// which nothing can be done about.
std::vector<std::string> keep_from_macros(Edits::Result& result, const Unit& unit);

} // namespace gangway::port
