// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/study.hpp"
#include "sparse/device_csr.hpp"
#include "studies/cg/cg.hpp"

#include <cublas_v2.h>
#include <cusparse.h>

namespace gangway::cg {
namespace {

void require(cusparseStatus_t status) {
  if (status != CUSPARSE_STATUS_SUCCESS)
    throw std::runtime_error(std::string("cuSPARSE: ") + cusparseGetErrorString(status));
}
void require(cublasStatus_t status) {
  if (status != CUBLAS_STATUS_SUCCESS)
    throw std::runtime_error(std::string("cuBLAS: ") + cublasGetStatusString(status));
}

/// scalars: p . q, alpha, -alpha
__global__ void find_step(double rr, double* scalars) {
  scalars[1] = rr / scalars[0];
  scalars[2] = -scalars[1];
}

/// The algorithm in calls of cuSPARSE and cuBLAS. It makes descriptors, buffer and preprocessing
/// once, outside the clock. The step length stays on the device, so the host waits once per
/// iteration, for the norm that it tests.
class Solver {
public:
  Solver(cusparseSpMVAlg_t algorithm, const sparse::Csr& matrix, const double* b, double* x,
         double* r, double* p, double* q)
      : _algorithm(algorithm), _rows(matrix.rows), _scalars("cg/cuda scalars", 3) {
    const int rows = matrix.rows;
    Data data; // present in scope `kernel`: the descriptors outlive this region
    const auto a = sparse::copyin(data, matrix);
    const auto plain = [](const auto& view) {
      return const_cast<void*>(static_cast<const void*>(view.data()));
    };
    _b = data.copyin(b, rows).data();
    _x = data.copy(x, rows).data();
    _r = data.create(r, rows).data();
    _p = data.create(p, rows).data();
    _q = data.create(q, rows).data();
    _stream = Kokkos::Cuda().cuda_stream();
    require(cublasCreate(&_blas));
    require(cublasSetStream(_blas, _stream));
    require(cusparseCreate(&_sparse));
    require(cusparseSetStream(_sparse, _stream));
    require(cusparseCreateCsr(&_matrix, rows, rows, matrix.nonzeros(), plain(a.row_offsets),
                              plain(a.column_indices), plain(a.values), CUSPARSE_INDEX_32I,
                              CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F));
    require(cusparseCreateDnVec(&_x_vector, rows, _x, CUDA_R_64F));
    require(cusparseCreateDnVec(&_p_vector, rows, _p, CUDA_R_64F));
    require(cusparseCreateDnVec(&_q_vector, rows, _q, CUDA_R_64F));
    std::size_t bytes = 0;
    require(cusparseSpMV_bufferSize(_sparse, CUSPARSE_OPERATION_NON_TRANSPOSE, &_one, _matrix,
                                    _p_vector, &_zero, _q_vector, CUDA_R_64F, _algorithm, &bytes));
    _buffer = Kokkos::View<char*, DeviceSpace>("cg/cuda buffer", bytes);
    require(cusparseSpMV_preprocess(_sparse, CUSPARSE_OPERATION_NON_TRANSPOSE, &_one, _matrix,
                                    _p_vector, &_zero, _q_vector, CUDA_R_64F, _algorithm,
                                    _buffer.data()));
  }
  ~Solver() {
    cusparseDestroyDnVec(_q_vector);
    cusparseDestroyDnVec(_p_vector);
    cusparseDestroyDnVec(_x_vector);
    cusparseDestroySpMat(_matrix);
    cusparseDestroy(_sparse);
    cublasDestroy(_blas);
  }
  Solver(const Solver&) = delete;
  Solver& operator=(const Solver&) = delete;

  void operator()(int most, double tolerance, double* history, int* iterations) const {
    double* const pq = _scalars.data();
    const double minus_one = -1;
    product(_x_vector);
    require(cublasDcopy(_blas, _rows, _b, 1, _r, 1));
    require(cublasDaxpy(_blas, _rows, &minus_one, _q, 1, _r, 1));
    require(cublasDcopy(_blas, _rows, _r, 1, _p, 1));
    double rr = 0;
    require(cublasDdot(_blas, _rows, _r, 1, _r, 1, &rr));
    int k = 0;
    for (;; ++k) {
      history[k] = std::sqrt(rr);
      if (k == most || history[k] <= tolerance)
        break;
      product(_p_vector);
      require(cublasSetPointerMode(_blas, CUBLAS_POINTER_MODE_DEVICE));
      require(cublasDdot(_blas, _rows, _p, 1, _q, 1, pq));
      find_step<<<1, 1, 0, _stream>>>(rr, pq);
      require(cublasDaxpy(_blas, _rows, pq + 1, _p, 1, _x, 1));
      require(cublasDaxpy(_blas, _rows, pq + 2, _q, 1, _r, 1));
      require(cublasSetPointerMode(_blas, CUBLAS_POINTER_MODE_HOST));
      const double before = rr;
      require(cublasDdot(_blas, _rows, _r, 1, _r, 1, &rr));
      const double beta = rr / before;
      require(cublasDscal(_blas, _rows, &beta, _p, 1));
      require(cublasDaxpy(_blas, _rows, &_one, _r, 1, _p, 1));
    }
    *iterations = k;
  }

private:
  /// q = A in
  void product(cusparseDnVecDescr_t in) const {
    require(cusparseSpMV(_sparse, CUSPARSE_OPERATION_NON_TRANSPOSE, &_one, _matrix, in, &_zero,
                         _q_vector, CUDA_R_64F, _algorithm, _buffer.data()));
  }

  cusparseSpMVAlg_t _algorithm;
  int _rows;
  Kokkos::View<double*, DeviceSpace> _scalars;
  const double* _b = nullptr;
  double* _x = nullptr;
  double* _r = nullptr;
  double* _p = nullptr;
  double* _q = nullptr;
  cudaStream_t _stream = nullptr;
  cublasHandle_t _blas = nullptr;
  cusparseHandle_t _sparse = nullptr;
  cusparseSpMatDescr_t _matrix = nullptr;
  cusparseDnVecDescr_t _x_vector = nullptr;
  cusparseDnVecDescr_t _p_vector = nullptr;
  cusparseDnVecDescr_t _q_vector = nullptr;
  Kokkos::View<char*, DeviceSpace> _buffer;
  double _one = 1;
  double _zero = 0;
};

harness::Run libraries(Problem& problem, cusparseSpMVAlg_t algorithm) {
  if (problem.matrix().nonzeros() == 0)
    throw harness::NotAvailable("cuSPARSE takes no matrix without non-zeros");
  std::shared_ptr<const Solver> solver;
  problem.call([&](const sparse::Csr& matrix, const double* b, double* x, double* r, double* p,
                   double* q, int, double, double*, int*) {
    solver = std::make_shared<const Solver>(algorithm, matrix, b, x, r, p, q);
  });
  return [&problem, solver] {
    problem.call([&](const sparse::Csr&, const double*, double*, double*, double*, double*,
                     int most, double tolerance, double* history,
                     int* iterations) { (*solver)(most, tolerance, history, iterations); });
  };
}

const harness::Yardstick<Problem> row_based("cusparse-alg1-cublas", [](Problem& problem) {
  return libraries(problem, CUSPARSE_SPMV_CSR_ALG1);
});
const harness::Yardstick<Problem> balanced("cusparse-alg2-cublas", [](Problem& problem) {
  return libraries(problem, CUSPARSE_SPMV_CSR_ALG2);
});

} // namespace
} // namespace gangway::cg
