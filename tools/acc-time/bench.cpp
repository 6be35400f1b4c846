// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cost of the timing report: each event as its runtime reports it, with all that is recorded and
// timed for it. The promise is at most 0.3 us per kernel.
#include "openacc_abi.hpp"

#include <benchmark/benchmark.h>
#include <impl/Kokkos_Profiling_C_Interface.h>

#include <dlfcn.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <unordered_map>
#include <vector>

namespace {

namespace acc = gangway::acc_time::openacc;

constexpr std::uint32_t openmp_device = 1U << 24U;
constexpr const char* library_name = "libgangway-acc-time.so";

template <class Hook>
Hook hook(const char* name) {
  // Both are built into one folder, which may have moved since.
  static const auto file =
      std::filesystem::read_symlink("/proc/self/exe").replace_filename(library_name);
  static void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL);
  void* found = library == nullptr ? nullptr : dlsym(library, name);
  if (found == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
    std::exit(2); // NOLINT(concurrency-mt-unsafe)
  }
  return reinterpret_cast<Hook>(found);
}

std::vector<std::string> names(std::int64_t count) {
  std::vector<std::string> made;
  made.reserve(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i)
    made.push_back("solver::kernel " + std::to_string(i));
  return made;
}

/// Times a kernel; the argument is how many different ones there are.
void kokkos_kernel(benchmark::State& state) {
  const auto begin = hook<Kokkos_Profiling_beginFunction>("kokkosp_begin_parallel_for");
  const auto end = hook<Kokkos_Profiling_endFunction>("kokkosp_end_parallel_for");
  const std::vector<std::string> labels = names(state.range(0));
  std::size_t i = 0;
  for (auto _ : state) {
    std::uint64_t id = 0;
    begin(labels[i].c_str(), openmp_device, &id);
    end(id);
    i = i + 1 == labels.size() ? 0 : i + 1;
  }
}
BENCHMARK(kokkos_kernel)->Arg(1)->Arg(1000)->Threads(1)->Threads(2);

/// Times a kernel with the events that Kokkos reports: fences around it, and its policy's shape.
void kokkos_kernel_with_fences_and_shape(benchmark::State& state) {
  const auto begin = hook<Kokkos_Profiling_beginFunction>("kokkosp_begin_parallel_for");
  const auto end = hook<Kokkos_Profiling_endFunction>("kokkosp_end_parallel_for");
  const auto begin_fence = hook<Kokkos_Profiling_beginFenceFunction>("kokkosp_begin_fence");
  const auto end_fence = hook<Kokkos_Profiling_endFenceFunction>("kokkosp_end_fence");
  const auto metadata = hook<Kokkos_Profiling_declareMetadataFunction>("kokkosp_declare_metadata");
  constexpr const char* fence = "Kokkos::Tools::invoke_kokkosp_callback: Kokkos Profile Tool Fence";
  for (auto _ : state) {
    std::uint64_t id = 0;
    std::uint64_t fence_id = 0;
    metadata("gangway.shape", "1000 x 4 x 32");
    begin_fence(fence, 0, &fence_id);
    end_fence(fence_id);
    begin("solver::kernel", openmp_device, &id);
    begin_fence(fence, 0, &fence_id);
    end_fence(fence_id);
    end(id);
  }
}
BENCHMARK(kokkos_kernel_with_fences_and_shape);

void kokkos_region(benchmark::State& state) {
  const auto push = hook<Kokkos_Profiling_pushFunction>("kokkosp_push_profile_region");
  const auto pop = hook<Kokkos_Profiling_popFunction>("kokkosp_pop_profile_region");
  for (auto _ : state) {
    push("step");
    pop();
  }
}
BENCHMARK(kokkos_region);

void kokkos_deep_copy(benchmark::State& state) {
  const auto begin = hook<Kokkos_Profiling_beginDeepCopyFunction>("kokkosp_begin_deep_copy");
  const auto end = hook<Kokkos_Profiling_endDeepCopyFunction>("kokkosp_end_deep_copy");
  const Kokkos_Profiling_SpaceHandle host{"Host"};
  const Kokkos_Profiling_SpaceHandle cuda{"Cuda"};
  std::array<char, 2> memory{};
  for (auto _ : state) {
    begin(cuda, "x", memory.data(), host, "x_mirror", memory.data() + 1, 8000);
    end();
  }
}
BENCHMARK(kokkos_deep_copy);

std::unordered_map<int, acc::Callback>& callbacks() {
  static std::unordered_map<int, acc::Callback> all;
  return all;
}

/// Times a compute construct with its launch. The argument says whether the compiler names the
/// place (nvc++) or the tool must find it on the stack (GCC).
void openacc_construct(benchmark::State& state) {
  if (callbacks().empty())
    hook<void (*)(acc::Register, acc::Register, acc::Lookup)>("acc_register_library")(
        [](acc::Event event, acc::Callback callback, int) { callbacks()[event] = callback; },
        nullptr, nullptr);
  acc::ProfInfo info{};
  info.device_type = 4;
  info.async = acc::async_sync;
  if (state.range(0) == 1) {
    info.src_file = "solver.cpp";
    info.func_name = "solve";
    info.line_no = 42;
  }
  acc::EventInfo event{};
  acc::ApiInfo api{};
  event.launch_event.kernel_name = "_Z4axpyidPKdPd._omp_fn.0";
  event.launch_event.num_gangs = 1000;
  for (auto _ : state)
    for (const acc::Event told : {acc::compute_construct_start, acc::enqueue_launch_start,
                                  acc::enqueue_launch_end, acc::compute_construct_end}) {
      info.event_type = told;
      callbacks()[told](&info, &event, &api);
    }
}
BENCHMARK(openacc_construct)->ArgName("named")->Arg(0)->Arg(1);

} // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  hook<Kokkos_Profiling_initFunction>("kokkosp_init_library")(0, KOKKOSP_INTERFACE_VERSION, 0,
                                                              nullptr);
  benchmark::RunSpecifiedBenchmarks();
  std::fflush(nullptr);
  std::_Exit(0); // without a report of what never ran
}
