// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "port/model.hpp"

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace clang {
class ASTContext;
class Stmt;
class VarDecl;
} // namespace clang

/// Effects of statements on variables and on memory.
namespace gangway::port {

/// Effects of a statement on variables that are declared outside of it, and on memory.
struct Touched {
  std::vector<Touch> touches;
  bool jumps = false;  ///< goes on with a loop around it
  std::string problem; ///< why that is not all
};

/// Reads the effects of a statement in `body`, the body of a loop over gangs. `id_of` gives the
/// number of a variable in the model, or none.
[[nodiscard]] Touched touched_by(const clang::Stmt* statement, const clang::Stmt* body,
                                 clang::ASTContext& context,
                                 const std::function<std::size_t(const clang::VarDecl*)>& id_of);

} // namespace gangway::port
