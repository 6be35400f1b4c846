// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gangway/gangway.hpp"
#include "harness/registry.hpp"
#include "studies/saxpy/saxpy.hpp"

#include <cublas_v2.h>

#include <memory>
#include <stdexcept>

namespace gangway::saxpy {
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

const harness::Yardstick<Problem> cublas("cublas", [](Problem& problem) -> harness::Run {
  return [&problem, handle = std::make_shared<const Handle>()] {
    problem.call([&](long n, const float* x, float* y) {
      Data data;
      const auto in = data.copyin(x, n);
      const auto out = data.copy(y, n);
      const float two = 2;
      require(cublasSaxpy_64(*handle, n, &two, in.data(), 1, out.data(), 1));
    });
  };
});

} // namespace
} // namespace gangway::saxpy
