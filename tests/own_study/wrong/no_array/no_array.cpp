// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Refused: it describes no array.
#include "harness/one_kernel.hpp"

extern "C" void gangway_no_array_kernel(long /*n*/) {}

#ifndef _OPENACC

static const gangway::harness::OneKernel study({.id = "no_array", .title = "nothing", .n = "10"},
                                               gangway_no_array_kernel, gangway_no_array_kernel,
                                               [](long n) { return std::tuple(n); });

#endif
