// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "port/emit/writer.hpp"

#include <cstddef>

namespace gangway::port {

/// Writes a compute construct as kernels.
void emit_compute(Writer& to, std::size_t id);

} // namespace gangway::port
