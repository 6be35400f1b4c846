// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gangway/gangway.hpp"
#include "snippets.hpp"

#include <algorithm>

namespace guide::kokkos {
namespace {

// [device_count]
int device_count() {
  return std::max(Kokkos::num_devices(), 0); // negative where no device backend is built in
}
// [device_count]

// [on_device]
bool on_device() {
  int there = 0;
  Kokkos::parallel_reduce(
      "where", 1,
      KOKKOS_LAMBDA(int, int& device) {
        KOKKOS_IF_ON_DEVICE((device += 1;))
        KOKKOS_IF_ON_HOST((device += 0;))
      },
      there);
  return there != 0;
}
// [on_device]

// [model_version]
long model_version() {
#ifdef KOKKOS_VERSION
  return KOKKOS_VERSION; // 50202 is 5.2.2
#else
  return 0;
#endif
}
// [model_version]

} // namespace

const Environment environment{
    .device_count = device_count, .on_device = on_device, .model_version = model_version};

} // namespace guide::kokkos
