// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "inputs/csr.hpp"
#include "kernels/mapping.hpp"

namespace gangway::sparse {

/// Returns lanes for the non-zeros of a row, from the mean number of them. It is the fewest of 2,
/// 4, 8, 16 and 32 that leave a lane at most three. With more, lanes idle and the reduction takes
/// more steps. With fewer, neighbouring lanes load from far apart.
[[nodiscard]] int lanes_for(double mean_length);

/// Returns clauses and rows per worker for such rows: `lanes_for` the mean, gangs of 64 threads,
/// four rows per worker.
[[nodiscard]] kernels::Mapping rows_per_worker_mapping(const inputs::RowStatistics& rows);

} // namespace gangway::sparse
