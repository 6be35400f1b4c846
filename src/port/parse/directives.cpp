// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "port/parse/directives.hpp"

#include "port/parse/variables.hpp"
#include "port/source_text.hpp"

#include <clang/AST/OpenACCClause.h>

#include <algorithm>
#include <utility>

namespace gangway::port {

using namespace clang;

namespace {

/// Leaves out each section that a clause of that name has named before in the very same words.
void leave_out_repeated(const Directive& directive, Clause& read) {
  std::vector<Section> sections;
  for (Section& section : read.sections) {
    const auto is_same = [&](const Section& other) {
      return other.variable == section.variable && other.text == section.text;
    };
    const auto has_it = [&](const std::vector<Section>& named) {
      return std::any_of(named.begin(), named.end(), is_same);
    };
    const bool repeated =
        section.variable != none &&
        (has_it(sections) ||
         std::any_of(directive.clauses.begin(), directive.clauses.end(), [&](const Clause& before) {
           return before.kind == read.kind && before.modifiers == read.modifiers &&
                  before.operation == read.operation && has_it(before.sections);
         }));
    if (!repeated)
      sections.push_back(std::move(section));
  }
  read.sections = std::move(sections);
}

Section read_section(Reading& reading, const Expr* named) {
  Section section;
  section.text = reading.text(named);
  std::vector<std::pair<const Expr*, const Expr*>>
      bounds; // low and length; of an element the length is null
  std::vector<bool> is_section;
  const Expr* base = named->IgnoreParenImpCasts();
  while (true) {
    if (const auto* part = dyn_cast<ArraySectionExpr>(base)) {
      bounds.insert(bounds.begin(), {part->getLowerBound(), part->getLength()});
      is_section.insert(is_section.begin(), true);
      base = part->getBase()->IgnoreParenImpCasts();
    } else if (const auto* element = dyn_cast<ArraySubscriptExpr>(base)) {
      bounds.insert(bounds.begin(), {element->getIdx(), nullptr});
      is_section.insert(is_section.begin(), false);
      base = element->getBase()->IgnoreParenImpCasts();
    } else {
      break;
    }
  }
  section.variable = variable_of(reading, base);
  if (section.variable == none) {
    section.problem =
        say<Code::no_plain_array>(section.text, "is no variable and no member of one");
    return section;
  }
  const Variable& variable = reading.unit.variables[section.variable];
  if (variable.table && bounds.size() == 2 && is_section[0] && is_section[1]) {
    section.rows = true;
    for (const auto& [low, length] : bounds) {
      if (length == nullptr || (low != nullptr && !reading.is_zero(low)))
        section.problem = say<Code::no_plain_array>(
            section.text, "is of pointers, and does not begin at 0 or has no length");
      section.extents.push_back(length == nullptr ? "" : reading.text(length));
    }
    return section;
  }
  std::vector<std::string> declared;
  if (variable.shape == Shape::array)
    declared = variable.extents;
  else if (variable.shape == Shape::pointer) {
    section.declared = bounds.empty() && !variable.length.empty();
    if (bounds.empty() && !section.declared)
      return section;
    declared.push_back(section.declared ? variable.length : "");
    declared.insert(declared.end(), variable.extents.begin(), variable.extents.end());
  }
  if (variable.shape == Shape::other && !(variable.numbers && bounds.empty()))
    section.problem = say<Code::no_plain_array>(variable.path, "is of type " + variable.element);
  if (bounds.size() > declared.size())
    section.problem = say<Code::no_plain_array>(
        section.text, "is an array of pointers, or has more dimensions than its type");
  if (section.problem)
    return section;
  if (variable.shape == Shape::scalar || variable.shape == Shape::other) {
    section.extents = {"1"};
    return section;
  }
  for (std::size_t d = 0; d < declared.size(); ++d) {
    std::string extent = declared[d];
    if (d < bounds.size()) {
      const auto [low, length] = bounds[d];
      const bool from_zero = low == nullptr || reading.is_zero(low);
      if (d > 0 && !(from_zero && (length == nullptr || reading.text(length) == extent ||
                                   reading.value_of(length) == extent)))
        section.problem =
            say<Code::no_plain_array>(section.text, "takes a part of an inner dimension");
      if (d == 0 && !from_zero) {
        section.low = reading.operand(low);
        section.low_is_local = reading.is_local(low);
      }
      if (d == 0) {
        if (length != nullptr)
          extent = reading.text(length);
        else if (!is_section[d])
          extent = "1";
        else if (extent.empty())
          section.problem = say<Code::no_length>(section.text);
        else if (!from_zero)
          extent += " - " + in_parentheses(section.low);
      }
    }
    if (extent.empty())
      section.problem = say<Code::unknown_extents>(section.text);
    section.extents.push_back(extent);
  }
  return section;
}

void read_sections(Reading& reading, ArrayRef<Expr*> named, Clause& clause) {
  for (const Expr* variable : named)
    clause.sections.push_back(read_section(reading, variable));
}

template <class List>
void read_variable_list_of(Reading& reading, const OpenACCClause* clause, Clause& read) {
  if (const auto* list = dyn_cast<List>(clause))
    read_sections(reading, list->getVarList(), read);
}

template <class... Lists>
void read_variable_lists_of(Reading& reading, const OpenACCClause* clause, Clause& read) {
  (read_variable_list_of<Lists>(reading, clause, read), ...);
}

void read_variable_list(Reading& reading, const OpenACCClause* clause, Clause& read) {
  read_variable_lists_of<OpenACCPrivateClause, OpenACCFirstPrivateClause, OpenACCDevicePtrClause,
                         OpenACCAttachClause, OpenACCDetachClause, OpenACCDeleteClause,
                         OpenACCUseDeviceClause, OpenACCNoCreateClause, OpenACCPresentClause,
                         OpenACCHostClause, OpenACCDeviceClause, OpenACCCopyClause,
                         OpenACCCopyInClause, OpenACCCopyOutClause, OpenACCCreateClause,
                         OpenACCLinkClause, OpenACCDeviceResidentClause>(reading, clause, read);
}

const Expr* single_number(const OpenACCClause* clause) {
  const auto number_of = [](const auto* one) {
    return one->hasIntExpr() ? one->getIntExpr() : nullptr;
  };
  if (const auto* one = dyn_cast<OpenACCNumWorkersClause>(clause))
    return number_of(one);
  if (const auto* one = dyn_cast<OpenACCVectorLengthClause>(clause))
    return number_of(one);
  if (const auto* one = dyn_cast<OpenACCWorkerClause>(clause))
    return number_of(one);
  if (const auto* one = dyn_cast<OpenACCVectorClause>(clause))
    return number_of(one);
  if (const auto* one = dyn_cast<OpenACCAsyncClause>(clause))
    return number_of(one);
  if (const auto* one = dyn_cast<OpenACCDeviceNumClause>(clause))
    return number_of(one);
  if (const auto* one = dyn_cast<OpenACCDefaultAsyncClause>(clause))
    return number_of(one);
  return nullptr;
}

Clause read_clause(Reading& reading, const OpenACCClause* clause) {
  Clause read;
  read.place = reading.place(clause->getBeginLoc());
  read.kind = clause_named(printed(clause->getClauseKind()));
  const auto modifiers = [&](OpenACCModifierKind given) {
    using Kind = OpenACCModifierKind;
    for (const auto& [kind, name] :
         {std::pair{Kind::Always, "always"}, std::pair{Kind::AlwaysIn, "alwaysin"},
          std::pair{Kind::AlwaysOut, "alwaysout"}, std::pair{Kind::Zero, "zero"},
          std::pair{Kind::Capture, "capture"}})
      if (isOpenACCModifierBitSet(given, kind))
        read.modifiers.emplace_back(name);
  };
  if (const auto* copy = dyn_cast<OpenACCCopyClause>(clause))
    modifiers(copy->getModifierList());
  if (const auto* copyin = dyn_cast<OpenACCCopyInClause>(clause))
    modifiers(copyin->getModifierList());
  if (const auto* copyout = dyn_cast<OpenACCCopyOutClause>(clause))
    modifiers(copyout->getModifierList());
  if (const auto* create = dyn_cast<OpenACCCreateClause>(clause))
    modifiers(create->getModifierList());

  if (const auto* self = dyn_cast<OpenACCSelfClause>(clause)) {
    if (self->isConditionExprClause()) {
      read.kind = ClauseKind::self_condition;
      read.argument = self->hasConditionExpr() ? reading.text(self->getConditionExpr()) : "true";
    } else {
      for (const Expr* named : self->getVarList())
        read.sections.push_back(read_section(reading, named));
    }
  } else if (const auto* with_condition = dyn_cast<OpenACCIfClause>(clause)) {
    read.argument = reading.text(with_condition->getConditionExpr());
  } else if (const auto* reduction = dyn_cast<OpenACCReductionClause>(clause)) {
    read.operation = printed(reduction->getReductionOp());
    read_sections(reading, reduction->getVarList(), read);
  } else if (const auto* chosen = dyn_cast<OpenACCDefaultClause>(clause)) {
    read.argument = printed(chosen->getDefaultClauseKind());
  } else if (const auto* tile = dyn_cast<OpenACCTileClause>(clause)) {
    for (const Expr* size : tile->getSizeExprs()) {
      const bool open = isa<OpenACCAsteriskSizeExpr>(size);
      const auto value = open || size->isValueDependent()
                             ? std::nullopt
                             : size->getIntegerConstantExpr(reading.context);
      read.arguments.push_back(open ? "*" : reading.text(size));
      read.sizes.push_back(value ? value->getExtValue() : 0);
    }
  } else if (const auto* collapse = dyn_cast<OpenACCCollapseClause>(clause)) {
    const Expr* const count = collapse->getLoopCount();
    if (const auto value = count->isValueDependent()
                               ? std::nullopt
                               : count->getIntegerConstantExpr(reading.context))
      read.number = value->getExtValue();
  } else if (const auto* gangs = dyn_cast<OpenACCNumGangsClause>(clause)) {
    for (const Expr* count : gangs->getIntExprs())
      read.arguments.push_back(reading.text(count));
    read.argument = read.arguments.empty() ? "" : read.arguments.front();
    const auto value = gangs->getIntExprs()[0]->isValueDependent()
                           ? std::nullopt
                           : gangs->getIntExprs()[0]->getIntegerConstantExpr(reading.context);
    read.number = value ? value->getExtValue() : 0;
  } else if (const auto* wait = dyn_cast<OpenACCWaitClause>(clause)) {
    if (wait->hasExprs()) {
      for (const Expr* queue : wait->getQueueIdExprs())
        read.arguments.push_back(reading.text(queue));
      if (wait->hasDevNumExpr())
        read.modifiers.emplace_back("devnum");
    }
  } else if (const auto* devices = dyn_cast<OpenACCDeviceTypeClause>(clause)) {
    for (const auto& device : devices->getArchitectures())
      read.arguments.push_back(device.getIdentifierInfo() == nullptr
                                   ? "*"
                                   : device.getIdentifierInfo()->getName().str());
  } else if (const Expr* const number = single_number(clause)) {
    read.argument = reading.text(number);
    const auto value =
        number->isValueDependent() ? std::nullopt : number->getIntegerConstantExpr(reading.context);
    read.number = value ? value->getExtValue() : 0;
  } else {
    read_variable_list(reading, clause, read);
  }
  return read;
}

} // namespace

std::size_t add_directive(Reading& reading, SourceRange range, Construct construct,
                          ArrayRef<const OpenACCClause*> clauses) {
  Directive directive;
  directive.place = reading.place(range.getBegin());
  directive.construct = construct;
  directive.pragma = reading.pragma_span(range.getBegin(), range.getEnd());
  directive.text = joined(reading.text(directive.pragma));
  if (range.getBegin().isMacroID() || !reading.sources.isWrittenInMainFile(range.getBegin()))
    directive.obstacles.push_back(
        {directive.place, directive.pragma, say<Code::directive_of_macro>()});
  bool of_a_device = false;
  for (const OpenACCClause* clause : clauses) {
    Clause read = read_clause(reading, clause);
    // In `set`, `init` and `shutdown` it names a device; elsewhere clauses for one follow it.
    of_a_device =
        of_a_device || (read.kind == ClauseKind::device_type && construct != Construct::set &&
                        construct != Construct::init && construct != Construct::shutdown);
    if (of_a_device)
      read.kind = ClauseKind::device_type; // it and what follows are one device's
    leave_out_repeated(directive, read);
    directive.clauses.push_back(std::move(read));
  }
  reading.unit.directives.push_back(std::move(directive));
  return reading.unit.directives.size() - 1;
}

} // namespace gangway::port
