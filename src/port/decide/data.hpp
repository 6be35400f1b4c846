// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "port/decide/decisions.hpp"

#include <cstddef>

/// Directives that bring data, and those that stand alone.
namespace gangway::port {

/// Decides a `data`.
void decide_region(Decisions& all, std::size_t id);

/// Decides a `declare`: in a function a region to its end, for globals a region of main's.
void decide_declare(Decisions& all, std::size_t id);

/// Decides a `set` or an `init`.
void decide_set(Decisions& all, std::size_t id);

/// Decides a `host_data`.
void decide_host_data(Decisions& all, std::size_t id);

/// Decides an `update`, `enter data` or `exit data`.
void decide_executable(Decisions& all, std::size_t id);

} // namespace gangway::port
