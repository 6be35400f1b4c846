// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/study.hpp"
#include "studies/nested/nested.hpp"

#include <cublas_v2.h>

namespace gangway::nested {
namespace {

void require(cublasStatus_t status) {
  if (status != CUBLAS_STATUS_SUCCESS)
    throw std::runtime_error(std::string("cuBLAS: ") + cublasGetStatusString(status));
}

class Handle {
public:
  Handle() {
    require(cublasCreate(&_handle));
    require(cublasSetStream(_handle, Kokkos::Cuda().cuda_stream()));
  }
  ~Handle() { cublasDestroy(_handle); }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  operator cublasHandle_t() const { return _handle; }

private:
  cublasHandle_t _handle = nullptr;
};

/// cuBLAS has this very loop, in Fortran's order: geam, alpha op(A) + beta op(B).
class Native {
public:
  void operator()(long m, long n, double alpha, double beta, const double* b, const double* c,
                  double* a) const {
    if (m == 0 || n == 0)
      return;
    Data data;
    const auto bs = data.copyin(b, n, m);
    const auto cs = data.copyin(c, m, n);
    const auto as = data.copyout(a, n, m);
    require(cublasDgeam_64(_handle, CUBLAS_OP_N, CUBLAS_OP_T, m, n, &alpha, bs.data(), m, &beta,
                           cs.data(), n, as.data(), m));
  }

private:
  Handle _handle;
};

const harness::Yardstick<Problem> cublas("cublas", harness::run_planned<Native>);

} // namespace
} // namespace gangway::nested
