// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/spmv/spmv.hpp"

// Every function here has the study's one type; a slip would be an error at this line.
extern "C" {
gangway::spmv::Kernel gangway_spmv_default, gangway_spmv_vector_32, gangway_spmv_vector_64,
    gangway_spmv_vector_128, gangway_spmv_vector_256, gangway_spmv_vector_512,
    gangway_spmv_vector_1024, gangway_spmv_workers_2, gangway_spmv_workers_4,
    gangway_spmv_workers_8, gangway_spmv_workers_16, gangway_spmv_workers_32;
}

namespace {

using gangway::sparse::Csr;

/// One row a gang; the non-zeros of the row over a vector of the given length.
template <int length>
void row_per_gang(const Csr& matrix, const double* x, double* y) {
  static constexpr int lanes = length; // a clause may not take a template's argument for a constant
  const int rows = matrix.rows;
  const int columns = matrix.columns;
  const int nonzeros = matrix.nonzeros();
  const int* row_offsets = matrix.row_offsets;
  const int* column_indices = matrix.column_indices;
  const double* values = matrix.values;
#pragma acc parallel loop gang vector_length(lanes)                                                \
    copyin(row_offsets[0 : rows + 1], column_indices[0 : nonzeros], values[0 : nonzeros],          \
           x[0 : columns]) copyout(y[0 : rows])
  for (int row = 0; row < rows; ++row) {
    double sum = 0;
#pragma acc loop vector reduction(+ : sum)
    for (int j = row_offsets[row]; j < row_offsets[row + 1]; ++j)
      sum += values[j] * x[column_indices[j]];
    y[row] = sum;
  }
}

/// One row a worker, so many workers a gang; the non-zeros of the row over a vector of 32.
template <int count>
void row_per_worker(const Csr& matrix, const double* x, double* y) {
  static constexpr int workers = count; // as above
  const int rows = matrix.rows;
  const int columns = matrix.columns;
  const int nonzeros = matrix.nonzeros();
  const int* row_offsets = matrix.row_offsets;
  const int* column_indices = matrix.column_indices;
  const double* values = matrix.values;
#pragma acc parallel loop gang worker num_workers(workers) vector_length(32)                       \
    copyin(row_offsets[0 : rows + 1], column_indices[0 : nonzeros], values[0 : nonzeros],          \
           x[0 : columns]) copyout(y[0 : rows])
  for (int row = 0; row < rows; ++row) {
    double sum = 0;
#pragma acc loop vector reduction(+ : sum)
    for (int j = row_offsets[row]; j < row_offsets[row + 1]; ++j)
      sum += values[j] * x[column_indices[j]];
    y[row] = sum;
  }
}

} // namespace

extern "C" {

/// The shape is the compiler's choice.
void gangway_spmv_default(Csr matrix, const double* x, double* y) {
  const int rows = matrix.rows;
  const int columns = matrix.columns;
  const int nonzeros = matrix.nonzeros();
  const int* row_offsets = matrix.row_offsets;
  const int* column_indices = matrix.column_indices;
  const double* values = matrix.values;
#pragma acc parallel loop copyin(row_offsets[0 : rows + 1], column_indices[0 : nonzeros],          \
                                 values[0 : nonzeros], x[0 : columns]) copyout(y[0 : rows])
  for (int row = 0; row < rows; ++row) {
    double sum = 0;
#pragma acc loop reduction(+ : sum)
    for (int j = row_offsets[row]; j < row_offsets[row + 1]; ++j)
      sum += values[j] * x[column_indices[j]];
    y[row] = sum;
  }
}

void gangway_spmv_vector_32(Csr matrix, const double* x, double* y) {
  row_per_gang<32>(matrix, x, y);
}

void gangway_spmv_vector_64(Csr matrix, const double* x, double* y) {
  row_per_gang<64>(matrix, x, y);
}

void gangway_spmv_vector_128(Csr matrix, const double* x, double* y) {
  row_per_gang<128>(matrix, x, y);
}

void gangway_spmv_vector_256(Csr matrix, const double* x, double* y) {
  row_per_gang<256>(matrix, x, y);
}

void gangway_spmv_vector_512(Csr matrix, const double* x, double* y) {
  row_per_gang<512>(matrix, x, y);
}

void gangway_spmv_vector_1024(Csr matrix, const double* x, double* y) {
  row_per_gang<1024>(matrix, x, y);
}

void gangway_spmv_workers_2(Csr matrix, const double* x, double* y) {
  row_per_worker<2>(matrix, x, y);
}

void gangway_spmv_workers_4(Csr matrix, const double* x, double* y) {
  row_per_worker<4>(matrix, x, y);
}

void gangway_spmv_workers_8(Csr matrix, const double* x, double* y) {
  row_per_worker<8>(matrix, x, y);
}

void gangway_spmv_workers_16(Csr matrix, const double* x, double* y) {
  row_per_worker<16>(matrix, x, y);
}

void gangway_spmv_workers_32(Csr matrix, const double* x, double* y) {
  row_per_worker<32>(matrix, x, y);
}

} // extern "C"
