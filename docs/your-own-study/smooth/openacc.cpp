// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "smooth.hpp"

// A function for each stage, gangway_STUDY_STAGE, with the type smooth::Kernel.
extern "C" {

void gangway_smooth_collapse(int rows, int columns, const double* in, double* out) {
#pragma acc parallel loop collapse(2) copyin(in[0 : rows * columns])                               \
    copyout(out[0 : rows * columns])
  for (int i = 1; i < rows - 1; ++i)
    for (int j = 1; j < columns - 1; ++j) {
      const int at = i * columns + j;
      out[at] = (in[at - columns] + in[at + columns] + in[at - 1] + in[at + 1]) / 4;
    }
}

void gangway_smooth_levels(int rows, int columns, const double* in, double* out) {
#pragma acc parallel loop gang vector_length(128) copyin(in[0 : rows * columns])                   \
    copyout(out[0 : rows * columns])
  for (int i = 1; i < rows - 1; ++i) {
#pragma acc loop vector
    for (int j = 1; j < columns - 1; ++j) {
      const int at = i * columns + j;
      out[at] = (in[at - columns] + in[at + columns] + in[at - 1] + in[at + 1]) / 4;
    }
  }
}
}
