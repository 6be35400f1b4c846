// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/study.hpp"
#include "studies/saxpy/saxpy.hpp"

#include <cublas_v2.h>

namespace gangway::saxpy {
namespace {

void require(cublasStatus_t status) {
  if (status != CUBLAS_STATUS_SUCCESS)
    throw std::runtime_error(std::string("cuBLAS: ") + cublasGetStatusString(status));
}

class Native {
public:
  Native() {
    require(cublasCreate(&_handle));
    require(cublasSetStream(_handle, Kokkos::Cuda().cuda_stream()));
  }
  ~Native() { cublasDestroy(_handle); }
  Native(const Native&) = delete;
  Native& operator=(const Native&) = delete;

  void operator()(long n, const float* x, float* y) const {
    Data data;
    const auto in = data.copyin(x, n);
    const auto out = data.copy(y, n);
    const float two = 2;
    require(cublasSaxpy_64(_handle, n, &two, in.data(), 1, out.data(), 1));
  }

private:
  cublasHandle_t _handle = nullptr;
};

const harness::Yardstick<Problem> cublas("cublas", harness::run_planned<Native>);

} // namespace
} // namespace gangway::saxpy
