// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/nested/nested.hpp"

extern "C" {

/// The document's order of the loops; which becomes the vector is the compiler's choice.
/// `independent` says of C pointers what Fortran's rules say of its arrays: they do not overlap.
void gangway_nested_kernels(long m, long n, double alpha, double beta, const double* b,
                            const double* c, double* a) {
#pragma acc kernels loop independent copyin(b[0 : n * m], c[0 : m * n]) copyout(a[0 : n * m])
  for (long j = 0; j < m; ++j) {
#pragma acc loop independent
    for (long i = 0; i < n; ++i)
      a[i * m + j] = b[i * m + j] * alpha + c[j * n + i] * beta;
  }
}

/// A gang takes a j, its vector the i: stride-1 in c, strided in a and b.
void gangway_nested_j_outer(long m, long n, double alpha, double beta, const double* b,
                            const double* c, double* a) {
#pragma acc parallel loop gang vector_length(128) copyin(b[0 : n * m], c[0 : m * n])               \
    copyout(a[0 : n * m])
  for (long j = 0; j < m; ++j) {
#pragma acc loop vector
    for (long i = 0; i < n; ++i)
      a[i * m + j] = b[i * m + j] * alpha + c[j * n + i] * beta;
  }
}

/// A gang takes an i, its vector the j: stride-1 in a and b, strided in c.
void gangway_nested_i_outer(long m, long n, double alpha, double beta, const double* b,
                            const double* c, double* a) {
#pragma acc parallel loop gang vector_length(128) copyin(b[0 : n * m], c[0 : m * n])               \
    copyout(a[0 : n * m])
  for (long i = 0; i < n; ++i) {
#pragma acc loop vector
    for (long j = 0; j < m; ++j)
      a[i * m + j] = b[i * m + j] * alpha + c[j * n + i] * beta;
  }
}

/// Both loops in tiles of 8 x 32. GCC 16's `tile` leaves iterations out on a GPU, so GCC gets the
/// tiles as loops over tiles and loops over what is in one.
void gangway_nested_tile(long m, long n, double alpha, double beta, const double* b,
                         const double* c, double* a) {
#ifdef __NVCOMPILER
#pragma acc parallel loop tile(32, 8) copyin(b[0 : n * m], c[0 : m * n]) copyout(a[0 : n * m])
  for (long i = 0; i < n; ++i)
    for (long j = 0; j < m; ++j)
      a[i * m + j] = b[i * m + j] * alpha + c[j * n + i] * beta;
#else
#pragma acc parallel loop gang collapse(2) copyin(b[0 : n * m], c[0 : m * n]) copyout(a[0 : n * m])
  for (long first_i = 0; first_i < n; first_i += 8)
    for (long first_j = 0; first_j < m; first_j += 32)
#pragma acc loop worker vector collapse(2)
      for (long i = first_i; i < first_i + 8; ++i)
        for (long j = first_j; j < first_j + 32; ++j)
          if (i < n && j < m)
            a[i * m + j] = b[i * m + j] * alpha + c[j * n + i] * beta;
#endif
}

/// A gang takes a block, so narrow that c's lines, one for each j, stay in the cache from one i to
/// the next: its workers take the i, their vectors the j.
void gangway_nested_blocked(long m, long n, double alpha, double beta, const double* b,
                            const double* c, double* a) {
  static constexpr long block = 32;
#pragma acc parallel loop gang collapse(2) num_workers(8) vector_length(32)                        \
    copyin(b[0 : n * m], c[0 : m * n]) copyout(a[0 : n * m])
  for (long first_i = 0; first_i < n; first_i += block)
    for (long first_j = 0; first_j < m; first_j += block) {
      const long last_i = first_i + block < n ? first_i + block : n;
      const long last_j = first_j + block < m ? first_j + block : m;
#pragma acc loop worker
      for (long i = first_i; i < last_i; ++i) {
#pragma acc loop vector
        for (long j = first_j; j < last_j; ++j)
          a[i * m + j] = b[i * m + j] * alpha + c[j * n + i] * beta;
      }
    }
}

} // extern "C"
