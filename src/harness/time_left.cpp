// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/time_left.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace gangway::harness {
namespace {

// Time around each run, off the clock: poisoning, transfers and the check pass over the arrays, and
// a few milliseconds go whatever their size. From a quiet machine to one with other work.
constexpr TimeRange around_a_run{0.005, 0.020};
constexpr TimeRange around_a_byte{0.04e-9, 0.2e-9};
// The used part of the seconds that a variant may be on the clock. Most finish their rounds before.
constexpr TimeRange of_the_limit{0.25, 1};
// The weight of the expected time, as a share of the work: the first cases alone say little of the
// rest.
constexpr double belief = 0.15;

/// Rounds to the minutes that a text names: 1, 2, …, 10, 15, …, 60, 90, 120, …
long rounded(double minutes) {
  const double step = minutes <= 10 ? 1 : minutes <= 60 ? 5 : 30;
  return std::max(1L, std::lround(std::round(minutes / step) * step));
}

std::string number(long minutes, bool hours) {
  return hours ? fmt::format("{:g}", static_cast<double>(minutes) / 60) : std::to_string(minutes);
}

} // namespace

TimeRange expected_time(int variants, double footprint, const RefereeOptions& options) {
  const auto of = [&](double a_run, double a_byte, double share) {
    return variants * ((options.rounds + 1) * (a_run + footprint * a_byte) +
                       share * options.seconds_per_variant);
  };
  return {of(around_a_run.least, around_a_byte.least, of_the_limit.least),
          of(around_a_run.most, around_a_byte.most, of_the_limit.most)};
}

TimeLeft time_left(const std::vector<CasePlan>& cases) {
  std::vector<TimeRange> times;
  for (const CasePlan& plan : cases)
    times.push_back(expected_time(static_cast<int>(plan.variants.size()),
                                  plan.study->footprint(plan.parameters), plan.options));
  return TimeLeft(std::move(times));
}

TimeRange TimeLeft::all() const {
  TimeRange sum;
  for (const TimeRange& one : _cases) {
    sum.least += one.least;
    sum.most += one.most;
  }
  return sum;
}

void TimeLeft::done(double seconds) {
  _taken += seconds;
  ++_done;
}

double TimeLeft::seconds(double into_next) const {
  double before = 0;
  for (std::size_t i = 0; i < _done; ++i)
    before += _cases[i].middle();
  if (_done == _cases.size())
    return 0;
  const double all_of_it = all().middle();
  const double factor = (_taken + belief * all_of_it) / (before + belief * all_of_it);
  const double next = _cases[_done].middle();
  return factor * (all_of_it - before - next) + std::max(0.0, factor * next - into_next);
}

std::string about(const TimeRange& time) {
  const long least = rounded(time.least / 60);
  const long most = rounded(time.most / 60);
  if (time.most < 60)
    return "less than a minute";
  const bool hours = least >= 60 && most >= 120;
  const std::string range =
      least == most ? number(most, hours)
                    : fmt::format("{} to {}", number(least, hours), number(most, hours));
  return fmt::format("about {} {}{}", range, hours ? "hour" : "minute", range == "1" ? "" : "s");
}

std::string about(double seconds) {
  return about(TimeRange{seconds, seconds});
}

} // namespace gangway::harness
