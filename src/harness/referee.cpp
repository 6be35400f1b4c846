// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/referee.hpp"

#include "base/contains.hpp"
#include "base/signals.hpp"
#include "gangway/runtime.hpp"
#include "ranks/session.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <limits>

namespace gangway::harness {
namespace {

/// One variant in the rounds.
struct Contestant {
  Measurement result;
  std::string told_as; ///< its name in progress
  Variant variant;
  Run run; ///< set up; in scope `whole` set-up is part of the run
  int rounds = 0;
};

Transfers operator-(const Transfers& later, const Transfers& earlier) {
  return {.to_device = later.to_device - earlier.to_device,
          .to_host = later.to_host - earlier.to_host,
          .bytes_to_device = later.bytes_to_device - earlier.bytes_to_device,
          .bytes_to_host = later.bytes_to_host - earlier.bytes_to_host,
          .allocations = later.allocations - earlier.allocations};
}

/// Returns the first text that is not empty, in the order of the ranks; "rank 2: …" if there are
/// several ranks.
std::string first_said(const std::string& mine) {
  const std::vector<std::string> of_ranks = ranks::world().gather(mine);
  for (std::size_t rank = 0; rank < of_ranks.size(); ++rank)
    if (!of_ranks[rank].empty())
      return of_ranks.size() == 1 ? of_ranks[rank]
                                  : fmt::format("rank {}: {}", rank, of_ranks[rank]);
  return "";
}

/// Reduces the checks of all ranks: passed if all passed, with the largest error.
Check joined(Check mine) {
  const ranks::Communicator& world = ranks::world();
  if (world.size() == 1)
    return mine;
  const bool passed = world.all(mine.passed);
  if (!passed)
    mine.detail = first_said(mine.passed ? "" : mine.detail);
  // If the tolerance is 0, the error is the number of wrong elements.
  mine.error = mine.tolerance == 0 ? static_cast<double>(world.sum(static_cast<long>(mine.error)))
                                   : world.largest(mine.error);
  mine.passed = passed;
  return mine;
}

class Match {
public:
  Match(const StudyEntry& study, Problem& problem, const OpenAccLibraries& openacc,
        const RefereeOptions& options, const Progress& progress)
      : _study(study), _options(options), _progress(progress),
        _runs(problem, openacc, options.scope) {}

  /// Lets all contestants enter, and play their rounds. Errors: Interrupted.
  void hold(std::vector<Contestant>& contestants, const std::vector<std::string>& without) {
    for (Contestant& contestant : contestants)
      if (!base::contains(without, contestant.result.variant))
        enter(contestant);
      else
        contestant.result.skipped =
            "left out of this case, where it may take too long; --set runs it";
    play(contestants);
  }

  /// Removes the times of wrong results, and sums up the noise of all rounds. Stolen time, and
  /// waiting that the system did not count, are too coarse for single rounds: each has its part.
  void settle(std::vector<Contestant>& contestants) {
    for (Contestant& contestant : contestants)
      if (!contestant.result.check.passed)
        contestant.result.seconds.clear();
    _noise = _machine.between(_before, _machine.counts());
    double seconds = 0;
    double waited = 0;
    for (const Contestant& contestant : contestants)
      for (std::size_t i = 0; i < contestant.result.seconds.size(); ++i) {
        seconds += contestant.result.seconds[i];
        waited += contestant.result.lost[i];
      }
    if (seconds > 0)
      _noise.waiting = _told_waiting ? std::optional(waited / seconds) : std::nullopt;
    Noise in_every_round = _noise;
    if (_told_waiting)
      in_every_round.waiting = 0;
    const double share = lost_share(in_every_round);
    for (Contestant& contestant : contestants)
      for (std::size_t i = 0; i < contestant.result.seconds.size(); ++i)
        contestant.result.lost[i] += share * contestant.result.seconds[i];
  }

  /// Returns the noise since the match began; its waiting is that of the rounds.
  [[nodiscard]] const Noise& noise() const { return _noise; }

private:
  /// Sets up, warms up and decides the number of rounds. A variant that a rank cannot run is
  /// skipped by all.
  void enter(Contestant& contestant) {
    if (_progress)
      _progress(0, _options.rounds, fmt::format("warm-up {}", contestant.told_as));
    base::stop_if_interrupted();
    ranks::begins(fmt::format("the set-up of {} of {}", contestant.told_as, _study.id));
    contestant.result.skipped = first_said(
        reason_not_to([&] { contestant.run = _runs.set_up(contestant.variant.prepare); }));
    if (!contestant.result.skipped.empty())
      return;
    double seconds = 0;
    contestant.result.skipped = reason_not_to([&] { seconds = checked_run(contestant); });
    if (!contestant.result.skipped.empty())
      return;
    const int fewest = std::min(_options.fewest_rounds, _options.rounds);
    if (fewest * seconds > _options.patience) {
      contestant.result.once = true;
      if (contestant.result.check.passed)
        note(contestant.result, seconds);
      return;
    }
    contestant.rounds =
        std::clamp(static_cast<int>(_options.seconds_per_variant / std::max(seconds, 1e-9)), fewest,
                   _options.rounds);
  }

  /// Plays rounds of all that entered; a contestant leaves when its rounds are done or a check
  /// failed.
  void play(std::vector<Contestant>& contestants) {
    int most = 0;
    for (const Contestant& contestant : contestants)
      most = std::max(most, contestant.rounds);
    std::vector<Contestant*> order;
    for (Contestant& contestant : contestants)
      order.push_back(&contestant);
    for (int round = 0; round < most; ++round) {
      for (Contestant* contestant : order) {
        if (round >= contestant->rounds)
          continue;
        if (_progress)
          _progress(round, most, contestant->told_as);
        base::stop_if_interrupted();
        const double seconds = checked_run(*contestant);
        if (contestant->result.check.passed)
          note(contestant->result, seconds);
        else
          contestant->rounds = 0;
      }
      // A B B A …: neither twin always profits from going second.
      std::reverse(order.begin(), order.end());
    }
  }

  /// Returns why it cannot be done here; empty if it was.
  template <class Attempt>
  static std::string reason_not_to(const Attempt& attempt) {
    try {
      attempt();
      return "";
    } catch (const NotAvailable& reason) {
      return reason.what();
    } catch (const ClauseError& reason) {
      return reason.what();
    }
  }

  void note(Measurement& result, double seconds) {
    result.seconds.push_back(seconds);
    result.lost.push_back(_last.waited.value_or(0));
    result.preemptions += _last.preemptions;
    _told_waiting = _told_waiting || _last.waited.has_value();
  }

  double checked_run(Contestant& contestant) {
    Measurement& result = contestant.result;
    ranks::begins(fmt::format("{} of {}", contestant.told_as, _study.id));
    _last = _runs.run(contestant.run, contestant.variant.library);
    const auto& [seconds, check, transfers, shapes, waited, preemptions] = _last;
    result.transfers = transfers;
    const bool first = result.runs_checked++ == 0;
    if (first)
      result.shapes = shapes;
    if (first || !check.passed || (result.check.passed && check.error > result.check.error))
      result.check = check;
    return seconds;
  }

  const StudyEntry& _study;
  const RefereeOptions& _options;
  const Progress& _progress;
  TimedRuns _runs;
  TimedRuns::Result _last;
  Machine _machine{threads_of_kernels()};
  MachineCounts _before = _machine.counts();
  Noise _noise;
  bool _told_waiting = false;
};

/// Warms the launch path of a model. After a copy from the host, or work on it, the next kernel
/// takes longer to start: 10 to 25 us on a machine with an H100, whatever the kernel. Repeated
/// kernels do not pay that, and neither did the ceilings'.
void launch_once(const OpenAccLibrary* library) {
  if (library != nullptr)
    static_cast<void>(library->ran_on());
  else
    Kokkos::parallel_for("referee: first kernel",
                         Kokkos::RangePolicy<>(0, Kokkos::DefaultExecutionSpace().concurrency()),
                         KOKKOS_LAMBDA(int){});
}

double crossing_bytes(const std::vector<Buffer>& buffers, bool in) {
  double bytes = 0;
  for (const Buffer& buffer : buffers)
    if (buffer.intent == Intent::inout || buffer.intent == (in ? Intent::in : Intent::out))
      bytes += static_cast<double>(buffer.bytes);
  return bytes;
}

double working_set(const std::vector<Buffer>& buffers) {
  double bytes = 0;
  for (const Buffer& buffer : buffers)
    bytes += static_cast<double>(buffer.bytes);
  return bytes;
}

Share share_of(const Variant& variant, double seconds, const Work& work,
               const std::vector<Buffer>& buffers, const Ceilings& ceilings, Scope scope) {
  if (!variant.moves_less.empty())
    return {0, variant.moves_less};
  return scope == Scope::whole && memory() != Memory::shared
             ? share_of_link(
                   ceilings, work.bytes_in < 0 ? crossing_bytes(buffers, true) : work.bytes_in,
                   work.bytes_out < 0 ? crossing_bytes(buffers, false) : work.bytes_out, seconds)
             : share_of_ceiling(ceilings, work, working_set(buffers), seconds);
}

const Measurement* fastest(const std::vector<const Measurement*>& timed) {
  const auto found = std::min_element(timed.begin(), timed.end(),
                                      [](const Measurement* one, const Measurement* other) {
                                        return median(one->seconds) < median(other->seconds);
                                      });
  return found == timed.end() ? nullptr : *found;
}

/// Adds all comparisons of variants with this result. `labels` are of the OpenACC libraries that
/// took part.
void compare(const std::vector<Measurement>& measurements, const std::string& result,
             const std::vector<std::string>& labels, std::vector<Comparison>& comparisons) {
  const auto timed = [&](Model model, const std::string& library = "") {
    std::vector<const Measurement*> found;
    for (const Measurement& m : measurements)
      if (m.model == model && m.library == library && m.result == result && m.timed())
        found.push_back(&m);
    return found;
  };
  const auto add = [&](Comparison::Kind kind, const Measurement& own, const Measurement& other) {
    comparisons.push_back({kind, title_of(own, labels.size() > 1),
                           title_of(other, labels.size() > 1), ratio_of(other, own),
                           other.library});
  };
  const std::vector<const Measurement*> kokkos = timed(Model::kokkos);
  const Measurement* const best_kokkos = fastest(kokkos);
  if (best_kokkos == nullptr)
    return;
  for (const std::string& label : labels) {
    const std::vector<const Measurement*> openacc = timed(Model::openacc, label);
    const Measurement* const best_openacc = fastest(openacc);
    if (best_openacc == nullptr)
      continue;
    for (const Measurement* own : kokkos) {
      const auto twin = std::find_if(openacc.begin(), openacc.end(), [&](const Measurement* other) {
        return other->variant == own->variant;
      });
      if (twin != openacc.end())
        add(Comparison::Kind::twins, *own, **twin);
      else if (own->beyond)
        add(Comparison::Kind::beyond, *own, *best_openacc);
    }
    add(Comparison::Kind::best, *best_kokkos, *best_openacc);
  }
  for (const Measurement* own : kokkos)
    if (own->beyond || own == best_kokkos)
      for (const Measurement* other : timed(Model::yardstick))
        add(Comparison::Kind::yardstick, *own, *other);
}

/// Returns the variant's flag, if GCC built its library for a GPU. Flag::kernels follows from the
/// shapes that were launched; the study's word counts if the runtime reported none.
Flag flag_of(const Variant& variant, const std::vector<Shape>& shapes) {
  if (variant.library == nullptr || !variant.library->compiler().starts_with("GCC") ||
      !variant.library->on_gpu())
    return Flag::none;
  // GCC writes a vector length of 32 beside a kernel of one thread, too.
  const auto one_thread = [](const Shape& s) { return s.gangs == 1 && s.team_size == 1; };
  if (variant.flag == Flag::kernels && !shapes.empty() &&
      std::none_of(shapes.begin(), shapes.end(), one_thread))
    return Flag::none;
  return variant.flag;
}

bool is_wanted(const Variant& variant, const Wanted& wanted) {
  return base::contains(wanted.models, variant.model) &&
         (wanted.names.empty() || base::contains(wanted.names, variant.name));
}

std::string gigabytes(double bytes) {
  return bytes < 1e8 ? fmt::format("{:.1f} MB", bytes / 1e6)
                     : fmt::format("{:.1f} GB", bytes / 1e9);
}

} // namespace

const char* name_of(Scope scope) {
  return scope == Scope::kernel ? "kernel" : "whole";
}

const char* name_of(Comparison::Kind kind) {
  switch (kind) {
  case Comparison::Kind::twins:
    return "twins";
  case Comparison::Kind::best:
    return "best";
  case Comparison::Kind::beyond:
    return "beyond";
  case Comparison::Kind::yardstick:
    return "yardstick";
  }
  return "";
}

std::string side_of(const Measurement& measurement, bool several_libraries) {
  return several_libraries && measurement.model == Model::openacc
             ? fmt::format("openacc[{}]", measurement.library)
             : name_of(measurement.model);
}

std::string title_of(const Measurement& measurement, bool several_libraries) {
  return fmt::format("{}:{}", side_of(measurement, several_libraries), measurement.variant);
}

bool CaseResult::all_passed() const {
  return std::all_of(measurements.begin(), measurements.end(),
                     [](const Measurement& m) { return m.runs_checked == 0 || m.check.passed; });
}

RefereeOptions RefereeOptions::of(Effort effort) {
  RefereeOptions options;
  switch (effort) {
  case Effort::quick:
    options.rounds = 7;
    options.seconds_per_variant = 0.5;
    options.patience = 10;
    break;
  case Effort::normal:
    break;
  case Effort::full:
    options.rounds = 41;
    options.seconds_per_variant = 5;
    options.fewest_rounds = 7;
    options.patience = 300;
    break;
  }
  return options;
}

std::unique_ptr<Problem> make_problem(const StudyEntry& study, const Parameters& parameters) {
  const double needed = study.footprint(parameters);
  if (const double available = ranks::memory_of_rank(); needed > 0.95 * available)
    throw base::UsageError(
        fmt::format("{}: this size needs {} of memory{}, and {} are free here; choose a "
                    "smaller one",
                    study.id, gigabytes(needed), ranks::world().size() > 1 ? " for each rank" : "",
                    gigabytes(available)));
  try {
    return study.create(parameters);
  } catch (const std::bad_alloc&) {
    throw base::UsageError(fmt::format("{}: not enough memory for this size; it needs {}", study.id,
                                       gigabytes(needed)));
  }
}

void require_stages(const StudyEntry& study, const OpenAccLibraries& openacc,
                    const Wanted& wanted) {
  for (const OpenAccLibrary* library : openacc) {
    std::vector<std::string> stages;
    std::vector<std::string> functions;
    const auto look_for = [&](Variant variant) {
      variant.model = Model::openacc;
      if (is_wanted(variant, wanted) && !study.openacc(*library, variant.name)) {
        stages.push_back(variant.name);
        functions.push_back(OpenAccLibrary::symbol(study.id, variant.name));
      }
    };
    for (const Variant& variant : study.kokkos)
      if (!variant.beyond && variant.openacc_cannot.empty())
        look_for(variant);
    for (const Variant& variant : study.openacc_only)
      look_for(variant);
    if (!stages.empty())
      throw base::UsageError(fmt::format(
          "{}: OpenACC library {} ({}) lacks {}: there is no function {} in it. Write it in the "
          "study's OpenACC source, extern \"C\", and build the library with it; or say in the row "
          "of {} why OpenACC cannot, .openacc_cannot = \"…\"; or name only studies that the "
          "library has, or --openacc-library none",
          study.id, library->path().string(), library->compiler(), fmt::join(stages, ", "),
          fmt::join(functions, ", "), stages.front()));
  }
}

void require_distinct_arrays(const StudyEntry& study, Problem& problem) {
  const std::vector<Buffer> buffers = problem.buffers();
  const std::less<> before; // pointers into different arrays have no order of their own
  for (auto one = buffers.begin(); one != buffers.end(); ++one)
    for (auto other = buffers.begin(); other != one; ++other) {
      const auto* const begin = static_cast<const std::byte*>(one->host);
      const auto* const begin_of_other = static_cast<const std::byte*>(other->host);
      if (before(begin, begin_of_other + other->bytes) &&
          before(begin_of_other, begin + one->bytes))
        throw base::UsageError(
            fmt::format("{}: {} and {} are the same memory, at least in part; name an array once",
                        study.id, other->name, one->name));
    }
}

void require_check_that_can_fail(const StudyEntry& study, Problem& problem) {
  // A rank may have no part of the problem, and so no wrong element.
  if (study.across_ranks)
    return;
  problem.reset();
  if (const Check check = problem.check(); check.passed)
    throw base::UsageError(fmt::format(
        "{}: its check passes before any kernel has run ({}), so that it would pass whatever they "
        "compute; name the results as out or inout, and compare them with what they should be",
        study.id, check.detail));
}

TimedRuns::TimedRuns(Problem& problem, const OpenAccLibraries& openacc, Scope scope)
    : _problem(problem), _scope(scope), _waits(has_device ? Threads::calling : Threads::all) {
  if (scope == Scope::kernel)
    _binding.emplace(problem, openacc);
}

Run TimedRuns::set_up(const Prepare& prepare) {
  if (_scope == Scope::kernel)
    return prepare(_problem);
  return [this, prepare] { prepare(_problem)(); };
}

TimedRuns::Result TimedRuns::run(const Run& run, const OpenAccLibrary* library) {
  const auto counted = [library] {
    return library != nullptr ? library->transfers() : gangway::transfers();
  };
  _problem.reset();
  if (_binding)
    _binding->to_device();
  _waits.find_threads();
  // Wait until no other rank prepares anything beside the empty kernel; after that kernel a device
  // that several ranks share is ready at once.
  const ranks::Communicator& world = ranks::world();
  world.barrier();
  launch_once(library);
  Kokkos::fence("referee: before the clock");
  if (library != nullptr)
    library->clear_launches();
  clear_launches();
  const std::optional<Transfers> before = counted();
  const long preemptions_before = preemptions();
  _waits.start();
  world.barrier();
  const auto start = std::chrono::steady_clock::now();
  run();
  Kokkos::fence("referee: on the clock");
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  std::optional<double> waited = _waits.stop();
  long preempted = preemptions() - preemptions_before;
  double seconds = elapsed.count();
  if (world.size() > 1) { // the slowest counts
    seconds = world.largest(seconds);
    const bool told = world.all(waited.has_value());
    const double most = world.largest(waited.value_or(0));
    waited = told ? std::optional(most) : std::nullopt;
    preempted = world.sum(preempted);
  }
  std::optional<Transfers> moved = counted();
  if (moved && before)
    moved = *moved - *before;
  std::vector<Shape> shapes =
      library != nullptr ? library->launches().value_or(std::vector<Shape>{}) : launches();
  // An OpenACC library on the host works on the host arrays themselves.
  if (_binding && (library == nullptr || library->on_gpu()))
    _binding->to_host();
  return {seconds, joined(_problem.check()), moved, std::move(shapes), waited, preempted};
}

int threads_of_kernels() {
  return has_device ? 1 : Kokkos::DefaultExecutionSpace().concurrency();
}

Estimate ratio_of(const Measurement& other, const Measurement& own) {
  return paired_ratio(Rounds{other.seconds, other.lost}, Rounds{own.seconds, own.lost});
}

Share share_of_run(const Variant& variant, Problem& problem, const Ceilings& ceilings, Scope scope,
                   double seconds) {
  return share_of(variant, seconds, problem.work(), problem.buffers(), ceilings, scope);
}

std::vector<Variant> variants_of(const StudyEntry& study, const OpenAccLibraries& openacc,
                                 Scope scope, const Wanted& wanted) {
  std::vector<Variant> variants;
  const auto add_openacc = [&](Variant variant) {
    variant.model = Model::openacc;
    variant.kernel = nullptr;
    if (!is_wanted(variant, wanted))
      return;
    for (const OpenAccLibrary* library : openacc)
      if (Prepare prepare = study.openacc(*library, variant.name)) {
        variant.prepare = std::move(prepare);
        variant.library = library;
        variants.push_back(variant);
      }
  };
  for (const Variant& variant : study.kokkos) {
    if (is_wanted(variant, wanted))
      variants.push_back(variant);
    add_openacc(variant);
  }
  for (const Variant& variant : study.openacc_only)
    add_openacc(variant);
  if (scope == Scope::kernel)
    for (const Variant& variant : study.yardsticks)
      if (is_wanted(variant, wanted))
        variants.push_back(variant);
  return variants;
}

CasePlan plan_case(const StudyEntry& study, const Case& instance, const OpenAccLibraries& openacc,
                   const RefereeOptions& options, const Wanted& wanted) {
  return {.study = &study,
          .name = instance.name,
          .parameters = Parameters(study, instance.settings),
          .options = options,
          .variants = variants_of(study, openacc, options.scope, wanted),
          .without = instance.without};
}

CaseResult measure(const CasePlan& plan, Problem& problem, const OpenAccLibraries& openacc,
                   const Ceilings& ceilings, const Progress& progress) {
  const StudyEntry& study = *plan.study;
  CaseResult result;
  result.study = study.id;
  result.name = plan.name;
  result.scope = plan.options.scope;
  result.settings = plan.parameters.all();
  result.description = problem.describe();
  if (const int ranks = ranks::world().size(); ranks > 1 && !study.across_ranks)
    result.description += fmt::format("; each of the {} ranks has all of it", ranks);
  result.work = problem.work();
  const std::vector<Buffer> buffers = problem.buffers();
  result.working_set = working_set(buffers);

  std::vector<Contestant> contestants;
  for (const Variant& variant : plan.variants) {
    Contestant contestant;
    contestant.result.variant = variant.name;
    contestant.result.model = variant.model;
    contestant.result.beyond = variant.beyond;
    contestant.result.result = study.result_of(contestant.result.variant);
    if (variant.library != nullptr)
      contestant.result.library = variant.library->label();
    contestant.told_as = fmt::format("{} {}", side_of(contestant.result, openacc.several()),
                                     contestant.result.variant);
    contestant.variant = variant;
    contestants.push_back(std::move(contestant));
  }

  Match match(study, problem, openacc, plan.options, progress);
  try {
    match.hold(contestants, plan.without);
  } catch (const base::Interrupted&) {
    const auto timed = [](const Contestant& one) { return one.result.timed(); };
    if (ranks::world().size() > 1 || std::none_of(contestants.begin(), contestants.end(), timed))
      throw;
    std::erase_if(contestants, [](const Contestant& one) {
      return one.result.runs_checked == 0 && one.result.skipped.empty();
    });
  }
  match.settle(contestants);
  for (Contestant& contestant : contestants) {
    contestant.result.flag = flag_of(contestant.variant, contestant.result.shapes);
    if (contestant.result.timed())
      contestant.result.share = share_of(contestant.variant, median(contestant.result.seconds),
                                         result.work, buffers, ceilings, plan.options.scope);
    result.measurements.push_back(std::move(contestant.result));
  }
  std::vector<std::string> results; // in the order of their first variants
  for (const Measurement& m : result.measurements)
    if (!base::contains(results, m.result))
      results.push_back(m.result);
  std::vector<std::string> labels;
  for (const OpenAccLibrary* library : openacc)
    labels.push_back(library->label());
  for (const std::string& which : results)
    compare(result.measurements, which, labels, result.comparisons);
  for (const Variant& variant : study.kokkos)
    if (!variant.openacc_cannot.empty())
      result.openacc_cannot.emplace_back(variant.name, variant.openacc_cannot);
  result.noise = match.noise();
  return result;
}

std::vector<SweepResult> sweep(const StudyEntry& study, Problem& problem,
                               const std::vector<kernels::Mapping>& mappings,
                               const Ceilings& ceilings, const RefereeOptions& options,
                               const Progress& progress) {
  if (!study.sweep.run)
    throw base::UsageError(std::string(study.id) + " has no levels to sweep");
  std::vector<Contestant> contestants;
  for (const kernels::Mapping& mapping : mappings) {
    Contestant contestant;
    contestant.result.variant = fmt::format("{} x {}, {} each", mapping.clauses.workers,
                                            mapping.clauses.vector, mapping.items_per_worker);
    contestant.told_as = contestant.result.variant;
    contestant.variant.prepare = [&study, mapping](Problem& p) {
      return study.sweep.run(p, mapping);
    };
    contestants.push_back(std::move(contestant));
  }
  Match match(study, problem, nullptr, options, progress);
  match.hold(contestants, {});
  match.settle(contestants);
  std::vector<SweepResult> results;
  const std::vector<Buffer> buffers = problem.buffers();
  for (std::size_t i = 0; i < contestants.size(); ++i) {
    Measurement& result = contestants[i].result;
    if (result.timed())
      result.share = share_of(contestants[i].variant, median(result.seconds), problem.work(),
                              buffers, ceilings, options.scope);
    results.push_back({mappings[i], std::move(result)});
  }
  return results;
}

} // namespace gangway::harness
