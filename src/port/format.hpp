// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "port/edits.hpp"

#include <string>

namespace gangway::port {

/// Lays out the new parts of the text as clang-format does. The style is that of `file`'s folder or
/// of one above it, or else LLVM's. Line ends are those of the text.
[[nodiscard]] std::string format(const Edits::Result& result, const std::string& file);

} // namespace gangway::port
