// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variables outside of functions.
#include "snippets.hpp"

namespace guide::openacc {
namespace {

// [host_globals]
double background[8]; // set by the host, before anything is computed
double scale;

void add_background(long n, double* x) {
#pragma acc parallel loop copy(x[0 : n]) copyin(background)
  for (long i = 0; i < n; ++i)
    x[i] += scale * background[i % 8];
}
// [host_globals]

void host_globals(long n, double new_scale, const double* new_background, double* x) {
  scale = new_scale;
  for (int i = 0; i < 8; ++i)
    background[i] = new_background[i];
  add_background(n, x);
}

// nvc++ cannot load a shared library, as this becomes for the tests, that has a variable on the
// device.
#ifndef __NVCOMPILER
// [declare]
double weight[3];
#pragma acc declare create(weight) // on the device, as long as the program runs

void smooth(long n, const double* x, double* y) {
#pragma acc parallel loop copyin(x[0 : n + 2]) copyout(y[0 : n])
  for (long i = 0; i < n; ++i)
    y[i] = weight[0] * x[i] + weight[1] * x[i + 1] + weight[2] * x[i + 2];
}

void declare(long n, const double* values, const double* x, double* y) {
  for (int k = 0; k < 3; ++k)
    weight[k] = values[k];
#pragma acc update device(weight)
  smooth(n, x, y);
}
// [declare]
#endif

// [constants]
constexpr double top = 2.5;

void constants(long n, const double* x, double* y) {
#pragma acc parallel loop copyin(x[0 : n]) copyout(y[0 : n])
  for (long i = 0; i < n; ++i)
    y[i] = x[i] < 0 ? 0 : x[i] > top ? top : x[i];
}
// [constants]

} // namespace

const Names names{.host_globals = host_globals,
#ifdef __NVCOMPILER
                  .declare = nullptr,
#else
                  .declare = declare,
#endif
                  .constants = constants};

} // namespace guide::openacc
