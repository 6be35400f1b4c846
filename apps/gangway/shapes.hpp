// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "harness/registry.hpp"
#include "options.hpp"

#include <vector>

/// Shapes that sweep and tune try.
namespace gangway::apps {

/// Refuses a study without levels. Errors: UsageError that lists the studies with levels.
void require_levels(const harness::StudyEntry& study);
/// Lists the shapes. Errors: UsageError for numbers below 1, and if no gang can hold one of the
/// shapes.
[[nodiscard]] std::vector<kernels::Mapping> sweep_points(const harness::StudyEntry& study,
                                                         const ShapeOptions& options);

} // namespace gangway::apps
