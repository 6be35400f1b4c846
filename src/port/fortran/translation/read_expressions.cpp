// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "port/fortran/translation/reader.hpp"

#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace gangway::port::fortran::translation {
namespace {

template <class One>
constexpr bool is_conversion = false;
template <class T, Category from>
constexpr bool is_conversion<ev::Convert<T, from>> = true;

} // namespace

// NOLINTBEGIN(readability-identifier-naming): Flang's walk calls Pre and Post

Expr Reader::other(std::string what, Type type, int rank) {
  Expr made;
  made.op = Op::other;
  made.text = std::move(what);
  made.type = type;
  made.rank = rank;
  return made;
}

Expr Reader::node(Op op, Type type, int rank, std::vector<Expr> operands, std::string text) {
  Expr made;
  made.op = op;
  made.type = type;
  made.rank = rank;
  made.operands = std::move(operands);
  made.text = std::move(text);
  return made;
}

Expr Reader::expression(const ev::Expr<ev::SomeType>& given) {
  return fl::common::visit([&](const auto& one) { return convert(one); }, given.u);
}

template <Category category>
Expr Reader::convert(const ev::Expr<ev::SomeKind<category>>& given) {
  if constexpr (category == Category::Derived)
    return fl::common::visit(
        [&](const auto& one) {
          using One = std::decay_t<decltype(one)>;
          if constexpr (std::is_same_v<One, ev::Designator<ev::SomeDerived>>)
            return designator(one, Type{Base::derived, 0});
          else
            return other("a value of a derived type", {Base::derived, 0});
        },
        given.u);
  else
    return fl::common::visit([&](const auto& one) { return convert(one); }, given.u);
}

template <class T>
Expr Reader::convert(const ev::Expr<T>& given) {
  if constexpr (T::category == Category::Character)
    return fl::common::visit(
        [&](const auto& one) {
          using One = std::decay_t<decltype(one)>;
          if constexpr (std::is_same_v<One, ev::Designator<T>>)
            return designator(one, Type{Base::character, 0});
          else
            return other("characters", {Base::character, 0});
        },
        given.u);
  else if constexpr (T::category == Category::Unsigned)
    return other("an unsigned value");
  else
    return fl::common::visit([&](const auto& one) { return convert_one<T>(one); }, given.u);
}

template <class T, class One>
Expr Reader::convert_one(const One& one) {
  const Type type = static_type<T>();
  if constexpr (std::is_same_v<One, ev::Constant<T>>) {
    return constant(one, type);
  } else if constexpr (std::is_same_v<One, ev::Designator<T>>) {
    return designator(one, type);
  } else if constexpr (std::is_same_v<One, ev::FunctionRef<T>>) {
    return reference(one, type, one.Rank());
  } else if constexpr (std::is_same_v<One, ev::Parentheses<T>>) {
    return node(Op::paren, type, one.Rank(), {convert(one.left())});
  } else if constexpr (std::is_same_v<One, ev::Negate<T>>) {
    return node(Op::negate, type, one.Rank(), {convert(one.left())});
  } else if constexpr (std::is_same_v<One, ev::Add<T>>) {
    return binary("+", type, one);
  } else if constexpr (std::is_same_v<One, ev::Subtract<T>>) {
    return binary("-", type, one);
  } else if constexpr (std::is_same_v<One, ev::Multiply<T>>) {
    return binary("*", type, one);
  } else if constexpr (std::is_same_v<One, ev::Divide<T>>) {
    return binary("/", type, one);
  } else if constexpr (std::is_same_v<One, ev::Power<T>> ||
                       std::is_same_v<One, ev::RealToIntPower<T>>) {
    return binary("^", type, one);
  } else if constexpr (std::is_same_v<One, ev::Extremum<T>>) {
    return node(Op::intrinsic, type, one.Rank(), {convert(one.left()), convert(one.right())},
                one.ordering == ev::Ordering::Greater ? "max" : "min");
  } else if constexpr (is_conversion<One>) {
    return node(Op::convert, type, one.Rank(), {convert(one.left())});
  } else if constexpr (std::is_same_v<One, ev::Relational<ev::SomeType>>) {
    return fl::common::visit([&](const auto& relation) { return compare(relation); }, one.u);
  } else if constexpr (T::category == Category::Logical) {
    if constexpr (std::is_same_v<One, ev::Not<T::kind>>)
      return node(Op::negation, type, one.Rank(), {convert(one.left())});
    else if constexpr (std::is_same_v<One, ev::LogicalOperation<T::kind>>)
      return binary(one.logicalOperator == ev::LogicalOperator::And   ? "&&"
                    : one.logicalOperator == ev::LogicalOperator::Or  ? "||"
                    : one.logicalOperator == ev::LogicalOperator::Eqv ? "=="
                                                                      : "!=",
                    type, one);
    else
      return other("an array constructor", type, 1);
  } else if constexpr (T::category == Category::Real &&
                       std::is_same_v<One, ev::ComplexComponent<T::kind>>) {
    return node(Op::intrinsic, type, one.Rank(), {convert(one.left())},
                one.isImaginaryPart ? "aimag" : "real");
  } else if constexpr (T::category == Category::Complex &&
                       std::is_same_v<One, ev::ComplexConstructor<T::kind>>) {
    return node(Op::intrinsic, type, one.Rank(), {convert(one.left()), convert(one.right())},
                "cmplx");
  } else if constexpr (std::is_same_v<One, ev::DescriptorInquiry>) {
    const auto found = entity(one.base());
    if (!found)
      return other("a bound of an element's component", type);
    Expr made = node(Op::lower, type, 0, {});
    made.entity = *found;
    made.number = one.dimension() + 1;
    switch (one.field()) {
    case ev::DescriptorInquiry::Field::LowerBound:
      return made;
    case ev::DescriptorInquiry::Field::Extent:
      made.op = Op::extent;
      return made;
    default:
      return other("a property of an array's descriptor", type);
    }
  } else if constexpr (std::is_same_v<One, ev::ArrayConstructor<T>>) {
    return other("an array constructor", type, 1);
  } else {
    return other("an expression of this kind", type);
  }
}

template <class One>
Expr Reader::binary(std::string op, Type type, const One& one) {
  return node(Op::binary, type, one.Rank(), {convert(one.left()), convert(one.right())},
              std::move(op));
}

template <class T>
Expr Reader::compare(const ev::Relational<T>& one) {
  const Type type = static_type<ev::LogicalResult>();
  if constexpr (T::category == Category::Integer || T::category == Category::Real ||
                T::category == Category::Complex) {
    const char* const op = one.opr == fl::common::RelationalOperator::LT   ? "<"
                           : one.opr == fl::common::RelationalOperator::LE ? "<="
                           : one.opr == fl::common::RelationalOperator::EQ ? "=="
                           : one.opr == fl::common::RelationalOperator::NE ? "!="
                           : one.opr == fl::common::RelationalOperator::GE ? ">="
                                                                           : ">";
    return binary(op, type, one);
  } else {
    return other("a comparison of these types", type, one.Rank());
  }
}

template <class T>
Expr Reader::constant(const ev::Constant<T>& one, Type type) {
  const auto value = one.GetScalarValue();
  if (!value)
    return other("a constant array", type, one.Rank());
  if constexpr (T::category == Category::Integer) {
    return node(Op::literal, type, 0, {}, value->SignedDecimal());
  } else if constexpr (T::category == Category::Logical) {
    return node(Op::literal, type, 0, {}, value->IsTrue() ? "true" : "false");
  } else if constexpr (T::category == Category::Real) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    value->AsFortran(stream, type.kind);
    stream.flush();
    text = text.substr(0, text.rfind('_'));
    return node(Op::literal, type, 0, {}, text);
  } else {
    using Part = ev::Type<Category::Real, T::kind>;
    const Type part{Base::real, type.kind};
    return node(Op::intrinsic, type, 0,
                {constant(ev::Constant<Part>(value->REAL()), part),
                 constant(ev::Constant<Part>(value->AIMAG()), part)},
                "cmplx");
  }
}

template <class T>
Expr Reader::designator(const ev::Designator<T>& one, Type type) {
  return reference_of(one.u, type);
}

template <class Variant>
Expr Reader::reference_of(const Variant& parts, Type type) {
  return fl::common::visit(
      [&](const auto& part) -> Expr {
        using Part = std::decay_t<decltype(part)>;
        if constexpr (std::is_same_v<Part, ev::SymbolRef>) {
          Expr made = node(Op::variable, type, part->Rank(), {});
          made.entity = entity(part.get());
          return made;
        } else if constexpr (std::is_same_v<Part, ev::Component>) {
          const auto found = entity(part);
          if (!found)
            return other(std::string(component_of_element), type, part.Rank());
          Expr made = node(Op::variable, type, part.Rank(), {});
          made.entity = found->first;
          return made;
        } else if constexpr (std::is_same_v<Part, ev::ArrayRef>) {
          return element(part, type);
        } else if constexpr (std::is_same_v<Part, ev::CoarrayRef>) {
          return other("a coarray", type);
        } else if constexpr (std::is_same_v<Part, ev::ComplexPart>) {
          return node(Op::intrinsic, type, part.Rank(),
                      {reference_of(part.complex().u, {Base::complex, type.kind})},
                      part.part() == ev::ComplexPart::Part::RE ? "real" : "aimag");
        } else {
          return other("a part of characters", type);
        }
      },
      parts);
}

Expr Reader::element(const ev::ArrayRef& part, Type type) {
  const auto found = entity(part.base());
  if (!found)
    return other(std::string(component_of_element), type, part.Rank());
  Expr made = node(part.Rank() == 0 ? Op::element : Op::section, type, part.Rank(), {});
  made.entity = *found;
  for (const ev::Subscript& subscript : part.subscript())
    made.operands.push_back(fl::common::visit(
        [&](const auto& one) -> Expr {
          using One = std::decay_t<decltype(one)>;
          if constexpr (std::is_same_v<One, ev::Triplet>) {
            const auto* const low = one.GetLower();
            const auto* const high = one.GetUpper();
            return node(Op::range, {}, 1,
                        {low != nullptr ? convert(*low) : Expr{},
                         high != nullptr ? convert(*high) : Expr{}, convert(one.GetStride())});
          } else {
            return convert(one.value());
          }
        },
        subscript.u));
  return made;
}

Expr Reader::reference(const ev::ProcedureRef& one, Type type, int rank) {
  const auto* const intrinsic = one.proc().GetSpecificIntrinsic();
  Expr made = node(intrinsic != nullptr ? Op::intrinsic : Op::call, type, rank, {},
                   lower(one.proc().GetName()));
  if (const se::Symbol* const symbol = one.proc().GetSymbol())
    made.number = entity(*symbol);
  add_reallocated(one);
  for (const auto& argument : one.arguments()) {
    if (!argument) {
      made.operands.emplace_back();
      continue;
    }
    const auto* const value = argument->UnwrapExpr();
    made.operands.push_back(value != nullptr ? expression(*value)
                                             : other("an argument without a value"));
  }
  return made;
}

// NOLINTEND(readability-identifier-naming)

} // namespace gangway::port::fortran::translation
