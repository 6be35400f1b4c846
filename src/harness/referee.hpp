// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "gangway/data.hpp"
#include "gangway/levels.hpp"
#include "harness/ceilings.hpp"
#include "harness/openacc_library.hpp"
#include "harness/quietness.hpp"
#include "harness/registry.hpp"
#include "harness/statistics.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gangway::harness {

/// The part of a run that is on the clock. `kernel`: data resident on the device, set-up done.
/// `whole`: the data regions and the set-up as well.
enum class Scope { kernel, whole };
[[nodiscard]] const char* name_of(Scope scope);

/// Everything known about one variant of one model on one case.
struct Measurement {
  std::string variant;
  Model model = Model::kokkos;
  std::string library; ///< of OpenACC: the library's label
  bool beyond = false;
  std::string result;          ///< as in StudyEntry::result_of
  Flag flag = Flag::none;      ///< of OpenACC: what the compiler rather than the model may have set
  std::string skipped;         ///< why it was not run; empty if it was
  bool once = false;           ///< it ran beyond the patience: its first run is its only round
  std::vector<double> seconds; ///< of each round, in order; empty after a failed check
  std::vector<double> lost;    ///< the part that other programs may have taken, at most
  long preemptions = 0;        ///< in all rounds, of any of the process' threads
  /// Shapes of the launches of one run: Kokkos' from the library's policies, OpenACC's as its
  /// runtime reports them.
  std::vector<Shape> shapes;
  Check check; ///< the worst of all runs, warm-up included
  int runs_checked = 0;
  Share share; ///< at the median time
  /// Transfers of one run, as the model's own runtime counts them; empty if it does not, or the
  /// variant never ran.
  std::optional<Transfers> transfers;

  [[nodiscard]] bool timed() const { return !seconds.empty(); }
};

/// A paired ratio other/own: above 1, `own` is faster. Both have the same result.
struct Comparison {
  /// `twins`: one variant in both models. `best`: the fastest of each, for every result. `beyond`:
  /// a variant without an OpenACC twin, against OpenACC's fastest. `yardstick`: against a library
  /// or native code. Each of several OpenACC libraries is compared with Kokkos as if it were alone.
  enum class Kind { twins, best, beyond, yardstick } kind;
  std::string own;   ///< such as "kokkos:auto"
  std::string other; ///< such as "openacc:workers-4", of several libraries "openacc[gcc]:workers-4"
  Estimate ratio;
  std::string library = {}; ///< of OpenACC: the label of the other's library
};
[[nodiscard]] const char* name_of(Comparison::Kind kind);

/// Returns the model: "kokkos", "openacc"; of several OpenACC libraries "openacc[LABEL]".
[[nodiscard]] std::string side_of(const Measurement& measurement, bool several_libraries);
/// Returns the model and the variant, such as "kokkos:auto".
[[nodiscard]] std::string title_of(const Measurement& measurement, bool several_libraries);

/// One problem, all its variants.
struct CaseResult {
  std::string study;
  std::string name;
  Scope scope = Scope::kernel;
  std::vector<Parameters::Setting> settings;
  std::string description;
  Work work;
  double working_set = 0;  ///< bytes of all arrays the kernels name
  double wall_seconds = 0; ///< of the clock on the wall, from making the problem to the last check
  std::vector<Measurement> measurements;
  std::vector<Comparison> comparisons;
  /// Variants that OpenACC cannot say, and why.
  std::vector<std::pair<std::string, std::string>> openacc_cannot;
  Noise noise; ///< while it was measured

  [[nodiscard]] bool all_passed() const;
};

/// The rules by which a case is refereed.
struct RefereeOptions {
  Scope scope = Scope::kernel;
  int rounds = 21;                  ///< at most
  int fewest_rounds = 6;            ///< also of the slowest; fewer give no verdict
  double seconds_per_variant = 2.0; ///< slow variants get fewer rounds to stay near this
  /// A variant whose fewest rounds would take longer than these seconds is timed once.
  double patience = 60;

  [[nodiscard]] static RefereeOptions of(Effort effort);
};

/// The variants that are asked for.
struct Wanted {
  std::vector<Model> models{Model::kokkos, Model::openacc, Model::yardstick};
  std::vector<std::string> names = {}; ///< all if empty
};

/// One case of a study, with all decisions that precede its run.
struct CasePlan {
  const StudyEntry* study;
  std::string name;
  Parameters parameters;
  RefereeOptions options;
  std::vector<Variant> variants;         ///< as `variants_of` gives them
  std::vector<std::string> without = {}; ///< names of those that are only reported, as skipped
};

/// A callback for progress: the number done, the number in all, and the work at hand. May be empty.
using Progress = std::function<void(int, int, const std::string&)>;

/// Makes the problem, if host and device have the memory for it. Errors: UsageError when it does
/// not fit, saying how much there is.
[[nodiscard]] std::unique_ptr<Problem> make_problem(const StudyEntry& study,
                                                    const Parameters& parameters);

/// Requires of the libraries all that a study declares, as far as it is wanted: a function for
/// every stage that OpenACC is not said to lack, and for every variant of OpenACC alone. Errors:
/// UsageError that names the library and the functions.
void require_stages(const StudyEntry& study, const OpenAccLibraries& openacc,
                    const Wanted& wanted = {});

/// Requires that a problem names no array twice. Errors: UsageError.
void require_distinct_arrays(const StudyEntry& study, Problem& problem);
/// Requires that a problem's check fails before any kernel has run. Errors: UsageError if it
/// passes, since it would then pass whatever kernels compute.
void require_check_that_can_fail(const StudyEntry& study, Problem& problem);

/// Single runs of a problem's kernels: reset, an empty kernel of the same model, fence, clock, run,
/// fence, clock, fetch, check. Across ranks a barrier comes before the clock, the slowest rank's
/// time counts, and the check is that of all. In scope `kernel` the problem's arrays are on the
/// device as long as this lives.
class TimedRuns {
public:
  TimedRuns(Problem& problem, const OpenAccLibraries& openacc, Scope scope);

  /// Sets a kernel up: now in scope `kernel`, in every run in scope `whole`. Errors: those of
  /// `prepare`.
  [[nodiscard]] Run set_up(const Prepare& prepare);

  struct Result { // transfers and launches are this rank's
    double seconds = 0;
    Check check;
    std::optional<Transfers> transfers; ///< of the run itself, as in Measurement
    std::vector<Shape> shapes;          ///< the same
    std::optional<double> waited;       ///< seconds that threads had no processor, as of `Waits`
    long preemptions = 0;
  };
  /// Runs once. `library` is the one that an OpenACC kernel is from; null for all others.
  [[nodiscard]] Result run(const Run& run, const OpenAccLibrary* library);

private:
  Problem& _problem;
  Scope _scope;
  Waits _waits;
  std::optional<Binding> _binding;
};

/// Returns how many threads kernels keep waiting for each other: a host's, or the one that
/// launches.
[[nodiscard]] int threads_of_kernels();

/// Returns the ratio of two measurements of one case, with the delays that other programs may have
/// caused.
[[nodiscard]] Estimate ratio_of(const Measurement& other, const Measurement& own);

/// Returns a run's share of its ceiling, from the problem's declared work. A variant that moves
/// less has none, and says why.
[[nodiscard]] Share share_of_run(const Variant& variant, Problem& problem, const Ceilings& ceilings,
                                 Scope scope, double seconds);

/// Returns the variants that are wanted and can run in that scope: the OpenACC ones of each library
/// that has them, twins next to each other.
[[nodiscard]] std::vector<Variant> variants_of(const StudyEntry& study,
                                               const OpenAccLibraries& openacc, Scope scope,
                                               const Wanted& wanted = {});

/// Plans a case. Errors: UsageError for keys that the study does not have.
[[nodiscard]] CasePlan plan_case(const StudyEntry& study, const Case& instance,
                                 const OpenAccLibraries& openacc, const RefereeOptions& options,
                                 const Wanted& wanted = {});

/// Measures the plan's variants on its problem, in rounds. In each round each variant runs once,
/// twins next to each other and in alternate order, every run as in `TimedRuns`. A variant that
/// fails a check has no time. After a signal the rounds end, and the result has what they measured.
/// Errors: Interrupted, if they measured none.
[[nodiscard]] CaseResult measure(const CasePlan& plan, Problem& problem,
                                 const OpenAccLibraries& openacc, const Ceilings& ceilings,
                                 const Progress& progress = {});

/// One mapping of a sweep.
struct SweepResult {
  kernels::Mapping mapping;
  Measurement measurement;
};
/// Sweeps the Kokkos grid workers x vector x items per worker: each mapping is timed and checked in
/// alternation with all others. Mappings without a Kokkos counterpart are skipped and say why.
[[nodiscard]] std::vector<SweepResult>
sweep(const StudyEntry& study, Problem& problem, const std::vector<kernels::Mapping>& mappings,
      const Ceilings& ceilings, const RefereeOptions& options, const Progress& progress = {});

} // namespace gangway::harness
