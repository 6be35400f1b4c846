// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <set>
#include <string>

namespace gangway::port {

/// C source in which no name is a keyword of C++.
struct WithoutKeywords {
  std::string text;
  std::set<std::string> renamed; ///< each got an underscore behind it
};
/// `has_bool`: a header defines `bool`, `true` and `false`.
[[nodiscard]] WithoutKeywords without_keywords(const std::string& c, bool has_bool);

} // namespace gangway::port
