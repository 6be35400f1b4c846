// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/search/search.hpp"

#include "testing/huge_array.hpp"
#include "testing/study_fixture.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace gangway::search {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

/// All zero but for the elements given.
base::HostArray<float> array_with(long n, const std::vector<std::pair<long, float>>& elements) {
  base::HostArray<float> a(static_cast<std::size_t>(n), 0.0F);
  for (const auto& [place, value] : elements)
    a.at(static_cast<std::size_t>(place)) = value;
  return a;
}

long result_of(Problem& problem) {
  long result = 0;
  problem.call([&](long, const float*, int*, long* first) { result = *first; });
  return result;
}

/// Every variant finds it at `place`, and the check knows that that is where it is.
void expect_found_at(long place, base::HostArray<float> a) {
  Problem problem(std::move(a));
  problem.call([&](long, const float*, int*, long* first) { *first = place; });
  EXPECT_TRUE(problem.check().passed) << problem.check().detail;
  testing::expect_all_variants_right("search", problem);
  EXPECT_EQ(result_of(problem), place);
  const testing::WithMemory separate(Memory::separate);
  testing::expect_all_variants_right("search", problem);
}

TEST(Search, None) {
  expect_found_at(none, array_with(0, {}));
  expect_found_at(none, array_with(1, {}));
  expect_found_at(none, array_with(70001, {}));
}

TEST(Search, First) {
  expect_found_at(0, array_with(1, {{0, 102}}));
  expect_found_at(0, array_with(70001, {{0, 102}}));
  expect_found_at(0, array_with(70001, {{0, 102}, {1, 103}, {70000, 104}}));
}

TEST(Search, Last) {
  expect_found_at(70000, array_with(70001, {{70000, 102}}));
}

TEST(Search, TheFirstOfSeveral) {
  expect_found_at(40000,
                  array_with(70001, {{69999, 500}, {40000, 102}, {40001, 400}, {65536, 1e30F}}));
  // Both ends of a block of 16384, and the other end of the array first in time.
  expect_found_at(16383, array_with(50000, {{16384, 102}, {16383, 102}, {49999, 102}}));
  expect_found_at(16384, array_with(50000, {{16384, 102}, {16385, 102}, {32768, 102}}));
}

/// More chunks than gangs: some gang has to come back for another, and must not where something was
/// found before.
TEST(Search, MoreChunksThanGangs) {
  constexpr long chunk = 16384;
  constexpr long n = 300 * chunk + 5;
  expect_found_at(none, array_with(n, {}));
  expect_found_at(n - 1, array_with(n, {{n - 1, 102}}));
  expect_found_at(chunk + 7, array_with(n, {{chunk + 7, 102},
                                            {chunk + 8, 103},
                                            {2 * chunk, 104},
                                            {280 * chunk, 105},
                                            {n - 1, 106}}));
}

TEST(Search, EveryElement) {
  expect_found_at(0, base::HostArray<float>(40001, 200.0F));
}

TEST(Search, SpecialValues) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float just_below = std::nextafter(threshold, 0.0F);
  expect_found_at(none,
                  array_with(20000, {{3, nan}, {17000, just_below}, {5, -infinity}, {6, -nan}}));
  expect_found_at(
      19000, array_with(20000, {{3, nan}, {4, just_below}, {5, -infinity}, {19000, infinity}}));
  expect_found_at(8, array_with(20000, {{7, nan}, {8, threshold}, {9, nan}}));
  // A load of 16 bytes finds it after a NaN, and so does a later load of the same thread's.
  expect_found_at(9, array_with(20000, {{8, nan}, {9, threshold}}));
  expect_found_at(19999, array_with(20000, {{0, nan}, {8, nan}, {16, nan}, {19999, threshold}}));
}

/// Every variant copies the array in. `flags` copies its flags out too; a reduction copies nothing
/// out.
TEST(Search, TransfersOfTheVariants) {
  const testing::WithMemory separate(Memory::separate);
  constexpr long n = 1000;
  Problem problem(array_with(n, {{10, 102}}));
  const std::string with_flags = testing::variant_of("search", "flags").name;
  for (const harness::Variant& variant : harness::study("search").kokkos) {
    const bool flags = variant.name == with_flags;
    EXPECT_EQ(testing::run_variant(variant, problem),
              (Transfers{.to_device = 1,
                         .to_host = flags ? 1U : 0U,
                         .bytes_to_device = n * sizeof(float),
                         .bytes_to_host = flags ? n * sizeof(int) : 0,
                         .allocations = flags ? 2U : 1U}))
        << variant.name;
    EXPECT_EQ(result_of(problem), 10) << variant.name;
  }
}

/// More elements than 32 bits count: an index that wrapped would not find the one that is far out.
TEST(Search, IndicesHave64Bits) {
  constexpr long n = (1L << 31) + 12345;
  constexpr long place = n - 3;
  if (!testing::huge_arrays_fit(sizeof(float) * static_cast<double>(n)))
    GTEST_SKIP() << "needs 8.6 GB of device memory, and no sanitizer";
  testing::HugeArray<float> a(n);
  a.set(place, threshold);
  a.set(place + 1, threshold);
  Problem problem(a.data(), n);
  std::vector<harness::Model> models{harness::Model::kokkos};
  if (testing::openacc_library() != nullptr)
    models.push_back(harness::Model::openacc);
  for (const harness::Model model : models)
    for (const char* variant : {"reduction", "chunked"}) { // the other needs as many flags
      testing::run_variant("search", variant, problem, model);
      EXPECT_EQ(result_of(problem), place) << name_of(model) << " " << variant;
    }
}

TEST(Search, CheckSeesAWrongPlace) {
  Problem problem(array_with(100, {{10, 102}, {11, 102}}));
  for (const long place : {-1L, 0L, 9L, 10L, 11L, 100L}) {
    problem.call([&](long, const float*, int*, long* first) { *first = place; });
    EXPECT_EQ(problem.check().passed, place == 10) << place;
  }
}

TEST(Search, RefusesPlacesThatAreNone) {
  for (const char* matches : {"", "nowhere", "10", "-1", "3,", ",3", "none,3", "3;4", "1.5"}) {
    const harness::Parameters parameters(Problem::info, {{"n", "10"}, {"matches", matches}});
    EXPECT_THROW(Problem{parameters}, base::UsageError) << matches;
  }
  const harness::Parameters empty(Problem::info, {{"n", "0"}, {"matches", "first"}});
  EXPECT_THROW(Problem{empty}, base::UsageError);
}

} // namespace
} // namespace gangway::search
