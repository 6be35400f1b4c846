// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "harness/problem.hpp"

/// Two n x n matrices go to the device and one comes back: C = A + B, float.
///
///     for (long i = 0; i < n; ++i)
///       for (long j = 0; j < n; ++j) c[i][j] = a[i][j] + b[i][j];
///
/// gang: rows, or blocks of elements; vector: the elements of a row or block. The sum is there so
/// that something is done with what was moved; the lesson is how the matrices lie in host memory.
namespace gangway::transfer {

/// Matrix that kernels read, in three forms; a variant takes one. (Two, where rows have to be
/// packed first.)
struct Input {
  const float* block;       ///< n * n elements
  const float* const* rows; ///< n rows, each an allocation of its own
  const float* pinned;      ///< n * n elements in memory that is never paged out
  float* staged;            ///< room for n * n elements in such memory, which holds nothing
};

/// The sum, in the form that a variant writes.
struct Output {
  float* block;
  float* const* rows;
  float* pinned;
};

using Kernel = void(int n, Input a, Input b, Output c);

/// One block of host memory that is never paged out, so that a device can copy from and to it by
/// itself. Plain memory where the host is the device.
class PinnedBlock {
public:
  explicit PinnedBlock(std::size_t elements);
  [[nodiscard]] float* data() const { return _memory.get(); }
  [[nodiscard]] std::size_t size() const { return _size; }
  [[nodiscard]] float* begin() const { return data(); }
  [[nodiscard]] float* end() const { return data() + _size; }
  using value_type = float;

private:
  std::unique_ptr<float, std::function<void(float*)>> _memory;
  std::size_t _size;
};

/// A matrix three times: in one block, in rows, and in one pinned block.
struct Matrix {
  explicit Matrix(int n);

  base::HostArray<float> block;
  std::vector<base::HostArray<float>> rows;
  std::vector<float*> row_pointers;
  PinnedBlock pinned;
};

class Problem : public harness::ProblemOf<Kernel> {
public:
  static const harness::StudyInfo info;

  explicit Problem(const harness::Parameters& parameters);

  /// Each form of C is either untouched or right all over, and one is right.
  [[nodiscard]] harness::Check check() const override;
  [[nodiscard]] harness::Work work() const override;

  [[nodiscard]] Matrix& c() { return _c; }

private:
  int _n;
  Matrix _a;
  Matrix _b;
  Matrix _c;
  PinnedBlock _a_staged;
  PinnedBlock _b_staged;
};

} // namespace gangway::transfer
