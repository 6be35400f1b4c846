// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/adjacent/adjacent.hpp"

#include "gangway/gangway.hpp"
#include "testing/huge_array.hpp"
#include "testing/study_fixture.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace gangway::adjacent {
namespace {

constexpr const char* all_variants[] = {"kernels", "parallel-pair", "fused", "range"};

base::HostArray<double> array(std::initializer_list<double> values) {
  return {values.begin(), values.end()};
}

/// Runs a Kokkos variant, checks it, and returns c.
std::vector<double> means_of(const std::string& variant, Problem& problem) {
  testing::run_variant("adjacent", variant, problem);
  std::vector<double> means;
  problem.call([&](long n, const double*, const double*, const double*, const double* c) {
    means.assign(c, c + n);
  });
  return means;
}

TEST(Adjacent, AveragesTheNeighboursProducts) {
  Problem problem(array({1, 2, 3, 4, 5}), array({10, 20, 30, 40, 50}));
  for (const char* variant : all_variants) {
    const auto c = means_of(variant, problem);
    EXPECT_EQ(c[1], 50);
    EXPECT_EQ(c[2], 100);
    EXPECT_EQ(c[3], 170);
  }
}

TEST(Adjacent, InfinitiesStayNextDoor) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Problem problem(array({1, infinity, 1, 1, 1, -infinity, 1, 1, -0.0, 3}),
                  array({2, 2, 2, 2, 2, 2, 2, 2, 2, 2}));
  testing::expect_all_variants_right("adjacent", problem);
  for (const char* variant : all_variants) {
    const auto c = means_of(variant, problem);
    EXPECT_EQ(c[1], 2);
    EXPECT_EQ(c[2], infinity);
    EXPECT_EQ(c[3], 2);
    EXPECT_EQ(c[4], -infinity);
    EXPECT_EQ(c[5], 2);
  }
}

/// Only the inside of c crosses: its ends are not the kernels' to overwrite.
TEST(Adjacent, CopiesEachArrayOnce) {
  const testing::WithMemory separate(Memory::separate);
  Problem problem(array({1, 2, 3, 4, 5}), array({1, 2, 3, 4, 5}));
  for (const char* variant : all_variants) {
    EXPECT_EQ(testing::run_variant("adjacent", variant, problem),
              (Transfers{.to_device = 2,
                         .to_host = 2,
                         .bytes_to_device = 10 * sizeof(double),
                         .bytes_to_host = 8 * sizeof(double),
                         .allocations = 4}))
        << variant;
  }
}

/// One array serves as mobility and as charge, because mapping one this large takes seconds.
TEST(Adjacent, ReachesEntriesBeyondTwoToThe31) {
  const long n = (1L << 31) + 100003;
  if (!testing::huge_arrays_fit(3.0 * sizeof(double) * static_cast<double>(n)))
    GTEST_SKIP() << "three arrays of " << n << " are too much here";
  testing::HugeArray<double> both(n);
  testing::HugeArray<double> a(n);
  testing::HugeArray<double> c(n);
  both.set(n - 3, 3);
  both.set(n - 1, 5);
  testing::kernels_of<Kernel>("adjacent", "fused")
      .front()(n, both.data(), both.data(), a.data(), c.data());
  Kokkos::fence();
  EXPECT_EQ(a[n - 3], 9);
  EXPECT_EQ(a[n - 1], 25);
  EXPECT_EQ(c[n - 2], 17);
}

/// In one parallel construct a gang may average products that another gang has yet to compute. The
/// check must see that.
TEST(Adjacent, CheckSeesAMeanOfProductsThatWereNotThereYet) {
  Problem problem(array({1, 2, 3, 4, 5, 6}), array({1, 2, 3, 4, 5, 6}));
  problem.call([](long n, const double* mob, const double* charge, double* a, double* c) {
    for (long i = 0; i < n; ++i)
      a[i] = 0;
    for (long i = 0; i < n / 2; ++i)
      a[i] = mob[i] * charge[i];
    for (long i = 1; i < n - 1; ++i)
      c[i] = 0.5 * (a[i - 1] + a[i + 1]);
    for (long i = n / 2; i < n; ++i)
      a[i] = mob[i] * charge[i];
  });
  EXPECT_FALSE(problem.check().passed);
  EXPECT_NE(problem.check().detail.find("c, inside: 3 of 4 elements are wrong, first element 1"),
            std::string::npos)
      << problem.check().detail;
}

} // namespace
} // namespace gangway::adjacent
