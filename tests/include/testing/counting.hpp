// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <numeric>
#include <vector>

namespace gangway::testing {

/// 1, 2, … n.
inline std::vector<double> counting(std::size_t n) {
  std::vector<double> values(n);
  std::iota(values.begin(), values.end(), 1.0);
  return values;
}

} // namespace gangway::testing
