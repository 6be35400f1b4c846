// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../common/command_line.hpp"
#include "harness/openacc_library.hpp"
#include "harness/referee.hpp"
#include "harness/report.hpp"
#include "harness/time_left.hpp"
#include "options.hpp"

#include <nlohmann/json.hpp>

#include <memory>
#include <string>
#include <utility>
#include <vector>

/// Steps that the measuring commands share: from their options to a plan, and from the results to
/// the output.
namespace gangway::apps {

/// OpenACC side of this run: the libraries loaded, and whether one that was wanted is missing.
struct OpenAccSide {
  std::vector<harness::OpenAccChoice> choices;
  harness::LoadedOpenAcc loaded;
  bool missing = false;

  [[nodiscard]] harness::OpenAccLibraries libraries() const { return loaded.all(); }
};

/// `models` are those that were named. With `may_be_apart`, libraries that clash are left to be
/// compared in processes of their own. Errors: UsageError for what cannot be meant, and for a
/// library that cannot be loaded if OpenACC was named.
[[nodiscard]] OpenAccSide load_openacc(const OpenAccOptions& options,
                                       const std::vector<std::string>& models = {},
                                       bool may_be_apart = false);

using Studies = std::vector<const harness::StudyEntry*>;
/// The studies of these names, or all, without those that have none of the variants, if any are
/// named. Errors: UsageError for a study or a variant that there is not.
[[nodiscard]] Studies chosen_studies(const std::vector<std::string>& ids,
                                     const std::vector<std::string>& variants = {});
/// Errors: UsageError for --set with several studies.
void require_one_study_set(const ProblemOptions& options, const Studies& studies);
/// What --set asks for, or the study's cases of the effort, sized for that much memory. Errors:
/// UsageError where --set is not key=value, or a key comes twice.
[[nodiscard]] std::vector<harness::Case> chosen_cases(const harness::StudyEntry& study,
                                                      const ProblemOptions& options, double memory);
/// Says what is wrong with the keys before anything is measured or allocated. Errors: UsageError.
void require_settings(const harness::StudyEntry& study, const harness::Case& instance);
/// Rounds and time as they are asked for, in scope `kernel`.
[[nodiscard]] harness::RefereeOptions referee_options(const ProblemOptions& options);

/// All that run, compare and sweep measure: made once from the options; everything below takes it.
struct Plan {
  harness::Effort effort;
  bool as_set; ///< by --set, which may leave kernels nothing to do
  harness::Wanted wanted;
  OpenAccSide openacc;
  bool apart; ///< the libraries clash, and there are no cases: each is compared by itself
  std::vector<harness::CasePlan> cases;
};
struct PlanLimits {
  bool first_case_only = false;
  bool may_be_apart = false;
};
/// Makes the plan. Errors, before anything is measured or allocated: UsageError for unknown names,
/// for a library that lacks what a study declares, and where ranks would run different variants.
[[nodiscard]] Plan plan_of(const RunningOptions& options, const Studies& studies,
                           const PlanLimits& limits = {});
/// Errors: UsageError where no case has a variant.
void require_variants(const RunningOptions& options, const Plan& plan);

/// Errors: as make_problem, and UsageError where a verdict on the problem would mean nothing.
[[nodiscard]] std::unique_ptr<harness::Problem>
sound_problem(const harness::StudyEntry& study, const harness::Parameters& parameters, bool as_set);

/// Detail of the printout: a table of each case, or a line.
enum class Detail { table, line };
/// Prints and notes what every table depends on. Flushed, so that a log shows what is being run.
[[nodiscard]] harness::Results begin(const OpenAccSide& openacc, Detail detail = Detail::table);
void measure_ceilings(harness::Effort effort, Detail detail, harness::Results& results);
/// State in which the measuring of cases ended.
struct Measured {
  bool passed = true; ///< every check
  int signal = 0;     ///< that ended it early, if any; the last case is then a part of one
};
/// Measures all cases in their order. Errors: Interrupted, if nothing was measured.
[[nodiscard]] Measured measure_cases(const Plan& plan, Detail detail, harness::TimeLeft left,
                                     harness::Results& results);

/// Shows the rounds on the line, which has to live as long.
[[nodiscard]] harness::Progress rounds_on(ProgressLine& line);

/// Checks the outputs before anything is measured. Errors: UsageError where an output cannot be
/// written, or would replace another.
void require_outputs(const Outputs& outputs);
/// The last lines, `closing` among them, and the files.
void finish(const Outputs& outputs, nlohmann::ordered_json json, const harness::Results& results,
            Detail detail = Detail::table, const std::string& closing = "");
[[nodiscard]] int exit_status(const OpenAccSide& openacc, bool passed);
/// Also says that a signal ended it, if one did.
[[nodiscard]] int exit_status(const Plan& plan, const Measured& measured,
                              const harness::Results& results);

} // namespace gangway::apps
