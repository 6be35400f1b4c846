// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "port/fortran/directives.hpp"
#include "port/fortran/translation/reader.hpp"

#include <algorithm>
#include <cctype>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace gangway::port::fortran::translation {

// NOLINTBEGIN(readability-identifier-naming): Flang's walk calls Pre and Post

struct Reader::Parts {
  Reader& reader;
  Clause& clause;
  template <class T>
  bool Pre(const T& /*node*/) {
    return true;
  }
  template <class T>
  void Post(const T& /*node*/) {}
  bool Pre(const pa::AccObject& object) {
    fl::common::visit(
        [&](const auto& one) {
          using One = std::decay_t<decltype(one)>;
          if constexpr (std::is_same_v<One, pa::Designator>) {
            ev::ExpressionAnalyzer analyzer(reader._context);
            const auto found = analyzer.Analyze(one);
            clause.objects.push_back(found ? reader.expression(*found)
                                           : other("an object that Flang does not understand"));
            clause.written.push_back(one.source.ToString());
          } else {
            clause.objects.push_back(other("a common block"));
            clause.written.push_back(one.ToString());
          }
        },
        object.u);
    return false;
  }
  bool Pre(const pa::Expr& value) {
    clause.values.push_back(reader.typed(value));
    clause.value_texts.push_back(value.source.ToString());
    return false;
  }
  bool Pre(const pa::AccDataModifier& /*modifier*/) {
    clause.has_modifier = true;
    return false;
  }
  bool Pre(const pa::ReductionOperator& op) {
    clause.word = operator_of(op);
    return false;
  }
  bool Pre(const pa::AccDefaultClause& one) {
    clause.word = one.v == llvm::acc::DefaultValue::ACC_Default_none ? "none" : "present";
    return false;
  }
  bool Pre(const pa::Name& name) {
    clause.written.push_back(name.ToString());
    return false;
  }
};

void Reader::add_clauses(Directive& directive, const pa::AccClauseList& clauses) {
  for (const pa::AccClause& one : clauses.v) {
    Clause clause;
    clause.text = one.source.ToString();
    for (const char c : clause.text) {
      if (std::isalpha(static_cast<unsigned char>(c)) == 0 && c != '_')
        break;
      clause.name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    Parts parts{*this, clause};
    pa::Walk(one, parts);
    directive.clauses.push_back(std::move(clause));
    directive.last_line = std::max(directive.last_line, lines_of(one.source).last);
  }
}

Directive Reader::directive(pa::CharBlock source, std::string name) {
  const Lines lines = lines_of(source);
  Directive made;
  made.name = lower(std::move(name));
  made.first_line = lines.first;
  made.last_line = lines.last;
  if (!lines.is_here)
    made.first_line = made.last_line = 0;
  return made;
}

std::string Reader::words(pa::CharBlock source) {
  std::string text = lower(source.ToString());
  while (!text.empty() && text.back() == ' ')
    text.pop_back();
  return text;
}

Directive Reader::declarative(const pa::OpenACCDeclarativeConstruct& one) {
  return fl::common::visit(
      [&](const auto& construct) {
        using Construct = std::decay_t<decltype(construct)>;
        if constexpr (std::is_same_v<Construct, pa::OpenACCRoutineConstruct>) {
          Directive made = directive(construct.source, "routine");
          if (const auto& name = std::get<std::optional<pa::Name>>(construct.t)) {
            Clause clause;
            clause.name = "name";
            clause.word = name->ToString();
            made.clauses.push_back(std::move(clause));
          }
          add_clauses(made, std::get<pa::AccClauseList>(construct.t));
          return made;
        } else {
          Directive made = directive(construct.source, "declare");
          add_clauses(made, std::get<pa::AccClauseList>(construct.t));
          return made;
        }
      },
      one.u);
}

std::string Reader::operator_of(const pa::ReductionOperator& op) {
  std::string made(symbol_for(op.v));
  made.erase(std::remove(made.begin(), made.end(), '.'), made.end());
  return made;
}

void Reader::add(const pa::OpenACCConstruct& one, std::vector<Statement>& made) {
  fl::common::visit(
      [&](const auto& construct) {
        using Construct = std::decay_t<decltype(construct)>;
        Statement now;
        now.act = Act::directive;
        if constexpr (std::is_same_v<Construct, pa::OpenACCBlockConstruct>) {
          const auto& begin = std::get<pa::AccBeginBlockDirective>(construct.t);
          now.directive =
              directive(begin.source, words(std::get<pa::AccBlockDirective>(begin.t).source));
          add_clauses(now.directive, std::get<pa::AccClauseList>(begin.t));
          now.body = block(std::get<pa::Block>(construct.t));
          now.last_line = lines_of(std::get<pa::AccEndBlockDirective>(construct.t).v.source).last;
        } else if constexpr (std::is_same_v<Construct, pa::OpenACCCombinedConstruct>) {
          const auto& begin = std::get<pa::AccBeginCombinedDirective>(construct.t);
          now.directive =
              directive(begin.source, words(std::get<pa::AccCombinedDirective>(begin.t).source));
          add_clauses(now.directive, std::get<pa::AccClauseList>(begin.t));
          if (const auto& nest = std::get<std::optional<pa::DoConstruct>>(construct.t)) {
            now.body.push_back(loop(*nest));
            now.last_line = now.body.back().last_line;
          }
          if (const auto& end = std::get<std::optional<pa::AccEndCombinedDirective>>(construct.t))
            now.last_line = std::max(now.last_line, lines_of(end->source).last);
        } else if constexpr (std::is_same_v<Construct, pa::OpenACCLoopConstruct>) {
          const auto& begin = std::get<pa::AccBeginLoopDirective>(construct.t);
          now.directive = directive(begin.source, "loop");
          add_clauses(now.directive, std::get<pa::AccClauseList>(begin.t));
          if (const auto& nest = std::get<std::optional<pa::DoConstruct>>(construct.t)) {
            now.body.push_back(loop(*nest));
            now.last_line = now.body.back().last_line;
          }
        } else if constexpr (std::is_same_v<Construct, pa::OpenACCStandaloneConstruct>) {
          now.directive = directive(
              construct.source, words(std::get<pa::AccStandaloneDirective>(construct.t).source));
          add_clauses(now.directive, std::get<pa::AccClauseList>(construct.t));
        } else if constexpr (std::is_same_v<Construct, pa::OpenACCCacheConstruct>) {
          now.directive = directive(construct.source, "cache");
        } else if constexpr (std::is_same_v<Construct, pa::OpenACCWaitConstruct>) {
          now.directive = directive(construct.source, "wait");
          Clause queues;
          queues.name = "queues";
          Parts parts{*this, queues};
          if (const auto& argument = std::get<std::optional<pa::AccWaitArgument>>(construct.t))
            pa::Walk(*argument, parts);
          now.directive.clauses.push_back(std::move(queues));
          add_clauses(now.directive, std::get<pa::AccClauseList>(construct.t));
        } else if constexpr (std::is_same_v<Construct, pa::OpenACCAtomicConstruct>) {
          atomic(construct, now);
        } else {
          now.directive = directive(construct.source, "end");
        }
        now.first_line = now.directive.first_line;
        now.last_line = std::max(now.last_line, now.directive.last_line);
        made.push_back(std::move(now));
      },
      one.u);
}

void Reader::atomic(const pa::OpenACCAtomicConstruct& construct, Statement& now) {
  now.directive = directive(construct.source, "atomic");
  fl::common::visit(
      [&](const auto& kind) {
        using Kind = std::decay_t<decltype(kind)>;
        now.name = std::is_same_v<Kind, pa::AccAtomicRead>      ? "read"
                   : std::is_same_v<Kind, pa::AccAtomicWrite>   ? "write"
                   : std::is_same_v<Kind, pa::AccAtomicCapture> ? "capture"
                                                                : "update";
        const auto take = [&](const pa::Statement<pa::AssignmentStmt>& one) {
          now.body.push_back(assignment(one.statement, one.source));
          now.last_line = std::max(now.last_line, now.body.back().last_line);
        };
        if constexpr (std::is_same_v<Kind, pa::AccAtomicCapture>) {
          take(std::get<pa::AccAtomicCapture::Stmt1>(kind.t).v);
          take(std::get<pa::AccAtomicCapture::Stmt2>(kind.t).v);
        } else {
          take(std::get<pa::Statement<pa::AssignmentStmt>>(kind.t));
        }
      },
      construct.u);
}

// NOLINTEND(readability-identifier-naming)

} // namespace gangway::port::fortran::translation
