// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sparse/rows.hpp"

namespace gangway::sparse {

int lanes_for(double mean_length) {
  int lanes = 2;
  while (lanes < 32 && 3 * lanes < mean_length)
    lanes *= 2;
  return lanes;
}

kernels::Mapping rows_per_worker_mapping(const inputs::RowStatistics& rows) {
  const int lanes = lanes_for(rows.mean);
  return {{.workers = 64 / lanes, .vector = lanes}, 4};
}

} // namespace gangway::sparse
