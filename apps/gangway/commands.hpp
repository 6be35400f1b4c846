// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "options.hpp"

/// What the command does, each by its name. They return the exit status. Errors: UsageError,
/// Interrupted, and what is thrown by what they run.
namespace gangway::apps {

[[nodiscard]] int list(const Options& options);
[[nodiscard]] int info(const Options& options);
/// And `run`, which is one case without ceilings.
[[nodiscard]] int compare(Options options);
[[nodiscard]] int sweep(const Options& options);
[[nodiscard]] int tune(const Options& options);
/// Launches runs on several numbers of ranks. This process itself has no part in them, and no
/// Kokkos.
[[nodiscard]] int scale(Options options);

} // namespace gangway::apps
