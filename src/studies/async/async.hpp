// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "harness/problem.hpp"

/// y = a x + y in blocks, float: each block is copied in, computed and copied out.
///
///     for (int block = 0; block < blocks; ++block)
///       for (long i = first of the block; i < first of the next; ++i)
///         y[i] = a * x[i] + y[i];
///
/// gang: pieces of a block; worker: none, one for each gang; vector: the elements of a piece.
/// queue: a block, its copies and its kernel in order; blocks in no order among each other.
namespace gangway::async {

using Kernel = void(long n, int blocks, float a, const float* x, float* y);

/// Block `block` of `blocks` begins here, and ends where the next one begins. All are of one length
/// but the last ones, which may be shorter or empty.
constexpr long first_of(int block, long n, int blocks) {
  const long length = (n + blocks - 1) / blocks;
  return block * length < n ? block * length : n;
}

class Problem : public harness::ProblemOf<Kernel> {
public:
  static const harness::StudyInfo info;
  explicit Problem(const harness::Parameters& parameters);
  [[nodiscard]] harness::Check check() const override;
  [[nodiscard]] harness::Work work() const override;

  [[nodiscard]] float* y() { return _y.get(); }

private:
  /// Page-locked where the build is for a device: only such memory is copied while the host goes
  /// on.
  using Pinned = std::unique_ptr<float, void (*)(float*)>;
  [[nodiscard]] static Pinned pinned(long n);

  long _n;
  int _blocks;
  Pinned _x;
  Pinned _y;
};

} // namespace gangway::async
