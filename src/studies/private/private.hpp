// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "harness/problem.hpp"

/// A small array filled and summed for every element.
///
///     int tmp[10];
///     for (int i = 0; i < rows; ++i)
///       for (int j = 0; j < columns; ++j) {
///         for (int k = 0; k < 10; ++k)
///           tmp[k] = k;
///         int sum = 0;
///         for (int k = 0; k < 10; ++k)
///           sum += tmp[k];
///         a[long(i) * columns + j] = sum;
///       }
///
/// gang: rows; worker: none; vector: columns, once every lane has a tmp of its own. As long as a
/// gang has but one, its columns have to go one after the other.
namespace gangway::private_array { // `private` is a word of the language

/// Elements of tmp.
inline constexpr int depth = 10;

using Kernel = void(int rows, int columns, int* a);

class Problem : public harness::ProblemOf<Kernel> {
public:
  static const harness::StudyInfo info;
  explicit Problem(const harness::Parameters& parameters);

  [[nodiscard]] harness::Check check() const override;
  [[nodiscard]] harness::Work work() const override;

private:
  int _rows;
  int _columns;
  base::HostArray<int> _a;
};

} // namespace gangway::private_array
