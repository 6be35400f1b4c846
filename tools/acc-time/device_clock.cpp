// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device_clock.hpp"

#include "cupti_abi.hpp"
#include "lifetime.hpp"

#include <dlfcn.h>
#include <link.h>

#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <vector>

namespace gangway::acc_time::device_clock {

std::atomic<bool> active{false};
std::atomic<bool> wants_pushes{false};

namespace {

cupti::Library library{};
std::array<char, 512> state_text{"none: no CUDA device in use"};
std::mutex start_mutex;
bool decided = false;

/// Lock of the records below, which the thread that CUPTI calls back on changes.
std::mutex records_mutex;
Arena arena;
DeviceWork others;

/// Ring of the records that own calls, by correlation number. The numbers only grow, and a call and
/// the records of its work are never a million calls apart, so a ring is enough. A slot holds the
/// record's address; its highest 16 bits, which are free, hold the number's remaining bits.
constexpr std::uint32_t ring_bits = 20;
constexpr std::uint32_t address_bits = 48;
std::atomic<std::uint64_t>* ring = nullptr;

std::atomic<std::uint64_t>& slot_of(std::uint32_t correlation) {
  return ring[correlation & ((1U << ring_bits) - 1)];
}

void set_owner(std::uint32_t correlation, std::uint64_t record) {
  slot_of(correlation)
      .store(record | std::uint64_t{correlation >> ring_bits} << address_bits,
             std::memory_order_release);
}

Record* owner_of(std::uint32_t correlation) {
  const std::uint64_t found = slot_of(correlation).load(std::memory_order_acquire);
  if (correlation == 0 || found >> address_bits != correlation >> ring_bits)
    return nullptr;
  // NOLINTNEXTLINE(performance-no-int-to-ptr): an address that `set_owner` was given
  return reinterpret_cast<Record*>(found & ((std::uint64_t{1} << address_bits) - 1));
}

struct Work {
  std::uint32_t correlation = 0;
  std::uint32_t runtime_correlation = 0;
  int copy = -1; ///< index into DeviceWork::copies; -1: a kernel
  std::uint64_t bytes = 0;
  std::uint64_t duration = 0;
  std::array<std::int32_t, 3> grid{}, block{};
};
/// Work that arrived before the record of the call that launched it.
std::vector<Work>* early = nullptr;
constexpr std::size_t early_most = 1'000'000;

void add(DeviceWork& to, const Work& work) {
  if (work.copy >= 0) {
    to.copies[work.copy].add(work.duration);
    to.bytes[work.copy].store(to.bytes[work.copy].load(std::memory_order_relaxed) + work.bytes,
                              std::memory_order_relaxed);
    return;
  }
  const bool first = to.kernels.count.load(std::memory_order_relaxed) == 0;
  for (int d = 0; d < 3; ++d) {
    to.grid_min[d] = first ? work.grid[d] : std::min(to.grid_min[d], work.grid[d]);
    to.grid_max[d] = first ? work.grid[d] : std::max(to.grid_max[d], work.grid[d]);
    to.block_min[d] = first ? work.block[d] : std::min(to.block_min[d], work.block[d]);
    to.block_max[d] = first ? work.block[d] : std::max(to.block_max[d], work.block[d]);
  }
  to.kernels.add(work.duration);
}

/// Adds work to its owner's record, and returns whether it found one with memory for it.
bool give(const Work& work) {
  Record* record = owner_of(work.correlation);
  if (record == nullptr)
    record = owner_of(work.runtime_correlation);
  if (record == nullptr)
    return false;
  DeviceWork* to = record->device_work.load(std::memory_order_relaxed);
  if (to == nullptr) {
    to = arena.make<DeviceWork>();
    if (to == nullptr)
      return false;
    record->device_work.store(to, std::memory_order_release);
  }
  add(*to, work);
  return true;
}

void retry_early(bool last) {
  std::size_t kept = 0;
  for (const Work& work : *early) {
    if (give(work))
      continue;
    if (last)
      add(others, work);
    else
      (*early)[kept++] = work;
  }
  early->resize(kept);
}

void take(const void* record) {
  std::uint32_t kind = 0;
  std::memcpy(&kind, record, sizeof kind);
  Work work;
  switch (kind) {
  case cupti::external_correlation_kind: {
    const auto& call = *static_cast<const cupti::ExternalCorrelation*>(record);
    if (call.external_kind == cupti::external_custom0)
      set_owner(call.correlation, call.external_id);
    return;
  }
  case cupti::concurrent_kernel_kind: {
    const auto& kernel = *static_cast<const cupti::Kernel*>(record);
    work.correlation = kernel.correlation;
    work.duration = kernel.end - kernel.start;
    work.grid = {kernel.grid[0], kernel.grid[1], kernel.grid[2]};
    work.block = {kernel.block[0], kernel.block[1], kernel.block[2]};
    break;
  }
  case cupti::memcpy_kind: {
    const auto& copy = *static_cast<const cupti::Memcpy*>(record);
    work.correlation = copy.correlation;
    work.runtime_correlation = copy.runtime_correlation;
    work.copy = copy.copy_kind == cupti::host_to_device   ? 0
                : copy.copy_kind == cupti::device_to_host ? 1
                                                          : 2;
    work.bytes = copy.bytes;
    work.duration = copy.end - copy.start;
    break;
  }
  default:
    return;
  }
  if (give(work))
    return;
  if (wants_pushes.load(std::memory_order_relaxed))
    early->push_back(work); // the record of the call may still arrive
  else
    add(others, work);
}

constexpr std::size_t buffer_size = std::size_t{4} << 20U;
std::vector<std::uint8_t*>* spare_buffers = nullptr;
std::mutex buffers_mutex;

extern "C" void buffer_requested(std::uint8_t** buffer, std::size_t* size, std::size_t* most) {
  *most = 0; // as many as fit
  *size = 0;
  const std::lock_guard lock(buffers_mutex);
  if (!spare_buffers->empty()) {
    *buffer = spare_buffers->back();
    spare_buffers->pop_back();
  } else {
    *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(8, buffer_size));
  }
  if (*buffer != nullptr)
    *size = buffer_size;
}

extern "C" void buffer_completed(void*, std::uint32_t, std::uint8_t* buffer, std::size_t,
                                 std::size_t valid) {
  if (buffer == nullptr)
    return;
  {
    const std::lock_guard lock(records_mutex);
    void* record = nullptr;
    while (library.get_next_record(buffer, valid, &record) == 0)
      take(record);
    retry_early(early->size() > early_most);
  }
  const std::lock_guard lock(buffers_mutex);
  spare_buffers->push_back(buffer);
}

bool cuda_in_process() {
  void* driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  if (driver != nullptr)
    dlclose(driver);
  return driver != nullptr;
}

/// Returns the directory of a library in the process whose name begins so; empty if there is none.
std::string directory_of(const char* name) {
  struct Search {
    std::string name, directory;
  } search{name, {}};
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        auto& wanted = *static_cast<Search*>(data);
        const std::string path = info->dlpi_name;
        const auto slash = path.rfind('/');
        if (slash == std::string::npos || !path.substr(slash + 1).starts_with(wanted.name))
          return 0;
        wanted.directory = path.substr(0, slash);
        return 1;
      },
      &search);
  return search.directory;
}

void* open_library(std::string& tried) {
  std::vector<std::string> candidates;
  if (const char* chosen = std::getenv("GANGWAY_ACC_CUPTI"); chosen != nullptr && *chosen != '\0') {
    candidates = {chosen};
  } else {
    const std::array<const char*, 4> names{"libcupti.so.13", "libcupti.so.12", "libcupti.so.11.2",
                                           "libcupti.so"};
    std::vector<std::string> directories;
    if (const std::string runtime = directory_of("libcudart.so"); !runtime.empty())
      directories.push_back(runtime);
    for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
      if (const char* root = std::getenv(variable); root != nullptr)
        directories.push_back(std::string(root) + "/lib64");
    directories.emplace_back("/usr/local/cuda/lib64");
    for (const std::string& directory : directories)
      for (const char* name : names)
        for (const char* below : {"/", "/../extras/CUPTI/lib64/"})
          candidates.push_back(directory + below + name);
    candidates.insert(candidates.begin(), names.begin(), names.end());
  }
  for (const std::string& candidate : candidates)
    if (void* opened = dlopen(candidate.c_str(), RTLD_NOW | RTLD_LOCAL); opened != nullptr)
      return opened;
  tried = candidates.front();
  return nullptr;
}

template <class Function>
bool look_up(void* opened, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(opened, name));
  return function != nullptr;
}

void set_state(const char* text, const char* what = "") {
  std::snprintf(state_text.data(), state_text.size(), "%s%s", text, what);
}

void* subscriber = nullptr;

/// Notes the owner of a call into CUDA that may launch or copy something, before it is made.
extern "C" void on_call(void*, std::uint32_t, std::uint32_t, const void* what) {
  const auto& call = *static_cast<const cupti::CallbackData*>(what);
  if (call.site != 0 || !recording)
    return;
  const Thread* const thread = Thread::mine();
  if (thread != nullptr && thread->innermost() != nullptr)
    set_owner(call.correlation, reinterpret_cast<std::uintptr_t>(thread->innermost()));
}

/// Has CUPTI report every call of a domain, except frequent ones that launch nothing.
template <std::size_t N>
void listen(cupti::Domain domain, const std::array<std::uint32_t, N>& idle) {
  library.enable_domain(1, subscriber, domain);
  for (const std::uint32_t call : idle)
    library.enable_callback(0, subscriber, domain, call);
}

void find() {
  decided = true;
  if (const char* chosen = std::getenv("GANGWAY_ACC_CUPTI");
      chosen != nullptr && std::strcmp(chosen, "off") == 0)
    return set_state("none: GANGWAY_ACC_CUPTI=off");
  std::string tried;
  void* opened = open_library(tried);
  if (opened == nullptr)
    return set_state("none: CUPTI was not found, not as ", tried.c_str());
  if (!look_up(opened, "cuptiActivityRegisterCallbacks", library.register_callbacks) ||
      !look_up(opened, "cuptiActivityEnable", library.enable) ||
      !look_up(opened, "cuptiActivityFlushAll", library.flush_all) ||
      !look_up(opened, "cuptiActivityGetNextRecord", library.get_next_record) ||
      !look_up(opened, "cuptiActivityPushExternalCorrelationId", library.push_id) ||
      !look_up(opened, "cuptiActivityPopExternalCorrelationId", library.pop_id) ||
      !look_up(opened, "cuptiGetResultString", library.get_result_string) ||
      !look_up(opened, "cuptiSubscribe", library.subscribe) ||
      !look_up(opened, "cuptiEnableDomain", library.enable_domain) ||
      !look_up(opened, "cuptiEnableCallback", library.enable_callback))
    return set_state("none: the CUPTI found lacks functions");

  ring = arena.make_array<std::atomic<std::uint64_t>>(std::size_t{1} << ring_bits);
  if (ring == nullptr)
    return set_state("none: no memory");
  early = new std::vector<Work>;
  spare_buffers = new std::vector<std::uint8_t*>;
  int result = library.register_callbacks(&buffer_requested, &buffer_completed);
  for (const auto kind :
       {cupti::external_correlation_kind, cupti::concurrent_kernel_kind, cupti::memcpy_kind})
    if (result == 0)
      result = library.enable(kind);
  if (result != 0) {
    const char* why = "unknown";
    library.get_result_string(result, &why);
    return set_state("none: CUPTI refused, ", why);
  }
  // CUPTI allows one subscriber to calls. If that is another tool, CUPTI itself can note the calls,
  // which costs about 4 us per call.
  if (library.subscribe(&subscriber, &on_call, nullptr) != 0) {
    subscriber = nullptr;
    library.enable(cupti::external_correlation_kind);
    wants_pushes.store(true);
  }
  set_state("CUPTI");
  active.store(true, std::memory_order_release);
}

} // namespace

const char* state() {
  return state_text.data();
}

void start(Model model) {
  const std::lock_guard lock(start_mutex);
  if (!decided && cuda_in_process())
    find();
  if (!active.load())
    return;
  // Kernels and copies say which call they come from. Kokkos makes its calls in CUDA's runtime,
  // OpenACC compilers in its driver.
  if (subscriber == nullptr)
    library.enable(model == Model::kokkos ? cupti::runtime_kind : cupti::driver_kind);
  else if (model == Model::kokkos)
    listen(cupti::runtime_domain, cupti::idle_runtime_calls);
  else
    listen(cupti::driver_domain, cupti::idle_driver_calls);
}

void push(Record& record) {
  library.push_id(cupti::external_custom0, reinterpret_cast<std::uintptr_t>(&record));
}

void pop() {
  std::uint64_t last = 0;
  library.pop_id(cupti::external_custom0, &last);
}

void flush() {
  if (!active.load(std::memory_order_acquire))
    return;
  library.flush_all(1);
  const std::lock_guard lock(records_mutex);
  retry_early(true);
}

const DeviceWork* unattributed() {
  return &others;
}

} // namespace gangway::acc_time::device_clock
