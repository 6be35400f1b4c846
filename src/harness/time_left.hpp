// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "harness/referee.hpp"

#include <string>
#include <vector>

/// How long a comparison will take: said beforehand as a range, then from how long the cases so far
/// took.
namespace gangway::harness {

/// Seconds on the wall.
struct TimeRange {
  double least = 0;
  double most = 0;

  [[nodiscard]] double middle() const { return (least + most) / 2; }
};

/// What a case is likely to take, all of it: what is known before it is made is the number of
/// variants, the bytes that its arrays have on the host and how many seconds a variant may be on
/// the clock. The least is of a quiet machine and quick kernels, the most of kernels that use up
/// their seconds.
[[nodiscard]] TimeRange expected_time(int variants, double footprint,
                                      const RefereeOptions& options);

/// Counts down over the cases of a comparison, in their order.
class TimeLeft {
public:
  explicit TimeLeft(std::vector<TimeRange> cases) : _cases(std::move(cases)) {}

  /// Of all cases, as it was expected.
  [[nodiscard]] TimeRange all() const;
  /// The first case that was not done took so long.
  void done(double seconds);
  [[nodiscard]] std::size_t cases_done() const { return _done; }
  /// About how many seconds are left, that many into the next case: what is expected of the rest,
  /// times how much longer than expected the cases so far took, the more so the more there were.
  [[nodiscard]] double seconds(double into_next) const;

private:
  std::vector<TimeRange> _cases;
  std::size_t _done = 0;
  double _taken = 0;
};

/// What is expected of these cases.
[[nodiscard]] TimeLeft time_left(const std::vector<CasePlan>& cases);

/// "less than a minute", "about 7 minutes", "about 20 to 30 minutes", "about 2 to 3 hours": in
/// steps that grow with the number.
[[nodiscard]] std::string about(const TimeRange& time);
[[nodiscard]] std::string about(double seconds);

} // namespace gangway::harness
