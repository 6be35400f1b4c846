// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "port/edits.hpp"
#include "port/plan.hpp"

/// Shared by the parts of `emit`. No other room includes this folder.
namespace gangway::port {

/// State of the writing of one source: the changes of its text, and what they are made from.
struct Writer {
  Writer(const Unit& source, const Plan& decided)
      : unit(source), plan(decided), edits(source.text) {}

  const Unit& unit;
  const Plan& plan;
  Edits edits;
};

} // namespace gangway::port
