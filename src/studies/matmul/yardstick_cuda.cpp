// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/study.hpp"
#include "studies/matmul/matmul.hpp"

#include <cublas_v2.h>

namespace gangway::matmul {
namespace {

void require(cublasStatus_t status) {
  if (status != CUBLAS_STATUS_SUCCESS)
    throw std::runtime_error(std::string("matmul, cuBLAS: ") + cublasGetStatusString(status));
}

using Handle = std::shared_ptr<std::remove_pointer_t<cublasHandle_t>>;

Handle make_handle() {
  cublasHandle_t handle = nullptr;
  require(cublasCreate(&handle));
  Handle owner(handle, [](cublasHandle_t h) { cublasDestroy(h); });
  require(cublasSetStream(handle, Kokkos::Cuda().cuda_stream()));
  // Float as it is: no TF32, no reduced precision.
  require(cublasSetMathMode(handle, CUBLAS_PEDANTIC_MATH));
  return owner;
}

/// cuBLAS counts columns first: row-major C = A B is column-major C' = B' A'.
class Native {
public:
  void operator()(int rows, int inner, int columns, const float* a, const float* b,
                  float* c) const {
    Data data;
    const auto left = data.copyin(a, rows, inner);
    const auto right = data.copyin(b, inner, columns);
    const auto out = data.copyout(c, rows, columns);
    if (rows == 0 || columns == 0)
      return;
    const float one = 1;
    const float zero = 0;
    const int along = inner > 0 ? inner : 1; // a leading dimension is at least 1
    require(cublasSgemm(_handle.get(), CUBLAS_OP_N, CUBLAS_OP_N, columns, rows, inner, &one,
                        right.data(), columns, left.data(), along, &zero, out.data(), columns));
  }

private:
  Handle _handle = make_handle();
};

const harness::Yardstick<Problem> cublas("cublas", harness::run_planned<Native>);

} // namespace
} // namespace gangway::matmul
