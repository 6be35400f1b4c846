// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "port/emit/writer.hpp"

#include <cstddef>
#include <string>
#include <vector>

/// Text of kernels and of functions that they call.
namespace gangway::port {

/// Writes the conversions that C makes where it calls the function of `double`, and C++ would call
/// that of the argument's type.
void convert_arguments(Writer& to, const std::vector<Call>& calls);

/// Writes Kokkos' functions for the system's, everywhere or in a part. Call it before the arguments
/// change, because a conversion around an argument goes outside such a change.
void rename_calls(Writer& to, const std::vector<Call>& calls, const Span* within);

/// Returns one line for each function that macros call and that the line makes Kokkos'.
[[nodiscard]] std::vector<std::string> names_for_macros(const std::vector<Call>& calls);

void emit_atomic(Writer& to, const Directive& directive);

/// Rewrites the body of a kernel of the construct `id`.
void rewrite_body(Writer& to, std::size_t id, const Compute& compute, const Kernel& kernel);

} // namespace gangway::port
