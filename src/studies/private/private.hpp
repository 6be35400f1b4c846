// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/host_array.hpp"
#include "harness/problem.hpp"

#include <string>
#include <vector>

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

class Problem : public harness::Problem {
public:
  using Kernel = private_array::Kernel;
  static constexpr const char* id = "private";
  static constexpr const char* title = "a temporary array for each iteration: shared or private";
  static constexpr const char* source = "More tips on OpenACC acceleration";
  static std::vector<std::string> stages();
  static std::vector<harness::Key> keys();
  static std::vector<harness::Case> cases(harness::Effort effort, double memory_bytes);
  static std::vector<harness::Case> edge_cases();
  static double footprint(const harness::Parameters& parameters);

  explicit Problem(const harness::Parameters& parameters);

  template <class F>
  void call(F&& kernel) {
    kernel(_rows, _columns, _a.data());
  }

  [[nodiscard]] std::vector<harness::Buffer> buffers() override;
  void reset() override;
  [[nodiscard]] harness::Check check() const override;
  [[nodiscard]] harness::Work work() const override;
  [[nodiscard]] std::string describe() const override;

private:
  int _rows;
  int _columns;
  base::HostArray<int> _a;
};

} // namespace gangway::private_array
