// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "port/model.hpp"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/DeclOpenACC.h>
#include <clang/AST/Expr.h>
#include <clang/AST/OpenACCClause.h>
#include <clang/AST/Stmt.h>
#include <clang/Basic/LangOptions.h>
#include <clang/Basic/SourceManager.h>
#include <llvm/Support/raw_ostream.h>

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

/// Declarations that the parts of `parse` share. Only they include this folder.
namespace gangway::port {

/// The statements around one, outermost first.
using Parents = std::vector<const clang::Stmt*>;

/// Surroundings of a statement: its function, directive, compute construct and loop.
struct Walk {
  std::size_t function = none;
  std::size_t directive = none; ///< the innermost
  std::size_t kernel = none;    ///< the compute construct, or the host_data, around
  Span kernel_statement;
  const clang::Stmt* loop = nullptr; ///< the innermost loop
};

/// One source while it is read: the compiler's view of it, what is read so far, and positions in
/// its text.
struct Reading {
  Reading(clang::ASTContext& of_source, Unit& into);

  clang::ASTContext& context;
  clang::SourceManager& sources;
  const clang::LangOptions& language;
  clang::PrintingPolicy print;
  Unit& unit;

  std::vector<const clang::FunctionDecl*> bodies; ///< of functions, to be read
  std::map<const clang::FunctionDecl*, std::size_t> functions;
  std::map<const clang::FunctionDecl*, std::size_t> outside;
  std::vector<std::pair<std::size_t, const clang::FunctionDecl*>> routines; ///< by directive
  std::map<std::string, std::size_t> variables;                             ///< by key_of
  std::map<std::size_t, const clang::VarDecl*> declarations;
  std::map<const clang::Stmt*, std::size_t> directives;
  std::map<const clang::Stmt*, std::vector<Span>> continues; ///< by their loops
  std::set<const clang::Stmt*> macro_continues;              ///< loops with one in a macro's body
  std::vector<std::pair<std::size_t, const clang::Stmt*>> blocks; ///< whose pieces are to be read
  std::set<std::string> written_pointers;                         ///< by key_of
  std::map<const clang::Decl*, unsigned> last_writes; ///< of a function's numbers, and where

  [[nodiscard]] bool is_here(clang::SourceLocation at) const;
  [[nodiscard]] unsigned offset(clang::SourceLocation at) const;
  [[nodiscard]] Place place(clang::SourceLocation at) const;
  [[nodiscard]] Span span(clang::SourceRange range) const;
  /// Returns a statement with its semicolon; a construct with its directive's lines and its body.
  [[nodiscard]] Span statement_span(const clang::Stmt* statement) const;
  /// Returns the lines of a directive, including those that a backslash continues.
  [[nodiscard]] Span pragma_span(clang::SourceLocation first, clang::SourceLocation last) const;
  [[nodiscard]] std::string text(Span span) const;
  /// Returns the expression as it is written; one from a macro's body as the compiler prints it.
  [[nodiscard]] std::string text(const clang::Expr* expression) const;
  /// Returns the expression as it is written, in parentheses where `+` or `-` beside it need them.
  [[nodiscard]] std::string operand(const clang::Expr* expression) const;
  /// Returns whether the expression uses only numbers and scalars that a kernel captures.
  [[nodiscard]] bool is_local(const clang::Stmt* expression) const;
  [[nodiscard]] bool in_macro_body(clang::SourceLocation at) const;
  /// Returns whether a macro's body contains the place; it may be the argument of another macro.
  [[nodiscard]] bool is_of_macro(clang::SourceLocation at) const;
  [[nodiscard]] std::string type_text(clang::QualType type) const;
  [[nodiscard]] bool is_zero(const clang::Expr* expression) const;
  [[nodiscard]] std::string value_of(const clang::Expr* expression) const;
};

/// Returns the statement that a construct applies to, or null. The classof of Clang 22's
/// OpenACCAssociatedStmtConstruct, which knows it, is always false.
[[nodiscard]] const clang::Stmt* associated(const clang::Stmt* construct);

/// Returns whether a program reads nothing in the statement: `sizeof a` of any type but an array
/// of variable length.
[[nodiscard]] bool is_unevaluated(const clang::Stmt* statement);

/// Returns the one statement of a block, and of blocks in it.
[[nodiscard]] const clang::Stmt* alone(const clang::Stmt* statement);

/// Returns the text that the compiler prints for it.
template <class Kind>
[[nodiscard]] std::string printed(Kind kind) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << kind;
  return text;
}

} // namespace gangway::port
