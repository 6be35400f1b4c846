// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/study.hpp"
#include "studies/reductions/reductions.hpp"

namespace gangway::reductions {
namespace {

/// Native OpenMP: `simd` allows the additions in the order of vector lanes.
template <class T>
void sum(long n, const T* values, Result* result) {
  T total = 0;
#pragma omp parallel for simd schedule(static) reduction(+ : total)
  for (long i = 0; i < n; ++i)
    total += values[i];
  *result = {Operator::sum, static_cast<double>(total)};
}

bool native(Type type, long n, const void* values, Result* result) {
  return with_type(type, values, [&](const auto* typed) { sum(n, typed, result); });
}

const harness::Yardstick<Problem> openmp("openmp", native);

} // namespace
} // namespace gangway::reductions
