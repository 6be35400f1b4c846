// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "port/decide/around.hpp"

/// Reductions of kernels.
namespace gangway::port {

/// Adds the reductions of all directives that the kernel comes from.
void add_reducers(Around& around, Kernel& kernel, const Directive* own);

/// Adds the reductions of one directive, except for what each iteration has for itself.
void add_reducers_of(Around& around, Kernel& kernel, const Directive& source);

} // namespace gangway::port
