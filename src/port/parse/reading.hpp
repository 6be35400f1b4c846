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

/// What the parts of `parse` share. Nobody else includes this folder.
namespace gangway::port {

/// The statements around one, outermost first.
using Parents = std::vector<const clang::Stmt*>;

/// What is around a statement on the way to it.
struct Walk {
  std::size_t function = none;
  std::size_t directive = none; ///< the innermost
  std::size_t kernel = none;    ///< the compute construct, or the host_data, around
  Span kernel_statement;
  const clang::Stmt* loop = nullptr; ///< the innermost loop
};

/// One source while it is read: what the compiler knows of it, what is read so far, and where
/// things stand in its text.
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

  [[nodiscard]] bool is_here(clang::SourceLocation at) const;
  [[nodiscard]] unsigned offset(clang::SourceLocation at) const;
  [[nodiscard]] Place place(clang::SourceLocation at) const;
  [[nodiscard]] Span span(clang::SourceRange range) const;
  /// A statement with its semicolon; a construct with its directive's lines and what it applies to.
  [[nodiscard]] Span statement_span(const clang::Stmt* statement) const;
  /// The lines of a directive, those that a backslash continues included.
  [[nodiscard]] Span pragma_span(clang::SourceLocation first, clang::SourceLocation last) const;
  [[nodiscard]] std::string text(Span span) const;
  /// As it is written; what a macro's body wrote, as the compiler prints it.
  [[nodiscard]] std::string text(const clang::Expr* expression) const;
  /// As it is written, so that `+` and `-` may stand beside it.
  [[nodiscard]] std::string operand(const clang::Expr* expression) const;
  /// Whether it is made of numbers and of scalars that a kernel captures.
  [[nodiscard]] bool is_local(const clang::Stmt* expression) const;
  [[nodiscard]] bool in_macro_body(clang::SourceLocation at) const;
  /// Whether a macro's body has it, which may be the argument of another.
  [[nodiscard]] bool is_of_macro(clang::SourceLocation at) const;
  [[nodiscard]] std::string type_text(clang::QualType type) const;
  [[nodiscard]] bool is_zero(const clang::Expr* expression) const;
  [[nodiscard]] std::string value_of(const clang::Expr* expression) const;
};

/// OpenACCAssociatedStmtConstruct knows, but its classof is always false (Clang 22).
[[nodiscard]] const clang::Stmt* associated(const clang::Stmt* construct);

/// `sizeof a` of all but an array of variable length: nothing in it is read.
[[nodiscard]] bool is_unevaluated(const clang::Stmt* statement);

/// The one statement of a block, and of blocks in it.
[[nodiscard]] const clang::Stmt* alone(const clang::Stmt* statement);

/// As the compiler prints it.
template <class Kind>
[[nodiscard]] std::string printed(Kind kind) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << kind;
  return text;
}

} // namespace gangway::port
