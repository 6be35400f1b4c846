// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/search/search.hpp"

#include "gangway/levels.hpp"

#include <fmt/format.h>

#include <charconv>

namespace gangway::search {
namespace {

/// Below the threshold, with what is easily mistaken among them: the float next to it, NaN, which
/// no comparison holds for, and the infinity that is not above it.
float below(long i) {
  switch (i % 1009) {
  case 7:
    return 101.99999F;
  case 500:
    return std::numeric_limits<float>::quiet_NaN();
  case 1000:
    return -std::numeric_limits<float>::infinity();
  default:
    return static_cast<float>(i % 101);
  }
}

/// Returns the places of the elements to be found, in any order.
std::vector<long> places_of(const harness::Parameters& parameters, long n) {
  const std::string& text = parameters.text("matches");
  const auto refuse = [&](std::string_view word) {
    throw base::UsageError(fmt::format(
        "search: matches={}: '{}' is none of none, first, middle, last, or an index from 0 to {}; "
        "separate several by commas, or write none alone",
        text, word, n - 1));
  };
  if (text == "none")
    return {};
  std::vector<long> places;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    const std::string_view word = std::string_view(text).substr(at, comma - at);
    long place = -1;
    if (word == "first") {
      place = 0;
    } else if (word == "middle") {
      place = n / 2;
    } else if (word == "last") {
      place = n - 1;
    } else {
      const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), place);
      if (error != std::errc{} || stop != word.data() + word.size())
        refuse(word);
    }
    if (place < 0 || place >= n)
      refuse(word);
    places.push_back(place);
    at = comma + 1;
  }
  return places;
}

long size_of(const harness::Parameters& parameters) {
  return parameters.integer("n", 0, 1L << 40);
}

base::HostArray<float> array_of(const harness::Parameters& parameters) {
  const long n = size_of(parameters);
  const std::vector<long> places = places_of(parameters, n);
  base::HostArray<float> a = base::filled<float>(n, below);
  for (const long place : places)
    a[static_cast<std::size_t>(place)] =
        place % 2 == 0 ? threshold : std::numeric_limits<float>::infinity();
  return a;
}

constexpr harness::Key keys[]{
    {"n", "67108864", "elements"},
    {"matches", "middle",
     "where elements to be found are: none, or some of first, middle, last and indices, "
     "separated by commas"}};

std::vector<harness::Case> cases(harness::Effort effort, double /*memory_bytes*/) {
  const std::string n = effort == harness::Effort::quick                ? "62914560"
                        : effort == harness::Effort::full && has_device ? "268435456"
                                                                        : "67108864";
  return {{"none", {{"n", n}, {"matches", "none"}}},
          {"middle", {{"n", n}, {"matches", "middle,last"}}},
          {"early", {{"n", n}, {"matches", "600011,middle,last"}}}};
}

} // namespace

constinit const harness::StudyInfo Problem::info{
    .id = "search",
    .title = "first element not below a threshold, float",
    .source = "short course on OpenACC (UFRJ), section 2.5; More Tips on OpenACC Acceleration"
              " (Microway)",
    .keys = keys,
    .cases = cases,
    .edge_cases = []() -> std::vector<harness::Case> {
      const auto of = [](const char* name, const char* n, const char* matches) {
        return harness::Case{name, {{"n", n}, {"matches", matches}}};
      };
      return {of("empty", "0", "none"),
              of("one, not it", "1", "none"),
              of("one, it", "1", "first"),
              of("none", "100003", "none"),
              of("first", "100003", "first"),
              of("last", "100003", "last"),
              of("first and last", "100003", "last,first"),
              of("last of a block", "8192", "4095,4096"),
              of("first of a block", "8193", "4096,8192"),
              of("last of a short block", "4097", "last"),
              of("one more than a vector", "33", "32"),
              of("several", "100003", "90001,70001,middle,99999,50002")};
    },
    .footprint =
        [](const harness::Parameters& given) {
          const long n = size_of(given);
          static_cast<void>(places_of(given, n));
          return 8.0 * static_cast<double>(n);
        },
};

Problem::Problem(const harness::Parameters& parameters) : Problem(array_of(parameters)) {}

Problem::Problem(base::HostArray<float> a) : _a(std::move(a)), _found(_a.size()) {
  look_through(_a.data(), std::ssize(_a));
}

Problem::Problem(const float* a, long n) {
  look_through(a, n);
}

void Problem::look_through(const float* a, long n) {
  _n = n;
  _truth = std::find_if(a, a + n, [](float x) { return x >= threshold; }) - a;
  if (_truth == n)
    _truth = none;
  // Flags that no kernel has written say "found": a scan of them goes wrong, unless the first is
  // it.
  kernels_take(n, in("a", a, n), scratch("found", _found, 1),
               result(_first, std::numeric_limits<long>::min()));
  described_as(_truth == none ? fmt::format("{} elements, none is found", n)
                              : fmt::format("{} elements, found at {}", n, _truth));
}

harness::Check Problem::check() const {
  const bool right = _first == _truth;
  return {right, right ? 0.0 : 1.0, 0,
          right ? "exact" : fmt::format("found at {}, not {}", _first, _truth)};
}

harness::Work Problem::work() const {
  const long needed = _truth == none ? _n : _truth + 1;
  const double bytes = sizeof(float) * static_cast<double>(needed);
  // A cache may hold what a variant that stops early has read in its last run.
  if (bytes < 200e6)
    return {.reasoning = "the elements up to the first that is found may fit in a cache"};
  return {.bytes = bytes,
          .reasoning = "every element up to the first that is found must be read once"};
}

} // namespace gangway::search
