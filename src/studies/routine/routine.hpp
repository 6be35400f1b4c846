// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/host_array.hpp"
#include "harness/problem.hpp"

#include <string>
#include <vector>

/// An array filled with reciprocals of products, float, by a function that the loop calls.
///
///     for (int i = 0; i < rows; ++i)
///       for (int j = 0; j < columns; ++j)
///         v[long(i) * columns + j] = 1.0f / ((i + 1.0f) * (j + 1.0f));
///
/// gang: rows; worker: rows of a block, in the stage `worker`; vector: columns. The stages differ
/// in how much of the nest the called function holds: an element, a row, a block of rows, or all.
namespace gangway::routine {

using Kernel = void(int rows, int columns, float* v);

class Problem : public harness::Problem {
public:
  using Kernel = routine::Kernel;
  static constexpr const char* id = "routine";
  static constexpr const char* title =
      "1 / (i j) by a device function: routine seq, vector, worker, gang";
  static constexpr const char* source =
      "short course on OpenACC (UFRJ), example 2.2; OpenACC Programming and Best Practices Guide, "
      "chapter 6 (Routine Parallelism)";
  static std::vector<std::string> stages();
  static std::vector<harness::Key> keys();
  static std::vector<harness::Case> cases(harness::Effort effort, double memory_bytes);
  static std::vector<harness::Case> edge_cases();
  static double footprint(const harness::Parameters& parameters);

  explicit Problem(const harness::Parameters& parameters);

  template <class F>
  void call(F&& kernel) {
    kernel(_rows, _columns, _v.data());
  }

  [[nodiscard]] std::vector<harness::Buffer> buffers() override;
  void reset() override;
  [[nodiscard]] harness::Check check() const override;
  [[nodiscard]] harness::Work work() const override;
  [[nodiscard]] std::string describe() const override;

private:
  int _rows;
  int _columns;
  base::HostArray<float> _v;
};

} // namespace gangway::routine
