// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/saxpy/saxpy.hpp"

// GCC refuses device_type on compute constructs. It gets the clause of the one kind of device it is
// built for here; nvc++ and clang get the document's, and choose for themselves on any other
// device. The document's radeon is left out: no compiler here builds for it, and nvc++ may warn of
// it.
#if defined(__NVCOMPILER) || defined(__clang__)
#define VECTOR_LENGTH_BY_DEVICE device_type(nvidia) vector_length(128)
#else
#define VECTOR_LENGTH_BY_DEVICE vector_length(128)
#endif

// The function has the study's type; a slip would be an error at this line.
extern "C" {
gangway::saxpy::Kernel gangway_saxpy_device_type;

/// The vector length by device.
void gangway_saxpy_device_type(long n, const float* x, float* y) {
#pragma acc parallel loop gang vector copyin(x[0 : n]) copy(y[0 : n]) VECTOR_LENGTH_BY_DEVICE
  for (long i = 0; i < n; ++i)
    y[i] = 2.0f * x[i] + y[i];
}

} // extern "C"
