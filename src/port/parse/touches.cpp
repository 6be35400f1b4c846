// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "port/parse/touches.hpp"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>
#include <clang/AST/StmtOpenACC.h>
#include <clang/Basic/SourceManager.h>

#include <algorithm>

namespace gangway::port {
namespace {

using namespace clang;

/// Use of the place that an expression names. `bind`: other code gets hold of it, and may read or
/// write it later.
enum class Mode { read, write, update, bind };

/// Returns whether it is a `T(0.25)` in a template. Like `static_cast<T>(0.25)`, and `+` and `=` of
/// such operands, it is taken to mean what it means for numbers.
bool is_number_of_type(const Stmt* one) {
  const auto* const made = dyn_cast<CXXUnresolvedConstructExpr>(one);
  return made != nullptr && isa<TemplateTypeParmType>(made->getTypeAsWritten());
}

class Toucher {
public:
  Toucher(const Stmt* whole, const Stmt* body, ASTContext& context,
          const std::function<std::size_t(const VarDecl*)>& id_of)
      : _whole(whole), _body(body), _context(context), _id_of(id_of) {}

  Touched all() {
    statement(_whole);
    return std::move(_touched);
  }

private:
  const Stmt* _whole;
  const Stmt* _body;
  ASTContext& _context;
  const std::function<std::size_t(const VarDecl*)>& _id_of;
  Touched _touched;
  int _loops = 0;    ///< within the whole, around where we are
  int _switches = 0; ///< likewise

  void fail(const std::string& why) {
    if (_touched.problem.empty())
      _touched.problem = why;
  }

  // --- statements ---

  void statement(const Stmt* one) {
    if (one == nullptr)
      return;
    if (const auto* value = dyn_cast<Expr>(one))
      return expression(value, Mode::read);
    if (const auto* declarations = dyn_cast<DeclStmt>(one)) {
      for (const Decl* declaration : declarations->decls())
        if (const auto* variable = dyn_cast<VarDecl>(declaration))
          declared(variable);
      return;
    }
    if (const auto* jump = dyn_cast<ContinueStmt>(one); jump != nullptr && _loops == 0)
      _touched.jumps = true;
    if (isa<BreakStmt>(one) && _loops + _switches == 0)
      fail("a loop is left early");
    if (isa<GotoStmt>(one) || isa<LabelStmt>(one) || isa<ReturnStmt>(one) || isa<AsmStmt>(one))
      fail("a jump");
    const bool loops = isa<ForStmt>(one) || isa<WhileStmt>(one) || isa<DoStmt>(one);
    const bool chooses = isa<SwitchStmt>(one);
    _loops += loops ? 1 : 0;
    _switches += chooses ? 1 : 0;
    for (const Stmt* child : const_cast<Stmt*>(one)->children())
      statement(child);
    _loops -= loops ? 1 : 0;
    _switches -= chooses ? 1 : 0;
  }

  void declared(const VarDecl* variable) {
    const Expr* const value = variable->getInit();
    if (value == nullptr)
      return;
    expression(value, variable->getType()->isReferenceType() ? Mode::bind : Mode::read);
  }

  // --- expressions ---

  void expressions(const Stmt* parent, Mode mode) {
    for (const Stmt* child : const_cast<Stmt*>(parent)->children())
      if (const auto* part = dyn_cast_or_null<Expr>(child))
        expression(part, mode);
  }

  void expression(const Expr* one, Mode mode) {
    if (const auto* inner = dyn_cast<ParenExpr>(one))
      return expression(inner->getSubExpr(), mode);
    if (const auto* whole = dyn_cast<FullExpr>(one))
      return expression(whole->getSubExpr(), mode);
    if (const auto* conversion = dyn_cast<CastExpr>(one))
      return converted(conversion, mode);
    if (const auto* reference = dyn_cast<DeclRefExpr>(one)) {
      if (const auto* variable = dyn_cast<VarDecl>(reference->getDecl()))
        named(variable, mode);
    } else if (isa<ArraySubscriptExpr>(one) || isa<MemberExpr>(one)) {
      part_of_something(one, mode);
    } else if (const auto* operation = dyn_cast<BinaryOperator>(one)) {
      if (operation->isAssignmentOp()) {
        expression(operation->getRHS(), Mode::read);
        expression(operation->getLHS(),
                   operation->isCompoundAssignmentOp() ? Mode::update : Mode::write);
        if (mode == Mode::bind || mode == Mode::write || mode == Mode::update)
          fail("the result of an assignment is assigned to");
      } else {
        expressions(one, Mode::read);
      }
    } else if (const auto* unary = dyn_cast<UnaryOperator>(one)) {
      applied(unary, mode);
    } else if (isa<AbstractConditionalOperator>(one)) {
      // In other modes the children are lvalues, and the expression means one of them.
      expressions(one, mode == Mode::read ? Mode::read : Mode::bind);
    } else if (const auto* call = dyn_cast<CallExpr>(one)) {
      called(call);
    } else if (const auto* made = dyn_cast<CXXConstructExpr>(one)) {
      if (!made->getConstructor()->isTrivial())
        fail("an object with a constructor of its own");
      expressions(one, Mode::read);
    } else if (isa<IntegerLiteral>(one) || isa<FloatingLiteral>(one) ||
               isa<CharacterLiteral>(one) || isa<CXXBoolLiteralExpr>(one) ||
               isa<UnaryExprOrTypeTraitExpr>(one) || isa<ImplicitValueInitExpr>(one) ||
               isa<CXXScalarValueInitExpr>(one) || isa<CXXNullPtrLiteralExpr>(one) ||
               isa<CXXThisExpr>(one)) {
      return;
    } else if (isa<InitListExpr>(one) || isa<MaterializeTemporaryExpr>(one) ||
               is_number_of_type(one)) {
      expressions(one, Mode::read);
    } else {
      fail(std::string("an expression that is not looked into (") + one->getStmtClassName() + ")");
    }
  }

  void converted(const CastExpr* conversion, Mode mode) {
    const Expr* const value = conversion->getSubExpr();
    if (conversion->getCastKind() == CK_LValueToRValue)
      return expression(value, Mode::read);
    if (conversion->getCastKind() == CK_ArrayToPointerDecay)
      return expression(value, Mode::bind);
    // The conversion of `p + 1` yields a pointer's value, so no code can write `p` by it.
    expression(value, mode == Mode::bind && !value->isLValue() ? Mode::read : mode);
  }

  void applied(const UnaryOperator* unary, Mode mode) {
    const Expr* const value = unary->getSubExpr();
    if (unary->isIncrementDecrementOp())
      expression(value, Mode::update);
    else if (unary->getOpcode() == UO_AddrOf)
      expression(value, Mode::bind);
    else if (unary->getOpcode() == UO_Deref)
      part_of_something(unary, mode);
    else
      expression(value, Mode::read);
  }

  void called(const CallExpr* call) {
    const FunctionDecl* const callee = call->getDirectCallee();
    bool by_value = callee != nullptr && !callee->isVariadic() && !isa<CXXMethodDecl>(callee) &&
                    callee->getReturnType()->isArithmeticType();
    if (callee != nullptr)
      for (const ParmVarDecl* parameter : callee->parameters())
        by_value = by_value && parameter->getType()->isArithmeticType();
    for (const Expr* argument : call->arguments())
      expression(argument, by_value ? Mode::read : Mode::bind);
    // A call with more than numbers may read and write what its pointers lead to.
    if (!by_value)
      add(memory("", Mode::update));
  }

  /// Notes the use of a variable as a whole.
  void named(const VarDecl* variable, Mode mode) {
    if (variable->isConstexpr() || variable->getType().isNull())
      return;
    const QualType type = variable->getType();
    if (type->isReferenceType()) { // to an unknown place
      add(memory(type_of(type.getNonReferenceType()), mode));
      return;
    }
    if (is_inside(variable))
      return;
    Touch touch = of(variable);
    set_mode(touch, mode);
    touch.escapes = touch.escapes || type->isArrayType();
    add(touch);
  }

  /// `a[i]`, `*p`, `s.x`, `p->x`, and all that is made of them. A pointer by its name is only read.
  void part_of_something(const Expr* one, Mode mode) {
    const QualType type = one->getType();
    const Expr* base = one;
    bool through = false; ///< a pointer
    while (true) {
      base = base->IgnoreParens();
      if (const auto* element = dyn_cast<ArraySubscriptExpr>(base)) {
        expression(element->getIdx(), Mode::read);
        base = element->getBase()->IgnoreParens();
        const auto* decays = dyn_cast<ImplicitCastExpr>(base);
        if (decays == nullptr || decays->getCastKind() != CK_ArrayToPointerDecay) {
          through = !base->getType()->isArrayType(); // a template has no conversions
          if (through)
            break;
        } else {
          base = decays->getSubExpr();
        }
      } else if (const auto* member = dyn_cast<MemberExpr>(base)) {
        base = member->getBase();
        if (member->isArrow()) {
          through = true;
          break;
        }
      } else if (const auto* unary = dyn_cast<UnaryOperator>(base);
                 unary != nullptr && unary->getOpcode() == UO_Deref) {
        base = unary->getSubExpr();
        through = true;
        break;
      } else {
        break;
      }
    }
    const auto* reference = dyn_cast<DeclRefExpr>(through ? base->IgnoreParenImpCasts() : base);
    const auto* variable = reference == nullptr ? nullptr : dyn_cast<VarDecl>(reference->getDecl());
    if (through || variable == nullptr || variable->getType()->isReferenceType()) {
      if (through && variable == nullptr)
        expression(base, Mode::read); // which leads to the pointer
      else if (variable == nullptr)
        fail("a part of something that is no variable");
      Touch touch = memory(type_of(type), mode);
      if (through && variable != nullptr)
        touch.pointer = _id_of(variable);
      add(touch);
      return;
    }
    if (variable->isConstexpr() || is_inside(variable))
      return;
    Touch touch = of(variable);
    touch.type = type_of(type);
    touch.element = true;
    set_mode(touch, mode);
    add(touch);
  }

  // --- touches ---

  [[nodiscard]] bool is_inside(const VarDecl* variable) const { return is_in(variable, _whole); }
  [[nodiscard]] bool is_in(const VarDecl* variable, const Stmt* part) const {
    const SourceManager& sources = _context.getSourceManager();
    const SourceLocation at = sources.getExpansionLoc(variable->getLocation());
    return sources.isPointWithin(at, sources.getExpansionLoc(part->getBeginLoc()),
                                 sources.getExpansionLoc(part->getEndLoc()));
  }
  [[nodiscard]] Touch of(const VarDecl* variable) const {
    Touch touch;
    llvm::raw_string_ostream stream(touch.object);
    stream << static_cast<const void*>(variable->getCanonicalDecl());
    touch.variable = _id_of(variable);
    touch.local = is_in(variable, _body);
    return touch;
  }
  [[nodiscard]] static Touch memory(const std::string& type, Mode mode) {
    Touch touch;
    touch.type = type;
    touch.element = true;
    set_mode(touch, mode);
    return touch;
  }
  static void set_mode(Touch& touch, Mode mode) {
    touch.reads = mode == Mode::read || mode == Mode::update;
    touch.writes = mode == Mode::write || mode == Mode::update;
    touch.escapes = mode == Mode::bind;
  }
  /// Returns the type by which C tells memory apart; empty for a type that may alias any.
  [[nodiscard]] std::string type_of(QualType type) const {
    QualType plain = type.getCanonicalType().getUnqualifiedType();
    if (plain->isDependentType() || plain->isAnyCharacterType() ||
        !(plain->isArithmeticType() || plain->isAnyPointerType()))
      return "";
    if (plain->isSignedIntegerType() && !plain->isEnumeralType() && !plain->isBooleanType())
      plain = _context.getCorrespondingUnsignedType(plain);
    return plain->isEnumeralType() ? "" : plain.getAsString();
  }
  void add(const Touch& touch) { _touched.touches.push_back(touch); }
};

} // namespace

Touched touched_by(const clang::Stmt* statement, const clang::Stmt* body,
                   clang::ASTContext& context,
                   const std::function<std::size_t(const clang::VarDecl*)>& id_of) {
  return Toucher(statement, body, context, id_of).all();
}

} // namespace gangway::port
