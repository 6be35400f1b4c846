// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "port/decide/decisions.hpp"

#include <cstddef>

/// Directives that bring data, and those that stand alone.
namespace gangway::port {

/// `data`.
void decide_region(Decisions& all, std::size_t id);

/// In a function a region to its end; of globals one of main's.
void decide_declare(Decisions& all, std::size_t id);

/// `set` and `init`.
void decide_set(Decisions& all, std::size_t id);

/// `host_data`.
void decide_host_data(Decisions& all, std::size_t id);

/// `update`, `enter data` and `exit data`.
void decide_executable(Decisions& all, std::size_t id);

} // namespace gangway::port
