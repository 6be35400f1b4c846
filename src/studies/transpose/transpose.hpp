// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/host_array.hpp"
#include "harness/problem.hpp"

#include <string>
#include <vector>

/// Transpose of a rows x columns matrix, float.
///
///     for (long i = 0; i < columns; ++i)
///       for (long j = 0; j < rows; ++j) out[i * rows + j] = in[j * columns + i];
///
/// gang: rows i of the result, or tiles; vector: elements j of a row, so that writing is stride-1
/// and reading is not. (The document's index expression is right for square matrices only.)
namespace gangway::transpose {

using Kernel = void(int rows, int columns, const float* in, float* out);

class Problem : public harness::Problem {
public:
  using Kernel = transpose::Kernel;
  static constexpr const char* id = "transpose";
  static constexpr const char* title = "transpose of a matrix, float";
  static constexpr const char* source =
      "Otimização de Programas Paralelos com uso do OpenACC (UFRJ), 2.6.4";
  static std::vector<std::string> stages();
  static std::vector<harness::Key> keys();
  static std::vector<harness::Case> cases(harness::Effort effort, double memory_bytes);
  static std::vector<harness::Case> edge_cases();
  static double footprint(const harness::Parameters& parameters);

  explicit Problem(const harness::Parameters& parameters);
  /// For tests: any matrix.
  Problem(int rows, int columns, base::HostArray<float> in);

  template <class F>
  void call(F&& kernel) {
    kernel(_rows, _columns, _in.data(), _out.data());
  }

  [[nodiscard]] std::vector<harness::Buffer> buffers() override;
  void reset() override;
  /// Bit by bit.
  [[nodiscard]] harness::Check check() const override;
  [[nodiscard]] harness::Work work() const override;
  [[nodiscard]] std::string describe() const override;

private:
  int _rows;
  int _columns;
  bool _generated;
  base::HostArray<float> _in;
  base::HostArray<float> _out;
};

} // namespace gangway::transpose
