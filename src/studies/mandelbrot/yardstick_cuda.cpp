// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/study.hpp"
#include "studies/mandelbrot/mandelbrot.hpp"

namespace gangway::mandelbrot {
namespace {

/// A thread a point, a warp 8 x 4 points that lie close together.
__global__ void native_kernel(int width, int height, double re_min, double re_max, double im_min,
                              double im_max, int limit, int* iterations,
                              unsigned long long* inside) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  bool never = false;
  if (column < width && row < height) {
    const float c_re = static_cast<float>(re_min + (re_max - re_min) * column / width);
    const float c_im = static_cast<float>(im_min + (im_max - im_min) * row / height);
    float re = 0;
    float im = 0;
    float length = 0;
    int k = 0;
    do {
      const float next = re * re - im * im + c_re;
      im = static_cast<float>(2.0 * re * im + c_im);
      re = next;
      length = re * re + im * im;
      ++k;
    } while (length < 4.0F && k < limit);
    iterations[static_cast<long>(row) * width + column] = k;
    never = k == limit;
  }
  const unsigned found = __popc(__ballot_sync(0xffffffffU, never));
  if (found > 0 && threadIdx.x == 0 && threadIdx.y == 0)
    atomicAdd(inside, found);
}

void require(cudaError_t status) {
  if (status != cudaSuccess)
    throw std::runtime_error(std::string("mandelbrot, native CUDA: ") + cudaGetErrorString(status));
}

class Native {
public:
  void operator()(int width, int height, double re_min, double re_max, double im_min, double im_max,
                  int limit, int* iterations, long* inside) const {
    Data data;
    unsigned long long* const count = _count.data();
    const auto steps = data.copyout(iterations, height, width);
    const cudaStream_t stream = Kokkos::Cuda().cuda_stream();
    require(cudaMemsetAsync(count, 0, sizeof *count, stream));
    const dim3 block(8, 4);
    const dim3 grid((width + block.x - 1) / block.x, (height + block.y - 1) / block.y);
    if (width > 0 && height > 0)
      native_kernel<<<grid, block, 0, stream>>>(width, height, re_min, re_max, im_min, im_max,
                                                limit, steps.data(), count);
    require(cudaGetLastError());
    unsigned long long on_host = 0;
    require(cudaMemcpyAsync(&on_host, count, sizeof on_host, cudaMemcpyDeviceToHost, stream));
    require(cudaStreamSynchronize(stream));
    *inside = static_cast<long>(on_host);
  }

private:
  Kokkos::View<unsigned long long, Kokkos::CudaSpace> _count{"mandelbrot/native count"};
};

const harness::Yardstick<Problem> cuda("cuda", harness::run_planned<Native>);

} // namespace
} // namespace gangway::mandelbrot
