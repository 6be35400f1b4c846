// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/normalize/normalize.hpp"

#include "gangway/gangway.hpp"
#include "testing/huge_array.hpp"
#include "testing/study_fixture.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace gangway::normalize {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

base::HostArray<double> array(std::initializer_list<double> values) {
  return {values.begin(), values.end()};
}

struct Result {
  std::vector<double> v;
  double sum = 0;
};

/// Runs a Kokkos variant, checks it, and returns what it wrote.
Result run(const std::string& variant, Problem& problem) {
  testing::run_variant("normalize", variant, problem);
  Result result;
  problem.call([&](long n, const double* v, const double* sum) {
    result.v.assign(v, v + n);
    result.sum = *sum;
  });
  return result;
}

TEST(Normalize, DividesByTheSum) {
  Problem problem(array({1, 2, 3, 10}));
  testing::expect_all_variants_right("normalize", problem);
  for (const char* variant : {"kernels", "resident"}) {
    const Result result = run(variant, problem);
    EXPECT_EQ(result.sum, 16);
    EXPECT_EQ(result.v, (std::vector<double>{1.0 / 16, 2.0 / 16, 3.0 / 16, 10.0 / 16}));
  }
}

TEST(Normalize, PartsOfALargeArrayAddUpToOne) {
  Problem problem(harness::Parameters(Problem::info, {{"n", "1000003"}}));
  testing::expect_all_variants_right("normalize", problem);
  for (const char* variant : {"kernels", "resident"}) {
    long double sum = 0;
    for (const double part : run(variant, problem).v)
      sum += static_cast<long double>(part);
    EXPECT_NEAR(static_cast<double>(sum), 1, 1e-12) << variant;
  }
}

TEST(Normalize, OfNothingIsNothing) {
  Problem problem(array({}));
  for (const char* variant : {"kernels", "resident"})
    EXPECT_EQ(run(variant, problem).sum, 0) << variant;
}

TEST(Normalize, ASumOfZeroMakesInfinities) {
  Problem problem(array({1, -1, 0, 2, -2}));
  testing::expect_all_variants_right("normalize", problem);
  for (const char* variant : {"kernels", "resident"}) {
    const Result result = run(variant, problem);
    EXPECT_EQ(result.v[0], infinity);
    EXPECT_EQ(result.v[1], -infinity);
    EXPECT_TRUE(std::isnan(result.v[2]));
  }
}

TEST(Normalize, AnInfinityLeavesZerosAndOneNan) {
  Problem problem(array({1, infinity, 3}));
  testing::expect_all_variants_right("normalize", problem);
  for (const char* variant : {"kernels", "resident"}) {
    const Result result = run(variant, problem);
    EXPECT_EQ(result.v[0], 0);
    EXPECT_TRUE(std::isnan(result.v[1]));
    EXPECT_EQ(result.v[2], 0);
  }
}

TEST(Normalize, ANanIsEverywhere) {
  Problem problem(array({1, 2, nan, 4}));
  testing::expect_all_variants_right("normalize", problem);
  for (const double part : run("resident", problem).v)
    EXPECT_TRUE(std::isnan(part));
  Problem opposed(array({infinity, 1, -infinity}));
  testing::expect_all_variants_right("normalize", opposed);
}

TEST(Normalize, CopiesTheArrayOnceEachWay) {
  const testing::WithMemory separate(Memory::separate);
  Problem problem(array({1, 2, 3, 4, 5}));
  for (const char* variant : {"kernels", "resident"}) {
    EXPECT_EQ(testing::run_variant("normalize", variant, problem),
              (Transfers{.to_device = 1,
                         .to_host = 1,
                         .bytes_to_device = 5 * sizeof(double),
                         .bytes_to_host = 5 * sizeof(double),
                         .allocations = 1}))
        << variant;
  }
}

TEST(Normalize, ReachesEntriesBeyondTwoToThe31) {
  const long n = (1L << 31) + 100003;
  if (!testing::huge_arrays_fit(sizeof(double) * static_cast<double>(n)))
    GTEST_SKIP() << "an array of " << n << " is too much here";
  testing::HugeArray<double> v(n);
  v[n - 2] = 1;
  v[n - 1] = 3;
  double sum = 0;
  testing::kernels_of<Kernel>("normalize", "kernels").front()(n, v.data(), &sum);
  Kokkos::fence();
  EXPECT_EQ(sum, 4);
  EXPECT_EQ(v[n - 2], 0.25);
  EXPECT_EQ(v[n - 1], 0.75);
}

/// In one parallel construct a gang may divide before every gang has added to the sum.
TEST(Normalize, CheckSeesADivisionByPartOfTheSum) {
  Problem problem(array({1, 2, 3, 4}));
  problem.call([](long n, double* v, double* sum) {
    for (long i = 0; i < n; ++i)
      v[i] /= i < n / 2 ? 3 : 10;
    *sum = 10;
  });
  EXPECT_FALSE(problem.check().passed);
}

/// The sum is checked by itself: it may be wrong while every quotient is right.
TEST(Normalize, CheckSeesAWrongSum) {
  Problem problem(array({1, 2, 3, 4}));
  problem.call([](long n, double* v, double* sum) {
    for (long i = 0; i < n; ++i)
      v[i] /= 10;
    *sum = 10 * (1 + 3e-12);
  });
  EXPECT_FALSE(problem.check().passed);
}

} // namespace
} // namespace gangway::normalize
