// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "gangway/data.hpp"
#include "gangway/farray.hpp"
#include "gangway/fortran_arithmetic.hpp"

#include <Kokkos_Core.hpp>

#include <source_location>
#include <string>
#include <string_view>

/// Parts of the kernels that `gangway port` makes of Fortran.
namespace gangway::fortran {

/// A scalar that a data region holds on the device, as the result of a reduction.
template <class T>
using DeviceScalar = Kokkos::View<T, DeviceSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

/// Returns the value that a scalar has on the device, after all kernels before. The host computes
/// bounds of loops with it.
template <class T>
[[nodiscard]] T value_on_device(const T* scalar) {
  T value{};
  Kokkos::deep_copy(value, DeviceScalar<const T>(scalar));
  return value;
}

/// Refuses a result of a reduction that a data region elsewhere holds on the device: the result
/// would go to the host's variable. Errors: DataError.
template <class T>
void require_host_result(const T* result, std::string_view name,
                         std::source_location where = std::source_location::current()) {
  if (memory() != Memory::shared && is_present(result, 1))
    throw DataError("the result '" + std::string(name) +
                        "' is on the device; name it in a clause of the construct",
                    where, name);
}

} // namespace gangway::fortran
