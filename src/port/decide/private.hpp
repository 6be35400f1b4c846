// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "port/decide/around.hpp"

#include <cstddef>

/// Arrays and variables that each iteration has for itself.
namespace gangway::port {

/// Gives each iteration an array of its own, with the values of the host's.
void bind_firstprivate(Around& around, std::size_t id);

/// Declares a private variable in the kernel's first lines. In `private(w[0:4])` with a pointer
/// `w`, the elements are private, not the pointer.
void declare_private(Around& around, Kernel& kernel, std::size_t id);

} // namespace gangway::port
