// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>

namespace gangway::base {

/// Returns whether `container` holds `value`. (nvcc with g++ 12 refuses std::ranges::find.)
template <class Container, class T>
[[nodiscard]] bool contains(const Container& container, const T& value) {
  return std::find(container.begin(), container.end(), value) != container.end();
}

} // namespace gangway::base
