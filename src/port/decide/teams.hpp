// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "port/decide.hpp"

#include <cstddef>
#include <set>

/// What may be a team's: loops over gangs, or over gangs and workers, with loops of workers and
/// lanes in them that are no part of the same index space.
namespace gangway::port {

struct Around;

/// Makes a team of the kernel, whose loops are the outermost ones of the piece, `collapsed` into
/// one; `own` is their directive. False, and nothing done, where it cannot be shown from the source
/// that a team does the same: a note on the construct says why. Errors: Refusal for arrays that no
/// team has room for.
[[nodiscard]] bool make_team(Around& around, Kernel& kernel, const Piece& piece,
                             const Directive& own, std::size_t collapsed);

/// Whether there are loops of workers and lanes in it beside those of the `nest`, which are one
/// index space, or an array that is private to the gang.
[[nodiscard]] bool wants_team(const Around& around, const Piece& piece, const Directive& own,
                              const std::set<std::size_t>& nest);

} // namespace gangway::port
