// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The timing report declares what it needs of OpenACC's profiling interface and of CUPTI itself.
// Where this compiler or this machine has the headers, they are compared with them.
#include "../../tools/acc-time/cupti_abi.hpp"
#include "../../tools/acc-time/openacc_abi.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#if __has_include(<acc_prof.h>)
#include <acc_prof.h>
#endif
#if __has_include(<cupti.h>)
#include <cupti.h>
#endif

namespace {

namespace ours = gangway::acc_time;

#if __has_include(<acc_prof.h>)
#define GANGWAY_SAME_FIELD(OURS, THEIRS, FIELD)                                                    \
  static_assert(offsetof(ours::openacc::OURS, FIELD) == offsetof(THEIRS, FIELD))
GANGWAY_SAME_FIELD(ProfInfo, acc_prof_info, device_type);
GANGWAY_SAME_FIELD(ProfInfo, acc_prof_info, device_number);
GANGWAY_SAME_FIELD(ProfInfo, acc_prof_info, async);
GANGWAY_SAME_FIELD(ProfInfo, acc_prof_info, src_file);
GANGWAY_SAME_FIELD(ProfInfo, acc_prof_info, func_name);
GANGWAY_SAME_FIELD(ProfInfo, acc_prof_info, line_no);
GANGWAY_SAME_FIELD(DataEvent, acc_data_event_info, parent_construct);
GANGWAY_SAME_FIELD(DataEvent, acc_data_event_info, var_name);
GANGWAY_SAME_FIELD(DataEvent, acc_data_event_info, bytes);
GANGWAY_SAME_FIELD(DataEvent, acc_data_event_info, device_ptr);
GANGWAY_SAME_FIELD(LaunchEvent, acc_launch_event_info, kernel_name);
GANGWAY_SAME_FIELD(LaunchEvent, acc_launch_event_info, num_gangs);
GANGWAY_SAME_FIELD(LaunchEvent, acc_launch_event_info, vector_length);
GANGWAY_SAME_FIELD(OtherEvent, acc_other_event_info, parent_construct);
static_assert(int{ours::openacc::device_init_start} == int{acc_ev_device_init_start});
static_assert(int{ours::openacc::alloc} == int{acc_ev_alloc});
static_assert(int{ours::openacc::update_end} == int{acc_ev_update_end});
static_assert(int{ours::openacc::compute_construct_start} == int{acc_ev_compute_construct_start});
static_assert(int{ours::openacc::enqueue_upload_start} == int{acc_ev_enqueue_upload_start});
static_assert(int{ours::openacc::wait_end} == int{acc_ev_wait_end});
static_assert(int{ours::openacc::construct_data} == int{acc_construct_data});
static_assert(int{ours::openacc::construct_enter_data} == int{acc_construct_enter_data});
static_assert(int{ours::openacc::construct_exit_data} == int{acc_construct_exit_data});
static_assert(ours::openacc::async_sync == acc_async_sync);

TEST(Abi, OpenaccMatchesTheHeader) {
  SUCCEED() << "checked when this was compiled";
}
#else
TEST(Abi, OpenaccMatchesTheHeader) {
  GTEST_SKIP() << "this compiler has no acc_prof.h";
}
#endif

#if __has_include(<cupti.h>)
#define GANGWAY_SAME_PLACE(OURS, OUR_FIELD, THEIRS, THEIR_FIELD)                                   \
  static_assert(offsetof(ours::cupti::OURS, OUR_FIELD) == offsetof(THEIRS, THEIR_FIELD))
GANGWAY_SAME_PLACE(ExternalCorrelation, external_kind, CUpti_ActivityExternalCorrelation,
                   externalKind);
GANGWAY_SAME_PLACE(ExternalCorrelation, external_id, CUpti_ActivityExternalCorrelation, externalId);
GANGWAY_SAME_PLACE(ExternalCorrelation, correlation, CUpti_ActivityExternalCorrelation,
                   correlationId);
GANGWAY_SAME_PLACE(Memcpy, copy_kind, CUpti_ActivityMemcpy6, copyKind);
GANGWAY_SAME_PLACE(Memcpy, bytes, CUpti_ActivityMemcpy6, bytes);
GANGWAY_SAME_PLACE(Memcpy, start, CUpti_ActivityMemcpy6, start);
GANGWAY_SAME_PLACE(Memcpy, correlation, CUpti_ActivityMemcpy6, correlationId);
GANGWAY_SAME_PLACE(Memcpy, runtime_correlation, CUpti_ActivityMemcpy6, runtimeCorrelationId);
GANGWAY_SAME_PLACE(Kernel, start, CUpti_ActivityKernel9, start);
GANGWAY_SAME_PLACE(Kernel, end, CUpti_ActivityKernel9, end);
GANGWAY_SAME_PLACE(Kernel, grid, CUpti_ActivityKernel9, gridX);
GANGWAY_SAME_PLACE(Kernel, block, CUpti_ActivityKernel9, blockX);
GANGWAY_SAME_PLACE(Kernel, correlation, CUpti_ActivityKernel9, correlationId);
GANGWAY_SAME_PLACE(Kernel, name, CUpti_ActivityKernel9, name);
GANGWAY_SAME_PLACE(CallbackData, site, CUpti_CallbackData, callbackSite);
GANGWAY_SAME_PLACE(CallbackData, correlation, CUpti_CallbackData, correlationId);
static_assert(int{CUPTI_API_ENTER} == 0);
static_assert(int{ours::cupti::driver_domain} == int{CUPTI_CB_DOMAIN_DRIVER_API});
static_assert(int{ours::cupti::runtime_domain} == int{CUPTI_CB_DOMAIN_RUNTIME_API});
static_assert(int{ours::cupti::memcpy_kind} == int{CUPTI_ACTIVITY_KIND_MEMCPY});
static_assert(int{ours::cupti::driver_kind} == int{CUPTI_ACTIVITY_KIND_DRIVER});
static_assert(int{ours::cupti::runtime_kind} == int{CUPTI_ACTIVITY_KIND_RUNTIME});
static_assert(int{ours::cupti::concurrent_kernel_kind} ==
              int{CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL});
static_assert(int{ours::cupti::external_correlation_kind} ==
              int{CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION});
static_assert(int{ours::cupti::external_custom0} == int{CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0});
static_assert(int{ours::cupti::host_to_device} == int{CUPTI_ACTIVITY_MEMCPY_KIND_HTOD});
static_assert(int{ours::cupti::device_to_host} == int{CUPTI_ACTIVITY_MEMCPY_KIND_DTOH});

// No call that launches or copies may be left out.
constexpr bool left_out(const auto& calls, std::uint32_t call) {
  return std::find(calls.begin(), calls.end(), call) != calls.end();
}
constexpr bool runtime_left_out(std::uint32_t call) {
  return left_out(ours::cupti::idle_runtime_calls, call);
}
static_assert(runtime_left_out(CUPTI_RUNTIME_TRACE_CBID_cudaGetLastError_v3020));
static_assert(runtime_left_out(CUPTI_RUNTIME_TRACE_CBID_cudaStreamIsCapturing_v10000));
static_assert(!runtime_left_out(CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000));
static_assert(!runtime_left_out(CUPTI_RUNTIME_TRACE_CBID_cudaMemcpy_v3020));
static_assert(!runtime_left_out(CUPTI_RUNTIME_TRACE_CBID_cudaMemcpyAsync_v3020));
static_assert(!runtime_left_out(CUPTI_RUNTIME_TRACE_CBID_cudaGraphLaunch_v10000));
static_assert(left_out(ours::cupti::idle_driver_calls, CUPTI_DRIVER_TRACE_CBID_cuCtxGetCurrent));
static_assert(!left_out(ours::cupti::idle_driver_calls, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel));
static_assert(!left_out(ours::cupti::idle_driver_calls, CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoD_v2));

TEST(Abi, CuptiMatchesTheHeader) {
  SUCCEED() << "checked when this was compiled";
}
#else
TEST(Abi, CuptiMatchesTheHeader) {
  GTEST_SKIP() << "this machine has no cupti.h";
}
#endif

} // namespace
