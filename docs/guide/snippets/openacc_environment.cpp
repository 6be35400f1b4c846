// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "snippets.hpp"

#include <openacc.h>

namespace guide::openacc {
namespace {

// [device_count]
int device_count() {
  return acc_get_num_devices(acc_device_not_host);
}
// [device_count]

// [on_device]
bool on_device() {
  int there = 0;
#pragma acc serial copyout(there)
  there = acc_on_device(acc_device_not_host);
  return there != 0;
}
// [on_device]

// [model_version]
long model_version() {
#ifdef _OPENACC
  return _OPENACC; // year and month of the specification
#else
  return 0;
#endif
}
// [model_version]

} // namespace

const Environment environment{
    .device_count = device_count, .on_device = on_device, .model_version = model_version};

} // namespace guide::openacc

const guide::Snippets* gangway_guide_openacc() {
  using namespace guide::openacc;
  static const guide::Snippets all{loops,   levels, reductions,  atomics,
                                   regions, names,  environment, plain};
  return &all;
}
