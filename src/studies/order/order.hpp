// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/host_array.hpp"
#include "harness/problem.hpp"

#include <string>
#include <vector>

/// Update of every element of a row-major array, double.
///
///     for (long i = 0; i < rows; ++i)
///       for (long j = 0; j < columns; ++j)
///         a[i * columns + j] = 2 * a[i * columns + j] + 1;
///
/// gang: rows; worker: none; vector: the columns of a row, which lie side by side. The stage
/// `strided` has the two loops the other way round: its vector runs down a column.
namespace gangway::order {

using Kernel = void(long rows, long columns, double* a);

class Problem : public harness::Problem {
public:
  using Kernel = order::Kernel;
  static constexpr const char* id = "order";
  static constexpr const char* title = "update of a 2-D array: innermost loop stride-1 or strided";
  static constexpr const char* source =
      "OpenACC Programming and Best Practices Guide, chapter 6 (Efficient Loop Ordering)";
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
  long _rows;
  long _columns;
  base::HostArray<double> _a;
};

} // namespace gangway::order
