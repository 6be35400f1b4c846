// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/primes/primes.hpp"

#include "base/parallel.hpp"
#include "gangway/device.hpp"

#include <fmt/format.h>

#include <atomic>
#include <cstdlib>

namespace gangway::primes {
namespace {

/// Odd numbers marked at a time: what fits a core's own cache.
constexpr long segment = 1L << 18;

/// The odd primes up to `most`, which is small.
std::vector<long> small_primes(long most) {
  std::vector<char> composite(static_cast<std::size_t>(most) + 1, 0);
  std::vector<long> primes;
  for (long p = 3; p <= most; p += 2) {
    if (composite[static_cast<std::size_t>(p)] != 0)
      continue;
    primes.push_back(p);
    for (long multiple = p * p; multiple <= most; multiple += 2 * p)
      composite[static_cast<std::size_t>(multiple)] = 1;
  }
  return primes;
}

long largest(const harness::Parameters& parameters) {
  return parameters.integer("n", 0, 1000000000000);
}

std::vector<harness::Case> cases(harness::Effort effort, double /*memory_bytes*/) {
  const auto up_to = [](const char* n) { return harness::Case{n, {{"n", n}}}; };
  if (has_device) {
    if (effort == harness::Effort::full)
      return {up_to("1e7"), up_to("1e8")};
    return {up_to(effort == harness::Effort::quick ? "1e6" : "1e7")};
  }
  switch (effort) {
  case harness::Effort::quick:
    return {up_to("2e5")};
  case harness::Effort::normal:
    return {up_to("5e5")};
  case harness::Effort::full:
    break;
  }
  return {up_to("1e6"), up_to("1e7")};
}

std::vector<harness::Case> edge_cases() {
  std::vector<harness::Case> all;
  // About the first primes, about squares of primes, about a block of numbers, and some of each.
  for (const char* n :
       {"0",  "1",   "2",   "3",   "4",    "5",    "8",    "9",    "10",   "24",    "25",
        "26", "120", "121", "122", "2049", "2050", "2051", "2053", "8195", "10007", "65537"})
    all.push_back({n, {{"n", n}}});
  return all;
}

double footprint(const harness::Parameters& parameters) {
  // The sieve's table of small primes, and the segments of a hundred threads.
  return std::sqrt(largest(parameters)) * 9 + 100.0 * segment;
}

constexpr harness::Key keys[]{{"n", "1000000", "primes up to this number are counted"}};

} // namespace

constinit const harness::StudyInfo Problem::info{
    .id = "primes",
    .title = "counting primes by trial division",
    .source = "short course on OpenACC (UFRJ), section 2.9.4",
    .keys = keys,
    .cases = cases,
    .edge_cases = edge_cases,
    .footprint = footprint,
};

long sieved(long n) {
  if (n < 2)
    return 0;
  const std::vector<long> primes = small_primes(static_cast<long>(std::sqrt(n)) + 1);
  const long numbers = (n - 1) / 2; // 3, 5, …
  std::atomic<long> count{1};       // and 2
  const auto count_segment = [&](long s) {
    const long first = s * segment;
    const long last = std::min(first + segment, numbers);
    std::vector<char> composite(static_cast<std::size_t>(last - first), 0);
    for (const long p : primes) {
      // Place j is the number 2j + 3; p² and the odd multiples of p after it are p places apart.
      long j = (p * p - 3) / 2;
      if (j >= last)
        break;
      if (j < first)
        j += (first - j + p - 1) / p * p;
      for (; j < last; j += p)
        composite[static_cast<std::size_t>(j - first)] = 1;
    }
    count += std::ranges::count(composite, 0);
  };
  const long segments = (numbers + segment - 1) / segment;
  // A segment is much work, which parallel_ranges cannot know: it shares out single numbers.
  base::parallel_ranges(segments * segment, [&](long begin, long end) {
    for (long s = (begin + segment - 1) / segment; s * segment < end; ++s)
      count_segment(s);
  });
  return count;
}

Problem::Problem(const harness::Parameters& parameters)
    : _n(largest(parameters)), _truth(sieved(_n)) {
  kernels_take(_n, result(_count));
  described_as(
      fmt::format("{} odd numbers up to {}, {} primes", std::max(0L, (_n - 1) / 2), _n, _truth));
}

harness::Check Problem::check() const {
  const long error = std::abs(_count - _truth);
  return {error == 0, static_cast<double>(error), 0,
          error == 0 ? "exact, against a sieve"
                     : fmt::format("{} primes up to {}, not {}", _truth, _n, _count)};
}

harness::Work Problem::work() const {
  return {.bytes = sizeof(long),
          .flops = 0,
          .single_precision = false,
          .reasoning =
              "one number is written; divisions of integers, for which no ceiling is measured"};
}

} // namespace gangway::primes
