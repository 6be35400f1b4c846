// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "port/edits.hpp"

#include <string>

namespace gangway::port {

/// The text with its new parts laid out as clang-format does, in the style that `file`'s folder or
/// one above it asks for, or else LLVM's. Line ends are those of the text.
[[nodiscard]] std::string format(const Edits::Result& result, const std::string& file);

} // namespace gangway::port
