// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "port/edits.hpp"
#include "port/model.hpp"

#include <string>
#include <vector>

namespace gangway::port {

/// Error that Clang finds in a translation as C++.
struct Flaw {
  unsigned at = 0;           ///< its place in the source; of a header's the end of the text
  std::string where;         ///< of a header, its name and line
  std::string what;          ///< in the compiler's words
  bool of_libraries = false; ///< the stand-ins have no such name: what follows from it is none
};

/// Reads the translation as C++20, with the source's flags, and with stand-ins for Kokkos' and
/// Gangway's headers.
[[nodiscard]] std::vector<Flaw> flaws_of(const Edits::Result& result, const Unit& unit,
                                         const std::string& directory,
                                         const std::vector<std::string>& flags);

} // namespace gangway::port
