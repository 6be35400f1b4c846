// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "port/model.hpp"

#include <string>

namespace gangway::port {

/// What stands in place of a call of the runtime library's: `$0`, `$1`, … are its arguments, `$p`
/// and `$n` an array and its elements where the routine takes an address and bytes, `$&` the first
/// argument without conversions of pointers.
struct RuntimeText {
  std::string text;    ///< empty: it stays
  std::string becomes; ///< in a few words
  std::string by_hand; ///< where it stays; and what to look at where something is assumed
  bool assumed = false;
};
[[nodiscard]] RuntimeText runtime_text(const RuntimeCall& call);

/// What stands in place of another name of openacc.h's; empty: it stays.
[[nodiscard]] std::string runtime_name(const RuntimeName& name);

} // namespace gangway::port
