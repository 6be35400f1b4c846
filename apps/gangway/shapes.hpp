// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "harness/registry.hpp"
#include "options.hpp"

#include <vector>

/// What sweep and tune try.
namespace gangway::apps {

/// Errors: UsageError that lists the studies with levels if this has none.
void require_levels(const harness::StudyEntry& study);
/// Errors: UsageError for numbers below 1, and where no gang can hold one of the shapes.
[[nodiscard]] std::vector<kernels::Mapping> sweep_points(const harness::StudyEntry& study,
                                                         const ShapeOptions& options);

} // namespace gangway::apps
