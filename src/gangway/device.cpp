// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Every question to a vendor's runtime. It includes only its own header of Gangway's, so that the
// tests can compile this file against HIP and SYCL played by a header (tests/device).
#include "gangway/device.hpp"

#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <vector>

namespace gangway {
namespace {

/// A field of /proc/cpuinfo, of the first processor.
std::string processor_field(const std::string& name) {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.starts_with(name))
      if (const auto colon = line.find(": "); colon != std::string::npos)
        return line.substr(colon + 2);
  return {};
}

std::size_t pages(int which) {
  const long number = sysconf(which);
  const long size = sysconf(_SC_PAGESIZE);
  return number > 0 && size > 0 ? static_cast<std::size_t>(number) * static_cast<std::size_t>(size)
                                : 0;
}

/// Returns the bytes that programs can have without swapping, as the kernel estimates them.
std::size_t available_on_machine() {
  std::ifstream meminfo("/proc/meminfo");
  std::string name;
  std::size_t kib = 0;
  std::string unit;
  while (meminfo >> name >> kib && std::getline(meminfo, unit))
    if (name == "MemAvailable:")
      return kib * 1024;
  return pages(_SC_AVPHYS_PAGES);
}

constexpr std::size_t no_limit = std::numeric_limits<std::size_t>::max();

/// Returns what the program's limit on its address space leaves.
std::size_t available_by_limit() {
  rlimit limit{};
  std::size_t used = 0;
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
      !(std::ifstream("/proc/self/statm") >> used))
    return no_limit;
  used *= static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return limit.rlim_cur - std::min<std::size_t>(used, limit.rlim_cur);
}

/// Returns the path of the program's control group, of version 2; empty if it has none.
std::string own_group() {
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);)
    if (line.starts_with("0::/"))
      return line.substr(4);
  return {};
}

/// Throws RuntimeError with the runtime's own words unless `error` is 0.
[[maybe_unused]] void require_success(int error, const char* what, const char* words) {
  if (error != 0)
    throw RuntimeError(std::string(what) + ": " + words);
}

/// The properties of every space without a function of its own below.
template <class Space>
DeviceProperties properties_of(const Space& /*space*/) {
  if constexpr (!detail::is_device<Space>)
    return host_properties();
  DeviceProperties device;
  device.type = device_type<Space>();
  device.name = Space::name();
  return device;
}

#ifdef KOKKOS_ENABLE_CUDA
void require(cudaError_t state, const char* what) {
  require_success(state, what, cudaGetErrorString(state));
}

/// 13000 is 13.0: CUDA counts so.
std::string cuda_version(int number) {
  return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10);
}

DeviceProperties properties_of(const Kokkos::Cuda& space) {
  const cudaDeviceProp& said = space.cuda_device_prop();
  int driver = 0;
  int runtime = 0;
  DeviceProperties device;
  require(cudaDriverGetVersion(&driver), "device_properties");
  require(cudaRuntimeGetVersion(&runtime), "device_properties");
  require(cudaMemGetInfo(&device.free_memory, &device.memory), "device_properties");
  device.type = device_type<Kokkos::Cuda>();
  device.name = said.name;
  device.vendor = "NVIDIA";
  device.driver = cuda_version(driver);
  device.runtime = cuda_version(runtime);
  const int capability = 10 * said.major + said.minor;
  const char* const family = capability >= 100  ? "Blackwell"
                             : capability >= 90 ? "Hopper"
                             : capability == 89 ? "Ada"
                             : capability >= 80 ? "Ampere"
                             : capability >= 75 ? "Turing"
                             : capability >= 70 ? "Volta"
                             : capability >= 60 ? "Pascal"
                                                : "Maxwell";
  device.architecture = family + std::to_string(capability);
  device.cache = static_cast<std::size_t>(said.l2CacheSize);
  device.compute_units = said.multiProcessorCount;
  device.resident_threads = said.maxThreadsPerMultiProcessor;
  device.lanes = said.warpSize;
  return device;
}

#endif

#ifdef KOKKOS_ENABLE_HIP
void require(hipError_t state, const char* what) {
  require_success(state, what, hipGetErrorString(state));
}

/// 60443484 is 6.4.43484: HIP counts so.
std::string hip_version(int number) {
  return std::to_string(number / 10'000'000) + "." + std::to_string(number % 10'000'000 / 100'000) +
         "." + std::to_string(number % 100'000);
}

DeviceProperties properties_of(const Kokkos::HIP& space) {
  const hipDeviceProp_t& said = space.hip_device_prop();
  int driver = 0;
  int runtime = 0;
  DeviceProperties device;
  require(hipDriverGetVersion(&driver), "device_properties");
  require(hipRuntimeGetVersion(&runtime), "device_properties");
  require(hipMemGetInfo(&device.free_memory, &device.memory), "device_properties");
  device.type = device_type<Kokkos::HIP>();
  device.name = said.name;
  device.vendor = "AMD";
  device.driver = hip_version(driver);
  device.runtime = hip_version(runtime);
  device.architecture = said.gcnArchName;
  device.architecture.resize(
      std::min(device.architecture.find(':'), device.architecture.size())); // features follow
  device.cache = static_cast<std::size_t>(said.l2CacheSize);
  device.compute_units = said.multiProcessorCount;
  device.resident_threads = said.maxThreadsPerMultiProcessor;
  device.lanes = said.warpSize;
  return device;
}

#endif

#ifdef KOKKOS_ENABLE_SYCL
/// A name as one word: "Intel(R) Data Center GPU Max 1550" becomes
/// "Intel-R-Data-Center-GPU-Max-1550".
std::string one_word(const std::string& name) {
  std::string word;
  for (const char c : name) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
    if (plain)
      word += c;
    else if (!word.empty() && word.back() != '-')
      word += '-';
  }
  if (word.ends_with('-'))
    word.pop_back();
  return word;
}

DeviceProperties properties_of(const Kokkos::SYCL& space) {
  const sycl::device said = space.sycl_queue().get_device();
  DeviceProperties device;
  device.type = device_type<Kokkos::SYCL>();
  device.name = said.get_info<sycl::info::device::name>();
  device.vendor = said.get_info<sycl::info::device::vendor>();
  device.driver = said.get_info<sycl::info::device::driver_version>();
  device.runtime = said.get_platform().get_info<sycl::info::platform::version>();
  device.architecture = one_word(device.name);
  device.memory = said.get_info<sycl::info::device::global_mem_size>();
#ifdef SYCL_EXT_INTEL_DEVICE_INFO
  // Some of Intel's drivers tell it only where ZES_ENABLE_SYSMAN=1 is set.
  if (said.has(sycl::aspect::ext_intel_free_memory))
    device.free_memory = said.get_info<sycl::ext::intel::info::device::free_memory>();
#endif
  device.cache = said.get_info<sycl::info::device::global_mem_cache_size>();
  device.compute_units = static_cast<int>(said.get_info<sycl::info::device::max_compute_units>());
  for (const std::size_t lanes : said.get_info<sycl::info::device::sub_group_sizes>())
    device.lanes = std::max(device.lanes, static_cast<int>(lanes));
  return device;
}
#endif

} // namespace

const char* name_of(DeviceType type) {
  switch (type) {
  case DeviceType::host:
    return "host";
  case DeviceType::nvidia:
    return "nvidia";
  case DeviceType::radeon:
    return "radeon";
  case DeviceType::other:
    return "other";
  case DeviceType::none:
    return "none";
  }
  return "";
}

std::size_t detail::available_in_groups(const std::string& root, const std::string& own) {
  std::size_t least = no_limit;
  for (std::string group = own;; group.resize(group.rfind('/'))) {
    std::string folder = root;
    folder.append("/").append(group).append("/");
    std::size_t most = 0;
    std::size_t used = 0;
    if (std::ifstream(folder + "memory.max") >> most && // "max" is no number
        std::ifstream(folder + "memory.current") >> used) {
      std::ifstream uses(folder + "memory.stat");
      std::string name;
      for (std::size_t bytes = 0; uses >> name >> bytes;)
        if (name == "inactive_file") // files' pages, which the kernel takes back
          used -= std::min(used, bytes);
      least = std::min(least, most - std::min(used, most));
    }
    if (group.find('/') == std::string::npos)
      return least;
  }
}

std::size_t detail::available_memory() {
  return std::min({available_on_machine(), available_by_limit(),
                   available_in_groups("/sys/fs/cgroup", own_group())});
}

DeviceProperties host_properties() {
  utsname system{};
  uname(&system);
  DeviceProperties host;
  host.name = processor_field("model name");
  if (host.name.empty())
    host.name = system.machine;
  host.vendor = processor_field("vendor_id");
  host.driver = std::string(system.sysname) + " " + system.release;
  host.architecture = system.machine;
  std::replace(host.architecture.begin(), host.architecture.end(), '_', '-');
  host.memory = pages(_SC_PHYS_PAGES);
  host.free_memory = detail::available_memory();
  host.cache = static_cast<std::size_t>(
      std::max({sysconf(_SC_LEVEL3_CACHE_SIZE), sysconf(_SC_LEVEL2_CACHE_SIZE), 0L}));
  host.compute_units = static_cast<int>(std::max(sysconf(_SC_NPROCESSORS_ONLN), 0L));
  host.resident_threads = 1;
  host.lanes = 1;
  return host;
}

/// Errors: RuntimeError that begins with `what`.
static void require_kokkos(const std::string& what) {
  if (!Kokkos::is_initialized() || Kokkos::is_finalized())
    throw RuntimeError(what + ": Kokkos is not running, and has no device; initialise it first");
}

DeviceProperties device_properties() {
  require_kokkos("device_properties");
  return properties_of(Kokkos::DefaultExecutionSpace());
}

#ifdef KOKKOS_ENABLE_CUDA
bool detail::is_done(const Kokkos::Cuda& queue) {
  const cudaError_t state = cudaStreamQuery(queue.cuda_stream());
  if (state == cudaErrorNotReady) {
    static_cast<void>(cudaGetLastError()); // no error, but noted as the thread's last one
    return false;
  }
  require(state, "async_test");
  return true;
}

void detail::put_after(const Kokkos::Cuda& waited, const Kokkos::Cuda& queue) {
  cudaEvent_t event{};
  require(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "wait_async");
  const cudaError_t recorded = cudaEventRecord(event, waited.cuda_stream());
  const cudaError_t ordered =
      recorded == cudaSuccess ? cudaStreamWaitEvent(queue.cuda_stream(), event, 0) : recorded;
  require(cudaEventDestroy(event), "wait_async"); // it lives on until it has happened
  require(ordered, "wait_async");
}
#endif

#ifdef KOKKOS_ENABLE_HIP
bool detail::is_done(const Kokkos::HIP& queue) {
  const hipError_t state = hipStreamQuery(queue.hip_stream());
  if (state == hipErrorNotReady) {
    static_cast<void>(hipGetLastError());
    return false;
  }
  require(state, "async_test");
  return true;
}

void detail::put_after(const Kokkos::HIP& waited, const Kokkos::HIP& queue) {
  hipEvent_t event{};
  require(hipEventCreateWithFlags(&event, hipEventDisableTiming), "wait_async");
  const hipError_t recorded = hipEventRecord(event, waited.hip_stream());
  const hipError_t ordered =
      recorded == hipSuccess ? hipStreamWaitEvent(queue.hip_stream(), event, 0) : recorded;
  require(hipEventDestroy(event), "wait_async");
  require(ordered, "wait_async");
}
#endif

} // namespace gangway
