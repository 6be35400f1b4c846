// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "gangway/data.hpp"
#include "gangway/device.hpp"
#include "gangway/levels.hpp"

#include <Kokkos_Core.hpp>

#include <algorithm>

// clang-format off
/// The OpenACC runtime library in Kokkos. Where plain Kokkos is one call, that call is named and not
/// wrapped; functions without a namespace below are Gangway's, from here and from data.hpp. A queue
/// is an execution-space instance: OpenACC numbers its queues and keeps them, Kokkos' are values that
/// the program makes (`Kokkos::Experimental::partition_space(Space(), 1, 1)`, `Kokkos::Cuda(stream)`)
/// and keeps.
///
/// | OpenACC | Kokkos, Gangway |
/// |---|---|
/// | **Devices** | |
/// | `acc_get_num_devices` | `Kokkos::num_devices()`; -1 where no GPU backend is built in, for then the host is the device |
/// | `acc_get_device_type` | `device_type<Space>()`, of the default execution space unless another is named; known when compiling |
/// | `acc_set_device_type` | none: backends are chosen when Kokkos is built. The host beside a GPU is `Kokkos::DefaultHostExecutionSpace` in a policy |
/// | `acc_get_device_num` | `Kokkos::device_id()`; -1 where the host is the device |
/// | `acc_set_device_num` | `Kokkos::initialize(select_device(n))`: Kokkos takes its device once, when it is initialised |
/// | `acc_init`, `acc_init_device` | `Kokkos::initialize`, or a `Kokkos::ScopeGuard` |
/// | `acc_shutdown`, `acc_shutdown_device` | `Kokkos::finalize`, or the end of the guard; Kokkos does not come back afterwards |
/// | `acc_get_property`, `acc_get_property_string` | `device_properties()`, of the device in use; of the host `host_properties()` |
/// | `acc_on_device` | `on_device`, or `KOKKOS_IF_ON_DEVICE((…))` and `KOKKOS_IF_ON_HOST((…))` |
/// | `acc_get_current_cuda_device` | `Kokkos::Cuda().cuda_device()` |
/// | `acc_get_current_cuda_context` | none: `cuCtxGetCurrent` once Kokkos is initialised |
/// | **Queues** | |
/// | `acc_async_test`, `acc_async_test_device` | `async_test(queue)` |
/// | `acc_async_test_all`, `acc_async_test_all_device` | `async_test` of all queues that the program keeps: Kokkos has no list of instances |
/// | `acc_wait`, `acc_wait_device`, `acc_async_wait` | `queue.fence()` |
/// | `acc_wait_all`, `acc_wait_all_device`, `acc_async_wait_all` | `Kokkos::fence()` |
/// | `acc_wait_async`, `acc_wait_device_async` | `wait_async(waited, queue)` |
/// | `acc_wait_all_async`, `acc_wait_all_device_async` | `wait_async` for each of the program's queues |
/// | `acc_wait_any`, `acc_wait_any_device` | none: ask `async_test` of one queue after the other |
/// | `acc_get_default_async`, `acc_set_default_async` | `default_queue`, `set_default_queue`, of the queues by numbers (queues.hpp); else name the instance in the policy |
/// | `acc_get_cuda_stream` | `queue.cuda_stream()`, `queue.hip_stream()` |
/// | `acc_set_cuda_stream` | `Kokkos::Cuda(stream)`, `Kokkos::HIP(stream)` |
/// | **Memory** | |
/// | `acc_malloc` | `Kokkos::kokkos_malloc<DeviceSpace>("label", bytes)`, or a View |
/// | `acc_free` | `Kokkos::kokkos_free<DeviceSpace>(pointer)` |
/// | `acc_memcpy_to_device`, `acc_memcpy_from_device` | `memcpy_to_device`, `memcpy_from_device`; of Views `Kokkos::deep_copy`, which is not counted |
/// | `acc_memcpy_to_device_async`, `acc_memcpy_from_device_async` | `memcpy_to_device`, `memcpy_from_device` |
/// | `acc_memcpy_device` | `Kokkos::deep_copy(deviceptr(to, n), deviceptr(from, n))` |
/// | `acc_memcpy_device_async` | `Kokkos::deep_copy(queue, deviceptr(to, n), deviceptr(from, n))` |
/// | `acc_memcpy_d2d`, `acc_memcpy_d2d_async` | none: Gangway uses one device per process; between processes it is MPI's |
/// | **The present table** | |
/// | `acc_copyin`, `acc_present_or_copyin`, `acc_pcopyin` | `enter_data_copyin` |
/// | `acc_create`, `acc_present_or_create`, `acc_pcreate` | `enter_data_create` |
/// | `acc_copyout`, `acc_delete` | `exit_data_copyout`, `exit_data_delete` |
/// | `acc_copyin_async`, `acc_create_async` | `enter_data_create`, which allocates at once, then `update_device` |
/// | `acc_copyout_async`, `acc_delete_async` | `update_self`, the queue's fence, then `exit_data_delete` |
/// | `acc_copyout_finalize`, `acc_copyout_finalize_async`, `acc_delete_finalize`, `acc_delete_finalize_async` | `exit_data_copyout_finalize`, `exit_data_delete_finalize`; simpler where every `enter_data` has its `exit_data`, and `present_arrays()` tells of those that have none |
/// | `acc_update_device`, `acc_update_self` | `update_device`, `update_self` |
/// | `acc_update_device_async`, `acc_update_self_async` | `update_device`, `update_self` |
/// | `acc_is_present` | `is_present` |
/// | `acc_deviceptr`, `acc_hostptr` | `device_pointer`, `host_pointer` |
/// | `acc_map_data`, `acc_unmap_data` | `map_data`, `unmap_data` |
/// | `acc_attach`, `acc_detach`, `acc_detach_finalize` | `attach`, `detach`, `detach_finalize` (linked.hpp); a View carries its pointer and needs none |
/// | `acc_attach_async`, `acc_detach_async`, `acc_detach_finalize_async` | none: they are done when the call returns |
/// | **Tools** | |
/// | `acc_prof_register`, `acc_prof_unregister`, `acc_prof_lookup`, `acc_register_library` | Kokkos Tools: `Kokkos::Tools::Experimental::set_*_callback`, or a library in `KOKKOS_TOOLS_LIBS` |
// clang-format on
namespace gangway {

/// acc_set_device_num: the settings with which Kokkos takes that device, to be given to it:
///
///     Kokkos::ScopeGuard kokkos(gangway::select_device(1));
///
/// The command line (`--kokkos-device-id=1`) and the environment (`KOKKOS_DEVICE_ID`) say the same
/// without a change to the program. Where the host is the device there is only number 0. Errors:
/// RuntimeError when there is no such device, and, once Kokkos runs, for every device but its own:
/// it keeps the one it was initialised with. A program for several devices is a process for each.
[[nodiscard]] Kokkos::InitializationSettings select_device(int number);

/// acc_on_device: whether this code runs on that device, in a kernel or outside of one.
[[nodiscard]] KOKKOS_INLINE_FUNCTION bool on_device(DeviceType type) {
  KOKKOS_IF_ON_HOST((return type == DeviceType::host;))
  KOKKOS_IF_ON_DEVICE((return type == detail::device_of<Kokkos::DefaultExecutionSpace>;))
}

/// Bytes that a program's arrays may take: free on the host, and on the device where that is
/// another.
[[nodiscard]] double usable_memory();

/// acc_async_test: whether all that was put on these instances is done. Never waits, except on
/// spaces other than Kokkos' hosts, CUDA and HIP, where it fences. The host spaces finish a kernel
/// before its launch returns. Errors: RuntimeError when something on a queue failed.
template <class... Spaces>
[[nodiscard]] bool async_test(const Spaces&... queues) {
  return (detail::is_done(queues) && ...);
}

/// acc_wait_async: what is put on `queue` from now on waits for what is on `waited` now. On CUDA
/// and HIP the host does not wait; elsewhere it does. Errors: RuntimeError when the runtime
/// refuses.
template <class Space>
void wait_async(const Space& waited, const Space& queue) {
  detail::put_after(waited, queue);
}

} // namespace gangway
