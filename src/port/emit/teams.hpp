// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "port/emit/parts.hpp"
#include "port/emit/writer.hpp"

#include <string>

/// Gangs as teams, and the loops that their workers and lanes share out.
namespace gangway::port {

/// Writes the parts of a kernel whose policy is `teams` or `workers`. A kernel with scratch gets
/// one gang for each iteration, because the values in scratch belong to one iteration.
void team_parts(const Kernel& kernel, const Unit& unit, const std::string& on, Parts& parts);

/// Inserts barriers, and the `single` around statements of one lane. Call it before all else,
/// because its insertions come before later changes at the same place.
void put_marks(Writer& to, const Kernel& kernel);

void emit_share(Writer& to, const Directive& directive, const Share& share);

/// Rewrites the loops of a `routine gang`, for all lanes of all teams.
void share_out(Writer& to, const Function& function);

} // namespace gangway::port
