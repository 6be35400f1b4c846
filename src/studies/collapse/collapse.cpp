// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/collapse/collapse.hpp"

#include "harness/check.hpp"

#include <initializer_list>
#include <numeric>

namespace gangway::collapse {
namespace {

constexpr std::int64_t most_elements = 10000000;
constexpr std::int64_t most_tracers = 100000;
constexpr std::int64_t most_levels = 100000;

/// An odd whole number in (-2^bits, 2^bits) that differs from place to place.
int odd(long place, int bits) {
  const auto mixed = (static_cast<std::uint64_t>(place) + 1) * 0x9E3779B97F4A7C15U;
  return static_cast<int>(mixed >> (64 - bits)) * 2 + 1 - (1 << bits);
}

// Whole numbers, some of them divided by a power of two: every product and sum is exact, with and
// without a fused multiply-add. The numbers are odd, so that none is zero.
int tracer_mass_at(long place) {
  return odd(place, 6);
}
int wind_at(long place) {
  return odd(place, 5);
}
int metric_times_8_at(long place) {
  return odd(place, 3) + 8;
}
int axes_times_4_at(long place) {
  return odd(place, 4);
}

int extent(const harness::Parameters& parameters, const char* key, std::int64_t most) {
  return static_cast<int>(parameters.integer(key, 0, most));
}

long product(std::initializer_list<long> extents) {
  return std::accumulate(extents.begin(), extents.end(), 1L, std::multiplies());
}

std::vector<harness::Case> cases(harness::Effort effort, double memory_bytes) {
  const auto of = [](const char* name, const char* elements) {
    return harness::Case{name, {{"elements", elements}, {"tracers", "25"}, {"levels", "72"}}};
  };
  // 5400 elements: one degree of resolution.
  if (effort == harness::Effort::full)
    return {of("64 elements", "64"),
            memory_bytes > 14e9 ? of("5400 elements", "5400") : of("1200 elements", "1200")};
  return {of("64 elements", "64"), of("400 elements", "400")};
}

std::vector<harness::Case> edge_cases() {
  const auto of = [](const char* name, const char* elements, const char* tracers,
                     const char* levels) {
    return harness::Case{name, {{"elements", elements}, {"tracers", tracers}, {"levels", levels}}};
  };
  return {of("no elements", "0", "3", "3"),
          of("no tracers", "3", "0", "3"),
          of("no levels", "3", "3", "0"),
          of("one point square", "1", "1", "1"),
          of("one less than a vector", "2", "3", "7"),
          of("one more than a vector", "2", "3", "9"),
          of("one more than a block of levels", "3", "6", "25"),
          of("a few", "5", "11", "49")};
}

double footprint(const harness::Parameters& parameters) {
  const double elements = extent(parameters, "elements", most_elements);
  const double tracers = extent(parameters, "tracers", most_tracers);
  const double levels = extent(parameters, "levels", most_levels);
  return 8 * points * elements * ((1 + 2 + 2) * tracers * levels + 2 * levels + 5);
}

constexpr harness::Key keys[]{{"elements", "400", "spectral elements, of 4 x 4 points each"},
                              {"tracers", "25", "tracers carried by the wind"},
                              {"levels", "72", "levels of the atmosphere"}};

} // namespace

constinit const harness::StudyInfo Problem::info{
    .id = "collapse",
    .title = "tracer flux of an atmosphere model: gangs and vectors from collapsed loops",
    .source = "OpenACC Programming and Best Practices Guide, chapter 6 (collapse clause; from"
              " HOMME)",
    .keys = keys,
    .cases = cases,
    .edge_cases = edge_cases,
    .footprint = footprint,
};

Problem::Problem(const harness::Parameters& parameters)
    : _elements(extent(parameters, "elements", most_elements)),
      _tracers(extent(parameters, "tracers", most_tracers)),
      _levels(extent(parameters, "levels", most_levels)),
      _tracer_mass(
          base::filled<double>(product({_elements, _tracers, _levels, points}), tracer_mass_at)),
      _wind(base::filled<double>(product({_elements, 2, _levels, points}), wind_at)),
      _metric(base::filled<double>(product({_elements, points}),
                                   [](long place) { return metric_times_8_at(place) / 8.0; })),
      _axes(base::filled<double>(product({_elements, 2, 2, points}),
                                 [](long place) { return axes_times_4_at(place) / 4.0; })),
      _flux(static_cast<std::size_t>(product({_elements, _tracers, 2, _levels, points}))),
      _reference(_flux.size()) {
  base::parallel_ranges(_elements, [&](long begin, long end) {
    for (long element = begin; element < end; ++element)
      for (long tracer = 0; tracer < _tracers; ++tracer)
        for (long level = 0; level < _levels; ++level)
          for (long point = 0; point < points; ++point) {
            const int q =
                tracer_mass_at(((element * _tracers + tracer) * _levels + level) * points + point);
            const int metric = metric_times_8_at(element * points + point);
            const int u = wind_at((element * 2 * _levels + level) * points + point) * metric * q;
            const int v =
                wind_at(((element * 2 + 1) * _levels + level) * points + point) * metric * q;
            for (long component = 0; component < 2; ++component) {
              const long row = (element * 2 + component) * 2 * points + point;
              const long place =
                  (((element * _tracers + tracer) * 2 + component) * _levels + level) * points +
                  point;
              _reference[static_cast<std::size_t>(place)] =
                  (axes_times_4_at(row) * u + axes_times_4_at(row + points) * v) / 32.0;
            }
          }
  });
  kernels_take(_elements, _tracers, _levels, in("tracer_mass", _tracer_mass), in("wind", _wind),
               in("metric", _metric), in("axes", _axes), out("flux", _flux));
  described_as(fmt::format("{} elements of {} points, {} tracers, {} levels", _elements, points,
                           _tracers, _levels));
}

harness::Check Problem::check() const {
  // At most 25 bits of a double are ever used: no result is rounded.
  return harness::check_exact(_flux, _reference);
}

harness::Work Problem::work() const {
  const double fields = static_cast<double>(_elements) * points;
  const double results = fields * _tracers * _levels;
  return {.bytes = 24 * results + 16 * fields * _levels + 40 * fields,
          .flops = 10 * results,
          .single_precision = false,
          .reasoning = "a tracer read and two fluxes written a result; wind, metric and axes once "
                       "an element; 8 multiplications and 2 additions a result"};
}

} // namespace gangway::collapse
