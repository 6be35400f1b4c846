// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/histogram/histogram.hpp"

#include "harness/check.hpp"

#include <mutex>

namespace gangway::histogram {

constexpr std::int64_t most_items = 1L << 40;
constexpr std::int64_t most_bins = 65536;

/// Random bits of item i, the same on every machine (splitmix64).
static std::uint64_t bits_of(std::uint64_t i) {
  std::uint64_t z = (i + 1) * 0x9E3779B97F4A7C15U;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
  return z ^ (z >> 31);
}

static bool is_skewed(const harness::Parameters& parameters) {
  return parameters.choice("input", {"uniform", "skewed"}) == "skewed";
}

static base::HostArray<int> generate(const harness::Parameters& parameters) {
  const long n = parameters.integer("n", 0, most_items);
  const auto bins = static_cast<std::uint64_t>(parameters.integer("bins", 1, most_bins));
  const bool skewed = is_skewed(parameters);
  base::HostArray<int> items(static_cast<std::size_t>(n));
  base::parallel_ranges(n, [&](long begin, long end) {
    for (long i = begin; i < end; ++i) {
      const std::uint64_t one = bits_of(2 * static_cast<std::uint64_t>(i));
      std::uint64_t fraction = one >> 32;
      if (skewed) {
        const std::uint64_t other = bits_of(2 * static_cast<std::uint64_t>(i) + 1);
        fraction &= one & (other >> 32) & other & 0xFFFFFFFFU;
      }
      items[static_cast<std::size_t>(i)] = static_cast<int>(fraction * bins >> 32);
    }
  });
  return items;
}

static std::vector<std::int64_t> counted(const base::HostArray<int>& items, int bins) {
  std::vector<std::int64_t> all(static_cast<std::size_t>(bins));
  std::mutex merging;
  base::parallel_ranges(std::ssize(items), [&](long begin, long end) {
    std::vector<std::int64_t> mine(all.size());
    for (long i = begin; i < end; ++i)
      ++mine.at(static_cast<std::size_t>(items[static_cast<std::size_t>(i)]));
    const std::lock_guard lock(merging);
    std::transform(mine.begin(), mine.end(), all.begin(), all.begin(), std::plus<>());
  });
  return all;
}

std::vector<int> counters_of(const std::vector<std::int64_t>& counts) {
  constexpr int most = std::numeric_limits<int>::max();
  const auto fullest = std::max_element(counts.begin(), counts.end());
  if (fullest != counts.end() && *fullest > most)
    throw base::UsageError(fmt::format(
        "histogram: bin {} has {} items, and a counter holds {}: give fewer items (n), more bins, "
        "or input=uniform",
        fullest - counts.begin(), *fullest, most));
  return {counts.begin(), counts.end()};
}

constexpr harness::Key keys[]{
    {"n", "16777216", "items"},
    {"bins", "256", "values an item can have"},
    {"input", "uniform",
     "uniform, or skewed: each bit of a value is set in 1 of 16 items, so with 256 bins 6 of 10 "
     "items are in the first"}};

static std::vector<harness::Case> cases(harness::Effort effort, double memory_bytes) {
  const char* const n = effort == harness::Effort::quick                        ? "8388608"
                        : effort == harness::Effort::full && memory_bytes > 4e9 ? "268435456"
                                                                                : "67108864";
  return {{"uniform", {{"n", n}, {"bins", "256"}, {"input", "uniform"}}},
          {"skewed", {{"n", n}, {"bins", "256"}, {"input", "skewed"}}}};
}

static std::vector<harness::Case> edge_cases() {
  const auto of = [](const char* name, const char* n, const char* bins, const char* input) {
    return harness::Case{name, {{"n", n}, {"bins", bins}, {"input", input}}};
  };
  return {of("no items", "0", "256", "uniform"),
          of("one item", "1", "256", "uniform"),
          of("one bin", "1001", "1", "uniform"),
          of("one less than a step", "2047", "256", "uniform"),
          of("one more than a step", "8193", "255", "skewed"),
          of("more bins than items", "77", "65536", "uniform"),
          of("as many bins as OpenACC's private memory", "40003", "512", "uniform"),
          of("more bins than OpenACC's private memory", "40003", "513", "uniform"),
          of("more bins than scratch", "20001", "8193", "uniform"),
          of("skewed", "100003", "256", "skewed")};
}

static double footprint(const harness::Parameters& parameters) {
  static_cast<void>(is_skewed(parameters));
  return 4 * (static_cast<double>(parameters.integer("n", 0, most_items)) +
              2 * static_cast<double>(parameters.integer("bins", 1, most_bins)));
}

constinit const harness::StudyInfo Problem::info{
    .id = "histogram",
    .title = "histogram of integers: atomic, or counters for each gang",
    .source = "short course on OpenACC (UFRJ), example 2.3",
    .keys = keys,
    .cases = cases,
    .edge_cases = edge_cases,
    .footprint = footprint,
};

Problem::Problem(const harness::Parameters& parameters)
    : Problem(generate(parameters), static_cast<int>(parameters.integer("bins", 1, most_bins))) {}

Problem::Problem(base::HostArray<int> items, int bins)
    : _bins(bins), _items(std::move(items)), _counts(static_cast<std::size_t>(bins)),
      _reference(counters_of(counted(_items, bins))) {
  kernels_take(std::ssize(_items), _bins, in("a", _items), out("h", _counts));
  described_as(fmt::format("{} items, {} bins, {} items in the fullest", _items.size(), _bins,
                           *std::max_element(_reference.begin(), _reference.end())));
}

harness::Check Problem::check() const {
  return harness::check_exact(_counts, _reference); // whole numbers
}

harness::Work Problem::work() const {
  return {.bytes = 4 * (static_cast<double>(_items.size()) + _bins),
          .flops = 0,
          .single_precision = false,
          .reasoning = "each item read once, each counter written once"};
}

} // namespace gangway::histogram
