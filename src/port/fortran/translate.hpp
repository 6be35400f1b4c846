// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "port/fortran/model.hpp"
#include "port/plan.hpp"

#include <string>
#include <vector>

namespace gangway::port::fortran {

/// Translation of a source: the text of the host, and that of its kernels, which may be empty.
struct Texts {
  std::string host;
  std::string kernels;
};

/// Translates the sources, as far as `plans` has nothing against it, and makes the plans say what
/// became of each directive. Sources that are not wanted stay.
[[nodiscard]] std::vector<Texts> translate(std::vector<Source>& sources, std::vector<Plan>& plans);

/// Returns the name of the file with a source's kernels: `solver_kernels.cpp`.
[[nodiscard]] std::string name_of_kernels(const std::string& source);

} // namespace gangway::port::fortran
