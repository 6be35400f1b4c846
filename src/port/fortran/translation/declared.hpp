// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "port/codes.hpp"
#include "port/fortran/translation/model.hpp"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace gangway::port::fortran::translation {

/// Source of a program, for `declare`.
struct DeclaringSource {
  const Program* program = nullptr;
  bool is_wanted = false;         ///< its text is written
  std::map<int, Message> refused; ///< directives that stay, by line
};

/// Variables of modules that `declare` has on the device. Their names are keys of entities.
struct Declared {
  std::map<std::string, std::string> ways;     ///< of those that come there: create or copyin
  std::set<std::string> scalars;               ///< whose values kernels take from the device
  std::vector<std::string> modules;            ///< with variables that are there from the begin
  std::vector<std::map<int, Message>> refused; ///< for each source by line
};

/// Returns the name of the module's procedure that enters its variables.
[[nodiscard]] std::string enters_declared(const std::string& module);

/// Decides about `declare` in the modules of all sources. `has_begin`: the place where the program
/// begins Kokkos is in one of them.
[[nodiscard]] Declared declared_in(const std::vector<DeclaringSource>& sources, bool has_begin);

} // namespace gangway::port::fortran::translation
