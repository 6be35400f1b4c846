// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A device that is lost in the middle: a Kokkos tool that loses it when Kokkos begins its kernel
// number LOST_AT. On a host it ends the program from within Kokkos: LOST_BY=abort is how Kokkos
// itself ends one then, LOST_BY=exit how the runtimes of others do. LOST_BY=fault is for an NVIDIA
// GPU, which it really loses: a kernel writes where nothing is, and from then on each call of CUDA
// in this process fails. No test has one, so that is tried by hand (docs/checks.md).
#include <dlfcn.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace {

/// Launches a kernel that writes to address 0, in the program's own context. By the driver's
/// functions, found at run time: this library is built where there is no CUDA.
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
  void* const driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  if (driver == nullptr) {
    std::fputs("lost_in_kernel: LOST_BY=fault is for a program that uses CUDA\n", stderr);
    std::_Exit(99);
  }
  const auto load =
      reinterpret_cast<int (*)(void**, const void*)>(dlsym(driver, "cuModuleLoadData"));
  const auto find =
      reinterpret_cast<int (*)(void**, void*, const char*)>(dlsym(driver, "cuModuleGetFunction"));
  const auto launch =
      reinterpret_cast<int (*)(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                               unsigned, void*, void**, void**)>(dlsym(driver, "cuLaunchKernel"));
  void* module = nullptr;
  void* kernel = nullptr;
  if (load(&module, ptx) != 0 || find(&kernel, module, "fault") != 0 ||
      launch(kernel, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr) != 0) {
    std::fputs("lost_in_kernel: the kernel that is to fail could not be launched\n", stderr);
    std::_Exit(99);
  }
}

void begin() {
  static int kernels = 0;
  const char* const at = std::getenv("LOST_AT");
  if (at == nullptr || ++kernels != std::atoi(at))
    return;
  const char* const by = std::getenv("LOST_BY");
  if (by != nullptr && std::string_view(by) == "fault") {
    fault();
    return;
  }
  if (by != nullptr && std::string_view(by) == "exit")
    std::exit(1); // NOLINT(concurrency-mt-unsafe): as a runtime does
  std::abort();
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
}
