// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "port/emit/writer.hpp"

#include <cstddef>
#include <string>
#include <vector>

/// What stands in kernels and in functions that they call.
namespace gangway::port {

/// The conversions that C makes where it calls the function of `double`, and C++ would call that of
/// the argument's type.
void convert_arguments(Writer& to, const std::vector<Call>& calls);

/// Kokkos' functions for the system's, everywhere or in a part. Before what is in the arguments is
/// changed: a conversion around one stands outside of that.
void rename_calls(Writer& to, const std::vector<Call>& calls, const Span* within);

/// A line for each function that macros call there and that means Kokkos' by it.
[[nodiscard]] std::vector<std::string> names_for_macros(const std::vector<Call>& calls);

void emit_atomic(Writer& to, const Directive& directive);

/// The body of a kernel of the construct `id`.
void rewrite_body(Writer& to, std::size_t id, const Compute& compute, const Kernel& kernel);

} // namespace gangway::port
