// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "port/fortran/translation/kernels.hpp"
#include "port/fortran/translation/model.hpp"

#include <string>
#include <vector>

/// Translation of a Fortran source: the host's part, which stays Fortran, and its kernels.
namespace gangway::port::fortran::translation {

/// Outcome of a directive.
struct Finding {
  int line = 0;
  std::string directive;
  bool is_refused = false;
  int code = 0;       ///< of what is refused
  int about_line = 0; ///< the line that is meant, where it is another one
  std::string text;   ///< why
  std::string by_hand;
  std::vector<Note> notes;
};

struct Translated {
  std::string host;
  std::string kernels; ///< empty where there are none
  std::vector<Finding> findings;
};

/// Translates a source. `name` is that of the file of the kernels without its extension.
[[nodiscard]] Translated translate(const Program& program, const std::string& source,
                                   const std::string& name);

} // namespace gangway::port::fortran::translation
