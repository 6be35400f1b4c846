// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plays a Kokkos and an OpenACC runtime with a device of its own to the timing report, for what no
// host backend shows. The first argument is the library, the second what to play.
#include "../../tools/acc-time/openacc_abi.hpp"

#include <impl/Kokkos_Profiling_C_Interface.h>

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <map>
#include <string>
#include <thread>
#include <vector>

namespace acc = gangway::acc_time::openacc;

namespace {

void* library = nullptr;

template <class Hook>
Hook hook(const char* name) {
  void* found = dlsym(library, name);
  if (found == nullptr) {
    std::fprintf(stderr, "no %s: %s\n", name, dlerror());
    std::exit(9); // NOLINT(concurrency-mt-unsafe)
  }
  return reinterpret_cast<Hook>(found);
}

Kokkos_Profiling_SpaceHandle space(const char* name) {
  Kokkos_Profiling_SpaceHandle handle{};
  std::memset(handle.name, 'x', sizeof handle.name); // Kokkos does not fill the last byte either
  std::strncpy(handle.name, name, 63);
  return handle;
}

void initialize_kokkos() {
  hook<Kokkos_Profiling_initFunction>("kokkosp_init_library")(0, KOKKOSP_INTERFACE_VERSION, 0,
                                                              nullptr);
}

void nap(int milliseconds) {
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
}

// --- Kokkos ---------------------------------------------------------------------------------

void copies() {
  initialize_kokkos();
  const auto begin = hook<Kokkos_Profiling_beginDeepCopyFunction>("kokkosp_begin_deep_copy");
  const auto end = hook<Kokkos_Profiling_endDeepCopyFunction>("kokkosp_end_deep_copy");
  const auto begin_for = hook<Kokkos_Profiling_beginFunction>("kokkosp_begin_parallel_for");
  const auto end_for = hook<Kokkos_Profiling_endFunction>("kokkosp_end_parallel_for");
  std::array<char, 8> a{};
  std::array<char, 8> b{};
  const auto copy = [&](const char* to, const char* to_label, const char* from,
                        const char* from_label, std::uint64_t bytes) {
    begin(space(to), to_label, a.data(), space(from), from_label, b.data(), bytes);
    end();
  };
  for (int i = 0; i < 3; ++i)
    copy("Cuda", "x", "Host", "x_host", 1000);
  for (int i = 0; i < 2; ++i)
    copy("Host", "y_host", "Cuda", "y", 500);
  copy("Cuda", "x", "CudaHostPinned", "pinned", 70);
  copy("CudaHostPinned", "pinned", "Host", "x_host", 7);
  copy("CudaUVM", "managed", "Cuda", "x", 30);
  copy("Cuda", "x", "Host", "Scalar", 4000);  // deep_copy(view, value)
  copy("Host", "Scalar", "Cuda", "total", 8); // deep_copy(value, view): a real one
  copy("Cuda", "empty", "Host", "empty", 0);

  // A copy that launches a kernel, with another copy within.
  begin(space("Cuda"), "strided", a.data(), space("Cuda"), "x", b.data(), 800);
  std::uint64_t id = 0;
  begin_for("Kokkos::ViewCopy-2D", 2U << 24U, &id);
  copy("Cuda", "inner", "Host", "x_host", 60);
  end_for(id);
  end();
}

/// A runtime that ends what it did not begin, and leaves open what it began.
void unmatched() {
  initialize_kokkos();
  hook<Kokkos_Profiling_popFunction>("kokkosp_pop_profile_region")();
  hook<Kokkos_Profiling_endDeepCopyFunction>("kokkosp_end_deep_copy")();
  hook<Kokkos_Profiling_endFunction>("kokkosp_end_parallel_for")(0);
  hook<Kokkos_Profiling_endFunction>("kokkosp_end_parallel_for")(12345);
  hook<Kokkos_Profiling_endFenceFunction>("kokkosp_end_fence")(99);
  hook<Kokkos_Profiling_stopProfileSectionFunction>("kokkosp_stop_profile_section")(7);
  const auto begin = hook<Kokkos_Profiling_beginFunction>("kokkosp_begin_parallel_for");
  const auto end = hook<Kokkos_Profiling_endFunction>("kokkosp_end_parallel_for");
  const auto push = hook<Kokkos_Profiling_pushFunction>("kokkosp_push_profile_region");
  const auto pop = hook<Kokkos_Profiling_popFunction>("kokkosp_pop_profile_region");
  std::uint64_t first = 0;
  std::uint64_t second = 0;
  begin("first", 0, &first);
  push("crossing");
  begin("second", 0, &second);
  end(first); // not the innermost
  end(first); // again
  pop();
  pop();
  end(second);
  begin("left open", 0, &first);
}

/// Many threads, one after the other and at once, each with kernels and allocations.
void threads() {
  initialize_kokkos();
  const auto begin = hook<Kokkos_Profiling_beginFunction>("kokkosp_begin_parallel_for");
  const auto end = hook<Kokkos_Profiling_endFunction>("kokkosp_end_parallel_for");
  const auto allocate = hook<Kokkos_Profiling_allocateDataFunction>("kokkosp_allocate_data");
  const auto free = hook<Kokkos_Profiling_deallocateDataFunction>("kokkosp_deallocate_data");
  const auto work = [&] {
    for (int i = 0; i < 1000; ++i) {
      const std::string name = "kernel " + std::to_string(i % 10);
      std::uint64_t id = 0;
      begin(name.c_str(), 1U << 24U, &id);
      allocate(space("Host"), "a", &id, 100);
      free(space("Host"), "a", &id, 100);
      end(id);
    }
  };
  for (int round = 0; round < 25; ++round) {
    std::vector<std::thread> all;
    all.reserve(8);
    for (int t = 0; t < 8; ++t)
      all.emplace_back(work);
    for (std::thread& thread : all)
      thread.join();
  }
}

/// Exits while other threads go on recording.
void busy_exit() {
  initialize_kokkos();
  const auto begin = hook<Kokkos_Profiling_beginFunction>("kokkosp_begin_parallel_for");
  const auto end = hook<Kokkos_Profiling_endFunction>("kokkosp_end_parallel_for");
  for (int t = 0; t < 3; ++t)
    std::thread([&begin, &end] {
      for (long i = 0;; ++i) {
        const std::string name = "kernel " + std::to_string(i % 5000);
        std::uint64_t id = 0;
        begin(name.c_str(), 0, &id);
        end(id);
      }
    }).detach();
  nap(100);
  std::exit(0); // NOLINT(concurrency-mt-unsafe): that is the point
}

/// A hundred thousand kernels of different names, three times each.
void labels() {
  initialize_kokkos();
  const auto begin = hook<Kokkos_Profiling_beginFunction>("kokkosp_begin_parallel_for");
  const auto end = hook<Kokkos_Profiling_endFunction>("kokkosp_end_parallel_for");
  for (int round = 0; round < 3; ++round)
    for (int i = 0; i < 100'000; ++i) {
      std::uint64_t id = 0;
      begin(("kernel " + std::to_string(i)).c_str(), 1U << 24U, &id);
      end(id);
    }
}

/// Ten million launches of a kernel; nanoseconds of one.
void launches() {
  initialize_kokkos();
  const auto begin = hook<Kokkos_Profiling_beginFunction>("kokkosp_begin_parallel_for");
  const auto end = hook<Kokkos_Profiling_endFunction>("kokkosp_end_parallel_for");
  constexpr int count = 10'000'000;
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < count; ++i) {
    std::uint64_t id = 0;
    begin("solver::axpy", 1U << 24U, &id);
    end(id);
  }
  const std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - start;
  std::printf("%.1f\n", taken.count() / count);
}

// --- OpenACC --------------------------------------------------------------------------------

std::map<acc::Event, acc::Callback> callbacks;

void add_callback(acc::Event event, acc::Callback callback, int how) {
  if (how != 0 || callbacks.count(event) != 0)
    std::exit(8); // NOLINT(concurrency-mt-unsafe)
  callbacks[event] = callback;
}

struct Runtime {
  acc::ProfInfo info{};
  int construct = 0;

  Runtime() {
    info.valid_bytes = sizeof info;
    info.device_type = 5; // GCC's acc_device_nvidia
    info.async = acc::async_sync;
    info.line_no = -1;
  }
  void tell(acc::Event event, acc::EventInfo what) {
    info.event_type = event;
    what.event_type = event;
    what.other_event.parent_construct = construct;
    acc::ApiInfo api{};
    if (callbacks.count(event) != 0)
      callbacks[event](&info, &what, &api);
  }
  void other(acc::Event event) {
    acc::EventInfo what{};
    tell(event, what);
  }
  void data(acc::Event event, const char* variable, std::size_t bytes, const void* device) {
    acc::EventInfo what{};
    what.data_event.var_name = variable;
    what.data_event.bytes = bytes;
    what.data_event.device_ptr = device;
    tell(event, what);
  }
  void launch(acc::Event event, const char* kernel, std::size_t gangs, std::size_t workers,
              std::size_t vector) {
    acc::EventInfo what{};
    what.launch_event.kernel_name = kernel;
    what.launch_event.num_gangs = gangs;
    what.launch_event.num_workers = workers;
    what.launch_event.vector_length = vector;
    tell(event, what);
  }
};

void openacc() {
  hook<void (*)(acc::Register, acc::Register, acc::Lookup)>("acc_register_library")(
      &add_callback, nullptr, nullptr);
  Runtime gcc;
  static const std::array<char, 2> addresses{};
  // As GCC tells a parallel loop with copyin(x) copy(y): names mangled, no places.
  for (int i = 0; i < 3; ++i) {
    gcc.other(acc::compute_construct_start);
    gcc.other(acc::enter_data_start);
    gcc.data(acc::alloc, nullptr, 1000, &addresses[0]);
    gcc.data(acc::alloc, nullptr, 500, &addresses[1]);
    gcc.data(acc::enqueue_upload_start, nullptr, 1000, &addresses[0]);
    gcc.data(acc::enqueue_upload_end, nullptr, 1000, &addresses[0]);
    gcc.data(acc::enqueue_upload_start, nullptr, 500, &addresses[1]);
    gcc.data(acc::enqueue_upload_end, nullptr, 500, &addresses[1]);
    gcc.other(acc::enter_data_end);
    gcc.launch(acc::enqueue_launch_start, "_Z4axpyidPKdPd._omp_fn.0", 108, 1, 128);
    gcc.launch(acc::enqueue_launch_end, "_Z4axpyidPKdPd._omp_fn.0", 108, 1, 128);
    nap(20); // the runtime waits for the kernel before it says anything
    gcc.other(acc::exit_data_start);
    gcc.data(acc::enqueue_download_start, nullptr, 500, &addresses[1]);
    gcc.data(acc::enqueue_download_end, nullptr, 500, &addresses[1]);
    gcc.data(acc::free, nullptr, 0, &addresses[0]);
    gcc.data(acc::free, nullptr, 0, &addresses[1]);
    gcc.other(acc::exit_data_end);
    gcc.other(acc::compute_construct_end);
  }
  // Asynchronous: nobody waits, so the launch alone is timed.
  gcc.info.async = 1;
  gcc.other(acc::compute_construct_start);
  gcc.launch(acc::enqueue_launch_start, "plain_c$_omp_fn$1", 10, 4, 32);
  gcc.launch(acc::enqueue_launch_end, "plain_c$_omp_fn$1", 10, 4, 32);
  nap(20);
  gcc.other(acc::compute_construct_end);
  gcc.info.async = acc::async_sync;
  gcc.other(acc::wait_start);
  gcc.other(acc::wait_end);

  // As nvc++ documents it: with places and variables.
  Runtime nvhpc;
  nvhpc.info.device_type = 4;
  nvhpc.info.src_file = "/home/somebody/matrix.c";
  nvhpc.info.func_name = "MatrixMult";
  nvhpc.info.line_no = 19;
  nvhpc.construct = acc::construct_data;
  nvhpc.other(acc::enter_data_start);
  nvhpc.data(acc::enqueue_upload_start, "a", 4096, &addresses[0]);
  nvhpc.data(acc::enqueue_upload_end, "a", 4096, &addresses[0]);
  nvhpc.other(acc::enter_data_end);
  nvhpc.construct = 0;
  nvhpc.info.line_no = 26;
  for (int i = 0; i < 5; ++i) {
    nvhpc.other(acc::compute_construct_start);
    nvhpc.launch(acc::enqueue_launch_start, "MatrixMult_26_gpu", 8, 0, 128);
    nvhpc.launch(acc::enqueue_launch_end, "MatrixMult_26_gpu", 8, 0, 128);
    nvhpc.other(acc::compute_construct_end);
  }
  nvhpc.construct = acc::construct_data;
  nvhpc.info.line_no = 35;
  nvhpc.other(acc::exit_data_start);
  nvhpc.other(acc::exit_data_end);
  nvhpc.construct = acc::construct_enter_data;
  nvhpc.other(acc::enter_data_start);
  nvhpc.other(acc::enter_data_end);
  nvhpc.construct = acc::construct_exit_data;
  nvhpc.other(acc::exit_data_start);
  nvhpc.other(acc::exit_data_end);
  nvhpc.other(acc::update_start);
  nvhpc.other(acc::update_end);
}

} // namespace

int main(int argc, char** argv) {
  if (argc != 3)
    return 2;
  library = dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
    return 2;
  }
  const std::string what = argv[2];
  if (what == "copies")
    copies();
  if (what == "unmatched")
    unmatched();
  if (what == "threads")
    threads();
  if (what == "busy_exit")
    busy_exit();
  if (what == "labels")
    labels();
  if (what == "launches")
    launches();
  if (what == "openacc")
    openacc();
}
