// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "port/codes.hpp"
#include "port/model.hpp"

#include <utility>

namespace gangway::port {

/// Decides whether a call of the runtime library is replaced, and returns that with its message.
[[nodiscard]] std::pair<bool, Message> decide_runtime_call(const RuntimeCall& call);

} // namespace gangway::port
