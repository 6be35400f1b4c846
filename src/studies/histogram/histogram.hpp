// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "harness/problem.hpp"

/// Counts of how often each value occurs.
///
///     for (int bin = 0; bin < bins; ++bin)
///       h[bin] = 0;
///     for (long i = 0; i < n; ++i)
///       h[a[i]]++;
///
/// gang: a block of items; worker: none; vector: the items of the block. Items of equal value meet
/// in one counter, wherever they are counted: the counting has to be atomic, or each gang has
/// counters of its own.
namespace gangway::histogram {

/// `a`: n items in [0, bins). `h`: counters, one a bin.
using Kernel = void(long n, int bins, const int* a, int* h);
/// Kernel that leaves a result for each item besides.
using ItemKernel = void(long n, int bins, const int* a, int* h, int* result);

/// The four forms of `atomic`, each by itself in a kernel as small as shows it. In Kokkos; the
/// OpenACC side has them as gangway_histogram_atomic_update and so on.
///
/// update: h[bin] becomes the sum of i % 3 over the items i of the bin.
void atomic_update(long n, int bins, const int* a, int* h);
/// write: h[bin] becomes some item i of the bin, whole; -1 if it has none.
void atomic_write(long n, int bins, const int* a, int* h);
/// read: each item counts itself in and reads the counter while others go on: result[i] is at least
/// 1, and at most what h holds in the end.
void atomic_read(long n, int bins, const int* a, int* h, int* result);
/// capture: each item counts itself in and keeps what it found: its place among the items of its
/// bin, all different, from 0.
void atomic_capture(long n, int bins, const int* a, int* h, int* result);

/// Returns how many items each bin has, in the 32-bit counters that kernels count in. Errors:
/// base::UsageError, which names the bin, where one does not fit.
[[nodiscard]] std::vector<int> counters_of(const std::vector<std::int64_t>& counts);

class Problem : public harness::ProblemOf<Kernel> {
public:
  static const harness::StudyInfo info;

  explicit Problem(const harness::Parameters& parameters);
  /// Takes any items in [0, bins), for tests.
  Problem(base::HostArray<int> items, int bins);

  [[nodiscard]] harness::Check check() const override;
  [[nodiscard]] harness::Work work() const override;

  [[nodiscard]] const base::HostArray<int>& items() const { return _items; }
  [[nodiscard]] const std::vector<int>& reference() const { return _reference; }

private:
  int _bins;
  base::HostArray<int> _items;
  base::HostArray<int> _counts;
  std::vector<int> _reference;
};

} // namespace gangway::histogram
