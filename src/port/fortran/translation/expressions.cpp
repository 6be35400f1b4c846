// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "port/fortran/translation/expressions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <utility>

namespace gangway::port::fortran::translation {
namespace {

// Precedences of C++: what has a larger number binds less.
constexpr int primary = 0;
constexpr int unary = 3;
constexpr int product = 5;
constexpr int sum = 6;
constexpr int relation = 9;
constexpr int equality = 10;
constexpr int bit_and = 11;
constexpr int bit_xor = 12;
constexpr int bit_or = 13;
constexpr int conjunction = 14;
constexpr int disjunction = 15;
constexpr int conditional = 16;

[[noreturn]] void refuse(int line, const std::string& what) {
  throw Refusal(Code::statement, line, fmt::format("{} in a kernel", what),
                "arithmetic of numbers and elements in its place, or a kernel by hand");
}

std::string real_literal(const std::string& text, int kind, int line) {
  if (text.empty() || text.find_first_not_of("0123456789.eE+-") != std::string::npos)
    refuse(line, fmt::format("the constant {}", text));
  std::string made = kind == 4 ? fmt::format("{}", std::strtof(text.c_str(), nullptr))
                               : fmt::format("{}", std::strtod(text.c_str(), nullptr));
  if (made.find_first_of(".e") == std::string::npos)
    made += ".0";
  return kind == 4 ? made + "F" : made;
}

/// Functions that Kokkos has under the same name or another one, with one argument.
constexpr std::array<std::pair<std::string_view, std::string_view>, 24> one_argument{{
    {"abs", "abs"},          {"sqrt", "sqrt"},  {"exp", "exp"},     {"log", "log"},
    {"log10", "log10"},      {"sin", "sin"},    {"cos", "cos"},     {"tan", "tan"},
    {"asin", "asin"},        {"acos", "acos"},  {"atan", "atan"},   {"sinh", "sinh"},
    {"cosh", "cosh"},        {"tanh", "tanh"},  {"asinh", "asinh"}, {"acosh", "acosh"},
    {"atanh", "atanh"},      {"erf", "erf"},    {"erfc", "erfc"},   {"gamma", "tgamma"},
    {"log_gamma", "lgamma"}, {"aint", "trunc"}, {"anint", "round"}, {"dabs", "abs"},
}};

} // namespace

std::string cpp_type(Type type) {
  switch (type.base) {
  case Base::integer:
  case Base::logical:
    switch (type.kind) {
    case 1:
      return type.base == Base::logical ? "bool" : "signed char";
    case 2:
      return type.base == Base::logical ? "" : "short";
    case 4:
      return "int";
    case 8:
      return type.base == Base::logical ? "" : "long";
    default:
      return "";
    }
  case Base::real:
    return type.kind == 4 ? "float" : type.kind == 8 ? "double" : "";
  case Base::complex: {
    const std::string part = cpp_type({Base::real, type.kind});
    return part.empty() ? "" : fmt::format("gangway::fortran::Complex<{}>", part);
  }
  default:
    return "";
  }
}

std::string interface_kind(Type type) {
  if (type.base == Base::real)
    return type.kind == 4 ? "c_float" : type.kind == 8 ? "c_double" : "";
  if (type.base == Base::complex)
    return type.kind == 4 ? "c_float_complex" : type.kind == 8 ? "c_double_complex" : "";
  if (type.base == Base::integer)
    switch (type.kind) {
    case 1:
      return "c_int8_t";
    case 2:
      return "c_int16_t";
    case 4:
      return "c_int";
    case 8:
      return "c_long";
    default:
      return "";
    }
  if (type.base == Base::logical && type.kind == 1)
    return "c_bool";
  return "";
}

std::string interface_type(Type type) {
  if (cpp_type(type).empty())
    return "";
  if (type.base == Base::logical)
    return type.kind == 1 ? "logical(c_bool)" : "logical";
  return fmt::format("{}({})",
                     type.base == Base::real      ? "real"
                     : type.base == Base::complex ? "complex"
                                                  : "integer",
                     interface_kind(type));
}

std::string cpp_name(const std::string& name) {
  static const std::set<std::string, std::less<>> taken{
      "alignas",   "alignof",   "and",       "asm",       "auto",      "bool",     "break",
      "case",      "catch",     "char",      "class",     "compl",     "concept",  "const",
      "consteval", "constexpr", "constinit", "continue",  "decltype",  "default",  "delete",
      "do",        "double",    "else",      "enum",      "explicit",  "export",   "extern",
      "false",     "float",     "for",       "friend",    "goto",      "if",       "inline",
      "int",       "long",      "mutable",   "namespace", "new",       "noexcept", "not",
      "nullptr",   "operator",  "or",        "private",   "protected", "public",   "register",
      "requires",  "return",    "short",     "signed",    "sizeof",    "static",   "struct",
      "switch",    "template",  "this",      "throw",     "true",      "try",      "typedef",
      "typeid",    "typename",  "union",     "unsigned",  "using",     "virtual",  "void",
      "volatile",  "while",     "xor",       "bitand",    "bitor",     "gangway",  "fortran",
      "main",      "errno",     "stdin",     "stdout",    "stderr",    "assert",   "std",
      "i_",        "linux",     "unix"};
  std::string made = name;
  std::replace(made.begin(), made.end(), '%', '_');
  if (taken.contains(made))
    made += '_';
  return made;
}

std::string Expressions::operator()(const Expr& expr, int line) const {
  return write(expr, line).text;
}
std::string Expressions::condition(const Expr& expr, int line) const {
  return write(expr, line).text;
}
std::string Expressions::index(const Expr& expr, int line) const {
  if (expr.op == Op::convert && expr.operands[0].type.base == Base::integer &&
      expr.operands[0].type.kind <= expr.type.kind)
    return index(expr.operands[0], line);
  if (expr.op == Op::literal && expr.type.base == Base::integer)
    return expr.text;
  return write(expr, line).text;
}

std::string Expressions::within(const Expr& expr, int precedence, int line) const {
  const Text text = write(expr, line);
  return text.precedence > precedence ? fmt::format("({})", text.text) : text.text;
}

Expressions::Text Expressions::write(const Expr& expr, int line) const {
  if (expr.rank > 0)
    refuse(line, "an expression with arrays as a whole");
  switch (expr.op) {
  case Op::literal:
    if (cpp_type(expr.type).empty())
      refuse(line, fmt::format("the constant {}, of a kind that C++ lacks,", expr.text));
    if (expr.type.base == Base::logical)
      return {expr.text, primary};
    if (expr.type.base == Base::real) {
      const std::string text = real_literal(expr.text, expr.type.kind, line);
      return {text, text[0] == '-' ? unary : primary};
    }
    if (expr.type.base == Base::complex) // of a sum's or product's beginning
      return {fmt::format("{}({})", cpp_type(expr.type), expr.text), primary};
    if (expr.type.kind == 4 && expr.text == "-2147483648")
      return {"(-2147483647 - 1)", primary};
    if (expr.type.kind == 8 && expr.text == "-9223372036854775808")
      return {"(-9223372036854775807L - 1)", primary};
    if (expr.type.kind < 4)
      return {fmt::format("static_cast<{}>({})", cpp_type(expr.type), expr.text), primary};
    return {expr.text + (expr.type.kind == 8 ? "L" : ""), expr.text[0] == '-' ? unary : primary};
  case Op::variable:
    return {_names(expr.entity, line), primary};
  case Op::element: {
    std::string text = _names(expr.entity, line) + "(";
    for (std::size_t d = 0; d < expr.operands.size(); ++d)
      text += (d > 0 ? ", " : "") + index(expr.operands[d], line);
    return {text + ")", primary};
  }
  case Op::convert: {
    const Expr& from = expr.operands[0];
    if (from.type == expr.type)
      return write(from, line);
    if (cpp_type(expr.type).empty())
      refuse(line, "a number of a kind that C++ lacks");
    if (expr.type.base == Base::logical && from.type.base == Base::logical)
      return write(from, line);
    return {fmt::format("static_cast<{}>({})", cpp_type(expr.type), write(from, line).text),
            primary};
  }
  case Op::paren: {
    const Text inner = write(expr.operands[0], line);
    return inner.precedence == primary ? inner : Text{fmt::format("({})", inner.text), primary};
  }
  case Op::negate: {
    std::string text = "-" + within(expr.operands[0], unary - 1, line);
    if (expr.type.base == Base::integer && expr.type.kind < 4)
      return {fmt::format("static_cast<{}>({})", cpp_type(expr.type), text), primary};
    return {text, unary};
  }
  case Op::negation:
    return {"!" + within(expr.operands[0], unary, line), unary};
  case Op::binary:
    return write_binary(expr, line);
  case Op::intrinsic:
    return write_intrinsic(expr, line);
  case Op::lower:
    return {fmt::format("{}.lbound({})", _names(expr.entity, line), expr.number), primary};
  case Op::extent:
    return {fmt::format("{}.size({})", _names(expr.entity, line), expr.number), primary};
  case Op::call:
    return {_calls(expr, line), primary};
  case Op::named:
    return {expr.text, primary};
  case Op::section:
    refuse(line, "a section of an array");
  case Op::range:
  case Op::absent:
    refuse(line, "an argument that is left out");
  case Op::other:
    refuse(line, expr.text);
  }
  refuse(line, "an expression");
}

Expressions::Text Expressions::write_binary(const Expr& expr, int line) const {
  const std::string& op = expr.text;
  if (op == "^")
    return write_power(expr, line);
  const Expr& a = expr.operands[0];
  const Expr& b = expr.operands[1];
  if (cpp_type(a.type).empty() || cpp_type(b.type).empty())
    refuse(line, "an expression of a kind that C++ lacks");
  const int precedence = op == "*" || op == "/"     ? product
                         : op == "+" || op == "-"   ? sum
                         : op == "&&"               ? conjunction
                         : op == "||"               ? disjunction
                         : op == "==" || op == "!=" ? equality
                                                    : relation;
  if (precedence == equality && a.type.base == Base::logical)
    return {fmt::format("static_cast<bool>({}) {} static_cast<bool>({})", write(a, line).text, op,
                        write(b, line).text),
            precedence};
  // Compilers warn of && in || and of comparisons in comparisons without parentheses.
  std::string left;
  std::string right;
  if (precedence == conjunction || precedence == disjunction) {
    const bool is_chain = a.op == Op::binary && a.text == op;
    left = is_chain ? write(a, line).text : within(a, equality, line);
    right = within(b, equality, line);
  } else if (precedence == equality || precedence == relation) {
    left = within(a, sum, line);
    right = within(b, sum, line);
  } else {
    left = within(a, precedence, line);
    right = within(b, precedence - 1, line);
  }
  const std::string text = fmt::format("{} {} {}", left, op, right);
  if (expr.type.base == Base::integer && expr.type.kind < 4)
    return {fmt::format("static_cast<{}>({})", cpp_type(expr.type), text), primary};
  return {text, precedence};
}

Expressions::Text Expressions::write_power(const Expr& expr, int line) const {
  const Expr& base = expr.operands[0];
  const Expr* inner = &expr.operands[1];
  while (inner->op == Op::paren)
    inner = &inner->operands[0];
  const Expr& exponent = *inner;
  if (cpp_type(expr.type).empty())
    refuse(line, "a power of a kind that C++ lacks");
  if (base.type.base == Base::complex && exponent.type.base != Base::integer)
    refuse(line, "a power of a complex number whose exponent is no integer");
  if (exponent.type.base == Base::real)
    return {fmt::format("Kokkos::pow({}, {})", write(base, line).text, write(exponent, line).text),
            primary};
  if (exponent.op == Op::literal) {
    const long n = std::strtol(exponent.text.c_str(), nullptr, 10);
    const bool is_plain = base.op == Op::variable || base.op == Op::literal;
    if (n == 2 && is_plain && !(expr.type.base == Base::integer && expr.type.kind < 4)) {
      const std::string text = within(base, unary, line);
      return {fmt::format("{0} * {0}", text), product};
    }
    // gfortran leaves the other powers of complex numbers to its library.
    const bool is_inline =
        base.type.base == Base::complex ? n >= -1 && n <= 2 : n >= -16 && n <= 16;
    if (is_inline)
      return {fmt::format("gangway::fortran::power<{}>({})", n, write(base, line).text), primary};
    if (base.type.base == Base::real)
      refuse(line, fmt::format("a power with the exponent {}", n));
  }
  return {fmt::format("gangway::fortran::power({}, {})", write(base, line).text,
                      write(exponent, line).text),
          primary};
}

Expressions::Text Expressions::write_intrinsic(const Expr& expr, int line) const {
  const auto& operands = expr.operands;
  const std::string& name = expr.text;
  if (cpp_type(expr.type).empty())
    refuse(line, fmt::format("'{}' of a kind that C++ lacks", name));
  if ((name == "lbound" || name == "ubound") && operands.size() >= 2 &&
      operands[0].op == Op::variable && operands[1].op == Op::literal)
    return {fmt::format("gangway::fortran::{}<{}>({}, {})", name, cpp_type(expr.type),
                        _names(operands[0].entity, line), operands[1].text),
            primary};
  for (const Expr& operand : operands)
    if (operand.op != Op::absent && cpp_type(operand.type).empty())
      refuse(line, fmt::format("'{}' of this type", name));
  const auto argument = [&](std::size_t n) { return write(operands[n], line).text; };
  const std::size_t given = static_cast<std::size_t>(std::count_if(
      operands.begin(), operands.end(), [](const Expr& one) { return one.op != Op::absent; }));
  const auto is = [&](std::string_view one, std::size_t count) {
    return name == one && given == count && operands.size() >= count;
  };
  const bool is_small = expr.type.base == Base::integer && expr.type.kind < 4;
  const auto cast = [&](std::string text) -> Text {
    return is_small ? Text{fmt::format("static_cast<{}>({})", cpp_type(expr.type), text), primary}
                    : Text{std::move(text), primary};
  };
  if (const std::string text = write_complex(expr, given, line); !text.empty())
    return {text, primary};
  if (given == 1)
    for (const auto& [fortran, kokkos] : one_argument)
      if (name == fortran && operands[0].type == expr.type)
        return cast(fmt::format("Kokkos::{}({})", kokkos, argument(0)));
  if ((name == "max" || name == "min") && given >= 2) {
    std::string text = argument(0);
    for (std::size_t n = 1; n < operands.size(); ++n)
      if (operands[n].op != Op::absent)
        text = fmt::format("Kokkos::{}({}, {})", name, text, argument(n));
    return cast(text);
  }
  if ((is("mod", 2) || is("modulo", 2) || is("sign", 2) || is("dim", 2)) &&
      operands[0].type == operands[1].type)
    return {fmt::format("gangway::fortran::{}({}, {})", name, argument(0), argument(1)), primary};
  if (is("atan2", 2) || is("atan", 2))
    return {fmt::format("Kokkos::atan2({}, {})", argument(0), argument(1)), primary};
  if (is("hypot", 2))
    return {fmt::format("Kokkos::hypot({}, {})", argument(0), argument(1)), primary};
  if ((name == "nint" || name == "floor" || name == "ceiling") && given >= 1 &&
      operands[0].type.base == Base::real && expr.type.base == Base::integer)
    return {fmt::format("gangway::fortran::{}<{}>({})", name, cpp_type(expr.type), argument(0)),
            primary};
  if (is("merge", 3))
    return {fmt::format("{} ? {} : {}", within(operands[2], disjunction, line),
                        within(operands[0], disjunction, line),
                        within(operands[1], disjunction, line)),
            conditional};
  if (expr.type.base == Base::integer && !is_small) {
    if (is("iand", 2))
      return {fmt::format("{} & {}", within(operands[0], primary, line),
                          within(operands[1], primary, line)),
              bit_and};
    if (is("ior", 2))
      return {fmt::format("{} | {}", within(operands[0], primary, line),
                          within(operands[1], primary, line)),
              bit_or};
    if (is("ieor", 2))
      return {fmt::format("{} ^ {}", within(operands[0], primary, line),
                          within(operands[1], primary, line)),
              bit_xor};
    if (is("not", 1))
      return {"~" + within(operands[0], primary, line), unary};
    if (is("ishft", 2))
      return {fmt::format("gangway::fortran::ishft({}, {})", argument(0), argument(1)), primary};
  }
  if (is("btest", 2))
    return {fmt::format("(({} >> {}) & 1) != 0", within(operands[0], primary, line),
                        within(operands[1], primary, line)),
            equality};
  if (name == "logical" && given >= 1)
    return write(operands[0], line);
  throw Refusal(Code::call, line, fmt::format("the kernel calls the intrinsic '{}'", name),
                "write what it does in the kernel");
}

/// Returns the text of an intrinsic procedure of complex numbers, or an empty one.
std::string Expressions::write_complex(const Expr& expr, std::size_t given, int line) const {
  const std::string& name = expr.text;
  const auto& operands = expr.operands;
  const auto argument = [&](std::size_t n) { return write(operands[n], line).text; };
  if (name == "cmplx" && given == 2 && operands[0].type == operands[1].type &&
      operands[0].type == Type{Base::real, expr.type.kind})
    return fmt::format("{}({}, {})", cpp_type(expr.type), argument(0), argument(1));
  if (given != 1 || operands[0].type.base != Base::complex)
    return "";
  if (name == "conjg" || name == "abs" || name == "exp")
    return fmt::format("gangway::fortran::{}({})", name, argument(0));
  if (name == "real" || name == "aimag")
    return fmt::format("{}.{}()", within(operands[0], primary, line),
                       name == "real" ? "real" : "imag");
  throw Refusal(Code::call, line,
                fmt::format("the kernel calls the intrinsic '{}' of a complex number", name),
                "write what it does in the kernel");
}

void walk(const Expr& expr, const std::function<void(const Expr&)>& visit) {
  visit(expr);
  for (const Expr& operand : expr.operands)
    walk(operand, visit);
}

void walk(const std::vector<Statement>& statements,
          const std::function<void(const Statement&)>& visit) {
  for (const Statement& statement : statements) {
    visit(statement);
    for (const Statement::Part& part : statement.parts)
      walk(part.body, visit);
    walk(statement.body, visit);
  }
}

void walk_expressions(const std::vector<Statement>& statements,
                      const std::function<void(const Expr&)>& visit) {
  walk(statements, [&](const Statement& statement) {
    for (const Expr& operand : statement.operands)
      walk(operand, visit);
    for (const Statement::Part& part : statement.parts)
      walk(part.condition, visit);
  });
}

std::set<int> entities_of(const Expr& expr) {
  std::set<int> found;
  walk(expr, [&](const Expr& one) {
    if (one.entity >= 0)
      found.insert(one.entity);
  });
  return found;
}

bool is_same(const Expr& a, const Expr& b) {
  if (a.op != b.op || !(a.type == b.type) || a.text != b.text || a.entity != b.entity ||
      a.number != b.number || a.operands.size() != b.operands.size())
    return false;
  for (std::size_t i = 0; i < a.operands.size(); ++i)
    if (!is_same(a.operands[i], b.operands[i]))
      return false;
  return true;
}

} // namespace gangway::port::fortran::translation
