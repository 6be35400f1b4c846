// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "harness/referee.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace gangway::harness {

/// The result of tuning one study on one problem.
struct Tuning {
  std::string study;
  std::string problem;   ///< case and settings
  std::size_t tried = 0; ///< shapes that were run, of those asked for
  std::vector<SweepResult>
      finalists;                   ///< the study's own mapping first, then the best of the others
  std::optional<std::size_t> best; ///< of `finalists`; none when nothing could be timed
  std::optional<Estimate> ratio;   ///< time of its own over that of the best, measured again
  std::optional<kernels::Mapping>
      found;           ///< of the best, where it was shown to be faster than its own
  std::string failure; ///< the first check that failed; empty if none did

  [[nodiscard]] bool all_passed() const { return failure.empty(); }
};

/// Tunes a study. It times every mapping once to find the dozen worth a closer look, then those and
/// the study's own mapping with all rounds of `options`. Last it times the fastest as often again
/// beside its own alone: the luckiest of many must not pass for the fastest. Scope `kernel`,
/// whatever `options` says. Errors: UsageError as `sweep`.
[[nodiscard]] Tuning tune(const StudyEntry& study, Problem& problem, const Case& instance,
                          const std::vector<kernels::Mapping>& mappings, RefereeOptions options,
                          const Progress& progress = {});

/// The way to measure mappings: `sweep` on a problem, or made-up times.
using MeasureMappings = std::function<std::vector<SweepResult>(
    const std::vector<kernels::Mapping>& mappings, const RefereeOptions& options)>;
/// Tunes with measurements from elsewhere.
[[nodiscard]] Tuning tune(const StudyEntry& study, const Case& instance,
                          const std::vector<kernels::Mapping>& mappings,
                          const RefereeOptions& options, const MeasureMappings& measure);

/// Writes the finalists, and the clauses to use if one was faster.
[[nodiscard]] std::string table_of(const Tuning& tuning);

} // namespace gangway::harness
