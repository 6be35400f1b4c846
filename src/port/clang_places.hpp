// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "port/model.hpp"

#include <string>
#include <string_view>

namespace gangway::port {

/// The folder of Clang's own headers.
[[nodiscard]] std::string clang_resources();
/// The folder of an openacc.h, or nothing where there is none: Clang has no own.
[[nodiscard]] std::string openacc_headers();

/// From `begin`, which begins a line, to the end of the line that holds `end` and of those that
/// backslashes join to it.
[[nodiscard]] Span lines_from(unsigned begin, unsigned end, const std::string& text);
/// A directive's lines as one, without `#pragma`.
[[nodiscard]] std::string joined(const std::string& lines);
/// Whether a line begins an OpenACC directive.
[[nodiscard]] bool is_directive(std::string_view line);

} // namespace gangway::port
