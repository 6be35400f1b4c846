// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/routine/routine.hpp"

#include "testing/huge_array.hpp"
#include "testing/study_fixture.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace gangway::routine {
namespace {

harness::Parameters of_size(const char* rows, const char* columns) {
  return {Problem::info, {{"rows", rows}, {"columns", columns}}};
}

TEST(Routine, CheckKnowsTheElements) {
  Problem problem(of_size("3", "4"));
  problem.call([](int rows, int columns, float* v) {
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < columns; ++j)
        v[i * columns + j] = 1.0F / static_cast<float>((i + 1) * (j + 1));
    EXPECT_EQ(v[0], 1.0F);
    EXPECT_EQ(v[1 * columns + 3], 0.125F);
    EXPECT_EQ(v[2 * columns + 2], 1.0F / 9);
  });
  EXPECT_TRUE(problem.check().passed) << problem.check().detail;
}

/// The document's loop counts from 0: its first row and column are infinite.
TEST(Routine, CheckSeesADivisionByZero) {
  Problem problem(of_size("3", "4"));
  problem.call([](int rows, int columns, float* v) {
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < columns; ++j)
        v[i * columns + j] = 1.0F / (static_cast<float>(i) * static_cast<float>(j));
  });
  EXPECT_FALSE(problem.check().passed);
}

/// The last bit counts: a product of integers, rounded once, is not a product of floats everywhere.
TEST(Routine, CheckSeesOneBit) {
  Problem problem(of_size("3", "4"));
  problem.call([](int rows, int columns, float* v) {
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < columns; ++j)
        v[i * columns + j] = 1.0F / static_cast<float>((i + 1) * (j + 1));
    v[7] = std::nextafter(v[7], 1.0F);
  });
  EXPECT_FALSE(problem.check().passed);
  EXPECT_EQ(problem.check().error, 1);
}

/// Shapes that each level of the called function asks of its caller.
TEST(Routine, ShapesAreThoseOfTheLevels) {
  Problem problem(of_size("33", "10"));
  const auto shape_of = [&](const std::string& stage) {
    clear_launches();
    testing::run_variant("routine", stage, problem);
    return launches().at(0);
  };
  EXPECT_EQ(shape_of("vector").requested, (Clauses{.vector = 128}));
  EXPECT_EQ(shape_of("worker").gangs, 9); // of four rows each
  EXPECT_EQ(shape_of("worker").requested, (Clauses{.workers = 4, .vector = 32}));
  EXPECT_EQ(shape_of("gang").gangs, 2112);
}

/// Rows x columns beyond 2^31.
TEST(Routine, IndicesBeyond32Bits) {
  constexpr int rows = 1 << 15;
  constexpr int columns = (1 << 16) + 3;
  constexpr long n = static_cast<long>(rows) * columns;
  static_assert(n > 1L << 31);
  if (!testing::huge_arrays_fit(4.0 * n))
    GTEST_SKIP() << "not enough memory on the device, or too slow under a sanitizer";
  testing::HugeArray<float> v(n);
  const auto expect_right = [&](const char* stage) {
    for (Kernel* const kernel : testing::kernels_of<Kernel>("routine", stage)) {
      v[n - 1] = -1;
      v[n - columns] = -1;
      kernel(rows, columns, v.data());
      EXPECT_EQ(v[n - 1], 1.0F / (static_cast<float>(rows) * static_cast<float>(columns))) << stage;
      EXPECT_EQ(v[n - columns], 1.0F / static_cast<float>(rows)) << stage;
    }
  };
  expect_right("vector");
  if (!has_device)
    return; // a host takes seconds a stage
  for (const char* stage : {"seq", "worker", "gang"})
    expect_right(stage);
}

} // namespace
} // namespace gangway::routine
