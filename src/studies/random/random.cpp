// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/random/random.hpp"

#include "harness/check.hpp"

namespace gangway::random {
namespace {

long particles_of(const harness::Parameters& parameters) {
  return parameters.integer("particles", 0, 1'000'000'000'000);
}

int dimensions_of(const harness::Parameters& parameters) {
  return static_cast<int>(parameters.integer("dimensions", 1, 1000));
}

std::uint64_t seed_of(const harness::Parameters& parameters) {
  return static_cast<std::uint64_t>(
      parameters.integer("seed", 0, std::numeric_limits<std::int64_t>::max()));
}

constexpr harness::Key keys[]{{"particles", "11184811", "positions to fill"},
                              {"dimensions", "3", "coordinates of a position"},
                              {"seed", "4711", "of the generator"}};

/// 268 MB, whatever the effort: more would tell nothing else.
std::vector<harness::Case> cases(harness::Effort /*effort*/, double /*memory_bytes*/) {
  return {{"positions", {{"particles", "11184811"}, {"dimensions", "3"}}}};
}

} // namespace

constinit const harness::StudyInfo Problem::info{
    .id = "random",
    .title = "random positions by a generator with and without state",
    .source = "More Tips on OpenACC Acceleration (Microway), inlined routines",
    .keys = keys,
    .cases = cases,
    .edge_cases = []() -> std::vector<harness::Case> {
      return {{"nothing", {{"particles", "0"}}},
              {"one number", {{"particles", "1"}, {"dimensions", "1"}}},
              {"one dimension", {{"particles", "5001"}, {"dimensions", "1"}}},
              {"less than a block", {{"particles", "1023"}, {"dimensions", "3"}}},
              {"more than a block", {{"particles", "1025"}, {"dimensions", "2"}}},
              {"more dimensions than particles", {{"particles", "7"}, {"dimensions", "129"}}},
              {"largest seed", {{"particles", "3001"}, {"seed", "9223372036854775807"}}},
              {"positions", {{"particles", "10007"}, {"dimensions", "3"}}}};
    },
    .footprint =
        [](const harness::Parameters& given) {
          static_cast<void>(seed_of(given));
          return 8.0 * particles_of(given) * dimensions_of(given);
        },
};

std::uint64_t splitmix64(std::uint64_t seed, std::uint64_t index) {
  std::uint64_t z = seed + (index + 1) * stride;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

unsigned step_of(std::uint64_t number) {
  return static_cast<unsigned>((number >> 32) * 10000 >> 32);
}

Problem::Problem(const harness::Parameters& parameters)
    : _particles(particles_of(parameters)), _dimensions(dimensions_of(parameters)),
      _seed(seed_of(parameters)), _positions(static_cast<std::size_t>(_particles * _dimensions)) {
  for (int d = 0; d < _dimensions; ++d)
    _box.push_back(1.0 + 0.375 * d); // no two sides are alike
  kernels_take(_particles, _dimensions, _seed, in("box", _box), out("positions", _positions));
  described_as(
      fmt::format("{} positions of {} coordinates, seed {}", _particles, _dimensions, _seed));
}

double Problem::expected(long element) const {
  const std::uint64_t number = splitmix64(_seed, static_cast<std::uint64_t>(element));
  return _box[static_cast<std::size_t>(element % _dimensions)] * (step_of(number) * 1e-4);
}

harness::Check Problem::check() const {
  harness::Check check = harness::check_exact(_positions, [&](long k) { return expected(k); });
  if (!check.passed) {
    long k = 0;
    while (_positions[static_cast<std::size_t>(k)] == expected(k))
      ++k;
    check.detail =
        fmt::format("coordinate {} of particle {} is {} instead of {}", k % _dimensions,
                    k / _dimensions, _positions[static_cast<std::size_t>(k)], expected(k));
  }
  return check;
}

harness::Work Problem::work() const {
  const auto elements = static_cast<double>(_positions.size());
  return {.bytes = 8 * elements,
          .flops = 2 * elements,
          .single_precision = false,
          .reasoning =
              "each coordinate written once, two multiplications for each; the generator's "
              "integer operations are not counted",
          .write_only = true};
}

} // namespace gangway::random
