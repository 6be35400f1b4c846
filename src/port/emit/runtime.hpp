// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "port/emit/writer.hpp"

namespace gangway::port {

/// Replaces calls of the runtime library, and other names of openacc.h.
void replace_runtime_calls(Writer& to);

} // namespace gangway::port
