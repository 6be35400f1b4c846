// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "gangway/levels.hpp"

namespace gangway::kernels {

/// How a kernel's work is laid out: the clauses, and how many items (rows, say) each worker takes.
/// What `gangway sweep` and `gangway tune` vary.
struct Mapping {
  Clauses clauses;
  int items_per_worker = 1;
  friend bool operator==(const Mapping&, const Mapping&) = default;
};

} // namespace gangway::kernels
