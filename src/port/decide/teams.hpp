// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "port/decide.hpp"

#include <cstddef>
#include <set>

/// Kernels of teams: loops over gangs, or over gangs and workers, that contain loops of workers
/// and lanes outside their index space.
namespace gangway::port {

struct Around;

/// Makes a team of the kernel, whose loops are the outermost ones of the piece, `collapsed` into
/// one; `own` is their directive. If the source does not show that a team does the same, returns
/// false, changes nothing and notes the reason on the construct. Errors: Refusal for arrays that
/// no team has room for.
[[nodiscard]] bool make_team(Around& around, Kernel& kernel, const Piece& piece,
                             const Directive& own, std::size_t collapsed);

/// Returns whether the piece has an array private to the gang, or loops of workers and lanes
/// outside the `nest`, which is one index space.
[[nodiscard]] bool wants_team(const Around& around, const Piece& piece, const Directive& own,
                              const std::set<std::size_t>& nest);

} // namespace gangway::port
