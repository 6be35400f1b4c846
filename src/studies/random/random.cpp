// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/random/random.hpp"

#include "base/parallel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <limits>

namespace gangway::random {

using harness::Effort;
using harness::Parameters;

namespace {

long particles_of(const Parameters& parameters) {
  return parameters.integer("particles", 0, 1'000'000'000'000);
}

int dimensions_of(const Parameters& parameters) {
  return static_cast<int>(parameters.integer("dimensions", 1, 1000));
}

} // namespace

std::uint64_t splitmix64(std::uint64_t seed, std::uint64_t index) {
  std::uint64_t z = seed + (index + 1) * stride;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

unsigned step_of(std::uint64_t number) {
  return static_cast<unsigned>((number >> 32) * 10000 >> 32);
}

std::vector<std::string> Problem::stages() {
  return {"sequential-inner", "counter"};
}

std::vector<harness::Key> Problem::keys() {
  return {{"particles", "11184811", "positions to fill"},
          {"dimensions", "3", "coordinates of a position"},
          {"seed", "4711", "of the generator"}};
}

/// 268 MB, whatever the effort: more would tell nothing else.
std::vector<harness::Case> Problem::cases(Effort /*effort*/, double /*memory_bytes*/) {
  return {{"positions", {{"particles", "11184811"}, {"dimensions", "3"}}}};
}

std::vector<harness::Case> Problem::edge_cases() {
  return {{"nothing", {{"particles", "0"}}},
          {"one number", {{"particles", "1"}, {"dimensions", "1"}}},
          {"one dimension", {{"particles", "5001"}, {"dimensions", "1"}}},
          {"less than a block", {{"particles", "1023"}, {"dimensions", "3"}}},
          {"more than a block", {{"particles", "1025"}, {"dimensions", "2"}}},
          {"more dimensions than particles", {{"particles", "7"}, {"dimensions", "129"}}},
          {"largest seed", {{"particles", "3001"}, {"seed", "9223372036854775807"}}},
          {"positions", {{"particles", "10007"}, {"dimensions", "3"}}}};
}

double Problem::footprint(const Parameters& parameters) {
  return 8.0 * static_cast<double>(particles_of(parameters)) * dimensions_of(parameters);
}

Problem::Problem(const Parameters& parameters)
    : _particles(particles_of(parameters)), _dimensions(dimensions_of(parameters)),
      _seed(static_cast<std::uint64_t>(
          parameters.integer("seed", 0, std::numeric_limits<std::int64_t>::max()))),
      _positions(static_cast<std::size_t>(_particles * _dimensions)) {
  for (int d = 0; d < _dimensions; ++d)
    _box.push_back(1.0 + 0.375 * d); // no two sides are alike
  reset();
}

std::vector<harness::Buffer> Problem::buffers() {
  using harness::Buffer;
  using harness::Intent;
  return {Buffer::of("box", _box, Intent::in), Buffer::of("positions", _positions, Intent::out)};
}

void Problem::reset() {
  base::parallel_ranges(static_cast<long>(_positions.size()), [&](long begin, long end) {
    std::fill(_positions.begin() + begin, _positions.begin() + end, -1.0);
  });
}

double Problem::expected(long element) const {
  const std::uint64_t number = splitmix64(_seed, static_cast<std::uint64_t>(element));
  return _box[static_cast<std::size_t>(element % _dimensions)] * (step_of(number) * 1e-4);
}

harness::Check Problem::check() const {
  harness::Check check{
      .passed = true, .error = 0, .tolerance = 0, .detail = "bit for bit the reference's"};
  const auto elements = static_cast<long>(_positions.size());
  std::atomic<long> wrong{elements};
  base::parallel_ranges(elements, [&](long begin, long end) {
    for (long k = begin; k < end; ++k)
      if (_positions[static_cast<std::size_t>(k)] != expected(k)) {
        long seen = wrong.load();
        while (k < seen && !wrong.compare_exchange_weak(seen, k)) {
        }
        return;
      }
  });
  if (const long k = wrong.load(); k < elements) {
    check.passed = false;
    check.error = std::numeric_limits<double>::infinity();
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

std::string Problem::describe() const {
  return fmt::format("{} positions of {} coordinates, seed {}", _particles, _dimensions, _seed);
}

} // namespace gangway::random
