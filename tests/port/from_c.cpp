// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What `gangway port` makes of a program in C.
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wfloat-conversion"
#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wvla"
#pragma GCC diagnostic ignored "-Wunused"

// NOLINTBEGIN
#include "features/from_c.c.expected"
// NOLINTEND
