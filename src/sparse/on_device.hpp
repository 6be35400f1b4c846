// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "gangway/gangway.hpp"

#include <string>
#include <vector>

namespace gangway::sparse {

/// What a plan keeps on the device, and how it comes there.
template <class T>
using List = Kokkos::View<T*, Kokkos::LayoutRight, DeviceSpace>;

template <class T>
[[nodiscard]] List<T> on_device(const std::string& label, const std::vector<T>& list) {
  List<T> view(Kokkos::view_alloc(label, Kokkos::WithoutInitializing), list.size());
  Kokkos::deep_copy(
      view, Kokkos::View<const T*, Kokkos::LayoutRight, Kokkos::HostSpace,
                         Kokkos::MemoryTraits<Kokkos::Unmanaged>>(list.data(), list.size()));
  return view;
}

/// The sum of value(k) * x(k) for k from `begin` to `end` - 1, in that order, with so many loads of
/// each under way.
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
