// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// A Kokkos with HIP as far as src/gangway/device.{hpp,cpp} use it, for machines without either.
// Names, types and meanings are those of Kokkos and ROCm; `fake` says what they answer and keeps
// what they were asked. `./run check-hip` holds the same sources against the real headers.

// NOLINTBEGIN(readability-identifier-naming): the names are Kokkos' and the vendor's.

#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>

#define KOKKOS_ENABLE_HIP

enum hipError_t { hipSuccess = 0, hipErrorInvalidValue = 1, hipErrorNotReady = 600 };
using hipStream_t = int*;
using hipEvent_t = int*;
inline constexpr unsigned hipEventDisableTiming = 0x2;
inline constexpr unsigned hipStreamNonBlocking = 0x1;

struct hipDeviceProp_t {
  char name[256];
  int warpSize;
  int multiProcessorCount;
  int l2CacheSize;
  int maxThreadsPerMultiProcessor;
  char gcnArchName[256];
};

namespace fake {
struct State {
  bool initialized = true;
  bool finalized = false;
  hipDeviceProp_t device{"AMD Instinct MI300X", 64, 304, 4 << 20, 2048, "gfx942:sramecc+:xnack-"};
  hipError_t memory = hipSuccess; ///< of hipMemGetInfo
  hipError_t query = hipSuccess;  ///< of hipStreamQuery
  hipError_t record = hipSuccess; ///< of hipEventRecord
  hipError_t stream = hipSuccess; ///< of hipStreamCreateWithPriority
  int urgent = 3;                 ///< the stream that it makes
  std::vector<std::string> calls;
};
inline State state;
inline std::string queue_name(hipStream_t stream) {
  return std::to_string(*stream);
}
} // namespace fake

inline const char* hipGetErrorString(hipError_t error) {
  return error == hipErrorInvalidValue ? "invalid argument" : "some other error";
}
inline hipError_t hipGetLastError() {
  fake::state.calls.emplace_back("last error");
  return hipSuccess;
}
inline hipError_t hipDriverGetVersion(int* version) {
  *version = 60443484;
  return hipSuccess;
}
inline hipError_t hipRuntimeGetVersion(int* version) {
  *version = 60342134;
  return hipSuccess;
}
inline hipError_t hipMemGetInfo(std::size_t* free, std::size_t* total) {
  *free = std::size_t{190} << 30;
  *total = std::size_t{192} << 30;
  return fake::state.memory;
}
inline hipError_t hipGetDevice(int* device) {
  *device = 1;
  return hipSuccess;
}
inline hipError_t hipDeviceGetPCIBusId(char* id, int length, int device) {
  static_cast<void>(std::snprintf(id, static_cast<std::size_t>(length), "0000:c%d:00.0", device));
  return hipSuccess;
}
inline hipError_t hipDeviceGetStreamPriorityRange(int* least, int* most) {
  *least = 1;
  *most = -1;
  return hipSuccess;
}
inline hipError_t hipStreamCreateWithPriority(hipStream_t* stream, unsigned, int priority) {
  fake::state.calls.push_back("stream of priority " + std::to_string(priority));
  *stream = &fake::state.urgent;
  return fake::state.stream;
}
inline hipError_t hipStreamDestroy(hipStream_t stream) {
  fake::state.calls.push_back("destroy " + fake::queue_name(stream));
  return hipSuccess;
}
inline hipError_t hipStreamQuery(hipStream_t stream) {
  fake::state.calls.push_back("query " + fake::queue_name(stream));
  return fake::state.query;
}
inline hipError_t hipEventCreateWithFlags(hipEvent_t* event, unsigned flags) {
  static int made = 0;
  *event = &made;
  fake::state.calls.emplace_back(flags == hipEventDisableTiming ? "create" : "create, timed");
  return hipSuccess;
}
inline hipError_t hipEventRecord(hipEvent_t, hipStream_t stream) {
  fake::state.calls.push_back("record " + fake::queue_name(stream));
  return fake::state.record;
}
inline hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t, unsigned) {
  fake::state.calls.push_back("wait " + fake::queue_name(stream));
  return hipSuccess;
}
inline hipError_t hipEventDestroy(hipEvent_t) {
  fake::state.calls.emplace_back("destroy");
  return hipSuccess;
}

namespace Kokkos {

class HostSpace {};
class HIPSpace {};

class HIP {
public:
  using memory_space = HIPSpace;
  HIP() = default;
  explicit HIP(hipStream_t stream) : _stream(stream) {}
  [[nodiscard]] hipStream_t hip_stream() const { return _stream; }
  static const hipDeviceProp_t& hip_device_prop() { return fake::state.device; }
  static const char* name() { return "HIP"; }
  void fence(const std::string& = {}) const { fake::state.calls.emplace_back("fence"); }

private:
  hipStream_t _stream = nullptr;
};

class Serial {
public:
  using memory_space = HostSpace;
  static const char* name() { return "Serial"; }
  void fence(const std::string& = {}) const {}
};

using DefaultExecutionSpace = HIP;
using DefaultHostExecutionSpace = Serial;
inline bool is_initialized() {
  return fake::state.initialized;
}
inline bool is_finalized() {
  return fake::state.finalized;
}

} // namespace Kokkos

// NOLINTEND(readability-identifier-naming)
