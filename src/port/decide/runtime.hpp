// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "port/codes.hpp"
#include "port/model.hpp"

#include <utility>

namespace gangway::port {

/// Whether the call of the runtime library is replaced, and what is said of that.
[[nodiscard]] std::pair<bool, Message> decide_runtime_call(const RuntimeCall& call);

} // namespace gangway::port
