// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/vadd/vadd.hpp"

// GCC refuses device_type on compute constructs. It gets the clause of the one kind of device it is
// built for here; nvc++ and clang get both. Clauses before the first device_type are the default,
// and those after one are that device's alone, whatever their line. The document's third kind,
// radeon, is left out: no compiler here builds for it, and nvc++ may warn of it.
#if defined(__NVCOMPILER) || defined(__clang__)
#define VECTOR_LENGTH_BY_DEVICE vector_length(64) device_type(nvidia) vector_length(256)
#else
#define VECTOR_LENGTH_BY_DEVICE vector_length(256)
#endif

// Every function here has the study's one type; a slip would be an error at this line.
extern "C" {
gangway::vadd::Kernel gangway_vadd_kernels, gangway_vadd_kernels_independent, gangway_vadd_parallel,
    gangway_vadd_redundant, gangway_vadd_device_type;

/// The compiler looks whether the loop is parallel. Three pointers may overlap, so it may well say
/// no.
void gangway_vadd_kernels(long n, const double* a, const double* b, double* c) {
#pragma acc kernels loop copyin(a[0 : n], b[0 : n]) copyout(c[0 : n])
  for (long i = 0; i < n; ++i)
    c[i] = a[i] + b[i];
}

/// The programmer says that it is.
void gangway_vadd_kernels_independent(long n, const double* a, const double* b, double* c) {
#pragma acc kernels loop independent copyin(a[0 : n], b[0 : n]) copyout(c[0 : n])
  for (long i = 0; i < n; ++i)
    c[i] = a[i] + b[i];
}

/// One kernel, its iterations shared out; the shape is the compiler's choice.
void gangway_vadd_parallel(long n, const double* a, const double* b, double* c) {
#pragma acc parallel loop copyin(a[0 : n], b[0 : n]) copyout(c[0 : n])
  for (long i = 0; i < n; ++i)
    c[i] = a[i] + b[i];
}

/// The work not shared out: every gang does all of it again, on one of its threads. The document
/// has a plain loop here, and means this; nvc++ parallelises plain loops in `parallel` by itself,
/// hence the `seq`.
void gangway_vadd_redundant(long n, const double* a, const double* b, double* c) {
#pragma acc parallel num_gangs(4) copyin(a[0 : n], b[0 : n]) copyout(c[0 : n])
  {
#pragma acc loop seq
    for (long i = 0; i < n; ++i)
      c[i] = a[i] + b[i];
  }
}

/// The vector length by device.
void gangway_vadd_device_type(long n, const double* a, const double* b, double* c) {
#pragma acc parallel loop gang vector copyin(a[0 : n], b[0 : n]) copyout(c[0 : n])                 \
    VECTOR_LENGTH_BY_DEVICE
  for (long i = 0; i < n; ++i)
    c[i] = a[i] + b[i];
}

} // extern "C"
