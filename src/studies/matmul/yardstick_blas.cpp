// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/study.hpp"
#include "studies/matmul/matmul.hpp"

extern "C" void sgemm_(const char* transa, const char* transb, const int* m, const int* n,
                       const int* k, const float* alpha, const float* a, const int* lda,
                       const float* b, const int* ldb, const float* beta, float* c, const int* ldc);

namespace gangway::matmul {
namespace {

/// BLAS counts columns first: row-major C = A B is column-major C' = B' A'.
void blas(int rows, int inner, int columns, const float* a, const float* b, float* c) {
  const float one = 1;
  const float zero = 0;
  const int across = std::max(columns, 1); // a leading dimension is at least 1
  const int along = std::max(inner, 1);
  sgemm_("N", "N", &columns, &rows, &inner, &one, b, &across, a, &along, &zero, c, &across);
}

const harness::Yardstick<Problem> sgemm("blas", blas);

} // namespace
} // namespace gangway::matmul
