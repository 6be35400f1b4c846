// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/vadd/vadd.hpp"

#include "testing/huge_array.hpp"
#include "testing/study_fixture.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace gangway::vadd {
namespace {

harness::Parameters of_size(const char* n) {
  return {Problem::info, {{"n", n}}};
}

/// One less and one more than a multiple of a gang's iterations, of any shape.
TEST(Vadd, AroundAGangsShare) {
  for (const char* n : {"1023", "1024", "1025", "5119", "5121"}) {
    testing::expect_all_variants_right("vadd", {{"n", n}});
    const testing::WithMemory separate(Memory::separate);
    testing::expect_all_variants_right("vadd", {{"n", n}});
  }
}

TEST(Vadd, SumsAreThoseOfTheVectors) {
  Problem problem(of_size("3"));
  problem.call([](long n, const double* a, const double* b, double* c) {
    ASSERT_EQ(n, 3);
    EXPECT_EQ(a[2], 2.25);
    EXPECT_EQ(b[2], 4.5);
    for (long i = 0; i < n; ++i)
      c[i] = a[i] + b[i];
  });
  EXPECT_TRUE(problem.check().passed);
}

TEST(Vadd, CheckSeesOneWrongElementAndNeighboursMixedUp) {
  Problem problem(of_size("10000"));
  const auto add = [](long n, const double* a, const double* b, double* c) {
    for (long i = 0; i < n; ++i)
      c[i] = a[i] + b[i];
  };
  problem.call(add);
  problem.call([](long, const double*, const double*, double* c) { c[9998] += 0.25; });
  EXPECT_FALSE(problem.check().passed);
  EXPECT_EQ(problem.check().error, 1);
  EXPECT_NE(problem.check().detail.find("element 9998"), std::string::npos)
      << problem.check().detail;
  problem.call(add);
  problem.call([](long, const double* a, const double* b, double* c) { c[4] = a[5] + b[4]; });
  EXPECT_FALSE(problem.check().passed);
}

/// Kokkos is asked for what device_type chooses.
TEST(Vadd, DeviceTypeAsksForTheDevicesVector) {
  const int expected = device_type() == DeviceType::nvidia   ? 256
                       : device_type() == DeviceType::radeon ? 512
                                                             : 64;
  Problem problem(of_size("10000"));
  clear_launches();
  testing::run_variant("vadd", "device-type", problem);
  ASSERT_EQ(launches().size(), 1U);
  EXPECT_EQ(launches().front().requested, (Clauses{.vector = expected}));
}

/// A case can leave out a stage: it is reported as skipped, in both models.
TEST(Vadd, StagesCanBeLeftOut) {
  Problem problem(of_size("100"));
  harness::RefereeOptions options;
  options.rounds = options.fewest_rounds = 1;
  const std::string left_out = testing::variant_of("vadd", "redundant").name;
  const auto plan = harness::plan_case(harness::study("vadd"), {"small", {}, {left_out}},
                                       testing::openacc_library(), options);
  const auto result =
      harness::measure(plan, problem, testing::openacc_library(), harness::Ceilings{});
  for (const harness::Measurement& m : result.measurements)
    EXPECT_EQ(m.skipped.empty(), m.variant != left_out) << m.variant;
}

/// More than 2^31 elements. The inputs are one array.
TEST(Vadd, IndicesBeyond32Bits) {
  constexpr long n = (1L << 31) + 5000;
  if (!testing::huge_arrays_fit(16.0 * n))
    GTEST_SKIP() << "not enough memory on the device, or too slow under a sanitizer";
  testing::HugeArray<double> a(n);
  testing::HugeArray<double> c(n);
  const auto seen = {n - 5001, n - 5000, n - 1};
  for (const long i : seen)
    a.set(i, static_cast<double>(i % 1000));
  std::vector<Kernel*> kernels = testing::kernels_of<Kernel>("vadd", "range");
  kernels.push_back(testing::kernels_of<Kernel>("vadd", "parallel").front());
  for (Kernel* const kernel : kernels) {
    for (const long i : seen)
      c[i] = -1;
    kernel(n, a.data(), a.data(), c.data());
    for (const long i : seen)
      EXPECT_EQ(c[i], 2 * a[i]) << i;
  }
}

} // namespace
} // namespace gangway::vadd
