// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <filesystem>
#include <string_view>

/// Fortran sources, as far as their names and lines tell without a compiler.
namespace gangway::port {

/// Returns whether a file's ending is one of Fortran's, such as `.F90`.
[[nodiscard]] bool is_fortran_source(const std::filesystem::path& file);
/// Returns whether its ending is one of fixed form, such as `.F`.
[[nodiscard]] bool is_fixed_form(const std::filesystem::path& file);
/// Returns whether the text has a directive of OpenACC, names a routine of its runtime library, or
/// tests `_OPENACC`.
[[nodiscard]] bool asks_for_openacc_in_fortran(std::string_view text);

} // namespace gangway::port
