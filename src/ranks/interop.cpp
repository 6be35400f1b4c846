// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// This file includes no other header of Gangway but device.hpp, because the tests compile it
// against a header that plays HIP and SYCL (tests/device).
#include "ranks/interop.hpp"

namespace gangway::ranks {
namespace {

/// Throws RuntimeError with the runtime's own words unless `error` is 0.
[[maybe_unused]] void require_success(int error, const char* what, const char* words) {
  if (error != 0)
    throw RuntimeError(std::string(what) + ": " + words);
}

/// The functions for every other space, which has no bus to ask about, no stream, and only the
/// default queue.
template <class Space>
std::string bus_id_of(const Space& /*space*/) {
  return {};
}
template <class Space>
void* vendor_stream(const Space& /*queue*/) {
  return nullptr;
}
template <class Space>
void* new_urgent_stream(const Space& /*space*/) {
  return nullptr;
}
template <class Space>
Space queue_on(const Space& space, void* /*stream*/) {
  return space;
}
template <class Space>
void release_stream(const Space& /*space*/, void* /*stream*/) {}

#ifdef KOKKOS_ENABLE_CUDA
void require(cudaError_t state, const char* what) {
  require_success(state, what, cudaGetErrorString(state));
}

std::string bus_id_of(const Kokkos::Cuda& /*space*/) {
  char id[32] = "";
  int device = 0;
  require(cudaGetDevice(&device), "bus_id");
  require(cudaDeviceGetPCIBusId(id, sizeof id, device), "bus_id");
  return id;
}

void* vendor_stream(const Kokkos::Cuda& queue) {
  return queue.cuda_stream();
}

void* new_urgent_stream(const Kokkos::Cuda& /*space*/) {
  int least = 0;
  int most = 0;
  cudaStream_t stream{};
  require(cudaDeviceGetStreamPriorityRange(&least, &most), "an urgent queue");
  require(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, most), "an urgent queue");
  return stream;
}

Kokkos::Cuda queue_on(const Kokkos::Cuda& /*space*/, void* stream) {
  return Kokkos::Cuda(static_cast<cudaStream_t>(stream));
}

void release_stream(const Kokkos::Cuda& /*space*/, void* stream) {
  static_cast<void>(cudaStreamDestroy(static_cast<cudaStream_t>(stream)));
}
#endif

#ifdef KOKKOS_ENABLE_HIP
void require(hipError_t state, const char* what) {
  require_success(state, what, hipGetErrorString(state));
}

std::string bus_id_of(const Kokkos::HIP& /*space*/) {
  char id[32] = "";
  int device = 0;
  require(hipGetDevice(&device), "bus_id");
  require(hipDeviceGetPCIBusId(id, sizeof id, device), "bus_id");
  return id;
}

void* vendor_stream(const Kokkos::HIP& queue) {
  return queue.hip_stream();
}

void* new_urgent_stream(const Kokkos::HIP& /*space*/) {
  int least = 0;
  int most = 0;
  hipStream_t stream{};
  require(hipDeviceGetStreamPriorityRange(&least, &most), "an urgent queue");
  require(hipStreamCreateWithPriority(&stream, hipStreamNonBlocking, most), "an urgent queue");
  return stream;
}

Kokkos::HIP queue_on(const Kokkos::HIP& /*space*/, void* stream) {
  return Kokkos::HIP(static_cast<hipStream_t>(stream));
}

void release_stream(const Kokkos::HIP& /*space*/, void* stream) {
  static_cast<void>(hipStreamDestroy(static_cast<hipStream_t>(stream)));
}
#endif

} // namespace

std::string bus_id() {
  if (!Kokkos::is_initialized() || Kokkos::is_finalized())
    throw RuntimeError("bus_id: Kokkos is not running, and has no device; initialise it first");
  return bus_id_of(Kokkos::DefaultExecutionSpace());
}

void* stream_of(const Kokkos::DefaultExecutionSpace& queue) {
  return vendor_stream(queue);
}

UrgentQueue::UrgentQueue()
    : _stream(new_urgent_stream(Kokkos::DefaultExecutionSpace())),
      _queue(queue_on(Kokkos::DefaultExecutionSpace(), _stream)) {}

UrgentQueue::~UrgentQueue() {
  _queue.reset();
  if (_stream != nullptr)
    release_stream(Kokkos::DefaultExecutionSpace(), _stream);
}

} // namespace gangway::ranks
