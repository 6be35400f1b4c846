// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "port/codes.hpp"
#include "port/model.hpp"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

/// Decisions that `decide` makes and `emit` writes: data, and no text of the new program.
namespace gangway::port {

/// Clause, and what becomes of it in a few words.
struct ClauseTold {
  Place place;
  std::string clause;
  std::string becomes;
};

/// Outcome of a directive, for the report and for the remark above one that is refused.
struct Verdict {
  Outcome outcome = Outcome::translated;
  std::string becomes; ///< in a few words
  std::string row;     ///< of the guide
  /// Reason of a refusal; else assumptions about the program, and notes.
  std::vector<Message> said;
  std::vector<ClauseTold> clauses; ///< of Fortran

  void refuse(const Message& why) {
    outcome = Outcome::refused;
    said = {why};
    if (!why.row.empty())
      row = why.row;
  }
};

/// Array of a data region.
struct Entry {
  ClauseKind clause = ClauseKind::present; ///< the member of Data that it takes
  Section section;
  std::string view;     ///< how the kernels call it
  bool used = false;    ///< a kernel names it
  bool written = false; ///< a kernel writes it, or may
  /// Name of a constant for where a section begins, if not at 0. The variables in that expression
  /// may have changed when a kernel takes the pointer.
  std::string low_name;
  bool low_used = false;
  bool zero = false; ///< set to zero, where it is made here
};

/// Way in which kernels reach a variable.
enum class Access {
  elements,     ///< `name(i, j)` for `a[i][j]`
  element_zero, ///< `name(0)` for `x`
  member,       ///< `name(0).gain` for `x.gain`
  renamed       ///< `name` for `x`
};
struct Binding {
  Access access = Access::renamed;
  std::string name;
  std::string within; ///< of a member; of elements, what their first subscript has too much
};

/// Queue of `async`, by its number; none if everything is on the default one.
using Queue = std::optional<std::string>;

/// Action of the host before a construct, or in place of a directive that stands alone.
struct Action {
  enum class Does {
    fence,         ///< the host waits for `queue`, or for everything
    wait,          ///< `queue` waits for the queue `value`
    transfer,      ///< what the clause says of the section
    default_queue, ///< which is `value` from now on
    device         ///< which is `value`
  };
  Does does = Does::fence;
  std::string value = {};
  Queue queue = {};
  ClauseKind clause = ClauseKind::unknown;
  Section section = {};
  bool finalize = false;
  bool if_present = false; ///< only where the device has it
  bool zero = false;       ///< set to zero what is made
};
struct Statement {
  std::string condition;
  std::vector<Action> actions;
};

/// Name that kernels need, declared before them or in their first lines.
struct Name {
  enum class Is {
    copy,         ///< what `of` is for the host, for kernels to capture
    own,          ///< the variable, by its own name and without a value
    started,      ///< the same, with the value of `of`
    address,      ///< where a pointer's array is on the device
    same_address, ///< the pointer by its own name, from `of`
    rows,         ///< a table by its own name, from the View `of`
    elements,     ///< a pointer to the elements of the View `of`, which begins at `low`
    element,      ///< the variable by its own name, which the View `of` has
    mirror,       ///< a copy of a structure, with the device's addresses in it (`member`)
    member,       ///< of the mirror `name` the pointer, from `of`, a View if there are extents
    mirrored,     ///< the structure, or the pointer to it, by its own name, from the mirror `of`
    snapshot,     ///< a View of an array as it is now
    filled        ///< the variable, element by element from the snapshot `of`
  };
  Is is = Is::copy;
  std::string name = {};
  std::string of = {};
  std::size_t variable = none;
  std::vector<std::string> extents = {};
  std::string low = {};
  bool read_only = false;
};

/// Device memory for an array of each iteration's own.
struct Slice {
  std::size_t variable = none;
  std::string name;     ///< of the View
  std::string elements; ///< how many an iteration has
};

struct Reducer {
  std::string operation; ///< OpenACC's
  std::string variable;
  std::string type;
  std::size_t id = none; ///< of the variable
  std::string view;      ///< what has it on the device; empty where the host's is meant
  std::string elements;  ///< of an array how many
};

enum class Policy {
  range,  ///< of one loop
  flat,   ///< several loops in one range
  tiles,  ///< several loops, Kokkos' MDRange
  one,    ///< one iteration
  value,  ///< one iteration, whose value the host gets
  gangs,  ///< teams that call a `routine gang`
  teams,  ///< a team takes an iteration, and its threads and lanes share out loops in it
  workers ///< a thread of a team takes an iteration, and its lanes share out loops in it
};

/// Loop that the threads or lanes of a team share out.
struct Share {
  Loop loop;
  Span pragma; ///< the lines of its directive
  /// Threads that share the loop out: all lanes of a gang, the threads of a team, or the lanes of a
  /// thread.
  enum class Level { lanes_of_team, threads, lanes_of_thread };
  Level level = Level::lanes_of_team;
  std::vector<Reducer> reducers; ///< all lanes get their results
  std::vector<std::size_t> own;  ///< variables that are declared in its body
};

/// Text that a team needs around statements, and one thread would not.
struct Mark {
  enum class What { barrier, single, single_of_thread, end_single, open, close, end_share };
  What what;
  unsigned at;
  std::size_t share = none; ///< of `end_share`, whose body has no braces: which
};

/// Array in the scratch of a team.
struct Scratch {
  std::size_t variable = none;
  std::string name;
  std::string type; ///< name of its View's type
  std::vector<std::string> extents;
  bool constant = false; ///< the extents are numbers
};

struct Kernel {
  std::string label;
  Policy policy = Policy::range;
  std::vector<Loop> loops;       ///< of the policy, outermost first
  std::vector<std::string> tile; ///< by loop
  std::vector<Reducer> reducers; ///< of a value what it is for the host
  std::vector<Name> before;      ///< on the host
  std::vector<Slice> slices;
  std::vector<Name> head; ///< in the kernel
  Span whole;             ///< what becomes the kernel
  Span body;
  bool braces = false;
  std::vector<std::size_t> set_first;   ///< scalars that the body sets before it reads them
  std::vector<std::size_t> read_behind; ///< of `kernels`: scalars that it sets for what comes later
  bool fence = false; ///< what it writes may be used by others than kernels and Gangway
  std::vector<std::size_t> indices; ///< of those the index of a loop that is part of the body
  std::string gangs;                ///< of `gangs`: how many
  std::string vector;               ///< and the lanes of each
  unsigned arguments = 0;           ///< of `gangs`: where those of the call begin
  std::vector<std::pair<ClauseKind, std::string>> shape; ///< of `teams` and `workers`
  std::vector<Share> shares;                             ///< likewise
  std::vector<Mark> marks;                               ///< likewise, in the order of the text
  std::vector<Scratch> scratch; ///< of `teams`: one gang for each iteration has it
  int scratch_level = 0;
  std::vector<std::pair<std::string, std::string>> filled; ///< of them, and from which View
  std::set<std::size_t> further_in;                        ///< what one of `shares` declares
  std::map<std::size_t, Binding> bindings; ///< by variable, before those of the construct
};

/// Compute construct as kernels.
struct Compute {
  std::vector<Entry> data;
  std::vector<Name> names; ///< before the kernels
  std::vector<Kernel> kernels;
  std::map<std::size_t, Binding> bindings; ///< by variable
  std::string condition;
  Queue queue;
  std::vector<Action> waits; ///< before it
  bool verified = false;     ///< `emit` writes its original beside it
  /// Variables that the original of a verified construct sets for itself.
  std::vector<std::size_t> own;
  std::vector<std::size_t> results; ///< scalars that the host sets between kernels
};

/// Message about a place that is no directive.
struct Remark {
  Place place;
  Message message;
};

struct Plan {
  std::vector<Verdict> verdicts; ///< one for each directive
  std::map<std::size_t, Compute> computes;
  std::map<std::size_t, std::vector<Entry>> regions;      ///< `data`
  std::map<std::size_t, std::string> conditions;          ///< of `data`: it may hold nothing
  std::map<std::size_t, std::vector<Action>> waits;       ///< before a region
  std::map<std::size_t, std::vector<Entry>> host_regions; ///< `host_data`
  std::map<std::size_t, Statement> statements;            ///< of directives that stand alone
  std::vector<bool> runtime;          ///< for each call of the runtime library: it goes
  std::vector<bool> device_functions; ///< one for each function: called by kernels
  std::vector<bool> gang_functions;   ///< likewise: `routine gang`, which takes the team's member
  std::vector<bool> device_outside;   ///< one for each function of other files: called by kernels
  /// Place of each `routine` in a header that the plan takes care of: the header, and the line.
  std::set<std::pair<std::string, unsigned>> header_routines;
  std::vector<bool> names;                ///< for each other name of openacc.h's: it goes
  std::vector<Entry> declared;            ///< globals that are on the device as long as `main` runs
  std::string declared_name = "declared"; ///< the Data of `declare`
  std::vector<Span> removed;   ///< lines of other directives on loops that become kernels
  std::vector<Remark> remarks; ///< about places that are no directive
  bool changes = false;        ///< something is translated
  bool guard = false;          ///< `main` begins Kokkos
  bool keeps_openacc_header = false;
  bool verify = false; ///< `emit` writes originals beside kernels, and names of arrays
  std::string data_name = "data";

  [[nodiscard]] Outcome outcome() const;
};

} // namespace gangway::port
