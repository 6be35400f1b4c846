// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/openacc_library.hpp"

#include "harness/build_info.hpp"
#include "openacc/runtime.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

namespace gangway::harness {

struct OpenAccLibrary::Functions {
  decltype(&gangway_openacc_abi) abi;
  decltype(&gangway_openacc_compiler) compiler;
  decltype(&gangway_openacc_flags) flags;
  decltype(&gangway_openacc_version) version;
  decltype(&gangway_openacc_select) select;
  decltype(&gangway_openacc_gpu_count) gpu_count;
  decltype(&gangway_openacc_ran_on) ran_on;
  decltype(&gangway_openacc_device_name) device_name;
  decltype(&gangway_openacc_memory) memory;
  decltype(&gangway_openacc_map) map;
  decltype(&gangway_openacc_unmap) unmap;
  decltype(&gangway_openacc_is_present) is_present;
  decltype(&gangway_openacc_get_transfers) get_transfers;
};

namespace {

template <class Function>
void load(void* handle, const std::filesystem::path& path, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(handle, name));
  if (function == nullptr)
    throw base::UsageError(
        fmt::format("OpenACC library {}: it has no function {}; is it one that Gangway "
                    "built (src/openacc)?",
                    path.string(), name));
}

/// The number Kokkos uses, or -1 for a host backend.
int kokkos_device() {
  return has_device ? Kokkos::device_id() : -1;
}

} // namespace

OpenAccLibrary::OpenAccLibrary(const std::filesystem::path& path)
    : _path(path), _functions(std::make_unique<Functions>()) {
  // A name without a directory would be looked for on the library path, not here.
  std::error_code unknown;
  const auto file = std::filesystem::absolute(path, unknown);
  _handle = dlopen(unknown ? path.c_str() : file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (_handle == nullptr)
    throw base::UsageError(fmt::format("OpenACC library: {}", dlerror()));
  Functions& f = *_functions;
  try {
    load(_handle, path, "gangway_openacc_abi", f.abi);
    if (f.abi() != GANGWAY_OPENACC_ABI)
      throw base::UsageError(
          fmt::format("OpenACC library {}: its interface has version {}, this program "
                      "speaks {}; build both from the same sources",
                      path.string(), f.abi(), GANGWAY_OPENACC_ABI));
    load(_handle, path, "gangway_openacc_compiler", f.compiler);
    load(_handle, path, "gangway_openacc_flags", f.flags);
    load(_handle, path, "gangway_openacc_version", f.version);
    load(_handle, path, "gangway_openacc_select", f.select);
    load(_handle, path, "gangway_openacc_gpu_count", f.gpu_count);
    load(_handle, path, "gangway_openacc_ran_on", f.ran_on);
    load(_handle, path, "gangway_openacc_device_name", f.device_name);
    load(_handle, path, "gangway_openacc_memory", f.memory);
    load(_handle, path, "gangway_openacc_map", f.map);
    load(_handle, path, "gangway_openacc_unmap", f.unmap);
    load(_handle, path, "gangway_openacc_is_present", f.is_present);
    load(_handle, path, "gangway_openacc_get_transfers", f.get_transfers);
  } catch (...) {
    dlclose(_handle);
    throw;
  }
  // From here on the library stays loaded, whatever happens: its runtime is awake, and OpenACC
  // runtimes do not survive being unloaded.
  if (const int device = kokkos_device(); f.select(device) != 0)
    throw base::UsageError(
        fmt::format("OpenACC library {} ({}): its runtime has no GPU number {}, "
                    "which Kokkos uses. Is it built "
                    "for a GPU, and are its runtime's plug-ins on LD_LIBRARY_PATH?",
                    path.string(), f.compiler(), device));
  _on_gpu = ran_on() != "host";
  if (kokkos_device() >= 0 && !_on_gpu)
    throw base::UsageError(
        fmt::format("OpenACC library {} ({}): its kernels ran on the host although Kokkos "
                    "uses a GPU; set ACC_DEVICE_TYPE=nvidia, or use a library built for "
                    "the GPU",
                    path.string(), f.compiler()));
}

OpenAccLibrary::~OpenAccLibrary() = default;

void* OpenAccLibrary::find(std::string_view study, std::string_view variant) const {
  return dlsym(_handle, symbol(study, variant).c_str());
}

OpenAccFunctions OpenAccLibrary::functions(std::string_view study, std::string_view variant) const {
  const auto find_more = [&](const char* suffix) {
    return dlsym(_handle, (symbol(study, variant) + suffix).c_str());
  };
  const OpenAccFunctions found{find(study, variant), find_more("_plan"), find_more("_planned"),
                               find_more("_unplan")};
  const bool planned = found.plan != nullptr;
  if (planned != (found.planned != nullptr) || planned != (found.unplan != nullptr))
    throw base::UsageError(
        fmt::format("OpenACC library {}: of {}_plan, _planned and _unplan it has "
                    "some, not all",
                    _path.string(), symbol(study, variant)));
  return found;
}

std::string OpenAccLibrary::compiler() const {
  return _functions->compiler();
}
std::string OpenAccLibrary::flags() const {
  return _functions->flags();
}
int OpenAccLibrary::version() const {
  return _functions->version();
}
std::string OpenAccLibrary::ran_on() const {
  return _functions->ran_on();
}
std::string OpenAccLibrary::device_name() const {
  return _functions->device_name();
}

OpenAccLibrary::DeviceMemory OpenAccLibrary::device_memory() const {
  DeviceMemory memory;
  _functions->memory(&memory.total, &memory.free);
  return memory;
}

int OpenAccLibrary::gpu_count() const {
  return _functions->gpu_count();
}

std::optional<Transfers> OpenAccLibrary::transfers() const {
  gangway_openacc_transfers counted{};
  if (_functions->get_transfers(&counted) == 0)
    return std::nullopt;
  return Transfers{.to_device = counted.to_device,
                   .to_host = counted.to_host,
                   .bytes_to_device = counted.bytes_to_device,
                   .bytes_to_host = counted.bytes_to_host};
}

void OpenAccLibrary::map(void* host, void* device, std::size_t bytes) const {
  _functions->map(host, device, bytes);
}

void OpenAccLibrary::unmap(void* host) const {
  _functions->unmap(host);
}

bool OpenAccLibrary::is_present(const void* host, std::size_t bytes) const {
  return _functions->is_present(const_cast<void*>(host), bytes) != 0;
}

std::string OpenAccLibrary::symbol(std::string_view study, std::string_view variant) {
  std::string name = fmt::format("gangway_{}_{}", study, variant);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

std::filesystem::path OpenAccLibrary::default_path() {
  if (const char* chosen = std::getenv("GANGWAY_OPENACC_LIBRARY");
      chosen != nullptr && *chosen != '\0')
    return chosen;
  std::error_code error;
  const auto folder = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  const auto built = folder / "libgangway_openacc.so";
  const auto installed = folder / GANGWAY_LIBRARIES_FROM_PROGRAM / "libgangway_openacc.so";
  const bool elsewhere =
      !std::filesystem::exists(built, error) && std::filesystem::exists(installed, error);
  return elsewhere ? installed.lexically_normal() : built;
}

Binding::Binding(Problem& problem, const OpenAccLibrary* openacc)
    : _buffers(problem.buffers()),
      _openacc(openacc != nullptr && openacc->on_gpu() ? openacc : nullptr) {
  std::erase_if(_buffers, [](const Buffer& buffer) { return buffer.bytes == 0; });
  try {
    for (const Buffer& buffer : _buffers) {
      auto* const host = static_cast<std::byte*>(buffer.host);
      if (buffer.intent == Intent::in)
        enter_data_copyin(host, buffer.bytes);
      else
        enter_data_create(host, buffer.bytes);
      ++_entered;
      if (_openacc != nullptr) {
        _openacc->map(buffer.host, device_pointer(buffer.host), buffer.bytes);
        ++_mapped;
      }
    }
  } catch (...) {
    undo();
    throw;
  }
}

Binding::~Binding() {
  undo();
}

void Binding::undo() noexcept {
  while (_mapped > 0)
    _openacc->unmap(_buffers[--_mapped].host);
  while (_entered > 0) {
    const Buffer& buffer = _buffers[--_entered];
    exit_data_delete(static_cast<std::byte*>(buffer.host), buffer.bytes);
  }
}

void Binding::to_device() const {
  for (const Buffer& buffer : _buffers)
    if (buffer.intent == Intent::out || buffer.intent == Intent::inout)
      update_device(static_cast<const std::byte*>(buffer.host), buffer.bytes);
}

void Binding::to_host() const {
  for (const Buffer& buffer : _buffers)
    if (buffer.intent == Intent::out || buffer.intent == Intent::inout)
      update_self(static_cast<std::byte*>(buffer.host), buffer.bytes);
}

} // namespace gangway::harness
