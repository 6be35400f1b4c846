// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `gangway port` makes of a C program, compiled as C++. It prints the sum that the program
// prints in C.

// It was written as C: names hide others, and an index that was declared outside of its loop is
// used by nobody.
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wunused-variable"

// NOLINTBEGIN
#include "features/program.c.expected"
// NOLINTEND
