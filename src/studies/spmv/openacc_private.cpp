// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/spmv/openacc_private.hpp"

namespace gangway::spmv {

/// Whole rows in blocks of at most so many non-zeros; a longer row is a block of its own. A plan's
/// array is on the host and, until the plan ends, on the device.
struct RowBlocks {
  std::vector<int> first_rows; ///< of each block, and one past the last row

  [[nodiscard]] int count() const { return static_cast<int>(first_rows.size()) - 1; }
};

/// Empty rows have no non-zeros to fill a block with, but each costs a store.
constexpr int most_rows = 4 * staged;

static std::vector<int> first_rows_of_blocks(const Csr& matrix) {
  std::vector<int> first{0};
  for (int row = 1; row < matrix.rows; ++row)
    if (matrix.row_offsets[row + 1] - matrix.row_offsets[first.back()] > staged ||
        row - first.back() >= most_rows)
      first.push_back(row);
  if (matrix.rows > 0)
    first.push_back(matrix.rows);
  return first;
}

extern "C" {

// Plans; src/openacc/runtime.h says when they are made. GCC ignores uses in a data directive.

void* gangway_spmv_row_blocks_plan(Csr matrix, const double* /*x*/, double* /*y*/) {
  auto plan = std::make_unique<RowBlocks>(first_rows_of_blocks(matrix));
  const int blocks = plan->count();
  [[maybe_unused]] const int* first_rows = plan->first_rows.data();
#pragma acc enter data copyin(first_rows[0 : blocks + 1])
  return plan.release();
}

void gangway_spmv_row_blocks_unplan(void* plan) {
  const std::unique_ptr<const RowBlocks> own(static_cast<const RowBlocks*>(plan));
  const int blocks = own->count();
  [[maybe_unused]] const int* first_rows = own->first_rows.data();
#pragma acc exit data delete (first_rows[0 : blocks + 1])
}

/// A gang takes a block: its lanes load non-zeros side by side, whatever the rows are, and put the
/// products into an array that is the gang's own; then each sums a row at a time. No lane goes
/// beyond the end of a loop over the vector before all have come there.
void gangway_spmv_row_blocks(void* plan, Csr matrix, const double* x, double* y) {
  const int blocks = static_cast<const RowBlocks*>(plan)->count();
  const int* first_rows = static_cast<const RowBlocks*>(plan)->first_rows.data();
  const int rows = matrix.rows;
  const int columns = matrix.columns;
  const int nonzeros = matrix.nonzeros();
  const int* row_offsets = matrix.row_offsets;
  const int* column_indices = matrix.column_indices;
  const double* values = matrix.values;
  double product[staged];
#pragma acc parallel loop gang num_workers(1) vector_length(lanes) private(product)                \
    present(first_rows[0 : blocks + 1])                                                            \
        copyin(row_offsets[0 : rows + 1], column_indices[0 : nonzeros], values[0 : nonzeros],      \
               x[0 : columns]) copyout(y[0 : rows])
  for (int block = 0; block < blocks; ++block) {
    const int first_row = first_rows[block];
    const int last_row = first_rows[block + 1];
    const int begin = row_offsets[first_row];
    const int end = row_offsets[last_row];
    if (end - begin <= staged) {
#pragma acc loop vector
      for (int j = begin; j < end; ++j)
        product[j - begin] = values[j] * x[column_indices[j]];
#pragma acc loop vector
      for (int row = first_row; row < last_row; ++row) {
        double sum = 0;
#pragma acc loop seq
        for (int j = row_offsets[row]; j < row_offsets[row + 1]; ++j)
          sum += product[j - begin];
        y[row] = sum;
      }
    } else { // one long row
      double sum = 0;
#pragma acc loop vector reduction(+ : sum)
      for (int j = begin; j < end; ++j)
        sum += values[j] * x[column_indices[j]];
      y[first_row] = sum;
    }
  }
}

} // extern "C"
} // namespace gangway::spmv
