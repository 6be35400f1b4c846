// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/study.hpp"
#include "studies/transpose/transpose.hpp"

#include <cublas_v2.h>

namespace gangway::transpose {
namespace {

constexpr int side = 32;
constexpr int height = 8; // threads of a block, downwards

/// Tiles of 32 x 32 through padded shared memory, as in CUDA's own example.
__global__ void through_shared(int rows, int columns, const float* in, float* out) {
  __shared__ float tile[side][side + 1];
  // Tiles are counted in x, which alone may exceed 65535.
  const int tiles_across = (columns + side - 1) / side;
  const long first_row = static_cast<long>(blockIdx.x / tiles_across) * side;
  const long first_column = static_cast<long>(blockIdx.x % tiles_across) * side;
  for (int r = threadIdx.y; r < side; r += height)
    if (first_row + r < rows && first_column + threadIdx.x < columns)
      tile[r][threadIdx.x] = in[(first_row + r) * columns + first_column + threadIdx.x];
  __syncthreads();
  for (int c = threadIdx.y; c < side; c += height)
    if (first_column + c < columns && first_row + threadIdx.x < rows)
      out[(first_column + c) * rows + first_row + threadIdx.x] = tile[threadIdx.x][c];
}

void native(int rows, int columns, const float* in, float* out) {
  Data data;
  const auto from = data.copyin(in, rows, columns);
  const auto to = data.copyout(out, columns, rows);
  const long tiles = static_cast<long>((rows + side - 1) / side) * ((columns + side - 1) / side);
  if (tiles > 0)
    through_shared<<<static_cast<unsigned>(tiles), dim3(side, height), 0,
                     Kokkos::Cuda().cuda_stream()>>>(rows, columns, from.data(), to.data());
  if (const cudaError_t status = cudaGetLastError(); status != cudaSuccess)
    throw std::runtime_error(std::string("transpose, native CUDA: ") + cudaGetErrorString(status));
}

void require(cublasStatus_t status) {
  if (status != CUBLAS_STATUS_SUCCESS)
    throw std::runtime_error(std::string("transpose, cuBLAS: ") + cublasGetStatusString(status));
}

using Handle = std::shared_ptr<std::remove_pointer_t<cublasHandle_t>>;

Handle make_handle() {
  cublasHandle_t handle = nullptr;
  require(cublasCreate(&handle));
  Handle owner(handle, [](cublasHandle_t h) { cublasDestroy(h); });
  require(cublasSetStream(handle, Kokkos::Cuda().cuda_stream()));
  return owner;
}

/// cuBLAS counts columns first: what is rows x columns here is columns x rows there.
class Geam {
public:
  void operator()(int rows, int columns, const float* in, float* out) const {
    Data data;
    const auto from = data.copyin(in, rows, columns);
    const auto to = data.copyout(out, columns, rows);
    if (rows == 0 || columns == 0)
      return;
    const float one = 1;
    const float zero = 0;
    require(cublasSgeam(_handle.get(), CUBLAS_OP_T, CUBLAS_OP_N, rows, columns, &one, from.data(),
                        columns, &zero, to.data(), rows, to.data(), rows));
  }

private:
  Handle _handle = make_handle();
};

const harness::Yardstick<Problem> cuda("cuda", native);
const harness::Yardstick<Problem> cublas("cublas", harness::run_planned<Geam>);

} // namespace
} // namespace gangway::transpose
