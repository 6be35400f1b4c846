// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A device that is lost in the middle: a Kokkos tool that loses it when Kokkos begins its kernel
// number LOST_AT, or with LOST_AT=end when Kokkos ends, as it does itself where a device has no
// memory left. On a host it ends the program from within Kokkos: LOST_BY=abort is how Kokkos
// itself ends one then, LOST_BY=exit how the runtimes of others do. The others are for an NVIDIA
// GPU, which no test has, so that they are tried by hand (docs/robustness.md). LOST_BY=fault really
// loses it: a kernel writes where nothing is, and from then on each call of CUDA in this process
// fails. LOST_BY=memory takes what memory it has left, after the program has asked how much there
// is: its next cudaMalloc is refused.
#include <dlfcn.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

[[noreturn]] void give_up(const char* why) {
  std::fprintf(stderr, "lost_in_kernel: %s\n", why);
  std::_Exit(99);
}

/// A function of the driver that the program uses, found at run time: this library is built where
/// there is no CUDA.
template <class Function>
Function* of_driver(const char* name) {
  void* const driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  if (driver == nullptr)
    give_up("LOST_BY=fault and LOST_BY=memory are for a program that uses CUDA");
  void* const found = dlsym(driver, name);
  if (found == nullptr)
    give_up("the driver lacks a function");
  return reinterpret_cast<Function*>(found);
}

/// Launches a kernel that writes to address 0, in the program's own context.
void fault() {
  const char* const ptx = ".version 7.0\n.target sm_50\n.address_size 64\n"
                          ".visible .entry fault() {\n"
                          "  .reg .b64 %nowhere;\n"
                          "  .reg .b32 %value;\n"
                          "  mov.b64 %nowhere, 0;\n"
                          "  mov.b32 %value, 1;\n"
                          "  st.global.b32 [%nowhere], %value;\n"
                          "  ret;\n"
                          "}\n";
  const auto load = of_driver<int(void**, const void*)>("cuModuleLoadData");
  const auto find = of_driver<int(void**, void*, const char*)>("cuModuleGetFunction");
  const auto launch = of_driver<int(void*, unsigned, unsigned, unsigned, unsigned, unsigned,
                                    unsigned, unsigned, void*, void**, void**)>("cuLaunchKernel");
  void* module = nullptr;
  void* kernel = nullptr;
  if (load(&module, ptx) != 0 || find(&kernel, module, "fault") != 0 ||
      launch(kernel, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr) != 0)
    give_up("the kernel that is to fail could not be launched");
}

/// Takes the device's memory, in ever smaller pieces, until not even the smallest that it hands out
/// is left. They are never released.
void take_memory() {
  const auto allocate = of_driver<int(std::uint64_t*, std::size_t)>("cuMemAlloc_v2");
  const auto ask = of_driver<int(std::size_t*, std::size_t*)>("cuMemGetInfo_v2");
  constexpr std::size_t smallest = std::size_t{1} << 21;
  std::size_t free = 0;
  std::size_t all = 0;
  if (ask(&free, &all) != 0)
    give_up("the driver does not say how much memory there is");
  std::size_t taken = 0;
  for (std::size_t piece = free; piece >= smallest;) {
    std::uint64_t place = 0;
    if (allocate(&place, piece) == 0)
      taken += piece;
    else
      piece /= 2;
  }
  std::fprintf(stderr, "lost_in_kernel: took %zu of %zu free bytes\n", taken, free);
}

void lose() {
  const char* const by = std::getenv("LOST_BY");
  const std::string_view how = by == nullptr ? "abort" : by;
  if (how == "fault")
    fault();
  else if (how == "memory")
    take_memory();
  else if (how == "exit")
    std::exit(1); // NOLINT(concurrency-mt-unsafe): as a runtime does
  else
    std::abort();
}

std::string_view when() {
  const char* const at = std::getenv("LOST_AT");
  return at == nullptr ? "" : at;
}

void begin() {
  static int kernels = 0;
  if (when() == std::to_string(++kernels))
    lose();
}

} // namespace

extern "C" {
void kokkosp_begin_parallel_for(const char* /*name*/, std::uint32_t /*device*/, std::uint64_t* id) {
  *id = 0;
  begin();
}
void kokkosp_begin_parallel_reduce(const char* /*name*/, std::uint32_t /*device*/,
                                   std::uint64_t* id) {
  *id = 0;
  begin();
}
void kokkosp_finalize_library() {
  if (when() == "end")
    lose();
}
}
