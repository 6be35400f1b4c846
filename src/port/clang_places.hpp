// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

namespace gangway::port {

/// Returns the folder of Clang's own headers.
[[nodiscard]] std::string clang_resources();
/// Returns the folder of an openacc.h, or nothing if there is none; Clang has none of its own.
[[nodiscard]] std::string openacc_headers();

} // namespace gangway::port
