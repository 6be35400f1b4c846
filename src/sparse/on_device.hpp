// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "gangway/gangway.hpp"

#include <string>
#include <vector>

namespace gangway::sparse {

/// List that a plan keeps on the device; `on_device` copies it there.
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

} // namespace gangway::sparse
