// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "port/fortran/translation/arrays.hpp"

#include "port/fortran/translation/expressions.hpp"
#include "port/fortran/translation/procedures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace gangway::port::fortran::translation {
namespace {

constexpr Type whole{Base::integer, 8};

Expr literal(long value, Type type = whole) {
  Expr made;
  made.op = Op::literal;
  made.type = type;
  made.text = type.base == Base::logical ? (value != 0 ? "true" : "false") : std::to_string(value);
  return made;
}
Expr variable(int entity, Type type) {
  Expr made;
  made.op = Op::variable;
  made.type = type;
  made.entity = entity;
  return made;
}
Expr binary(std::string op, Expr a, Expr b, Type type) {
  const auto value = [](const Expr& one) { return std::strtol(one.text.c_str(), nullptr, 10); };
  if (type.base == Base::integer && a.op == Op::literal && b.op == Op::literal &&
      (op == "+" || op == "-"))
    return literal(op == "+" ? value(a) + value(b) : value(a) - value(b), type);
  if (type.base == Base::integer && (op == "+" || op == "-") && b.op == Op::literal &&
      value(b) == 0)
    return a;
  Expr made;
  made.op = Op::binary;
  made.type = type;
  made.text = std::move(op);
  made.operands.push_back(std::move(a));
  made.operands.push_back(std::move(b));
  return made;
}
Statement assign(Expr to, Expr from, int line) {
  Statement made;
  made.act = Act::assign;
  made.first_line = made.last_line = line;
  made.operands.push_back(std::move(to));
  made.operands.push_back(std::move(from));
  return made;
}

bool is_elemental(const std::string& name) {
  static const std::set<std::string, std::less<>> names{
      "abs",   "sqrt",    "exp",    "log",   "log10",     "sin",    "cos",   "tan",
      "asin",  "acos",    "atan",   "sinh",  "cosh",      "tanh",   "asinh", "acosh",
      "atanh", "erf",     "erfc",   "gamma", "log_gamma", "aint",   "anint", "max",
      "min",   "mod",     "modulo", "sign",  "dim",       "atan2",  "hypot", "nint",
      "floor", "ceiling", "merge",  "iand",  "ior",       "ieor",   "conjg", "aimag",
      "real",  "cmplx",   "not",    "ishft", "btest",     "logical"};
  return names.contains(name);
}

/// One dimension of what is assigned to: `variable` runs from low to high.
struct Dimension {
  int variable = -1;
  Expr low, high, stride;
};

class Expansion {
public:
  explicit Expansion(Program& program) : _program(program) {}

  void run() {
    for_kernels(_program, [this](std::vector<Statement>& body) { expand(body); });
  }

private:
  Program& _program;
  int _made = 0;

  const Entity& entity(int index) const {
    return _program.entities[static_cast<std::size_t>(index)];
  }
  int new_entity(const std::string& name, Type type) {
    Entity made;
    made.name = fmt::format("{}{}", name, ++_made);
    made.type = type;
    made.is_made = true;
    _program.entities.push_back(made);
    return static_cast<int>(_program.entities.size()) - 1;
  }

  void expand(std::vector<Statement>& body) {
    std::vector<Statement> made;
    for (Statement& one : body) {
      if (one.act != Act::where_)
        for (Statement::Part& part : one.parts)
          expand(part.body);
      if (one.act != Act::directive || one.directive.name != "atomic")
        expand(one.body);
      std::vector<Statement> before;
      if (one.act == Act::assign) {
        one.operands[1] = reduced(std::move(one.operands[1]), before, one.first_line);
        for (Expr& subscript : one.operands[0].operands)
          subscript = reduced(std::move(subscript), before, one.first_line);
      } else if (one.act == Act::branch) { // the first condition is evaluated in any case
        Expr& first = one.parts.front().condition;
        first = reduced(std::move(first), before, one.first_line);
      } else if (one.act == Act::call) {
        for (Expr& argument : one.operands)
          argument = reduced(std::move(argument), before, one.first_line);
      }
      for (Statement& first : before)
        made.push_back(std::move(first));
      if (one.act == Act::assign) {
        if (one.operands[0].rank > 0)
          if (auto loop = loops(one)) {
            made.push_back(std::move(*loop));
            continue;
          }
      }
      if (one.act == Act::where_)
        if (auto loop = masked(one)) {
          made.push_back(std::move(*loop));
          continue;
        }
      made.push_back(std::move(one));
    }
    body = std::move(made);
  }

  // --- elements -------------------------------------------------------------------------------

  Expr lower(int index, int d) const {
    const Entity& one = entity(index);
    const auto n = static_cast<std::size_t>(d) - 1;
    if (n < one.bounds.size() && one.bounds[n].has_lower)
      return literal(one.bounds[n].lower);
    Expr made;
    made.op = Op::lower;
    made.text = of_assignment;
    made.type = whole;
    made.entity = index;
    made.number = d;
    return made;
  }
  Expr upper(int index, int d) const {
    const Entity& one = entity(index);
    const auto n = static_cast<std::size_t>(d) - 1;
    Expr extent;
    if (n < one.bounds.size() && one.bounds[n].has_extent) {
      extent = literal(one.bounds[n].extent);
    } else {
      extent.op = Op::extent;
      extent.text = of_assignment;
      extent.type = whole;
      extent.entity = index;
      extent.number = d;
    }
    return binary("-", binary("+", lower(index, d), std::move(extent), whole), literal(1), whole);
  }

  /// Returns the dimensions of a whole array or a section; none if it has vector subscripts.
  std::optional<std::vector<Dimension>> dimensions_of(const Expr& array) {
    std::vector<Dimension> made;
    if (array.op == Op::variable) {
      for (int d = 1; d <= entity(array.entity).rank; ++d)
        made.push_back({-1, lower(array.entity, d), upper(array.entity, d), literal(1)});
    } else if (array.op == Op::section) {
      int d = 0;
      for (const Expr& subscript : array.operands) {
        ++d;
        if (subscript.op == Op::range) {
          const auto& parts = subscript.operands;
          made.push_back({-1, parts[0].op == Op::absent ? lower(array.entity, d) : parts[0],
                          parts[1].op == Op::absent ? upper(array.entity, d) : parts[1], parts[2]});
          if (made.back().stride.op != Op::literal)
            return std::nullopt;
        } else if (subscript.rank > 0) {
          return std::nullopt;
        }
      }
    } else {
      return std::nullopt;
    }
    return made;
  }

  /// Returns the subscript of `low:…:stride` that goes with the dimension's variable.
  static Expr place(const Dimension& dimension, const Expr& low, const Expr& stride) {
    Expr at = variable(dimension.variable, whole);
    if (is_same(dimension.low, low) && is_same(dimension.stride, stride))
      return at;
    Expr count = binary("-", std::move(at), dimension.low, whole);
    if (dimension.stride.text != "1")
      count = binary("/", std::move(count), dimension.stride, whole);
    if (stride.text != "1")
      count = binary("*", std::move(count), stride, whole);
    return binary("+", low, std::move(count), whole);
  }

  /// Returns the element of an expression, or nothing where there is none as simple as that.
  std::optional<Expr> element(const Expr& expr, const std::vector<Dimension>& dimensions) {
    if (expr.rank == 0)
      return expr;
    if (static_cast<std::size_t>(expr.rank) != dimensions.size())
      return std::nullopt;
    Expr made = expr;
    made.rank = 0;
    switch (expr.op) {
    case Op::variable:
      made.op = Op::element;
      for (int d = 1; d <= expr.rank; ++d)
        made.operands.push_back(
            place(dimensions[static_cast<std::size_t>(d) - 1], lower(expr.entity, d), literal(1)));
      return made;
    case Op::section: {
      made.op = Op::element;
      std::size_t n = 0;
      for (std::size_t d = 0; d < expr.operands.size(); ++d) {
        const Expr& subscript = expr.operands[d];
        if (subscript.op == Op::range) {
          if (subscript.operands[2].op != Op::literal)
            return std::nullopt;
          const Expr low = subscript.operands[0].op == Op::absent
                               ? lower(expr.entity, static_cast<int>(d) + 1)
                               : subscript.operands[0];
          made.operands[d] = place(dimensions[n++], low, subscript.operands[2]);
        } else if (subscript.rank > 0) {
          const auto inner = element(subscript, {dimensions[n++]});
          if (!inner)
            return std::nullopt;
          made.operands[d] = *inner;
        }
      }
      return made;
    }
    case Op::intrinsic:
      if (!is_elemental(expr.text))
        return std::nullopt;
      break;
    case Op::convert:
    case Op::paren:
    case Op::negate:
    case Op::binary:
    case Op::negation:
      break;
    default:
      return std::nullopt;
    }
    for (Expr& operand : made.operands) {
      auto inner = element(operand, dimensions);
      if (!inner)
        return std::nullopt;
      operand = std::move(*inner);
    }
    return made;
  }

  void give_variables(std::vector<Dimension>& dimensions) {
    for (Dimension& one : dimensions)
      one.variable = new_entity("at", whole);
  }
  static Statement nest(const std::vector<Dimension>& dimensions, Statement inner, int line) {
    for (const Dimension& one : dimensions) {
      Statement loop;
      loop.act = Act::loop;
      loop.first_line = loop.last_line = line;
      loop.variable = one.variable;
      loop.operands = {one.low, one.high};
      if (one.stride.text != "1")
        loop.operands.push_back(one.stride);
      loop.body.push_back(std::move(inner));
      inner = std::move(loop);
    }
    return inner;
  }

  /// Returns whether constants keep an element out of the section.
  static bool is_outside(const Expr& element, const Expr& section) {
    if (section.op != Op::section || element.op != Op::element)
      return false;
    const auto value = [](const Expr& one) { return std::strtol(one.text.c_str(), nullptr, 10); };
    for (std::size_t d = 0; d < element.operands.size(); ++d) {
      const Expr& at = element.operands[d];
      const Expr& part = section.operands[d];
      if (at.op != Op::literal)
        continue;
      if (part.op == Op::literal && value(part) != value(at))
        return true;
      if (part.op != Op::range || part.operands[2].text != "1")
        continue;
      if ((part.operands[0].op == Op::literal && value(at) < value(part.operands[0])) ||
          (part.operands[1].op == Op::literal && value(at) > value(part.operands[1])))
        return true;
    }
    return false;
  }

  /// Returns whether the element is the place or in no place: where their subscripts differ, none
  /// of both depends on the dimensions' variables.
  static bool is_beside(const Expr& element, const Expr& place,
                        const std::vector<Dimension>& dimensions) {
    if (element.op != Op::element || place.op != Op::element ||
        element.operands.size() != place.operands.size())
      return false;
    const auto varies = [&](const Expr& subscript) {
      const std::set<int> named = entities_of(subscript);
      return std::any_of(dimensions.begin(), dimensions.end(),
                         [&](const Dimension& one) { return named.contains(one.variable); });
    };
    for (std::size_t d = 0; d < element.operands.size(); ++d)
      if (!is_same(element.operands[d], place.operands[d]) &&
          (varies(element.operands[d]) || varies(place.operands[d])))
        return false;
    return true;
  }

  /// Returns the constant in `variable + constant`; nothing if the subscript is another one.
  static std::optional<long> offset(const Expr& subscript, int variable) {
    const auto value = [](const Expr& one) { return std::strtol(one.text.c_str(), nullptr, 10); };
    if (subscript.op == Op::variable && subscript.entity == variable)
      return 0;
    if (subscript.op == Op::convert)
      return offset(subscript.operands[0], variable);
    if (subscript.op != Op::binary || (subscript.text != "+" && subscript.text != "-"))
      return std::nullopt;
    const Expr& a = subscript.operands[0];
    const Expr& b = subscript.operands[1];
    if (const auto left = offset(a, variable); left && b.op == Op::literal)
      return subscript.text == "+" ? *left + value(b) : *left - value(b);
    if (const auto right = offset(b, variable);
        right && a.op == Op::literal && subscript.text == "+")
      return value(a) + *right;
    return std::nullopt;
  }
  /// Returns whether the loops come to the element after the place, each in the way that `ways`
  /// says then: 1 upwards, -1 downwards, 0 in any.
  static bool is_ahead(const Expr& element, const Expr& place,
                       const std::vector<Dimension>& dimensions, std::vector<int>& ways) {
    if (element.op != Op::element || element.operands.size() != place.operands.size())
      return false;
    for (std::size_t d = 0; d < element.operands.size(); ++d) {
      if (is_same(element.operands[d], place.operands[d]))
        continue;
      const auto dimension =
          std::find_if(dimensions.begin(), dimensions.end(), [&](const Dimension& one) {
            return offset(place.operands[d], one.variable).has_value();
          });
      if (dimension == dimensions.end() || dimension->stride.text != "1")
        return false;
      const auto distance = offset(element.operands[d], dimension->variable);
      if (!distance)
        return false;
      const int way = *distance > *offset(place.operands[d], dimension->variable) ? 1 : -1;
      int& known = ways[static_cast<std::size_t>(dimension - dimensions.begin())];
      if (known == -way)
        return false;
      known = way;
    }
    return true;
  }

  std::optional<Statement> loops(const Statement& one) {
    const Expr& to = one.operands[0];
    auto dimensions = dimensions_of(to);
    if (!dimensions)
      return std::nullopt;
    give_variables(*dimensions);
    const auto place = element(to, *dimensions);
    const auto value = element(one.operands[1], *dimensions);
    if (!place || !value)
      return std::nullopt;
    // The right side is evaluated first. So it may not have another element of the left side, but
    // for those that the loops come to later.
    bool is_safe = true;
    std::vector<int> ways(dimensions->size(), 0);
    const Entity& target = entity(to.entity);
    const auto look = [&](const Expr& part) {
      if (part.entity < 0 || part.op == Op::lower || part.op == Op::extent)
        return;
      const Entity& other = entity(part.entity);
      if (part.entity == to.entity)
        is_safe = is_safe && (is_same(part, *place) || is_outside(part, to) ||
                              is_beside(part, *place, *dimensions) ||
                              is_ahead(part, *place, *dimensions, ways));
      else if (other.rank > 0 && other.type == target.type &&
               (other.is_pointer || other.is_target) && (target.is_pointer || target.is_target))
        is_safe = false;
    };
    walk(*value, look);
    for (const Expr& subscript : place->operands)
      walk(subscript, look);
    for (const Dimension& dimension : *dimensions) {
      walk(dimension.low, look);
      walk(dimension.high, look);
    }
    if (!is_safe)
      return std::nullopt;
    for (std::size_t n = 0; n < ways.size(); ++n)
      if (ways[n] < 0) {
        Dimension& turned = (*dimensions)[n];
        std::swap(turned.low, turned.high);
        turned.stride = literal(-1);
      }
    return nest(*dimensions, assign(*place, *value, one.first_line), one.first_line);
  }

  /// Returns a loop over the elements with an if in it, for `where`.
  std::optional<Statement> masked(const Statement& one) {
    auto dimensions = shape_of(one.parts.front().condition);
    if (!dimensions)
      return std::nullopt;
    give_variables(*dimensions);
    std::vector<Expr> places;
    Statement made;
    made.act = Act::branch;
    made.first_line = made.last_line = one.first_line;
    for (const Statement::Part& part : one.parts) {
      Statement::Part now;
      if (part.condition.op != Op::absent) {
        const auto mask = element(part.condition, *dimensions);
        if (!mask)
          return std::nullopt;
        now.condition = *mask;
      }
      for (const Statement& assigned : part.body) {
        if (assigned.act != Act::assign)
          return std::nullopt;
        const auto place = element(assigned.operands[0], *dimensions);
        const auto value = element(assigned.operands[1], *dimensions);
        if (!place || !value || place->op != Op::element)
          return std::nullopt;
        places.push_back(*place);
        now.body.push_back(assign(*place, *value, assigned.first_line));
      }
      made.parts.push_back(std::move(now));
    }
    // Masks and right sides come first. So all of it may have those elements only.
    bool is_safe = true;
    const auto look = [&](const Expr& part) {
      for (const Expr& place : places)
        if (part.entity >= 0 && part.op == Op::element) {
          const Entity& other = entity(part.entity);
          const Entity& target = entity(place.entity);
          if (part.entity == place.entity)
            is_safe = is_safe && is_same(part, place);
          else if (other.type == target.type && (other.is_pointer || other.is_target) &&
                   (target.is_pointer || target.is_target))
            is_safe = false;
        }
    };
    for (const Statement::Part& part : made.parts) {
      walk(part.condition, look);
      for (const Statement& assigned : part.body)
        for (const Expr& operand : assigned.operands)
          walk(operand, look);
    }
    if (!is_safe)
      return std::nullopt;
    return nest(*dimensions, std::move(made), one.first_line);
  }

  // --- sums and their like --------------------------------------------------------------------

  /// Returns the expression with a variable in place of each reduction of an array, which
  /// `before` computes.
  Expr reduced(Expr expr, std::vector<Statement>& before, int line) {
    for (Expr& operand : expr.operands)
      operand = reduced(std::move(operand), before, line);
    if (expr.op != Op::intrinsic || expr.rank > 0)
      return expr;
    const std::string& name = expr.text;
    const bool is_product = name == "dot_product" && expr.operands.size() == 2;
    const bool is_most = name == "maxval" || name == "minval";
    if (!is_product && !is_most && name != "sum" && name != "product")
      return expr;
    if (expr.type.base != Base::integer && expr.type.base != Base::real &&
        (expr.type.base != Base::complex || is_most))
      return expr;
    for (std::size_t n = 1; n < expr.operands.size() && !is_product; ++n)
      if (expr.operands[n].op != Op::absent)
        return expr;
    auto dimensions = shape_of(expr.operands[0]);
    if (!dimensions)
      return expr;
    give_variables(*dimensions);
    auto value = element(expr.operands[0], *dimensions);
    if (!value)
      return expr;
    if (is_product) {
      auto other = element(expr.operands[1], *dimensions);
      if (!other || !(other->type == expr.type) || !(value->type == expr.type))
        return expr;
      if (expr.type.base == Base::complex) {
        Expr conjugate;
        conjugate.op = Op::intrinsic;
        conjugate.type = expr.type;
        conjugate.text = "conjg";
        conjugate.operands.push_back(std::move(*value));
        value = std::move(conjugate);
      }
      value = binary("*", std::move(*value), std::move(*other), expr.type);
    }
    if (is_most) {
      const Expr most = variable(new_entity(name, expr.type), expr.type);
      before.push_back(assign(most, limit(name == "minval", expr.type), line));
      Statement larger;
      larger.act = Act::branch;
      larger.first_line = larger.last_line = line;
      larger.parts.resize(1);
      larger.parts[0].condition = exceeds(*value, most, name == "minval");
      larger.parts[0].body.push_back(assign(most, *value, line));
      before.push_back(nest(*dimensions, std::move(larger), line));
      return most;
    }
    const Expr result =
        variable(new_entity(name == "product" ? "product" : "sum", expr.type), expr.type);
    before.push_back(assign(result, literal(name == "product" ? 1 : 0, expr.type), line));
    before.push_back(
        nest(*dimensions,
             assign(result, binary(name == "product" ? "*" : "+", result, *value, expr.type), line),
             line));
    return result;
  }
  /// Returns whether a value is to replace the most so far, which begins with `limit`. As with
  /// gfortran, infinities count, and a NaN is the result only where there is nothing else.
  static Expr exceeds(const Expr& value, const Expr& most, bool is_least) {
    constexpr Type truth{Base::logical, 4};
    const auto compare = [&](const char* op, const Expr& a, const Expr& b) {
      return binary(op, a, b, truth);
    };
    Expr more = compare(is_least ? "<" : ">", value, most);
    if (most.type.base != Base::real)
      return more;
    Expr first = compare("==", most, limit(is_least, most.type));
    Expr odd = binary("||", compare("!=", value, value), compare(is_least ? ">" : "<", value, most),
                      truth);
    return binary("||", binary("||", std::move(more), compare("!=", most, most), truth),
                  binary("&&", std::move(first), std::move(odd), truth), truth);
  }

  /// Returns the value that no other one exceeds: the largest of the type, or the smallest.
  static Expr limit(bool is_largest, Type type) {
    Expr made = literal(0, type);
    if (type.base == Base::real)
      made.text = type.kind == 4 ? "3.4028234663852886e+38" : "1.7976931348623157e+308";
    else
      made.text = type.kind == 8   ? "9223372036854775807"
                  : type.kind == 4 ? "2147483647"
                  : type.kind == 2 ? "32767"
                                   : "127";
    if (!is_largest && type.base == Base::real)
      made.text.insert(0, "-");
    else if (!is_largest)
      made.text = "-" + made.text.substr(0, made.text.size() - 1) + "8"; // 7 becomes 8
    return made;
  }

  /// Returns the dimensions of an expression: those of the first array in it.
  std::optional<std::vector<Dimension>> shape_of(const Expr& expr) {
    if (expr.op == Op::variable || expr.op == Op::section)
      return dimensions_of(expr);
    if (expr.op == Op::intrinsic && !is_elemental(expr.text))
      return std::nullopt;
    for (const Expr& operand : expr.operands)
      if (operand.rank == expr.rank)
        return shape_of(operand);
    return std::nullopt;
  }
};

} // namespace

void expand_arrays(Program& program) {
  Expansion(program).run();
}

} // namespace gangway::port::fortran::translation
