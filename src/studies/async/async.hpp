// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "harness/problem.hpp"

#include <memory>
#include <string>
#include <vector>

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

class Problem : public harness::Problem {
public:
  using Kernel = async::Kernel;
  static constexpr const char* id = "async";
  static constexpr const char* title =
      "saxpy in blocks, copies and kernels on one or several queues";
  static constexpr const char* source =
      "OpenACC Programming and Best Practices Guide, chapter 7 (pipelining), on the guide's saxpy";
  static constexpr bool whole_by_default = true;
  static std::vector<std::string> stages();
  static std::vector<harness::Key> keys();
  static std::vector<harness::Case> cases(harness::Effort effort, double memory_bytes);
  static std::vector<harness::Case> edge_cases();
  static double footprint(const harness::Parameters& parameters);

  explicit Problem(const harness::Parameters& parameters);

  template <class F>
  void call(F&& kernel) {
    kernel(_n, _blocks, 2.0F, _x.get(), _y.get());
  }

  [[nodiscard]] std::vector<harness::Buffer> buffers() override;
  void reset() override;
  [[nodiscard]] harness::Check check() const override;
  [[nodiscard]] harness::Work work() const override;
  [[nodiscard]] std::string describe() const override;

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
