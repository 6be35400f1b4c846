// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

namespace gangway::port {

/// The folder of Clang's own headers.
[[nodiscard]] std::string clang_resources();
/// The folder of an openacc.h, or nothing where there is none: Clang has no own.
[[nodiscard]] std::string openacc_headers();

} // namespace gangway::port
