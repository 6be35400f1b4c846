// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "port/decide/teams.hpp"

#include "base/contains.hpp"
#include "port/decide/around.hpp"
#include "port/decide/clauses.hpp"
#include "port/decide/decisions.hpp"
#include "port/decide/private.hpp"
#include "port/decide/reductions.hpp"
#include "port/source_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

// Outside of loops of workers and lanes OpenACC runs one lane; Kokkos runs all lanes of a team.
// Each lane executes the statements that set the gang's own variables, with the same result. One
// lane executes those that store into memory (`single`). OpenACC's lanes go on together after a
// loop, Kokkos' do not: a barrier is in between where lanes touch what others wrote, or write
// what others read. After the last loop one lane executes the rest, if it stores.
//
// Each lane has its own copy of what the gangs reduce, and all lanes of a gang add the same to it:
// the library reduces the copy of one lane per gang.
namespace gangway::port {
namespace {

using base::contains;

/// Reason why the kernel cannot be a team.
struct NoTeam {
  std::string why;
};

/// Bytes of level-0 scratch that every device has.
constexpr long near_bytes = 32L << 10U;
/// Bytes of level-1 scratch that every device has.
constexpr long far_bytes = 16L << 20U;

/// Place of what is touched.
enum class Where {
  own,     ///< a variable that each lane has for itself, and all with the same value
  result,  ///< what the gangs reduce: each lane's own copy, to which all add the same
  scratch, ///< an array that the lanes share
  memory   ///< the device's
};

/// Lanes that touch it: all of them, one, or some.
enum class Who { all, one, some };

struct Event {
  Touch touch;
  Who who;
};
using Events = std::vector<Event>; ///< since the last barrier

bool has_share(const Step& step) {
  return step.kind == Step::Kind::share ||
         std::any_of(step.steps.begin(), step.steps.end(), has_share);
}

std::string unfit_for(const Step& step) {
  if (!step.unfit.empty())
    return fmt::format("{} (line {})", step.unfit, step.place.line);
  for (const Step& inner : step.steps)
    if (std::string why = unfit_for(inner); !why.empty())
      return why;
  return "";
}

void collect_shares(const Step& step, std::vector<const Step*>& found) {
  if (step.kind == Step::Kind::share)
    found.push_back(&step);
  for (const Step& inner : step.steps)
    collect_shares(inner, found);
}

class Planner {
public:
  Planner(Around& around, Kernel& kernel, const Step& body, const Directive& own)
      : _around(around), _kernel(kernel), _body(body), _own(own),
        _of_workers(own.clause(ClauseKind::worker) != nullptr), _in_thread(_of_workers) {}

  void plan() {
    if (const std::string why = unfit_for(_body); !why.empty())
      throw NoTeam{why};
    find_results();
    find_private_arrays();
    // Repeats until no barrier is added, because a barrier changes which steps need another one.
    for (std::size_t before = 1; before != _barriers.size();) {
      before = _barriers.size();
      Events events;
      visit(_body, events, true);
    }
    choose_clauses();
    add_scratch();
    mark(_body, false, _of_workers);
    _kernel.policy = _of_workers ? Policy::workers : Policy::teams;
  }

private:
  Around& _around;
  Kernel& _kernel;
  const Step& _body;
  const Directive& _own;
  bool _of_workers;
  bool _in_thread;                  ///< one thread executes this part: its team cannot wait
  std::set<std::size_t> _private;   ///< arrays, by variable
  std::set<std::size_t> _scratched; ///< those of them that the lanes share
  std::map<std::size_t, std::string> _results; ///< of the gangs, by variable, with the operation
  std::set<const Step*> _barriers;             ///< steps before which one stands
  std::set<const Step*> _singles;              ///< steps of one lane
  std::vector<Touch> _changed_by_others;
  std::map<const Step*, std::size_t> _shares; ///< and where they are in the kernel
  bool _threads = false;                      ///< a loop is shared out among threads

  [[noreturn]] static void fail(const Step& step, const std::string& why) {
    throw NoTeam{fmt::format("{} (line {})", why, step.place.line)};
  }

  // --- what is touched ---

  /// Returns the private array that is touched; none for other touches.
  [[nodiscard]] std::size_t private_array(const Touch& touch) const {
    const std::size_t id = touch.object.empty() ? touch.pointer : touch.variable;
    return id != none && _private.contains(id) ? id : none;
  }
  [[nodiscard]] Where where(const Touch& touch) const {
    if (is_result(touch.variable))
      return Where::result;
    if (const std::size_t array = private_array(touch); array != none)
      return _scratched.contains(array) ? Where::scratch : Where::own;
    if (touch.object.empty())
      return Where::memory;
    if (touch.local)
      return Where::own;
    if (touch.element)
      return touch.variable != none && _around.all.variable(touch.variable).shape == Shape::other
                 ? Where::own
                 : Where::memory;
    const bool held = touch.variable != none &&
                      _around.all.variable(touch.variable).shape == Shape::scalar &&
                      (is_named(_around, touch.variable) ||
                       _around.all.region_of(_around.id, touch.variable).first != none ||
                       _around.all.is_declared(touch.variable));
    return held ? Where::memory : Where::own;
  }
  [[nodiscard]] bool is_result(std::size_t id) const { return id != none && _results.contains(id); }
  /// Returns whether a touch writes such a place; scratch counts as memory.
  [[nodiscard]] bool writes(const std::vector<Touch>& touches, Where what) const {
    return std::any_of(touches.begin(), touches.end(), [&](const Touch& touch) {
      const Where place = where(touch);
      return touch.writes && (place == Where::scratch ? Where::memory : place) == what;
    });
  }
  [[nodiscard]] bool conflict(const Touch& one, const Touch& other) const {
    if (!one.writes && !other.writes)
      return false;
    const Where place = where(one);
    if (place == Where::own || place == Where::result || place != where(other))
      return false;
    if (place == Where::scratch)
      return private_array(one) == private_array(other);
    if (!one.object.empty() && !other.object.empty())
      return one.object == other.object;
    return one.type.empty() || other.type.empty() || one.type == other.type;
  }

  /// Finds the variables that the loop over gangs reduces.
  void find_results() {
    for (const Directive* directive : {_around.directive, &_own})
      for (const Clause& clause : directive->clauses)
        if (clause.kind == ClauseKind::reduction)
          for (const Section& section : clause.sections) {
            const bool scalar = section.variable != none &&
                                _around.all.variable(section.variable).shape == Shape::scalar &&
                                !_around.all.variable(section.variable).member &&
                                !_around.all.variable(section.variable).reference &&
                                !_around.all.variable(section.variable).element_volatile;
            if (!scalar)
              throw NoTeam{fmt::format("its gangs join '{}', which is no number by its own name",
                                       section.text)};
            _results[section.variable] = clause.operation;
          }
  }

  /// Puts arrays of the gang's own that lanes write together into scratch.
  void find_private_arrays() {
    for (const Directive* directive : {_around.directive, &_own})
      for (const Clause& clause : directive->clauses)
        if (clause.kind == ClauseKind::private_ || clause.kind == ClauseKind::firstprivate)
          for (const Section& section : clause.sections)
            if (section.variable != none &&
                _around.all.variable(section.variable).shape != Shape::scalar)
              _private.insert(section.variable);
    std::vector<const Step*> shares;
    collect_shares(_body, shares);
    for (const Step* share : shares)
      for (const Touch& touch : share->touches)
        if (const std::size_t array = private_array(touch); array != none && touch.writes)
          _scratched.insert(array);
    if (_of_workers && !_scratched.empty())
      throw NoTeam{fmt::format("the lanes of a worker share '{}'",
                               _around.all.variable(*_scratched.begin()).path)};
    for (const std::size_t array : _private)
      for (const std::string& extent : extents_of(array))
        if (!_scratched.contains(array) && !is_number(extent))
          throw NoTeam{fmt::format("'{}' is of variable length, and no lanes share it",
                                   _around.all.variable(array).path)};
    require_no_addresses(_body);
    collect_atomics(_body);
    // In the body the array's name is that of a View.
    for (const Use& use : _around.directive->uses)
      if (_scratched.contains(use.variable) && _kernel.body.holds(use.name) &&
          (use.macro || use.subscripts.size() != extents_of(use.variable).size()))
        throw NoTeam{
            fmt::format("'{}' is used as a whole", _around.all.variable(use.variable).path)};
  }

  /// Collects the writes to memory of statements with atomics.
  void collect_atomics(const Step& step) {
    if (!step.atomic)
      return;
    if (step.steps.empty() || step.kind == Step::Kind::share)
      for (const Touch& touch : step.touches)
        if (touch.writes && where(touch) == Where::memory)
          _changed_by_others.push_back(touch);
    for (const Step& inner : step.steps)
      collect_atomics(inner);
  }

  /// Requires that only its name leads to what lanes have for themselves, or share.
  void require_no_addresses(const Step& step) const {
    const bool as_one = step.kind == Step::Kind::plain ||
                        (step.kind == Step::Kind::share && !has_share(step.steps.front()));
    for (const auto* touches : {&step.begins, as_one ? &step.touches : nullptr})
      if (touches != nullptr)
        for (const Touch& touch : *touches)
          if ((touch.escapes && where(touch) != Where::memory) ||
              (!touch.element && touch.variable != none && _private.contains(touch.variable)))
            fail(step, "something gets the address of what is the gang's own");
    if (!as_one)
      for (const Step& inner : step.steps)
        require_no_addresses(inner);
  }

  // --- barriers ---

  /// Sets a barrier before the step if its touches conflict with those since the last barrier.
  void await(const Step& step, const Events& now, Events& events) {
    // Lanes that read at different times would disagree about what other gangs change meanwhile.
    for (const Event& event : now)
      for (const Touch& changed : _changed_by_others)
        if (event.who == Who::all && event.touch.reads && conflict(event.touch, changed))
          fail(step, "all lanes would read what atomics of other gangs may change");
    for (const Event& event : now)
      if (event.who == Who::all && where(event.touch) == Where::result)
        fail(step, "all lanes would use what the gangs join");
    const bool waits = std::any_of(now.begin(), now.end(), [&](const Event& later) {
      return std::any_of(events.begin(), events.end(), [&](const Event& before) {
        return !(before.who == Who::one && later.who == Who::one) &&
               conflict(before.touch, later.touch);
      });
    });
    if (waits || _barriers.contains(&step)) {
      if (_in_thread)
        fail(step, "the lanes of a worker would have to wait for one another");
      _barriers.insert(&step);
      events.clear();
    }
  }
  void happens(const Step& step, const Events& now, Events& events) {
    await(step, now, events);
    events.insert(events.end(), now.begin(), now.end());
  }
  static Events by(Who who, const std::vector<Touch>& touches) {
    Events events;
    for (const Touch& touch : touches)
      events.push_back({touch, who});
    return events;
  }

  /// Returns where the statements begin that one lane executes alone: after the last shared loop of
  /// the iteration, if one of them stores. No other lane needs what they set.
  [[nodiscard]] std::vector<Step>::const_iterator rest_of(const Step& iteration) const {
    const auto end = iteration.steps.end();
    const auto rest =
        std::find_if(iteration.steps.rbegin(), iteration.steps.rend(), has_share).base();
    const bool stores_any = std::any_of(rest, end, [&](const Step& one) { return stores(one); });
    return stores_any ? rest : end;
  }
  void visit_rest(std::vector<Step>::const_iterator first, std::vector<Step>::const_iterator end,
                  Events& events) {
    Events now;
    for (auto one = first; one != end; ++one) {
      require_joined(*one);
      do_alone(*one);
      const Events more = by(Who::one, one->touches);
      now.insert(now.end(), more.begin(), more.end());
    }
    if (first != end)
      happens(*first, now, events);
  }

  [[nodiscard]] bool stores(const Step& step) const {
    return step.atomic || writes(step.touches, Where::memory);
  }
  /// Has one lane execute a step that stores. That lane's copy of a result is the one that counts.
  /// In a loop over threads, however, all copies have to be the same.
  void do_alone(const Step& step) {
    if (_in_thread && !_of_workers && writes(step.touches, Where::result))
      fail(step, "one statement stores, and adds to what the gangs reduce");
    _singles.insert(&step);
  }
  /// Returns the step's touches as those of one lane or of all. A touch of a result counts as one
  /// lane's, because each lane has a copy of its own.
  [[nodiscard]] Events by_whom(const Step& step) const {
    Events events = by(stores(step) ? Who::one : Who::all, step.touches);
    for (Event& event : events)
      if (where(event.touch) == Where::result)
        event.who = Who::one;
    return events;
  }

  /// Visits a step. `iteration`: it is the body of a loop over gangs or workers.
  void visit(const Step& step, Events& events, bool iteration = false) {
    if (!has_share(step)) {
      const bool sets = step.declares || step.jumps || writes(step.touches, Where::own);
      if (!stores(step) || !sets) {
        require_joined(step);
        if (stores(step))
          do_alone(step);
        happens(step, by_whom(step), events);
        return;
      }
      if (step.kind == Step::Kind::plain)
        fail(step, "a statement sets variables of the gang's, and memory");
    }
    if (step.kind == Step::Kind::share) {
      visit_share(step, events);
    } else if (step.kind == Step::Kind::block) {
      const auto rest = iteration ? rest_of(step) : step.steps.end();
      for (auto inner = step.steps.begin(); inner != rest; ++inner)
        visit(*inner, events);
      visit_rest(rest, step.steps.end(), events);
    } else if (step.kind == Step::Kind::choice) {
      happens(step, by(Who::all, step.begins), events);
      Events after = events; // if no branch runs
      for (const Step& inner : step.steps) {
        Events way = events;
        visit(inner, way);
        after.insert(after.end(), way.begin(), way.end());
      }
      events = std::move(after);
    } else {
      visit_repeat(step, events);
    }
  }

  /// Requires that a step only adds to what the gangs reduce, because a lane has a partial result:
  /// neither setting it nor reading it for another purpose makes sense.
  void require_joined(const Step& step) const {
    for (const auto& [id, operation] : _results) {
      bool reads = false;
      bool changes = false;
      for (const Touch& touch : step.touches)
        if (touch.variable == id) {
          reads = reads || touch.reads;
          changes = changes || touch.writes;
        }
      if (reads != changes)
        fail(step, "something other is done with what the gangs join than to add to it");
    }
  }

  /// Visits a sequential loop twice, because its first statements also follow its last ones.
  void visit_repeat(const Step& step, Events& events) {
    for (const Touch& touch : step.begins)
      if (where(touch) != Where::own)
        fail(step, "the end of a loop around those that a team would share out is in memory");
    for (int round = 0; round < 2; ++round) {
      Events once = events;
      visit(step.steps.front(), once);
      events.insert(events.end(), once.begin(), once.end());
    }
  }

  void visit_share(const Step& step, Events& events) {
    const Directive& directive = _around.all.unit.directives[step.loop->directive];
    if (!step.loop->problem.empty())
      fail(step, step.loop->problem);
    for (const ClauseKind other : {ClauseKind::gang, ClauseKind::seq, ClauseKind::auto_,
                                   ClauseKind::collapse, ClauseKind::tile, ClauseKind::device_type})
      if (directive.clause(other) != nullptr)
        fail(step, fmt::format("'{}' on a loop that a team would share out", other));
    if (step.loop->macro_continues)
      fail(step, "a macro has a 'continue' in it");
    const bool nested = has_share(step.steps.front());
    if ((_in_thread && (nested || directive.clause(ClauseKind::worker) != nullptr)) ||
        (nested && (directive.clause(ClauseKind::vector) != nullptr || reduces_own(directive))))
      fail(step, "its levels have no counterpart");
    const Events heads = by(Who::all, step.begins);
    const Events parts = by(Who::some, step.touches);
    for (const Event& head : heads)
      for (const Event& part : parts)
        if (head.touch.reads && part.touch.writes && conflict(head.touch, part.touch))
          fail(step, "its bounds may be changed in it");
    Share share;
    share.loop = *step.loop;
    share.pragma = directive.pragma;
    share.level = nested       ? Share::Level::threads
                  : _in_thread ? Share::Level::lanes_of_thread
                               : Share::Level::lanes_of_team;
    _threads = _threads || nested;
    add_own(step, directive, share, nested);
    add_reducers(step, directive, share);
    if (!_shares.contains(&step)) {
      _shares[&step] = _kernel.shares.size();
      _kernel.shares.push_back(std::move(share));
    }
    Events all = heads;
    all.insert(all.end(), parts.begin(), parts.end());
    await(step, all, events);
    // A lane gets the result of a reduction only after all lanes have read what it is made of.
    // Reads for another purpose may still be outstanding.
    if (_kernel.shares[_shares.at(&step)].reducers.empty() || writes(step.touches, Where::memory))
      events.insert(events.end(), all.begin(), all.end());
    if (nested) {
      _in_thread = true;
      Events within;
      visit(step.steps.front(), within, true);
      _in_thread = false;
    }
  }

  /// Returns whether the loop reduces a variable that is no result of the gangs.
  [[nodiscard]] bool reduces_own(const Directive& directive) const {
    return std::any_of(
        directive.clauses.begin(), directive.clauses.end(), [&](const Clause& clause) {
          return clause.kind == ClauseKind::reduction &&
                 std::any_of(clause.sections.begin(), clause.sections.end(),
                             [&](const Section& section) { return !is_result(section.variable); });
        });
  }

  /// Returns whether all uses of the variable in the kernel are in the span.
  [[nodiscard]] bool only_in(Span span, std::size_t id) const {
    return std::all_of(
        _around.directive->uses.begin(), _around.directive->uses.end(), [&](const Use& use) {
          return use.variable != id || !_kernel.body.holds(use.name) || span.holds(use.name);
        });
  }

  /// Adds the variables that each lane has for itself.
  void add_own(const Step& step, const Directive& directive, Share& share, bool nested) {
    std::set<std::size_t> own;
    const auto declare = [&](std::size_t id) {
      if (own.insert(id).second) {
        share.own.push_back(id);
        _kernel.further_in.insert(id);
      }
    };
    for (const Clause& clause : directive.clauses)
      if (clause.kind == ClauseKind::private_)
        for (const Section& section : clause.sections) {
          const Variable& named = _around.all.variable(section.variable);
          const bool plain = named.shape == Shape::scalar ||
                             (named.shape == Shape::array && !nested &&
                              std::all_of(named.extents.begin(), named.extents.end(), is_number));
          if (!plain || named.member || !only_in(step.span, section.variable))
            fail(step, fmt::format("'{}' is private to it", named.path));
          declare(section.variable);
        }
    for (const Touch& touch : step.touches) {
      if (is_result(touch.variable) && !names(&directive, ClauseKind::reduction, touch.variable))
        fail(step, "its lanes use what the gangs join");
      if (!touch.writes || where(touch) != Where::own || own.contains(touch.variable) ||
          names(&directive, ClauseKind::reduction, touch.variable))
        continue;
      const std::size_t id = touch.variable;
      if (id != none && id == step.loop->variable) {
        if (!only_counts(id))
          fail(step, fmt::format("its index '{}' is used elsewhere", step.loop->index));
        _kernel.further_in.insert(id);
        continue;
      }
      if (id != none && !touch.element && !touch.local && contains(step.loop->set_first, id) &&
          only_in(step.span, id)) {
        declare(id);
        continue;
      }
      fail(step, "its lanes write what the gang has once");
    }
  }
  /// Returns whether the variable is only the index of loops that are shared out.
  [[nodiscard]] bool only_counts(std::size_t id) const {
    std::vector<const Step*> shares;
    collect_shares(_body, shares);
    return std::all_of(_around.directive->uses.begin(), _around.directive->uses.end(),
                       [&](const Use& use) {
                         return use.variable != id || !_kernel.body.holds(use.name) ||
                                std::any_of(shares.begin(), shares.end(), [&](const Step* share) {
                                  return share->loop->variable == id && share->span.holds(use.name);
                                });
                       });
  }

  void add_reducers(const Step& step, const Directive& directive, Share& share) {
    for (const Clause& clause : directive.clauses) {
      if (clause.kind != ClauseKind::reduction)
        continue;
      for (const Section& section : clause.sections) {
        const auto touch =
            std::find_if(step.touches.begin(), step.touches.end(), [&](const Touch& one) {
              return section.variable != none && one.variable == section.variable;
            });
        if (touch == step.touches.end())
          continue; // the loop does not add to it
        const bool is_of_all = is_result(section.variable);
        if (is_of_all && _results.at(section.variable) != clause.operation)
          fail(step, fmt::format("'{}' is another reduction around it", section.text));
        const Variable& reduced = _around.all.variable(section.variable);
        if (reduced.shape != Shape::scalar || reduced.member || reduced.reference ||
            (where(*touch) != Where::own && !is_of_all) || operator_of(clause.operation) == nullptr)
          fail(step, fmt::format("'{}' is no number of the gang's own", section.text));
        share.reducers.push_back(
            {clause.operation, reduced.name, reduced.element, section.variable, "", ""});
      }
    }
  }

  // --- the shape, and scratch ---

  void choose_clauses() {
    const auto number = [&](ClauseKind kind) {
      const Clause* const clause = _around.directive->clause(kind);
      return clause == nullptr ? 0 : clause->number;
    };
    long workers = number(ClauseKind::num_workers);
    long vector = number(ClauseKind::vector_length);
    const bool fits = vector > 0 && (vector <= 32 ? (vector & (vector - 1)) == 0
                                                  : vector <= 1024 && vector % 32 == 0);
    if (!fits || (_of_workers && vector > 32))
      vector = 0;
    if ((!_threads && !_of_workers) || vector > 32 || workers < 0 ||
        workers * std::max(1L, vector) > 1024)
      workers = 0;
    for (const auto& [kind, given] : {std::pair{ClauseKind::num_workers, workers},
                                      std::pair{ClauseKind::vector_length, vector}})
      if (given > 0) {
        _kernel.shape.emplace_back(kind, _around.directive->clause(kind)->argument);
        _around.shapes.insert(kind);
      }
  }

  [[nodiscard]] std::vector<std::string> extents_of(std::size_t id) const {
    const Variable& named = _around.all.variable(id);
    if (named.shape != Shape::pointer)
      return named.extents;
    for (const Directive* directive : {_around.directive, &_own})
      for (const Clause& clause : directive->clauses)
        if (clause.kind == ClauseKind::private_ || clause.kind == ClauseKind::firstprivate)
          for (const Section& section : clause.sections)
            if (section.variable == id && section.low.empty() && !section.problem)
              return section.extents;
    return {};
  }

  void add_scratch() {
    long bytes = 0;
    bool known = true;
    for (const std::size_t id : _scratched) {
      const Variable& named = _around.all.variable(id);
      const std::vector<std::string> extents = extents_of(id);
      const bool constant = std::all_of(extents.begin(), extents.end(), is_number);
      if (extents.empty() || contains(extents, std::string()) ||
          (!constant && extents.size() > 1) || named.member || named.holds_pointers)
        throw NoTeam{fmt::format("'{}' is of variable length", named.path)};
      Scratch scratch;
      scratch.variable = id;
      scratch.name = named.name;
      std::string type = named.name + "Scratch";
      type.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(type.front())));
      scratch.type = _around.all.unit.fresh(type);
      scratch.extents = extents;
      scratch.constant = constant;
      long size = named.element_bytes;
      for (const std::string& extent : extents)
        if (constant) // No extent has more digits, but a product may.
          size =
              extent.size() > 9 ? far_bytes + 1 : std::min(far_bytes + 1, size * std::stol(extent));
      known = known && constant && named.element_bytes > 0;
      bytes += size;
      if (bytes > far_bytes)
        throw Refusal(say<Code::scratch_too_large>(named.path));
      _kernel.scratch.push_back(scratch);
      _kernel.bindings[id] = {Access::elements, named.name, ""};
    }
    if (_kernel.scratch.empty())
      return;
    _kernel.scratch_level = known && bytes <= near_bytes ? 0 : 1;
    tell(*_around.verdict,
         say<Code::scratch>(
             fmt::join(names_of_scratch(), " and "), _kernel.scratch_level,
             known ? std::string()
                   : fmt::format(", whose {} MiB a length that is known when it runs may "
                                 "exceed",
                                 far_bytes >> 20U)));
  }
  [[nodiscard]] std::vector<std::string> names_of_scratch() const {
    std::vector<std::string> found;
    for (const Scratch& scratch : _kernel.scratch)
      found.push_back("'" + scratch.name + "'");
    return found;
  }

  // --- marks ---

  void put(Mark::What what, unsigned at) { _kernel.marks.push_back({what, at}); }

  /// Marks a step. `alone`: it is the one statement after an `if`, `else` or `for` without braces.
  void mark(const Step& step, bool alone, bool thread) {
    const bool braces = alone && _barriers.contains(&step);
    if (braces)
      put(Mark::What::open, step.span.begin);
    if (_barriers.contains(&step))
      put(Mark::What::barrier, step.span.begin);
    if (_singles.contains(&step)) {
      put(thread ? Mark::What::single_of_thread : Mark::What::single, step.span.begin);
      put(Mark::What::end_single, step.span.end);
    } else if (step.kind == Step::Kind::block) {
      mark_block(step, thread);
    } else {
      const bool nested =
          step.kind == Step::Kind::share && !thread && has_share(step.steps.front());
      if (step.kind != Step::Kind::share || nested)
        for (const Step& inner : step.steps)
          mark(inner, step.kind != Step::Kind::share, thread || nested);
      if (step.kind == Step::Kind::share && !step.loop->braces)
        _kernel.marks.push_back({Mark::What::end_share, step.loop->body.end, _shares.at(&step)});
    }
    if (braces)
      put(Mark::What::close, step.span.end);
  }
  /// Marks a block, with one `single` around consecutive steps of one lane.
  void mark_block(const Step& step, bool thread) {
    for (auto one = step.steps.begin(); one != step.steps.end(); ++one) {
      if (!_singles.contains(&*one)) {
        mark(*one, false, thread);
        continue;
      }
      auto last = one;
      while (last + 1 != step.steps.end() && _singles.contains(&*(last + 1)) &&
             !_barriers.contains(&*(last + 1)))
        ++last;
      if (_barriers.contains(&*one))
        put(Mark::What::barrier, one->span.begin);
      put(thread ? Mark::What::single_of_thread : Mark::What::single, one->span.begin);
      put(Mark::What::end_single, last->span.end);
      one = last;
    }
  }
};

std::string told(const Share& share) {
  switch (share.level) {
  case Share::Level::threads:
    return "`gangway::loop_worker`: the threads of a team share it out";
  case Share::Level::lanes_of_thread:
    return "`gangway::loop_vector`: the lanes of a thread share it out";
  case Share::Level::lanes_of_team:
    break;
  }
  return "`gangway::loop_vector`: all lanes of a team share it out";
}

} // namespace

bool wants_team(const Around& around, const Piece& piece, const Directive& own,
                const std::set<std::size_t>& nest) {
  if (!piece.step || around.is_kernels)
    return false;
  std::vector<const Step*> shares;
  collect_shares(*piece.step, shares);
  if (std::any_of(shares.begin(), shares.end(),
                  [&](const Step* share) { return !nest.contains(share->loop->directive); }))
    return true;
  for (const Directive* directive : {around.directive, &own})
    for (const Clause& clause : directive->clauses)
      if (clause.kind == ClauseKind::private_ || clause.kind == ClauseKind::firstprivate)
        for (const Section& section : clause.sections)
          if (section.variable != none &&
              around.all.variable(section.variable).shape != Shape::scalar)
            return true;
  return false;
}

bool make_team(Around& around, Kernel& kernel, const Piece& piece, const Directive& own,
               std::size_t collapsed) {
  const auto no_team = [&](const std::string& why) {
    tell(*around.verdict, say<Code::no_team>(piece.loops.front().place.line, why));
    return false;
  };
  for (const ClauseKind clause :
       {ClauseKind::vector, ClauseKind::seq, ClauseKind::auto_, ClauseKind::tile})
    if (own.clause(clause) != nullptr)
      return no_team(fmt::format("'{}' on the loop around them", clause));
  Kernel team = kernel;
  team.loops.assign(piece.loops.begin(),
                    piece.loops.begin() + static_cast<std::ptrdiff_t>(collapsed));
  const Loop& loop = team.loops.back();
  team.body = loop.body;
  team.braces = loop.braces;
  team.set_first = loop.set_first;
  const std::set<ClauseKind> shapes = around.shapes;
  try {
    if (loop.macro_continues)
      throw NoTeam{"a macro has a 'continue' of it"};
    Planner(around, team, *piece.step, own).plan();
    add_reducers(around, team, &own);
  } catch (const NoTeam& reason) {
    around.shapes = shapes;
    return no_team(reason.why);
  }
  kernel = std::move(team);
  for (const Share& share : kernel.shares) {
    around.absorbed.insert(share.loop.directive);
    around.all.plan.verdicts[share.loop.directive].becomes = told(share);
  }
  return true;
}

} // namespace gangway::port
