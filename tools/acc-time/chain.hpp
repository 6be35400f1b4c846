// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "recorder.hpp"

#include <impl/Kokkos_Profiling_C_Interface.h>

/// The other tools of a list. Kokkos loads only the first library that KOKKOS_TOOLS_LIBS names; by
/// convention that one loads the next and passes on its events.
namespace gangway::acc_time {

/// Hooks of one tool; null for each that it lacks.
struct Tool {
  Kokkos_Profiling_initFunction init;
  Kokkos_Profiling_finalizeFunction finalize;
  Kokkos_Profiling_parseArgsFunction parse_args;
  Kokkos_Profiling_printHelpFunction print_help;
  Kokkos_Profiling_beginFunction begin_parallel_for, begin_parallel_reduce, begin_parallel_scan;
  Kokkos_Profiling_endFunction end_parallel_for, end_parallel_reduce, end_parallel_scan;
  Kokkos_Profiling_pushFunction push_profile_region;
  Kokkos_Profiling_popFunction pop_profile_region;
  Kokkos_Profiling_allocateDataFunction allocate_data;
  Kokkos_Profiling_deallocateDataFunction deallocate_data;
  Kokkos_Profiling_createProfileSectionFunction create_profile_section;
  Kokkos_Profiling_startProfileSectionFunction start_profile_section;
  Kokkos_Profiling_stopProfileSectionFunction stop_profile_section;
  Kokkos_Profiling_destroyProfileSectionFunction destroy_profile_section;
  Kokkos_Profiling_profileEventFunction profile_event;
  Kokkos_Profiling_beginDeepCopyFunction begin_deep_copy;
  Kokkos_Profiling_endDeepCopyFunction end_deep_copy;
  Kokkos_Profiling_beginFenceFunction begin_fence;
  Kokkos_Profiling_endFenceFunction end_fence;
  Kokkos_Profiling_dualViewSyncFunction dual_view_sync;
  Kokkos_Profiling_dualViewModifyFunction dual_view_modify;
  Kokkos_Profiling_declareMetadataFunction declare_metadata;
  Kokkos_Tools_provideToolProgrammingInterfaceFunction provide_tool_programming_interface;
  Kokkos_Tools_requestToolSettingsFunction request_tool_settings;
};

/// Loads the libraries that come after the `sequence`-th of the list, and calls their init hooks.
void load_next_tools(int sequence, std::uint64_t version, std::uint32_t devices,
                     Kokkos_Profiling_KokkosPDeviceInfo* device_info);

extern std::array<Tool, Open::tools> next_tools;
extern int next_tool_count;

/// Calls a hook of every next tool that has it.
template <class Hook, class... Arguments>
void pass_on(Hook Tool::* hook, Arguments... arguments) {
  for (int i = 0; i < next_tool_count; ++i)
    if (next_tools[i].*hook != nullptr)
      (next_tools[i].*hook)(arguments...);
}

/// Calls a hook that begins something: each tool gives the event a number of its own.
template <class Hook>
void pass_on_begin(Hook Tool::* hook, std::array<std::uint64_t, Open::tools>& ids, const char* name,
                   std::uint32_t device) {
  for (int i = 0; i < next_tool_count; ++i)
    if (next_tools[i].*hook != nullptr)
      (next_tools[i].*hook)(name, device, &ids[i]);
}
template <class Hook>
void pass_on_end(Hook Tool::* hook, const std::array<std::uint64_t, Open::tools>& ids) {
  for (int i = 0; i < next_tool_count; ++i)
    if (next_tools[i].*hook != nullptr)
      (next_tools[i].*hook)(ids[i]);
}

} // namespace gangway::acc_time
