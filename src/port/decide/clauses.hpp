// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "port/decide/decisions.hpp"

#include <cstddef>
#include <string>
#include <vector>

/// Meaning of the clauses of directives, and refusal of those that no rule takes.
namespace gangway::port {

/// Refuses clauses that no rule takes; notes in the verdict on `told` what is left out.
void check_clauses(Decisions& all, std::size_t id, std::size_t told);

/// Returns whether the variable may be in read-only memory, so that no clause may copy back.
[[nodiscard]] bool is_read_only(const Variable& named);

/// Returns the data clause to use for the variable: `copyin` for a copy of a read-only one.
[[nodiscard]] ClauseKind clause_for(ClauseKind clause, const Variable& named);

/// Requires that a directive names each array once, because one array has one View.
void require_one_section_each(const Directive& directive);

/// Requires a length. Errors: Refusal of a section that says none.
void require_lengths(const Section& section);

/// Returns whether the section is a pointer without a length.
[[nodiscard]] bool is_bare_pointer(const Decisions& all, const Section& section);

/// Returns the variable's name for kernels. The name of a member contains its path, because two
/// structures may have members of one name.
[[nodiscard]] std::string plain_name(const Variable& named);

/// Makes the entry of a data region from a section of that data clause.
[[nodiscard]] Entry entry_of(const Decisions& all, const Clause& clause, const Section& section);

/// Returns the queue of the directive's `async`; none if everything is on the default queue.
[[nodiscard]] Queue queue_of(const Decisions& all, const Directive& directive);

/// Makes the waits for these queues, or for all if there are none. The queue `own` waits; without
/// it the host waits.
[[nodiscard]] std::vector<Action>
waits_for(const Decisions& all, const std::vector<std::string>& queues, const Queue& own);

/// Makes the waits that the directive's `wait` clauses ask for.
[[nodiscard]] std::vector<Action> waits_of(const Decisions& all, const Directive& directive);

} // namespace gangway::port
