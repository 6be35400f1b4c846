// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/histogram/histogram.hpp"

#include "testing/huge_array.hpp"
#include "testing/study_fixture.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

namespace gangway::histogram {
namespace {

void expect_right(base::HostArray<int> items, int bins) {
  Problem problem(std::move(items), bins);
  testing::expect_all_variants_right("histogram", problem);
  const testing::WithMemory separate(Memory::separate);
  testing::expect_all_variants_right("histogram", problem);
}

base::HostArray<int> items_of(std::size_t n, int (*value)(std::size_t)) {
  base::HostArray<int> items(n);
  for (std::size_t i = 0; i < n; ++i)
    items[i] = value(i);
  return items;
}

TEST(Histogram, AllInOneBin) {
  expect_right(items_of(50001, [](std::size_t) { return 17; }), 256);
}

TEST(Histogram, AllInTheLastBin) {
  expect_right(items_of(50001, [](std::size_t) { return 255; }), 256);
}

TEST(Histogram, BinsInTurn) {
  expect_right(items_of(51200, [](std::size_t i) { return static_cast<int>(i % 256); }), 256);
}

/// Runs of equal items, longer than a lane's four and longer than a warp's.
TEST(Histogram, LongRuns) {
  expect_right(items_of(60007, [](std::size_t i) { return static_cast<int>(i / 1000 % 61); }), 61);
}

TEST(Histogram, ReferenceKnowsTheCounts) {
  Problem problem(items_of(1000, [](std::size_t i) { return static_cast<int>(i % 4) / 2 * 3; }), 5);
  EXPECT_EQ(problem.reference(), (std::vector<int>{500, 0, 0, 500, 0}));
}

/// More items than an int counts, in as many bins as need no long. All chunks but the last two are
/// the same memory.
TEST(Histogram, ItemsBeyond32Bits) {
  using Huge = testing::HugeArray<int>;
  constexpr long n = (1L << 31) + 1000;
  constexpr int bins = 61;
  if (!testing::huge_arrays_fit(n * 4.0))
    GTEST_SKIP() << "too slow under a sanitizer, or too large for the device";
  Huge items(n);
  constexpr long shared_parts = (1L << 31) / Huge::chunk - 1;
  std::vector<int> expected(bins);
  for (long i = 0; i < Huge::chunk; ++i) {
    const int bin = static_cast<int>(i % (bins - 1)); // the last bin is for the other chunks
    items[i] = bin;
    expected[static_cast<std::size_t>(bin)] += static_cast<int>(shared_parts);
  }
  const long own = n - shared_parts * Huge::chunk;
  std::fill_n(items.data() + n - own, own, bins - 1);
  expected[bins - 1] = static_cast<int>(own);
  for (const char* variant : {"atomic", "gang-private"})
    for (Kernel* const kernel : testing::kernels_of<Kernel>("histogram", variant)) {
      std::vector<int> counts(bins, -1);
      kernel(n, bins, items.data(), counts.data());
      EXPECT_EQ(counts, expected) << variant;
    }
}

TEST(Histogram, RefusesABinThatNoCounterHolds) {
  constexpr std::int64_t most = std::numeric_limits<int>::max();
  EXPECT_EQ(counters_of({0, most}), (std::vector<int>{0, static_cast<int>(most)}));
  try {
    static_cast<void>(counters_of({7, most + 1, most}));
    FAIL() << "taken";
  } catch (const base::UsageError& error) {
    EXPECT_STREQ(error.what(), "histogram: bin 1 has 2147483648 items, and a counter holds "
                               "2147483647: give fewer items (n), more bins, or input=uniform");
  }
}

/// The generated inputs are what their names say, and of as many items as asked for.
TEST(Histogram, InputsAreUniformAndSkewed) {
  const auto counts = [](const char* input) {
    const Problem problem({Problem::info, {{"n", "256000"}, {"bins", "256"}, {"input", input}}});
    EXPECT_EQ(std::accumulate(problem.reference().begin(), problem.reference().end(), 0), 256000);
    return problem.reference();
  };
  // 1000 expected, standard deviation 32.
  const auto uniform = counts("uniform");
  EXPECT_GT(*std::min_element(uniform.begin(), uniform.end()), 800);
  EXPECT_LT(*std::max_element(uniform.begin(), uniform.end()), 1200);
  // All eight bits clear in (15/16)^8 = 0.597 of the items; 152 750 expected, standard deviation
  // 248.
  EXPECT_NEAR(counts("skewed").front(), 152750, 1500);
}

/// Items that do not begin on 16 bytes, so that they cannot be loaded in fours from the first on.
TEST(Histogram, UnalignedItems) {
  const auto all = items_of(30011, [](std::size_t i) { return static_cast<int>(i * 7 % 100); });
  for (const char* variant : {"atomic", "gang-private"})
    for (Kernel* const kernel : testing::kernels_of<Kernel>("histogram", variant))
      for (std::size_t skip = 0; skip < 5; ++skip) {
        const Problem expected(
            base::HostArray<int>(all.begin() + static_cast<long>(skip), all.end()), 100);
        std::vector<int> counts(100, -1);
        kernel(static_cast<long>(all.size() - skip), 100, all.data() + skip, counts.data());
        EXPECT_EQ(counts, expected.reference()) << variant << ", " << skip << " items skipped";
      }
}

TEST(Histogram, FewerItemsThanAnAlignedQuad) {
  const auto all = items_of(8, [](std::size_t i) { return static_cast<int>(i); });
  for (Kernel* const kernel : testing::kernels_of<Kernel>("histogram", "gang-private"))
    for (std::size_t skip = 0; skip < 4; ++skip)
      for (long n = 0; n < 5; ++n) {
        std::vector<int> counts(8, -1);
        kernel(n, 8, all.data() + skip, counts.data());
        for (int bin = 0; bin < 8; ++bin)
          EXPECT_EQ(counts[static_cast<std::size_t>(bin)],
                    bin >= static_cast<int>(skip) && bin < static_cast<int>(skip) + n ? 1 : 0);
      }
}

TEST(Histogram, CheckSeesALostCount) {
  Problem problem(items_of(1000, [](std::size_t i) { return static_cast<int>(i % 10); }), 10);
  problem.call([](long n, int bins, const int* a, int* h) {
    std::fill_n(h, bins, 0);
    for (long i = 0; i < n; ++i)
      ++h[a[i]];
  });
  EXPECT_TRUE(problem.check().passed);
  problem.call([](long, int, const int*, int* h) { --h[9]; });
  EXPECT_FALSE(problem.check().passed);
}

/// Leaves bin 5 of 7 empty, and puts more than half of everything into bin 0.
int item_of_few(std::size_t i) {
  const int value = static_cast<int>(i * 2654435761U % 14);
  return value >= 7 || value == 5 ? 0 : value;
}

/// The four forms of `atomic`, in both models, on arrays of their own; memory shared and separate.
class Atomics : public ::testing::TestWithParam<Memory> {
protected:
  static constexpr int bins = 7;
  const testing::WithMemory _memory{has_device ? Memory::separate : GetParam()};
  const base::HostArray<int> _items = items_of(20011, item_of_few);
  const Problem _expected{_items, bins};
  std::vector<int> _h = std::vector<int>(bins, -99);
  std::vector<int> _result = std::vector<int>(_items.size(), -99);

  [[nodiscard]] long n() const { return static_cast<long>(_items.size()); }
  [[nodiscard]] int bin_of(std::size_t i) const { return _items[i]; }
  [[nodiscard]] int count_of(int bin) const {
    return _expected.reference()[static_cast<std::size_t>(bin)];
  }

  template <class Signature>
  [[nodiscard]] std::vector<Signature*> both(Signature* kokkos, const char* openacc) const {
    std::vector<Signature*> kernels{kokkos};
    if (testing::openacc_library() != nullptr) {
      void* const symbol = testing::openacc_library()->find("histogram", openacc);
      EXPECT_NE(symbol, nullptr) << openacc;
      if (symbol != nullptr)
        kernels.push_back(reinterpret_cast<Signature*>(symbol));
    }
    return kernels;
  }
};

TEST_P(Atomics, UpdateAddsAll) {
  std::vector<int> sums(bins);
  for (std::size_t i = 0; i < _items.size(); ++i)
    sums[static_cast<std::size_t>(bin_of(i))] += static_cast<int>(i % 3);
  for (Kernel* const kernel : both(&atomic_update, "atomic-update")) {
    std::fill(_h.begin(), _h.end(), -99);
    kernel(n(), bins, _items.data(), _h.data());
    EXPECT_EQ(_h, sums);
  }
}

TEST_P(Atomics, WriteLeavesOneWholeItem) {
  for (Kernel* const kernel : both(&atomic_write, "atomic-write")) {
    std::fill(_h.begin(), _h.end(), -99);
    kernel(n(), bins, _items.data(), _h.data());
    for (int bin = 0; bin < bins; ++bin) {
      const int item = _h[static_cast<std::size_t>(bin)];
      if (count_of(bin) == 0) {
        EXPECT_EQ(item, -1);
      } else {
        ASSERT_GE(item, 0);
        ASSERT_LT(item, n());
        EXPECT_EQ(bin_of(static_cast<std::size_t>(item)), bin);
      }
    }
  }
}

TEST_P(Atomics, ReadSeesAValueOnTheWay) {
  for (ItemKernel* const kernel : both(&atomic_read, "atomic-read")) {
    std::fill(_result.begin(), _result.end(), -99);
    kernel(n(), bins, _items.data(), _h.data(), _result.data());
    EXPECT_EQ(_h, _expected.reference());
    std::vector<int> most(bins);
    for (std::size_t i = 0; i < _items.size(); ++i) {
      ASSERT_GE(_result[i], 1) << i;
      ASSERT_LE(_result[i], count_of(bin_of(i))) << i;
      int& seen = most[static_cast<std::size_t>(bin_of(i))];
      seen = std::max(seen, _result[i]);
    }
    EXPECT_EQ(most, _expected.reference()) << "the last of a bin sees them all";
  }
}

TEST_P(Atomics, CaptureNumbersTheItemsOfABin) {
  for (ItemKernel* const kernel : both(&atomic_capture, "atomic-capture")) {
    std::fill(_result.begin(), _result.end(), -99);
    kernel(n(), bins, _items.data(), _h.data(), _result.data());
    EXPECT_EQ(_h, _expected.reference());
    std::vector<std::vector<int>> places(bins);
    for (std::size_t i = 0; i < _items.size(); ++i)
      places[static_cast<std::size_t>(bin_of(i))].push_back(_result[i]);
    for (std::vector<int>& of_bin : places) {
      std::sort(of_bin.begin(), of_bin.end());
      for (std::size_t k = 0; k < of_bin.size(); ++k)
        ASSERT_EQ(of_bin[k], static_cast<int>(k));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Histogram, Atomics, ::testing::Values(Memory::shared, Memory::separate),
                         [](const auto& test) {
                           return test.param == Memory::shared ? "shared" : "separate";
                         });

} // namespace
} // namespace gangway::histogram
