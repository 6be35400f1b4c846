// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A second Kokkos tool, of the plainest kind: it counts, checks that what ends is what it began,
// and prints both when Kokkos is finalized.
#include <cstddef>
#include <cstdint>
#include <cstdio>

// The types that the hooks have by Kokkos' interface for C.
struct Kokkos_Profiling_KokkosPDeviceInfo;
struct Kokkos_Profiling_SpaceHandle { // NOLINT(readability-identifier-naming): Kokkos'
  char name[64];
};

namespace {
int sequence = -1;
int kernels = 0, ended = 0, wrong = 0, copies = 0, pushed = 0, popped = 0, fences = 0,
    allocations = 0, sections = 0, metadata = 0;
std::uint64_t begun[64];
int depth = 0;

void begin(std::uint64_t* id) {
  static std::uint64_t next = 1'000'000; // unlike any other tool's
  *id = ++next;
  begun[depth++ % 64] = *id;
}
void end(std::uint64_t id) {
  --depth;
  if (depth < 0 || begun[depth % 64] != id)
    ++wrong;
}
} // namespace

extern "C" {
void kokkosp_init_library(int loaded_as, std::uint64_t, std::uint32_t,
                          Kokkos_Profiling_KokkosPDeviceInfo*) {
  sequence = loaded_as;
}
void kokkosp_finalize_library() {
  std::printf("other tool: sequence %d kernels %d ended %d wrong %d copies %d pushed %d popped %d "
              "fences %d allocations %d sections %d metadata %d\n",
              sequence, kernels, ended, wrong, copies, pushed, popped, fences > 0, allocations > 0,
              sections, metadata);
}
void kokkosp_begin_parallel_for(const char*, std::uint32_t, std::uint64_t* id) {
  ++kernels;
  begin(id);
}
void kokkosp_end_parallel_for(std::uint64_t id) {
  ++ended;
  end(id);
}
void kokkosp_begin_parallel_reduce(const char*, std::uint32_t, std::uint64_t* id) {
  ++kernels;
  begin(id);
}
void kokkosp_end_parallel_reduce(std::uint64_t id) {
  ++ended;
  end(id);
}
void kokkosp_begin_fence(const char*, std::uint32_t, std::uint64_t* id) {
  ++fences;
  begin(id);
}
void kokkosp_end_fence(std::uint64_t id) {
  end(id);
}
void kokkosp_push_profile_region(const char*) {
  ++pushed;
}
void kokkosp_pop_profile_region() {
  ++popped;
}
void kokkosp_begin_deep_copy(Kokkos_Profiling_SpaceHandle, const char*, const void*,
                             Kokkos_Profiling_SpaceHandle, const char*, const void*,
                             std::uint64_t) {
  ++copies;
}
void kokkosp_allocate_data(Kokkos_Profiling_SpaceHandle, const char*, const void*, std::uint64_t) {
  ++allocations;
}
void kokkosp_create_profile_section(const char*, std::uint32_t* id) {
  *id = 77;
}
void kokkosp_start_profile_section(std::uint32_t id) {
  sections += id == 77 ? 1 : 1000;
}
void kokkosp_declare_metadata(const char*, const char*) {
  ++metadata;
}
}
