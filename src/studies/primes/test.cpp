// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/primes/primes.hpp"

#include "testing/study_fixture.hpp"

#include "studies/primes/trial_division.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace gangway::primes {
namespace {

harness::Parameters up_to(long n) {
  return {Problem::info, {{"n", std::to_string(n)}}};
}

/// Counts of primes up to 10^k, as published; 664 579 is the document's count.
const std::map<long, long> published{
    {1, 0},         {10, 4},          {100, 25},          {1000, 168},         {10000, 1229},
    {100000, 9592}, {1000000, 78498}, {10000000, 664579}, {100000000, 5761455}};

TEST(Primes, SieveHasThePublishedCounts) {
  for (const auto& [n, count] : published)
    EXPECT_EQ(sieved(n), count) << n;
  for (const long n : {-9223372036854775807L - 1, -1L, 0L, 1L})
    EXPECT_EQ(sieved(n), 0) << n;
  EXPECT_EQ(sieved(2), 1);
}

/// Each count is the one before it, plus one where plain trial division finds a prime; then the
/// place where two segments of the sieve meet.
TEST(Primes, SieveIsTrialDivision) {
  long count = 1;
  for (long n = 3; n < 3000; ++n) {
    bool prime = true;
    for (long d = 2; d < n && prime; ++d)
      prime = n % d != 0;
    count += prime ? 1 : 0;
    ASSERT_EQ(sieved(n), count) << n;
  }
  EXPECT_EQ(sieved(2 * 262144 + 1), 43390); // the last number of the first segment, and
  EXPECT_EQ(sieved(2 * 262144 + 3), 43390); // the first of the second
}

TEST(Primes, EveryVariantCountsTheFirst78498) {
  Problem problem(up_to(1000000));
  testing::expect_all_variants_right("primes", problem);
  problem.call([](long, long* count) { EXPECT_EQ(*count, 78498); });
}

/// The document's size. Variants that divide number by number take seconds for it on a host.
TEST(Primes, DocumentsCount) {
  std::vector<harness::Variant> variants{testing::variant_of("primes", "balanced")};
  if (has_device)
    variants = harness::study("primes").kokkos;
  if (testing::openacc_library() != nullptr)
    variants.push_back(testing::variant_of("primes", "balanced", harness::Model::openacc));
  Problem problem(up_to(10000000));
  for (const harness::Variant& variant : variants) {
    testing::run_variant(variant, problem);
    problem.call([&](long, long* count) { EXPECT_EQ(*count, 664579) << variant.name; });
  }
}

TEST(Primes, CheckSeesOneTooManyAndOneTooFew) {
  Problem problem(up_to(1000));
  for (const long count : {167L, 168L, 169L}) {
    problem.call([&](long, long* result) { *result = count; });
    EXPECT_EQ(problem.check().passed, count == 168) << count;
  }
}

/// Numbers too large to count up to: about 2^31, 2^32 and 2^52, where 32 bits and the root in
/// double end.
TEST(Primes, DivisionHoldsForLargeNumbers) {
  EXPECT_TRUE(is_prime<std::uint32_t>(2147483647U));
  EXPECT_TRUE(is_prime<std::uint32_t>(4294967291U));  // the last prime below 2^32
  EXPECT_FALSE(is_prime<std::uint32_t>(4294836225U)); // 65535²: the root is the last divisor
  EXPECT_FALSE(is_prime<std::uint32_t>(4294967295U));
  EXPECT_FALSE(is_prime<std::uint32_t>(4294049777U)); // 65521 * 65537
  EXPECT_TRUE(is_prime<long>(4294967311L));           // the first prime above 2^32
  EXPECT_FALSE(is_prime<long>(4294967297L));          // 641 * 6700417
  EXPECT_FALSE(is_prime<long>(67280421310721L * 3));
  EXPECT_FALSE(
      is_prime<long>(4503599627370449L / 67108859 * 67108859)); // a multiple of a prime near 2^26
  EXPECT_FALSE(is_prime<long>(67108859L * 67108859L)); // the square of the last prime below 2^26
  EXPECT_TRUE(is_prime<long>(4503599627370449L));      // the last prime below 2^52
}

template <class Word>
void expect_divisors_right(std::uint64_t most) {
  for (const std::uint64_t divisor : {3ULL, 5ULL, 7ULL, 641ULL, 65521ULL, 65535ULL, 65537ULL}) {
    const auto prepared = Divisor<Word>::of(static_cast<Word>(divisor));
    EXPECT_EQ(static_cast<Word>(prepared.inverse * divisor), 1U);
    for (const std::uint64_t about : {divisor, 100 * divisor, most / 2, most - 2 * divisor}) {
      for (std::uint64_t number = about; number < about + 2 * divisor && number <= most; ++number)
        ASSERT_EQ(prepared.divides(static_cast<Word>(number)), number % divisor == 0)
            << number << " / " << divisor;
    }
    EXPECT_EQ(prepared.divides(static_cast<Word>(most)), most % divisor == 0);
    EXPECT_TRUE(prepared.divides(static_cast<Word>(most / divisor * divisor)));
  }
}

TEST(Primes, PreparedDivisorsDivideAsTheOperatorDoes) {
  expect_divisors_right<std::uint32_t>(0xffffffffULL);
  expect_divisors_right<std::uint64_t>(0xffffffffffffffffULL);
}

TEST(Primes, RefusesSizesOutOfRange) {
  for (const char* n : {"-1", "1e13", "1.5", "many", ""})
    EXPECT_THROW(Problem({Problem::info, {{"n", n}}}), base::UsageError) << n;
}

} // namespace
} // namespace gangway::primes
