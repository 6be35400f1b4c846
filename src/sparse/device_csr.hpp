// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "gangway/data.hpp"
#include "sparse/csr.hpp"

namespace gangway::sparse {

/// A matrix on the device, for kernels to capture: the views of `Csr`'s arrays.
struct DeviceCsr {
  int rows;
  int columns;
  DeviceView<const int> row_offsets;
  DeviceView<const int> column_indices;
  DeviceView<const double> values;
};

/// copyin(row_offsets[0:rows + 1], column_indices[0:nonzeros], values[0:nonzeros])
[[nodiscard]] inline DeviceCsr copyin(Data& data, const Csr& matrix) {
  const int nonzeros = matrix.nonzeros();
  return {matrix.rows, matrix.columns,
          data.copyin(named("row_offsets", matrix.row_offsets), matrix.rows + 1),
          data.copyin(named("column_indices", matrix.column_indices), nonzeros),
          data.copyin(named("values", matrix.values), nonzeros)};
}

} // namespace gangway::sparse
