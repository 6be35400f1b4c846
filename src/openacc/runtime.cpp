// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "openacc/runtime.h"

#include <acc_prof.h>
#include <dlfcn.h>
#include <openacc.h>

#include <algorithm>
#include <atomic>
#include <mutex>

namespace {

struct Counters {
  std::atomic<unsigned long long> to_device{0}, to_host{0}, bytes_to_device{0}, bytes_to_host{0};
};
Counters counters;

void count_upload(acc_prof_info* /*info*/, acc_event_info* event, acc_api_info* /*api*/) {
  ++counters.to_device;
  counters.bytes_to_device += event->data_event.bytes;
}

void count_download(acc_prof_info* /*info*/, acc_event_info* event, acc_api_info* /*api*/) {
  ++counters.to_host;
  counters.bytes_to_host += event->data_event.bytes;
}

struct Launches {
  std::atomic<unsigned long long> count{0};
  gangway_openacc_launch kept[GANGWAY_OPENACC_LAUNCHES_KEPT];
};
Launches launched;

void note_launch(acc_prof_info* /*info*/, acc_event_info* event, acc_api_info* /*api*/) {
  const acc_launch_event_info& launch = event->launch_event;
  const unsigned long long place = launched.count++;
  if (place < GANGWAY_OPENACC_LAUNCHES_KEPT)
    launched.kept[place] = {static_cast<long>(launch.num_gangs),
                            static_cast<int>(launch.num_workers),
                            static_cast<int>(launch.vector_length)};
}

/// Registers the callbacks by a name that is looked up, not linked: a runtime may lack the
/// interface.
void listen() {
  static std::once_flag once;
  std::call_once(once, [] {
    using Register = void (*)(acc_event_t, acc_prof_callback, acc_register_t);
    const auto listen_to = reinterpret_cast<Register>(dlsym(RTLD_DEFAULT, "acc_prof_register"));
    if (listen_to == nullptr)
      return;
    listen_to(acc_ev_enqueue_upload_start, count_upload, acc_reg);
    listen_to(acc_ev_enqueue_download_start, count_download, acc_reg);
    listen_to(acc_ev_enqueue_launch_start, note_launch, acc_reg);
  });
}

/// Returns whether the runtime reports transfers at all, found by making one.
bool reports_transfers() {
  const unsigned long long before = counters.to_device;
  [[maybe_unused]] double probe[1] = {0}; // GCC takes no note of uses in a data directive
#pragma acc enter data copyin(probe[0 : 1])
#pragma acc exit data delete (probe[0 : 1])
  return counters.to_device != before;
}
bool transfers_reported = true;

/// Returns whether the runtime reports launches, found by making one.
bool reports_launches() {
  const unsigned long long before = launched.count;
  static_cast<void>(gangway_openacc_ran_on());
  return launched.count != before;
}
bool launches_reported = false;

int gpu_type() {
  return acc_get_num_devices(acc_device_nvidia) > 0 ? static_cast<int>(acc_device_nvidia)
                                                    : static_cast<int>(acc_device_radeon);
}

} // namespace

extern "C" {

int gangway_openacc_abi(void) {
  return GANGWAY_OPENACC_ABI;
}

int gangway_openacc_version(void) {
  return _OPENACC;
}

const void* gangway_openacc_runtime(void) {
  return reinterpret_cast<const void*>(&acc_get_num_devices);
}

int gangway_openacc_gpu_count(void) {
  return acc_get_num_devices(static_cast<acc_device_t>(gpu_type()));
}

int gangway_openacc_select(int device) {
  if (device < 0) {
    acc_set_device_type(acc_device_host);
  } else {
    if (device >= gangway_openacc_gpu_count())
      return 1;
    acc_set_device_num(device, static_cast<acc_device_t>(gpu_type()));
  }
  listen();
  transfers_reported = device < 0 || reports_transfers();
  launches_reported = reports_launches();
  return 0;
}

const char* gangway_openacc_ran_on(void) {
  int on_device = 0;
#pragma acc parallel copyout(on_device) num_gangs(1)
  {
    on_device = acc_on_device(acc_device_not_host);
  }
  if (!on_device)
    return "host";
  switch (acc_get_device_type()) {
  case acc_device_nvidia:
    return "nvidia";
  case acc_device_radeon:
    return "radeon";
  default:
    return "device";
  }
}

void gangway_openacc_map(void* host, void* device, size_t bytes) {
  acc_map_data(host, device, bytes);
}

void gangway_openacc_unmap(void* host) {
  acc_unmap_data(host);
}

int gangway_openacc_is_present(void* host, size_t bytes) {
  return acc_is_present(host, bytes);
}

void gangway_openacc_memory(size_t* total, size_t* free) {
  const acc_device_t type = acc_get_device_type();
  const int device = acc_get_device_num(type);
  *total = acc_get_property(device, type, acc_property_memory);
  *free = acc_get_property(device, type, acc_property_free_memory);
}

const char* gangway_openacc_device_name(void) {
  const acc_device_t type = acc_get_device_type();
  const char* name = acc_get_property_string(acc_get_device_num(type), type, acc_property_name);
  return name != nullptr ? name : "";
}

int gangway_openacc_get_transfers(struct gangway_openacc_transfers* transfers) {
  if (!transfers_reported)
    return 0;
  transfers->to_device = counters.to_device;
  transfers->to_host = counters.to_host;
  transfers->bytes_to_device = counters.bytes_to_device;
  transfers->bytes_to_host = counters.bytes_to_host;
  return 1;
}

int gangway_openacc_get_launches(struct gangway_openacc_launches* launches) {
  if (!launches_reported)
    return 0;
  const unsigned long long most = GANGWAY_OPENACC_LAUNCHES_KEPT;
  launches->count = static_cast<int>(std::min(launched.count.load(), most));
  std::copy_n(launched.kept, launches->count, launches->kept);
  return 1;
}

void gangway_openacc_clear_launches(void) {
  launched.count = 0;
}

} // extern "C"
