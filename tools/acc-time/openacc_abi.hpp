// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

/// The profiling interface of the OpenACC specification (2.6, chapter 5), so that any compiler
/// can build this library for any OpenACC runtime. A test, tests/acc_time/openacc_abi_test.cpp,
/// compares it with acc_prof.h.
namespace gangway::acc_time::openacc {

enum Event : int {
  device_init_start = 1,
  device_init_end,
  device_shutdown_start,
  device_shutdown_end,
  runtime_shutdown,
  create,
  delete_,
  alloc,
  free,
  enter_data_start,
  enter_data_end,
  exit_data_start,
  exit_data_end,
  update_start,
  update_end,
  compute_construct_start,
  compute_construct_end,
  enqueue_launch_start,
  enqueue_launch_end,
  enqueue_upload_start,
  enqueue_upload_end,
  enqueue_download_start,
  enqueue_download_end,
  wait_start,
  wait_end
};

enum Construct : int { construct_data = 3, construct_enter_data = 4, construct_exit_data = 5 };

constexpr std::ptrdiff_t async_sync = -2;

struct ProfInfo {
  Event event_type;
  int valid_bytes;
  int version;
  int device_type;
  int device_number;
  int thread_id;
  std::ptrdiff_t async;
  std::ptrdiff_t async_queue;
  const char* src_file;
  const char* func_name;
  int line_no, end_line_no;
  int func_line_no, func_end_line_no;
};

struct DataEvent {
  Event event_type;
  int valid_bytes;
  int parent_construct;
  int implicit;
  void* tool_info;
  const char* var_name;
  std::size_t bytes;
  const void* host_ptr;
  const void* device_ptr;
};

struct LaunchEvent {
  Event event_type;
  int valid_bytes;
  int parent_construct;
  int implicit;
  void* tool_info;
  const char* kernel_name;
  std::size_t num_gangs, num_workers, vector_length;
};

struct OtherEvent {
  Event event_type;
  int valid_bytes;
  int parent_construct;
  int implicit;
  void* tool_info;
};

union EventInfo {
  Event event_type;
  DataEvent data_event;
  LaunchEvent launch_event;
  OtherEvent other_event;
};

struct ApiInfo {
  int device_api;
  int valid_bytes;
  int device_type;
  int vendor;
  const void* device_handle;
  const void* context_handle;
  const void* async_handle;
};

using Callback = void (*)(ProfInfo*, EventInfo*, ApiInfo*);
using Register = void (*)(Event, Callback, int how);
using Query = void (*)();
using Lookup = Query (*)(const char*);

} // namespace gangway::acc_time::openacc
