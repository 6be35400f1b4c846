// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "port/decide/decisions.hpp"

#include <cstddef>
#include <string>
#include <vector>

/// Functions that kernels call, and the directives in them.
namespace gangway::port {

/// Decides a `routine`.
void decide_routine(Decisions& all, std::size_t id);

/// Returns whether a `routine gang` names the function, refused or not.
[[nodiscard]] bool is_gang_routine(const Decisions& all, std::size_t function);

/// Decides each `routine` in a header, for functions that this file defines or calls.
void decide_header_routines(Decisions& all);

/// Decides a `loop` or an atomic in a function that kernels call.
void decide_orphan(Decisions& all, std::size_t id);

/// Returns the reason why a kernel cannot make the call; empty if it can.
[[nodiscard]] std::optional<Message> check_call(Decisions& all, const Call& call);

/// Makes device functions of the called functions, and of those that they call.
void mark_called(Decisions& all, const std::vector<Call>& calls, Verdict& verdict);

/// Checks an atomic. Errors: Refusal if Kokkos has no such atomic.
void check_atomic(Decisions& all, std::size_t id, const Directive& directive);

/// Notes that one thread runs the loops of a gang's workers and lanes, because a gang is a thread
/// here. The results are the same; on a device a long loop is far slower.
void tell_of_levels(const Directive& directive, Verdict& verdict);

} // namespace gangway::port
