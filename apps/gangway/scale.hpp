// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "commands.hpp"
#include "harness/scaling.hpp"

#include <functional>
#include <string>
#include <vector>

/// gangway scale: a study on different numbers of ranks, each run launched by MPI's launcher as a
/// process of its own, `gangway run`, whose results are read.
namespace gangway::apps {

/// Plans all problems, and runs without times, before the first of them runs. `instance` is the
/// problem that `--vary` varies. Errors: UsageError for a study that does not run across ranks or
/// cannot grow so, and for numbers of ranks that make no series.
[[nodiscard]] harness::Scaling plan_scaling(const harness::StudyEntry& study,
                                            const harness::Case& instance,
                                            const ScaleOptions& options);

/// Launches all runs and reads their results. `launcher` is a program and its options, `arguments`
/// those of `gangway run` beside study, settings and output. It stops and returns false at the
/// first run with a failed check, which that run then names. It calls `progress` for each run.
/// Errors: UsageError if the launcher cannot be run, or if a run fails, with that run's text on
/// standard error; Interrupted.
[[nodiscard]] bool run_scaling(const std::string& launcher,
                               const std::vector<std::string>& arguments, harness::Scaling& scaling,
                               const std::function<void(const std::string&)>& progress);

} // namespace gangway::apps
