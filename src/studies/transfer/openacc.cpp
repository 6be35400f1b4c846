// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/transfer/transfer.hpp"

// Every function here has the study's one type; a slip would be an error at this line.
extern "C" {
gangway::transfer::Kernel gangway_transfer_contiguous, gangway_transfer_rows;

/// One block a matrix: two transfers in, one out.
void gangway_transfer_contiguous(int n, const float* a, const float* b, float* c,
                                 const float* const* /*a_rows*/, const float* const* /*b_rows*/,
                                 float* const* /*c_rows*/) {
  const long all = static_cast<long>(n) * n;
#pragma acc parallel loop gang vector vector_length(256) copyin(a[0 : all], b[0 : all])            \
    copyout(c[0 : all])
  for (long i = 0; i < all; ++i)
    c[i] = a[i] + b[i];
}

/// One allocation a row: two transfers in and one out for each, and a kernel too, for no two rows
/// lie at a known distance. The kernels are queued; only the copies wait.
void gangway_transfer_rows(int n, const float* /*a*/, const float* /*b*/, float* /*c*/,
                           const float* const* a_rows, const float* const* b_rows,
                           float* const* c_rows) {
  for (int i = 0; i < n; ++i) {
    [[maybe_unused]] const float* a = a_rows[i]; // GCC takes no note of uses in a data directive
    [[maybe_unused]] const float* b = b_rows[i];
    [[maybe_unused]] float* c = c_rows[i];
#pragma acc enter data copyin(a[0 : n], b[0 : n]) create(c[0 : n])
  }
  for (int i = 0; i < n; ++i) {
    const float* a = a_rows[i];
    const float* b = b_rows[i];
    float* c = c_rows[i];
#pragma acc parallel loop gang vector vector_length(256) present(a[0 : n], b[0 : n], c[0 : n])     \
    async(1)
    for (int j = 0; j < n; ++j)
      c[j] = a[j] + b[j];
  }
#pragma acc wait(1)
  for (int i = 0; i < n; ++i) {
    [[maybe_unused]] const float* a = a_rows[i]; // GCC takes no note of uses in a data directive
    [[maybe_unused]] const float* b = b_rows[i];
    [[maybe_unused]] float* c = c_rows[i];
#pragma acc exit data copyout(c[0 : n]) delete (a[0 : n], b[0 : n])
  }
}

} // extern "C"
