// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/study.hpp"
#include "sparse/device_csr.hpp"
#include "studies/spmv/spmv.hpp"

#include <cusparse.h>

namespace gangway::spmv {
namespace {

void require(cusparseStatus_t status) {
  if (status != CUSPARSE_STATUS_SUCCESS)
    throw std::runtime_error(std::string("cuSPARSE: ") + cusparseGetErrorString(status));
}

/// cuSPARSE called as its documentation advises: descriptors, buffer and preprocessing once,
/// outside the clock.
template <cusparseSpMVAlg_t algorithm>
class CuSparse {
public:
  explicit CuSparse(Problem& problem) {
    if (problem.matrix().nonzeros() == 0)
      throw harness::NotAvailable("cuSPARSE takes no matrix without non-zeros");
    problem.call([&](auto... arguments) { plan(arguments...); });
  }
  ~CuSparse() {
    cusparseDestroyDnVec(_y);
    cusparseDestroyDnVec(_x);
    cusparseDestroySpMat(_matrix);
    cusparseDestroy(_handle);
  }
  CuSparse(const CuSparse&) = delete;
  CuSparse& operator=(const CuSparse&) = delete;

  void operator()(const sparse::Csr&, const double*, double*) const {
    require(cusparseSpMV(_handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &_one, _matrix, _x, &_zero, _y,
                         CUDA_R_64F, algorithm, _buffer.data()));
  }

private:
  void plan(const sparse::Csr& matrix, const double* x, double* y) {
    const int rows = matrix.rows;
    const int columns = matrix.columns;
    Data data; // present in scope `kernel`: the descriptors outlive this region
    const auto a = sparse::copyin(data, matrix);
    const auto plain = [](const auto& view) {
      return const_cast<void*>(static_cast<const void*>(view.data()));
    };
    require(cusparseCreate(&_handle));
    require(cusparseSetStream(_handle, Kokkos::Cuda().cuda_stream()));
    require(cusparseCreateCsr(&_matrix, rows, columns, matrix.nonzeros(), plain(a.row_offsets),
                              plain(a.column_indices), plain(a.values), CUSPARSE_INDEX_32I,
                              CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F));
    require(cusparseCreateDnVec(&_x, columns, plain(data.copyin(x, columns)), CUDA_R_64F));
    require(cusparseCreateDnVec(&_y, rows, plain(data.copyout(y, rows)), CUDA_R_64F));
    std::size_t bytes = 0;
    require(cusparseSpMV_bufferSize(_handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &_one, _matrix, _x,
                                    &_zero, _y, CUDA_R_64F, algorithm, &bytes));
    _buffer = Kokkos::View<char*, DeviceSpace>("spmv/cusparse buffer", bytes);
    require(cusparseSpMV_preprocess(_handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &_one, _matrix, _x,
                                    &_zero, _y, CUDA_R_64F, algorithm, _buffer.data()));
  }

  cusparseHandle_t _handle = nullptr;
  cusparseSpMatDescr_t _matrix = nullptr;
  cusparseDnVecDescr_t _x = nullptr;
  cusparseDnVecDescr_t _y = nullptr;
  Kokkos::View<char*, DeviceSpace> _buffer;
  double _one = 1;
  double _zero = 0;
};

const harness::Yardstick<Problem> row_based("cusparse-alg1",
                                            harness::run_planned<CuSparse<CUSPARSE_SPMV_CSR_ALG1>>);
const harness::Yardstick<Problem> balanced("cusparse-alg2",
                                           harness::run_planned<CuSparse<CUSPARSE_SPMV_CSR_ALG2>>);

} // namespace
} // namespace gangway::spmv
