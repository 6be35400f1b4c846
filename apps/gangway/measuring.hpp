// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../common/command_line.hpp"
#include "harness/openacc_library.hpp"
#include "harness/referee.hpp"
#include "harness/report.hpp"
#include "options.hpp"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

/// What the commands that measure share: from the arguments to what is run, and from the results to
/// what is written.
namespace gangway::apps {

/// The OpenACC side of this run: what was loaded, and whether all that was wanted is.
struct OpenAccSide {
  std::vector<harness::OpenAccChoice> choices;
  harness::LoadedOpenAcc loaded;
  bool missing = false;

  [[nodiscard]] harness::OpenAccLibraries libraries() const { return loaded.all(); }
};

/// Errors: UsageError for what cannot be meant, and for a library that cannot be loaded if OpenACC
/// was asked for by name.
[[nodiscard]] OpenAccSide load_openacc(const Options& options);

/// How a case of the study is refereed; `progress` has to live as long.
[[nodiscard]] harness::RefereeOptions referee_options(const Options& options,
                                                      const harness::StudyEntry& study,
                                                      const harness::Case& instance,
                                                      ProgressLine& progress);

/// The studies named, or all, without those that have none of the variants asked for. Errors:
/// UsageError for a study or a variant that there is not.
[[nodiscard]] std::vector<const harness::StudyEntry*> chosen_studies(const Options& options);
/// Those of the effort, or what --set asks for. Errors: UsageError.
[[nodiscard]] std::vector<harness::Case> chosen_cases(const harness::StudyEntry& study,
                                                      const Options& options);
/// Says what is wrong with the keys before anything is measured or allocated. Errors: UsageError.
void require_settings(const harness::StudyEntry& study, const std::vector<harness::Case>& cases);

/// One case of a comparison.
struct Planned {
  const harness::StudyEntry* study;
  harness::Case instance;
};
/// Errors: UsageError, before anything is measured or allocated.
[[nodiscard]] std::vector<Planned> plan_of(const Options& options);
/// Errors: UsageError, before anything is measured, where a library lacks what a study declares.
void require_stages_of(const Options& options, const std::vector<Planned>& plan,
                       const OpenAccSide& openacc, ProgressLine& progress);
/// Errors: UsageError where a verdict on the problem would mean nothing.
void require_sound_problem(const Options& options, const harness::StudyEntry& study,
                           harness::Problem& problem);

/// Prints and notes what every table depends on. Flushed, so that a log shows what is being run.
[[nodiscard]] harness::Results begin(const Options& options, const OpenAccSide& openacc,
                                     ProgressLine& progress);

/// Errors: UsageError where the options left nothing to run.
void require_something_ran(const Options& options, const harness::Results& results);
/// Before anything is measured. Errors: UsageError where an output cannot be written, or would
/// replace another.
void require_outputs(const Options& options);
/// The last lines, `closing` among them, and the files.
void finish(const Options& options, nlohmann::ordered_json json, const harness::Results& results,
            const std::string& closing = "");

} // namespace gangway::apps
