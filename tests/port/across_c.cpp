// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What `gangway port` makes of kernels in C that call functions of another source.
#pragma GCC diagnostic ignored "-Wunknown-pragmas"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wfloat-conversion"
#pragma GCC diagnostic ignored "-Wunused"

// NOLINTBEGIN
#include "features/across_c.c.expected"
// NOLINTEND
