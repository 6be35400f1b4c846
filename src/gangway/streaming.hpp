// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>

namespace gangway {

/// Loads what will not be used again: on CUDA the caches are asked to give it up first
/// (`ld.global.cs`), so that data which is used again, such as the vector of a sparse product,
/// stays. Elsewhere a plain load.
template <class T>
KOKKOS_INLINE_FUNCTION T load_once(const T& place) {
#ifdef __CUDA_ARCH__
  return __ldcs(&place);
#else
  return place;
#endif
}

} // namespace gangway
