// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "gangway/levels.hpp"

namespace gangway::kernels {

/// The layout of a kernel's work: the clauses, and how many items (rows, say) each worker takes.
/// `gangway sweep` and `gangway tune` vary it.
struct Mapping {
  Clauses clauses;
  int items_per_worker = 1;
  friend bool operator==(const Mapping&, const Mapping&) = default;
};

} // namespace gangway::kernels
