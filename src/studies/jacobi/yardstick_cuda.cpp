// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/study.hpp"
#include "studies/jacobi/jacobi.hpp"

// A CUDA solver written for this card: one kernel per sweep, eight rows per thread in registers.
// The largest change goes by shuffles and one atomic per block; the host asks every 256 sweeps.
namespace gangway::jacobi {
namespace {

using Bits = unsigned long long; ///< of a double that is not negative: same order as the double

constexpr int threads = 256;
constexpr int rows_each = 8;
constexpr int ahead = 256;

void require(cudaError_t status) {
  if (status != cudaSuccess)
    throw std::runtime_error(std::string("jacobi, native CUDA: ") + cudaGetErrorString(status));
}

__global__ void __launch_bounds__(threads)
    sweep(long rows, long columns, long across, const double* __restrict__ from,
          double* __restrict__ to, Bits* changes, double tolerance) {
  if (!(__longlong_as_double(static_cast<long long>(changes[-1])) > tolerance))
    return;
  const long stride = columns + 2;
  const long row = blockIdx.x / across * rows_each + 1;
  const long j = blockIdx.x % across * threads + threadIdx.x;
  double largest = 0;
  if (j >= 1 && j <= columns) {
    const double* const top = from + row * stride + j;
    double* const out = to + row * stride + j;
    double column[rows_each + 2];
#pragma unroll
    for (int k = 0; k < rows_each + 2; ++k)
      column[k] = row + k - 1 <= rows + 1 ? top[(k - 1) * stride] : 0;
#pragma unroll
    for (int k = 0; k < rows_each; ++k)
      if (row + k <= rows) {
        const double mean =
            0.25 * (column[k + 2] + column[k] + top[k * stride + 1] + top[k * stride - 1]);
        out[k * stride] = mean;
        largest = fmax(largest, fabs(mean - column[k + 1]));
      }
  }
  __shared__ double of_warp[threads / 32];
  for (int offset = 16; offset > 0; offset /= 2)
    largest = fmax(largest, __shfl_down_sync(0xffffffffU, largest, offset));
  if (threadIdx.x % 32 == 0)
    of_warp[threadIdx.x / 32] = largest;
  __syncthreads();
  if (threadIdx.x < 32) {
    largest = threadIdx.x < threads / 32 ? of_warp[threadIdx.x] : 0;
    for (int offset = threads / 64; offset > 0; offset /= 2)
      largest = fmax(largest, __shfl_down_sync(0xffffffffU, largest, offset));
    if (threadIdx.x == 0 && largest > 0)
      atomicMax(changes, static_cast<Bits>(__double_as_longlong(largest)));
  }
}

__global__ void copy_edges(long rows, long columns, const double* from, double* to) {
  const long stride = columns + 2;
  const long k = static_cast<long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (k < stride) {
    to[k] = from[k];
    to[(rows + 1) * stride + k] = from[(rows + 1) * stride + k];
  }
  if (k < rows + 2) {
    to[k * stride] = from[k * stride];
    to[k * stride + columns + 1] = from[k * stride + columns + 1];
  }
}

std::shared_ptr<double> changes_on_device() {
  void* memory = nullptr;
  require(cudaMalloc(&memory, (ahead + 1) * sizeof(double)));
  return {static_cast<double*>(memory), [](double* changes) { cudaFree(changes); }};
}

class Native {
public:
  void operator()(const Task& task) const {
    const auto [rows, columns, iterations, tolerance, plate, next, change, done] = task;
    double* const changes = _changes.get();
    Data data;
    double* const old = data.copy(plate, rows + 2, columns + 2).data();
    double* const mean = data.create(next, rows + 2, columns + 2).data();
    const cudaStream_t stream = Kokkos::Cuda().cuda_stream();
    const long edge = std::max(rows, columns) + 2;
    copy_edges<<<static_cast<unsigned>((edge + threads - 1) / threads), threads, 0, stream>>>(
        rows, columns, old, mean);
    const long across =
        (columns + threads) / threads; // columns 0 to `columns`, so that blocks are aligned
    const auto blocks = static_cast<unsigned>((rows + rows_each - 1) / rows_each * across);
    std::vector<double> on_host(ahead + 1);
    *done = 0;
    *change = std::numeric_limits<double>::infinity();
    while (*done < iterations && *change > tolerance) {
      const int sweeps = std::min(ahead, iterations - *done);
      std::fill(on_host.begin(), on_host.end(), 0.0);
      on_host[0] = *change;
      require(cudaMemcpyAsync(changes, on_host.data(), on_host.size() * sizeof(double),
                              cudaMemcpyHostToDevice, stream));
      for (int s = 1; s <= sweeps && blocks > 0; ++s)
        sweep<<<blocks, threads, 0, stream>>>(rows, columns, across, s % 2 != 0 ? old : mean,
                                              s % 2 != 0 ? mean : old,
                                              reinterpret_cast<Bits*>(changes) + s, tolerance);
      require(cudaGetLastError());
      require(cudaMemcpyAsync(on_host.data(), changes, on_host.size() * sizeof(double),
                              cudaMemcpyDeviceToHost, stream));
      require(cudaStreamSynchronize(stream));
      for (int s = 1; s <= sweeps && *change > tolerance; ++s) {
        *change = on_host[static_cast<std::size_t>(s)];
        ++*done;
      }
    }
    if (*done % 2 != 0)
      require(cudaMemcpyAsync(old, mean,
                              sizeof(double) * static_cast<std::size_t>((rows + 2) * (columns + 2)),
                              cudaMemcpyDeviceToDevice, stream));
    require(cudaStreamSynchronize(stream));
  }

private:
  std::shared_ptr<double> _changes = changes_on_device();
};

const harness::Yardstick<Problem> cuda("cuda", harness::run_planned<Native>);

} // namespace
} // namespace gangway::jacobi
