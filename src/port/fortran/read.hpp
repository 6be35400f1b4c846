// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "port/fortran/inputs.hpp"
#include "port/fortran/model.hpp"

#include <vector>

namespace gangway::port::fortran {

/// Reads the sources, each after those whose modules it uses, and returns those that are wanted,
/// and those that they use, in the order of the inputs. What Flang says against them goes to
/// standard error. Errors: UsageError for a source that Flang does not take, for a module that no
/// source has, and for a circle of modules.
[[nodiscard]] std::vector<Source> read(const std::vector<Input>& inputs);

} // namespace gangway::port::fortran
