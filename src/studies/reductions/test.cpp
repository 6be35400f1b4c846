// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/reductions/reductions.hpp"

#include "kernels/sum.hpp"
#include "testing/huge_array.hpp"
#include "testing/study_fixture.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace gangway::reductions {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr Type all_types[] = {Type::int32, Type::float32, Type::float64};
constexpr Type real_types[] = {Type::float32, Type::float64};

/// Every operator of every model gives what the problem expects of these values.
void expect_right(Type type, const std::vector<double>& values) {
  Problem problem(type, values);
  testing::expect_all_variants_right("reductions", problem);
}

/// The values with one among them replaced, in turn the first, one in the middle, and the last.
void expect_right_with_one(Type type, std::size_t n, double usual, double one) {
  for (const std::size_t place : {std::size_t(0), n / 2 + 1, n - 1}) {
    std::vector<double> values(n, usual);
    values[place] = one;
    expect_right(type, values);
  }
}

/// The reference itself, on values whose results are plain.
TEST(Reductions, ReferenceOnSmallValues) {
  const Problem problem(Type::int32, {6, 3, -2, 5});
  EXPECT_EQ(problem.expected(Operator::sum), 12);
  EXPECT_EQ(problem.expected(Operator::product), -180);
  EXPECT_EQ(problem.expected(Operator::logical_and), 1);
  EXPECT_EQ(problem.expected(Operator::logical_or), 1);
  EXPECT_EQ(problem.expected(Operator::bit_and), 6 & 3 & -2 & 5);
  EXPECT_EQ(problem.expected(Operator::bit_or), 6 | 3 | -2 | 5);
  EXPECT_EQ(problem.expected(Operator::bit_xor), 6 ^ 3 ^ -2 ^ 5);
  EXPECT_EQ(problem.expected(Operator::max), 6);
  EXPECT_EQ(problem.expected(Operator::min), -2);
}

TEST(Reductions, NothingGivesTheIdentity) {
  const Problem ints(Type::int32, {});
  EXPECT_EQ(ints.expected(Operator::sum), 0);
  EXPECT_EQ(ints.expected(Operator::product), 1);
  EXPECT_EQ(ints.expected(Operator::logical_and), 1);
  EXPECT_EQ(ints.expected(Operator::logical_or), 0);
  EXPECT_EQ(ints.expected(Operator::bit_and), -1);
  EXPECT_EQ(ints.expected(Operator::bit_or), 0);
  EXPECT_EQ(ints.expected(Operator::bit_xor), 0);
  EXPECT_EQ(ints.expected(Operator::max), std::numeric_limits<int>::lowest());
  EXPECT_EQ(ints.expected(Operator::min), std::numeric_limits<int>::max());
  const Problem doubles(Type::float64, {});
  EXPECT_EQ(doubles.expected(Operator::max), -infinity);
  EXPECT_EQ(doubles.expected(Operator::min), infinity);
  for (const Type type : all_types)
    expect_right(type, {});
}

/// One element decides: no variant may miss it, wherever it is.
TEST(Reductions, OneElementDecides) {
  for (const Type type : all_types) {
    expect_right_with_one(type, 5000, 1, 0);  // &&, *
    expect_right_with_one(type, 5000, 0, 1);  // ||, +
    expect_right_with_one(type, 5000, 1, 7);  // max, *
    expect_right_with_one(type, 5000, 1, -7); // min, *
  }
  constexpr int bits = 0x5a5a5a5a;
  expect_right_with_one(Type::int32, 5000, -1, ~bits); // &
  expect_right_with_one(Type::int32, 5000, 0, bits);   // |, ^
}

/// An odd and an even number of equal bits, which | cannot tell apart.
TEST(Reductions, BitsThatCancel) {
  for (const std::size_t n : {2999U, 3000U})
    expect_right(Type::int32, std::vector<double>(n, -1));
}

TEST(Reductions, ExtremesOfTheInteger) {
  constexpr double lowest = std::numeric_limits<int>::lowest();
  constexpr double highest = std::numeric_limits<int>::max();
  expect_right(Type::int32, {0, lowest, highest});
  expect_right(Type::int32, std::vector<double>(1, lowest));
  expect_right(Type::int32, std::vector<double>(1, highest));
}

/// The error bound of n roundings holds where sums do round.
TEST(Reductions, SumsAndProductsThatRound) {
  for (const Type type : real_types) {
    std::vector<double> values;
    for (int i = 0; i < 20000; ++i)
      values.push_back(1 + 0.01 * std::sin(i));
    expect_right(type, values);
  }
}

/// A maximum begins below everything, also below -infinity's neighbours: with the lowest finite
/// value as identity, as Kokkos::Max has it, the maximum of nothing but -infinity would be wrong.
TEST(Reductions, OnlyInfinities) {
  for (const Type type : real_types) {
    expect_right(type, std::vector<double>(3000, -infinity));
    expect_right(type, std::vector<double>(3000, infinity));
    const Problem problem(type, {-infinity});
    EXPECT_EQ(problem.expected(Operator::max), -infinity);
  }
}

TEST(Reductions, InfinityAmongNumbers) {
  for (const Type type : real_types) {
    expect_right_with_one(type, 3000, 1, infinity);
    expect_right_with_one(type, 3000, 1, -infinity);
  }
  const Problem both(Type::float64, {infinity, -infinity});
  EXPECT_TRUE(std::isnan(both.expected(Operator::sum)));
  expect_right(Type::float64, {infinity, -infinity});
  const Problem zero(Type::float64, {infinity, 0});
  EXPECT_TRUE(std::isnan(zero.expected(Operator::product)));
  expect_right(Type::float64, {infinity, 0});
}

/// Sum and product become NaN. As a condition NaN is true. Comparisons with NaN are false, so the
/// loop takes it neither for a maximum nor for a minimum.
TEST(Reductions, NanAmongNumbers) {
  const Problem problem(Type::float64, {3, nan, -4});
  EXPECT_TRUE(std::isnan(problem.expected(Operator::sum)));
  EXPECT_TRUE(std::isnan(problem.expected(Operator::product)));
  EXPECT_EQ(problem.expected(Operator::logical_and), 1);
  EXPECT_EQ(problem.expected(Operator::max), 3);
  EXPECT_EQ(problem.expected(Operator::min), -4);
  for (const Type type : real_types) {
    expect_right_with_one(type, 3000, 2, nan);
    expect_right(type, {nan});
  }
}

TEST(Reductions, NegativeZeroIsFalse) {
  for (const Type type : real_types) {
    const Problem problem(type, {-0.0});
    EXPECT_EQ(problem.expected(Operator::logical_or), 0);
    expect_right(type, std::vector<double>(2000, -0.0));
  }
}

TEST(Reductions, BitsOfFloatingPointAreRefused) {
  Problem problem(Type::float64, {1, 2});
  for (const char* name : {"bit-and", "bit-or", "bit-xor"})
    EXPECT_THROW(testing::run_variant("reductions", name, problem), harness::NotAvailable) << name;
}

TEST(Reductions, CheckSeesOneMissingElement) {
  Problem problem(harness::Parameters(Problem::info, {{"type", "float"}, {"n", "1000000"}}));
  const auto check_of = [&](Operator applied, double value) {
    problem.call([&](Type, long, const void*, Result* result) {
      *result = {applied, value};
      return true;
    });
    return problem.check();
  };
  for (const Operator applied : {Operator::sum, Operator::product, Operator::max}) {
    const double right = problem.expected(applied);
    EXPECT_TRUE(check_of(applied, right).passed);
    EXPECT_FALSE(check_of(applied, right + 1).passed);
    EXPECT_FALSE(check_of(applied, nan).passed);
  }
}

/// More elements than an int counts. All chunks but the last two are the same memory.
TEST(Reductions, IndicesBeyond32Bits) {
  using Huge = testing::HugeArray<int>;
  constexpr long n = (1L << 31) + 1000;
  if (!testing::huge_arrays_fit(n * 4.0))
    GTEST_SKIP() << "too slow under a sanitizer, or too large for the device";
  Huge values(n);
  values[0] = 1; // thereby the first element of every shared chunk
  values[(1L << 31) - Huge::chunk] = 20;
  values[1L << 31] = 300;
  values[n - 1] = 4000;
  constexpr long shared_parts = (1L << 31) / Huge::chunk - 1;
  const double right = shared_parts + 4320;
  for (const char* variant : {"sum", "team"})
    for (Kernel* const kernel : testing::kernels_of<Kernel>("reductions", variant)) {
      Result result;
      EXPECT_TRUE(kernel(Type::int32, n, values.data(), &result));
      EXPECT_EQ(result.value, right) << variant;
    }
  // What `team` adds by on a device.
  EXPECT_EQ(kernels::sum_of_packs<int>(values.data(), n, 0, 2) +
                kernels::sum_of_packs<int>(values.data(), n, 1, 2),
            right);
}

} // namespace
} // namespace gangway::reductions
