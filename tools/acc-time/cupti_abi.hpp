// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>

/// The little of CUPTI's binary interface that is used here, as its manual describes it, so that
/// neither its headers nor its library are needed to build. Records are only ever extended at the
/// end; where there is a cupti.h, tests/acc_time/cupti_abi_test.cpp compares these with it.
namespace gangway::acc_time::cupti {

enum ActivityKind : std::uint32_t {
  memcpy_kind = 1,
  driver_kind = 4,
  runtime_kind = 5,
  concurrent_kernel_kind = 10,
  external_correlation_kind = 39
};
enum MemcpyKind : std::uint8_t { host_to_device = 1, device_to_host = 2, device_to_device = 8 };
constexpr std::uint32_t external_custom0 = 3;
constexpr int no_more_records = 12; ///< CUPTI_ERROR_MAX_LIMIT_REACHED

struct alignas(8) ExternalCorrelation {
  std::uint32_t kind;
  std::uint32_t external_kind;
  std::uint64_t external_id;
  std::uint32_t correlation;
  std::uint32_t reserved;
};

struct alignas(8) Memcpy {
  std::uint32_t kind;
  std::uint8_t copy_kind;
  std::uint8_t source_kind;
  std::uint8_t destination_kind;
  std::uint8_t flags;
  std::uint64_t bytes;
  std::uint64_t start;
  std::uint64_t end;
  std::uint32_t device;
  std::uint32_t context;
  std::uint32_t stream;
  std::uint32_t correlation;
  std::uint32_t runtime_correlation;
};

struct alignas(8) Kernel {
  std::uint32_t kind;
  std::uint8_t cache_config;
  std::uint8_t shared_memory_config;
  std::uint16_t registers;
  std::uint32_t cache_requested;
  std::uint32_t cache_executed;
  std::uint64_t start;
  std::uint64_t end;
  std::uint64_t completed;
  std::uint32_t device;
  std::uint32_t context;
  std::uint32_t stream;
  std::int32_t grid[3];
  std::int32_t block[3];
  std::int32_t static_shared;
  std::int32_t dynamic_shared;
  std::uint32_t local_per_thread;
  std::uint32_t local_total;
  std::uint32_t correlation;
  std::int64_t grid_id;
  const char* name;
};

extern "C" {
using BufferRequested = void (*)(std::uint8_t** buffer, std::size_t* size,
                                 std::size_t* most_records);
using BufferCompleted = void (*)(void* context, std::uint32_t stream, std::uint8_t* buffer,
                                 std::size_t size, std::size_t valid);
}

/// The functions of the library.
struct Library {
  int (*RegisterCallbacks)(BufferRequested, BufferCompleted);
  int (*Enable)(ActivityKind);
  int (*FlushAll)(std::uint32_t);
  int (*GetNextRecord)(std::uint8_t* buffer, std::size_t valid, void** record);
  int (*PushExternalCorrelationId)(std::uint32_t kind, std::uint64_t id);
  int (*PopExternalCorrelationId)(std::uint32_t kind, std::uint64_t* last);
  int (*GetResultString)(int result, const char** text);
};

} // namespace gangway::acc_time::cupti
