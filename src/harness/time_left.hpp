// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "harness/referee.hpp"

#include <string>
#include <vector>

/// The time that a comparison will take: first as an expected range, then from the time of the
/// cases so far.
namespace gangway::harness {

/// Seconds on the wall.
struct TimeRange {
  double least = 0;
  double most = 0;

  [[nodiscard]] double middle() const { return (least + most) / 2; }
};

/// Returns the time that a case is likely to take as a whole. It follows from what is known
/// beforehand: the number of variants, the bytes of its arrays on the host, and the seconds that a
/// variant may be on the clock. The least is of a quiet machine and quick kernels, the most of
/// kernels that use up their seconds.
[[nodiscard]] TimeRange expected_time(int variants, double footprint,
                                      const RefereeOptions& options);

/// A countdown over the cases of a comparison, in their order.
class TimeLeft {
public:
  explicit TimeLeft(std::vector<TimeRange> cases) : _cases(std::move(cases)) {}

  /// Returns the expected time of all cases.
  [[nodiscard]] TimeRange all() const;
  /// Notes that the next case is done, and how long it took.
  void done(double seconds);
  [[nodiscard]] std::size_t cases_done() const { return _done; }
  /// Returns about how many seconds are left, that many into the next case. The rest of the
  /// expected time is scaled by how much longer than expected the cases so far took. They count the
  /// more the more there were.
  [[nodiscard]] double seconds(double into_next) const;

private:
  std::vector<TimeRange> _cases;
  std::size_t _done = 0;
  double _taken = 0;
};

/// Returns the countdown over these cases.
[[nodiscard]] TimeLeft time_left(const std::vector<CasePlan>& cases);

/// Writes a time in steps that grow with it: "less than a minute", "about 7 minutes", "about 20 to
/// 30 minutes", "about 2 to 3 hours".
[[nodiscard]] std::string about(const TimeRange& time);
[[nodiscard]] std::string about(double seconds);

} // namespace gangway::harness
