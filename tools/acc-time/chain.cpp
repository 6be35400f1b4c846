// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "chain.hpp"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

extern "C" void kokkosp_init_library(int, std::uint64_t, std::uint32_t,
                                     Kokkos_Profiling_KokkosPDeviceInfo*);

namespace gangway::acc_time {

std::array<Tool, Open::tools> next_tools{};
int next_tool_count = 0;

namespace {

/// Returns the list of libraries that Kokkos loads; the command line overrides the environment.
std::string library_list() {
  std::ifstream command_line("/proc/self/cmdline", std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(command_line), {}};
  for (std::size_t at = 0; at < text.size(); at = text.find('\0', at) + 1) {
    const std::string argument = text.c_str() + at;
    for (const std::string option : {"--kokkos-tools-libs=", "--kokkos-tools-library="})
      if (argument.starts_with(option))
        return argument.substr(option.size());
    if (text.find('\0', at) == std::string::npos)
      break;
  }
  for (const char* variable : {"KOKKOS_TOOLS_LIBS", "KOKKOS_PROFILE_LIBRARY"})
    if (const char* value = std::getenv(variable); value != nullptr)
      return value;
  return {};
}

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at <= list.size();) {
    const std::size_t end = std::min(list.find(';', at), list.size());
    if (end > at)
      parts.push_back(list.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

template <class Hook>
void look_up(void* library, const char* name, Hook& hook) {
  hook = reinterpret_cast<Hook>(dlsym(library, name));
}

Tool hooks_of(void* library) {
  Tool tool{};
  look_up(library, "kokkosp_init_library", tool.init);
  look_up(library, "kokkosp_finalize_library", tool.finalize);
  look_up(library, "kokkosp_parse_args", tool.parse_args);
  look_up(library, "kokkosp_print_help", tool.print_help);
  look_up(library, "kokkosp_begin_parallel_for", tool.begin_parallel_for);
  look_up(library, "kokkosp_begin_parallel_reduce", tool.begin_parallel_reduce);
  look_up(library, "kokkosp_begin_parallel_scan", tool.begin_parallel_scan);
  look_up(library, "kokkosp_end_parallel_for", tool.end_parallel_for);
  look_up(library, "kokkosp_end_parallel_reduce", tool.end_parallel_reduce);
  look_up(library, "kokkosp_end_parallel_scan", tool.end_parallel_scan);
  look_up(library, "kokkosp_push_profile_region", tool.push_profile_region);
  look_up(library, "kokkosp_pop_profile_region", tool.pop_profile_region);
  look_up(library, "kokkosp_allocate_data", tool.allocate_data);
  look_up(library, "kokkosp_deallocate_data", tool.deallocate_data);
  look_up(library, "kokkosp_create_profile_section", tool.create_profile_section);
  look_up(library, "kokkosp_start_profile_section", tool.start_profile_section);
  look_up(library, "kokkosp_stop_profile_section", tool.stop_profile_section);
  look_up(library, "kokkosp_destroy_profile_section", tool.destroy_profile_section);
  look_up(library, "kokkosp_profile_event", tool.profile_event);
  look_up(library, "kokkosp_begin_deep_copy", tool.begin_deep_copy);
  look_up(library, "kokkosp_end_deep_copy", tool.end_deep_copy);
  look_up(library, "kokkosp_begin_fence", tool.begin_fence);
  look_up(library, "kokkosp_end_fence", tool.end_fence);
  look_up(library, "kokkosp_dual_view_sync", tool.dual_view_sync);
  look_up(library, "kokkosp_dual_view_modify", tool.dual_view_modify);
  look_up(library, "kokkosp_declare_metadata", tool.declare_metadata);
  look_up(library, "kokkosp_provide_tool_programming_interface",
          tool.provide_tool_programming_interface);
  look_up(library, "kokkosp_request_tool_settings", tool.request_tool_settings);
  return tool;
}

} // namespace

void load_next_tools(int sequence, std::uint64_t version, std::uint32_t devices,
                     Kokkos_Profiling_KokkosPDeviceInfo* device_info) {
  const std::vector<std::string> libraries = split(library_list());
  for (std::size_t i = static_cast<std::size_t>(sequence) + 1; i < libraries.size(); ++i) {
    const char* const path = libraries[i].c_str();
    // A tool before it in the list has loaded it, and passes events on to it.
    if (void* loaded = dlopen(path, RTLD_NOW | RTLD_NOLOAD); loaded != nullptr) {
      dlclose(loaded);
      continue;
    }
    if (next_tool_count == Open::tools) {
      std::fprintf(stderr, "gangway-acc-time: only %d more tools can be loaded; without %s\n",
                   Open::tools, path);
      return;
    }
    void* library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    if (library == nullptr) {
      std::fprintf(stderr, "gangway-acc-time: cannot load the tool %s: %s\n", path, dlerror());
      continue;
    }
    const Tool tool = hooks_of(library);
    next_tools[next_tool_count++] = tool;
    if (tool.init != nullptr)
      tool.init(static_cast<int>(i), version, devices, device_info);
  }
}

} // namespace gangway::acc_time
