// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "port/fortran/translation/writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>

namespace gangway::port::fortran::translation {

void Writer::plan_launches() {
  if (_is_combined) {
    if (_construct.body.size() == 1 && _construct.body[0].act == Act::other)
      refuse(Code::no_for_loop, _directive.first_line, _construct.body[0].name,
             "a do loop with bounds");
    if (_construct.body.size() != 1 || _construct.body[0].act != Act::loop)
      refuse(Code::no_for_loop, _directive.first_line, "a loop that is no counted do loop",
             "a do loop with bounds");
    if (_is_serial)
      plan_serial(_construct.body, _directive.first_line, &_directive);
    else
      plan_loop(_construct.body[0], _directive, _directive.first_line);
    return;
  }
  if (_is_serial) {
    plan_serial(_construct.body, _directive.first_line);
    return;
  }
  const bool has_loops =
      std::any_of(_construct.body.begin(), _construct.body.end(), [](const Statement& one) {
        return one.act == Act::directive && one.directive.name == "loop";
      });
  if (!has_loops && !_is_kernels) {
    _kernel.notes.push_back(say<Code::one_gang>());
    plan_serial(_construct.body, _directive.first_line);
    return;
  }
  plan(_construct.body);
}

void Writer::plan(const Statements& body) {
  for (auto next = body.begin(); next != body.end();) {
    const Statement& one = *next++;
    if (one.act == Act::nothing)
      continue;
    Statements together{one};
    while (sets_made(one) && next != body.end() && next->first_line == one.first_line)
      together.push_back(*next++);
    if (together.size() > 1 && _is_kernels) {
      plan_serial(together, one.first_line);
      continue;
    }
    if (one.act == Act::directive && one.directive.name == "loop") {
      check_clauses(one.directive);
      if (one.body.size() != 1 || one.body[0].act != Act::loop)
        refuse(Code::no_for_loop, one.first_line, "a loop that is no counted do loop",
               "a do loop with bounds");
      plan_loop(one.body[0], one.directive, one.first_line);
    } else if (one.act == Act::loop && _is_kernels) {
      static const Directive none;
      plan_loop(one, none, one.first_line);
    } else if (_is_kernels && loop_in(one) > 0) {
      plan_branch(one);
    } else if (_is_kernels) {
      plan_serial({one}, one.first_line);
    } else {
      refuse(Code::written_beside, one.first_line, "a statement beside the loops of 'parallel'",
             "a construct of its own for each loop, and the statement between them");
    }
  }
}

bool Writer::sets_made(const Statement& one) const {
  return one.act == Act::assign && one.operands[0].entity >= 0 &&
         entity(one.operands[0].entity).is_made;
}

int Writer::loop_in(const Statement& branch) {
  int found = 0;
  if (branch.act == Act::branch)
    walk({branch}, [&](const Statement& one) {
      if (one.act == Act::loop && found == 0)
        found = one.first_line;
    });
  return found;
}

void Writer::plan_branch(const Statement& one) {
  if (!_one_thread.empty() || !is_of_host(one)) {
    _kernel.notes.push_back(say<Code::one_thread>(
        loop_in(one),
        _one_thread.empty() ? "the device decides about the branch that it is in" : _one_thread));
    plan_serial({one}, one.first_line);
    return;
  }
  _takes_branches = true;
  for (std::size_t part = 0; part < one.parts.size(); ++part) {
    _taken.push_back({&one, part});
    plan(one.parts[part].body);
    _taken.pop_back();
  }
}

bool Writer::is_of_host(const Statement& branch) const {
  const std::set<int> set = written_in(_construct.body);
  bool fits = true;
  for (const Statement::Part& part : branch.parts)
    walk(part.condition, [&](const Expr& one) {
      if (one.op == Op::lower || one.op == Op::extent)
        return;
      fits = fits && one.op != Op::call && one.op != Op::other;
      if (one.entity >= 0)
        fits = fits && entity_rank(one.entity) == 0 && one.op == Op::variable &&
               !set.contains(one.entity) && !_data.contains(one.entity) &&
               !_around.on_device.contains(one.entity);
    });
  return fits;
}

void Writer::plan_serial(const Statements& body, int line, const Directive* said) {
  Launch launch;
  launch.held = body;
  launch.line = line;
  if (said != nullptr)
    launch.said.push_back(said);
  launch.taken = _taken;
  _launches.push_back(std::move(launch));
}

void Writer::plan_loop(const Statement& loop, const Directive& said, int line) {
  const bool is_seq = find_clause(said, "seq") != nullptr;
  const bool promises = find_clause(said, "independent") != nullptr || loop.together > 0 ||
                        (!_is_kernels && find_clause(said, "auto") == nullptr);
  if (is_seq) {
    plan_serial({loop}, line, &said);
    return;
  }
  Launch launch;
  launch.line = line;
  launch.said.push_back(&said);
  launch.levels.push_back({&loop, loop.first_line});
  std::size_t wanted = std::max<std::size_t>(loop.together, 1);
  if (loop.together > 0)
    launch.said.push_back(&loop.directive);
  if (const Clause* const collapse = find_clause(said, "collapse")) {
    if (collapse->values.size() != 1 || collapse->values[0].op != Op::literal)
      refuse(Code::collapse_unknown, line, fmt::format("'{}'", collapse->text),
             "a number of loops");
    wanted = std::max<std::size_t>(wanted, std::stoul(collapse->values[0].text));
  }
  if (const Clause* const tile = find_clause(said, "tile"))
    wanted = std::max<std::size_t>(wanted, tile_rank(*tile));
  while (launch.levels.size() < wanted) {
    const Statement* const inner = only_loop(launch.levels.back().loop->body);
    if (inner == nullptr)
      refuse(Code::too_few_loops, line,
             fmt::format("{} loops are named, and fewer are nested tightly", wanted),
             "statements between the loops go into the innermost one");
    launch.levels.push_back({inner, inner->first_line});
    require_rectangle(launch, line);
  }
  fold(launch, promises);
  launch.body = &launch.levels.back().loop->body;
  if (!promises) {
    Launch wider = launch;
    while (wider.levels.size() < 3 && add_inner(wider))
      ;
    if (is_independent(wider))
      launch = std::move(wider);
  }
  if (launch.levels.size() > 6)
    refuse(Code::too_many_loops, line, "more than six loops that are shared out together",
           "seq for the innermost ones");
  if (!promises && !is_independent(launch)) {
    _kernel.notes.push_back(say<Code::one_thread>(
        loop.first_line, "its iterations are not seen to be independent of each other"));
    plan_serial({loop}, line, &said);
    return;
  }
  launch.taken = _taken;
  _launches.push_back(std::move(launch));
}

std::size_t Writer::tile_rank(const Clause& tile) {
  return static_cast<std::size_t>(std::count(tile.text.begin(), tile.text.end(), ',')) + 1;
}

const Statement* Writer::only_loop(const Statements& body) {
  const Statement* found = nullptr;
  for (const Statement& one : body) {
    if (one.act == Act::nothing)
      continue;
    if (found != nullptr)
      return nullptr;
    found = &one;
  }
  if (found == nullptr)
    return nullptr;
  if (found->act == Act::directive && found->directive.name == "loop" && found->body.size() == 1)
    found = &found->body[0];
  return found->act == Act::loop ? found : nullptr;
}

bool Writer::is_rectangle(const Launch& launch) const {
  const Statement& last = *launch.levels.back().loop;
  std::set<int> set = written_in(launch.levels.front().loop->body);
  for (const Level& level : launch.levels)
    set.insert(level.loop->variable);
  bool fits = true;
  for (const Expr& bound : last.operands)
    walk(bound, [&](const Expr& one) {
      if (one.op != Op::lower && one.op != Op::extent) // which no kernel changes
        fits = fits && !set.contains(one.entity);
    });
  return fits;
}

void Writer::require_rectangle(const Launch& launch, int line) const {
  if (!is_rectangle(launch))
    refuse(Code::bounds_inside, line, "the bounds of a collapsed loop depend on the loops around",
           "collapse fewer loops");
}

bool Writer::add_inner(Launch& launch) const {
  const Statements& body = launch.levels.back().loop->body;
  const Statement* const inner = only_loop(body);
  if (inner == nullptr || std::any_of(body.begin(), body.end(), [](const Statement& one) {
        return one.act == Act::directive;
      }))
    return false;
  Launch tried = launch;
  tried.levels.push_back({inner, inner->first_line});
  if (!is_rectangle(tried))
    return false;
  tried.body = &inner->body;
  launch = std::move(tried);
  return true;
}

void Writer::fold(Launch& launch, bool promises) const {
  while (launch.levels.size() < 3) {
    const Statements& body = launch.levels.back().loop->body;
    const Statement* const inner = only_loop(body);
    if (inner == nullptr)
      return;
    const auto found = std::find_if(body.begin(), body.end(),
                                    [](const Statement& one) { return one.act == Act::directive; });
    if (found == body.end())
      return;
    const Directive& said = found->directive;
    check_clauses(said);
    if (find_clause(said, "seq") != nullptr || find_clause(said, "collapse") != nullptr ||
        find_clause(said, "tile") != nullptr)
      return;
    const bool inner_promises = find_clause(said, "independent") != nullptr ||
                                (!_is_kernels && find_clause(said, "auto") == nullptr);
    if (promises && !inner_promises)
      return;
    Launch tried = launch;
    tried.levels.push_back({inner, inner->first_line});
    if (!is_rectangle(tried))
      return;
    tried.said.push_back(&said);
    launch = std::move(tried);
  }
}

} // namespace gangway::port::fortran::translation
