// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "port/decide/decisions.hpp"

#include <cstddef>
#include <string>
#include <vector>

/// What the clauses of directives say, and which of them nothing can be made of.
namespace gangway::port {

/// Refuses what no rule takes; notes what is left out, in the verdict on `told`.
void check_clauses(Decisions& all, std::size_t id, std::size_t told);

/// Whether it may lie in memory that nobody can write, so that nothing is copied back into it.
[[nodiscard]] bool is_read_only(const Variable& named);

/// The data clause by that name for the variable: what is read-only is copied in.
[[nodiscard]] ClauseKind clause_for(ClauseKind clause, const Variable& named);

/// Of one array there is one View.
void require_one_section_each(const Directive& directive);

/// Errors: Refusal of a section that says no length.
void require_lengths(const Section& section);

/// A pointer without a section.
[[nodiscard]] bool is_bare_pointer(const Decisions& all, const Section& section);

/// A name of the variable's for kernels: of a member the way to it, for two structures may have
/// one of that name.
[[nodiscard]] std::string plain_name(const Variable& named);

/// What becomes of a section of that data clause.
[[nodiscard]] Entry entry_of(const Decisions& all, const Clause& clause, const Section& section);

/// The directive's `async`; none where everything is on the default queue.
[[nodiscard]] Queue queue_of(const Decisions& all, const Directive& directive);

/// Waits for these queues, or for all; where the wait has a queue of its own it is that which
/// waits.
[[nodiscard]] std::vector<Action>
waits_for(const Decisions& all, const std::vector<std::string>& queues, const Queue& own);

/// Of the directive's clauses `wait`.
[[nodiscard]] std::vector<Action> waits_of(const Decisions& all, const Directive& directive);

} // namespace gangway::port
