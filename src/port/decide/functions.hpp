// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "port/decide/decisions.hpp"

#include <cstddef>
#include <string>
#include <vector>

/// Functions that kernels call, and what stands in them.
namespace gangway::port {

/// `routine`.
void decide_routine(Decisions& all, std::size_t id);

/// Whether a directive says so, refused or not.
[[nodiscard]] bool is_gang_routine(const Decisions& all, std::size_t function);

/// `routine` in headers, of functions that this file defines or calls.
void decide_header_routines(Decisions& all);

/// A `loop` or an atomic in a function that kernels call.
void decide_orphan(Decisions& all, std::size_t id);

/// What speaks against the call in a kernel; empty if nothing does.
[[nodiscard]] std::optional<Message> check_call(Decisions& all, const Call& call);

/// Makes what is called, and what that calls, functions of the device.
void mark_called(Decisions& all, const std::vector<Call>& calls, Verdict& verdict);

/// Errors: Refusal of what is no atomic of Kokkos'.
void check_atomic(Decisions& all, std::size_t id, const Directive& directive);

/// A gang is a thread here, and what its workers and lanes share out is done by that one: the
/// same results, and on a device far slower where the loop is long.
void tell_of_levels(const Directive& directive, Verdict& verdict);

} // namespace gangway::port
