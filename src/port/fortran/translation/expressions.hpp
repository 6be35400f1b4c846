// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "port/codes.hpp"
#include "port/fortran/translation/model.hpp"

#include <functional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace gangway::port::fortran::translation {

/// Reason why a construct stays as it is.
class Refusal : public std::runtime_error {
public:
  Refusal(Code code, int line, const std::string& text, std::string by_hand)
      : std::runtime_error(text), _code(code), _line(line), _by_hand(std::move(by_hand)) {}
  [[nodiscard]] Code code() const { return _code; }
  [[nodiscard]] int line() const { return _line; }
  [[nodiscard]] const std::string& by_hand() const { return _by_hand; }

private:
  Code _code;
  int _line;
  std::string _by_hand;
};

/// Returns the C++ type of an intrinsic type; empty for one that kernels cannot have.
[[nodiscard]] std::string cpp_type(Type type);
/// Returns how an interface with bind(c) declares it: `real(c_double)`; empty likewise.
[[nodiscard]] std::string interface_type(Type type);
/// Returns the name of the kind in that, such as `c_double`; empty where there is none.
[[nodiscard]] std::string interface_kind(Type type);
/// Returns a name for C++: `g%u` is `g_u`, and keywords get an underscore.
[[nodiscard]] std::string cpp_name(const std::string& name);

/// Returns how C++ writes a name of the model's in the kernel that is being written.
using Names = std::function<std::string(int entity, int line)>;

/// Returns how C++ writes a reference to a function that is no intrinsic.
using Calls = std::function<std::string(const Expr& call, int line)>;

/// Writer of expressions in C++.
class Expressions {
public:
  Expressions(Names names, Calls calls) : _names(std::move(names)), _calls(std::move(calls)) {}

  /// Returns the expression. Errors: Refusal, with `line`, of an operation that kernels lack.
  [[nodiscard]] std::string operator()(const Expr& expr, int line) const;
  /// Returns it for a place that takes any integer, such as a subscript.
  [[nodiscard]] std::string index(const Expr& expr, int line) const;
  /// Returns it as a condition.
  [[nodiscard]] std::string condition(const Expr& expr, int line) const;

private:
  struct Text {
    std::string text;
    int precedence = 0;
  };
  [[nodiscard]] Text write(const Expr& expr, int line) const;
  [[nodiscard]] Text write_binary(const Expr& expr, int line) const;
  [[nodiscard]] Text write_power(const Expr& expr, int line) const;
  [[nodiscard]] Text write_intrinsic(const Expr& expr, int line) const;
  [[nodiscard]] std::string write_complex(const Expr& expr, std::size_t given, int line) const;
  [[nodiscard]] std::string within(const Expr& expr, int precedence, int line) const;

  Names _names;
  Calls _calls;
};

/// Calls `visit` for an expression and all in it.
void walk(const Expr& expr, const std::function<void(const Expr&)>& visit);
/// Calls `visit` for each statement, and for those in it.
void walk(const std::vector<Statement>& statements,
          const std::function<void(const Statement&)>& visit);
/// Calls `visit` for each expression of the statements and of those in them.
void walk_expressions(const std::vector<Statement>& statements,
                      const std::function<void(const Expr&)>& visit);
/// Returns the entities in it.
[[nodiscard]] std::set<int> entities_of(const Expr& expr);
[[nodiscard]] bool is_same(const Expr& a, const Expr& b);

} // namespace gangway::port::fortran::translation
