// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A device that is lost in the middle, on a host: a Kokkos tool that ends the program from within
// Kokkos, when it begins its kernel number LOST_AT. LOST_BY=abort is how Kokkos itself ends one
// then, LOST_BY=exit how the runtimes of others do.
#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace {

void begin() {
  static int kernels = 0;
  const char* const at = std::getenv("LOST_AT");
  if (at == nullptr || ++kernels != std::atoi(at))
    return;
  const char* const by = std::getenv("LOST_BY");
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
