// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

/// The part of CUPTI's binary interface that we use, as its manual describes it, so that a build
/// needs neither its headers nor its library. NVIDIA extends records only at the end. If there is a
/// cupti.h, tests/acc_time/cupti_abi_test.cpp compares these with it.
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

/// Calls of CUDA's runtime, by their numbers in cupti_runtime_cbid.h, that launch nothing and are
/// made often: errors, devices, attributes, events, waiting, and the two around each <<<>>>.
inline constexpr std::array<std::uint32_t, 23> idle_runtime_calls{
    10,  11,  14,  15,  16,  17,  131, 132, 135, 137, 138, 147,
    151, 165, 200, 239, 240, 242, 251, 273, 317, 502, 503};
/// Calls of CUDA's driver of this kind, by their numbers in cupti_driver_cbid.h.
inline constexpr std::array<std::uint32_t, 23> idle_driver_calls{
    3,   9,   14,  15,  16,  17,  23,  85,  118, 119, 120, 121,
    125, 126, 246, 296, 303, 304, 310, 323, 324, 325, 440};

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

/// Data that CUPTI passes to a callback about a call.
struct CallbackData {
  std::uint32_t site; ///< 0: about to be made
  const char* function;
  const void* parameters;
  void* result;
  const char* symbol;
  void* context;
  std::uint32_t context_number;
  std::uint64_t* correlation_data;
  std::uint32_t correlation;
};

enum Domain : std::uint32_t { driver_domain = 1, runtime_domain = 2 };

extern "C" {
using Callback = void (*)(void* data, std::uint32_t domain, std::uint32_t call, const void* what);
using BufferRequested = void (*)(std::uint8_t** buffer, std::size_t* size,
                                 std::size_t* most_records);
using BufferCompleted = void (*)(void* context, std::uint32_t stream, std::uint8_t* buffer,
                                 std::size_t size, std::size_t valid);
}

/// Functions of the library.
struct Library {
  int (*register_callbacks)(BufferRequested, BufferCompleted);
  int (*enable)(ActivityKind);
  int (*subscribe)(void** subscriber, Callback, void* data);
  int (*enable_domain)(std::uint32_t enable, void* subscriber, std::uint32_t domain);
  int (*enable_callback)(std::uint32_t enable, void* subscriber, std::uint32_t domain,
                         std::uint32_t call);
  int (*flush_all)(std::uint32_t);
  int (*get_next_record)(std::uint8_t* buffer, std::size_t valid, void** record);
  int (*push_id)(std::uint32_t kind, std::uint64_t id);
  int (*pop_id)(std::uint32_t kind, std::uint64_t* last);
  int (*get_result_string)(int result, const char** text);
};

} // namespace gangway::acc_time::cupti
