// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>

namespace gangway::sparse {

/// Returns the sum of value(k) * x(k) for k from `begin` to `end` - 1, in that order, with `loads`
/// loads of each in flight.
template <int loads, class Value, class X>
KOKKOS_FORCEINLINE_FUNCTION double sum_of_pattern(int begin, int end, const Value& value,
                                                  const X& x) {
  double sum = 0;
  int k = begin;
  for (; k + loads <= end; k += loads) {
    double of_x[loads];
    double values[loads];
    for (int u = 0; u < loads; ++u) {
      values[u] = value(k + u);
      of_x[u] = x(k + u);
    }
    for (int u = 0; u < loads; ++u)
      sum += values[u] * of_x[u];
  }
  for (; k < end; ++k)
    sum += value(k) * x(k);
  return sum;
}

} // namespace gangway::sparse
