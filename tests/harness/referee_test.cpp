// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/referee.hpp"

#include "base/contains.hpp"
#include "base/errors.hpp"
#include "doubling.hpp"
#include "gangway/device.hpp"
#include "gangway/parallel.hpp"
#include "testing/messages.hpp"
#include "testing/no_kernel.hpp"
#include "testing/with_memory.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace gangway::harness {
namespace {

using testing::expect_words;
using testing::message_of;
using testing::WithMemory;

/// A variant that notes its name at each run.
Variant noting(const std::string& name, std::vector<std::string>& order,
               Model model = Model::kokkos) {
  return variant(
      name,
      [name, &order](Problem& problem) -> harness::Run {
        return [name, &order, &problem] {
          order.push_back(name);
          dynamic_cast<Doubling&>(problem).call(doubling);
        };
      },
      model);
}

/// Two arrays of eight elements in one memory, and a verdict that nothing changes.
class Unsound : public ProblemOf<void(const double* x, double* y)> {
public:
  Unsound(long where, bool verdict) : _verdict(verdict) {
    kernels_take(in("x", _memory.data(), 8), out("y", _memory.data() + where, 8));
  }
  [[nodiscard]] Check check() const override { return {_verdict, 0, 0, "nothing is compared"}; }
  [[nodiscard]] Work work() const override { return {}; }

private:
  std::vector<double> _memory = std::vector<double>(16);
  bool _verdict;
};

TEST(RequireSound, RefusesWhatCouldNotFail) {
  const StudyEntry entry = study_of({});
  Unsound sound(8, false);
  EXPECT_NO_THROW(require_check_that_can_fail(entry, sound));
  Unsound lenient(8, true);
  expect_words(message_of<base::UsageError>([&] { require_check_that_can_fail(entry, lenient); }),
               {"made-up: its check passes before any kernel has run (nothing is compared)",
                "out or inout"});
}

TEST(RequireSound, RefusesAnArrayTwice) {
  const StudyEntry entry = study_of({});
  Unsound sound(8, false);
  EXPECT_NO_THROW(require_distinct_arrays(entry, sound));
  Unsound overlapping(7, false);
  expect_words(message_of<base::UsageError>([&] { require_distinct_arrays(entry, overlapping); }),
               {"made-up: x and y are the same memory"});
}

TEST(RequireSound, RefusesALibraryThatLacksAStage) {
  if (has_device)
    GTEST_SKIP() << refused_beside_a_gpu;
  const OpenAccLibrary loaded(fake("host"));
  StudyEntry entry = study("doubling");
  EXPECT_NO_THROW(require_stages(entry, &loaded));
  entry.kokkos.push_back(variant("third-of-it", just_doubling()));
  entry.openacc_only = {{.name = "alone"}};
  expect_words(message_of<base::UsageError>([&] { require_stages(entry, &loaded); }),
               {"doubling: OpenACC library " + fake("host"),
                "(Pretend 1.0) lacks third-of-it, alone: there is no function ",
                " gangway_doubling_third_of_it, gangway_doubling_alone in it", R"(extern "C")",
                R"(row of third-of-it why OpenACC cannot, .openacc_cannot = "…")",
                "--openacc-library none"});
  EXPECT_NO_THROW(require_stages(entry, {})) << "without OpenACC nobody lacks anything";
  Wanted some;
  some.names = {"plain"};
  EXPECT_NO_THROW(require_stages(entry, &loaded, some)) << "what does not run need not be there";
  some = {};
  some.models = {Model::kokkos};
  EXPECT_NO_THROW(require_stages(entry, &loaded, some));
  entry.openacc_only.clear();
  entry.kokkos.back().openacc_cannot = "nobody can";
  EXPECT_NO_THROW(require_stages(entry, &loaded));
}

TEST(Referee, TakesTurns) {
  std::vector<std::string> order;
  const StudyEntry entry =
      study_of({noting("a", order), noting("b", order), noting("y", order, Model::yardstick)});
  Doubling problem(10);
  const CaseResult result = measure(entry, problem, nullptr, {}, rounds(4));
  EXPECT_EQ(order, (std::vector<std::string>{"a", "b", "y",    // warm-up
                                             "a", "b", "y",    // first round
                                             "y", "b", "a",    // the other way round
                                             "a", "b", "y",    // and so on, so that neither
                                             "y", "b", "a"})); // twin always goes second
  for (const Measurement& m : result.measurements) {
    EXPECT_EQ(m.seconds.size(), 4U) << "the warm-up has no time";
    EXPECT_EQ(m.runs_checked, 5) << "but is checked";
    for (const double seconds : m.seconds)
      EXPECT_GT(seconds, 0);
  }
  EXPECT_EQ(problem.checks, 15);
  EXPECT_EQ(problem.resets, 15);
}

TEST(Referee, GivesNoShareToWhatMovesFewerBytes) {
  StudyEntry entry = study_of({variant("all", just_doubling()), variant("fewer", just_doubling())});
  entry.kokkos.back().moves_less = "it reads half of them";
  Ceilings ceilings;
  ceilings.flops_double = 1e15; // more than any machine here has: a share, and below 100 %
  Doubling problem(1000);
  const CaseResult result = measure(entry, problem, nullptr, ceilings, rounds(2));
  EXPECT_EQ(measurement(result, "all").share.ceiling, "flops (double)");
  EXPECT_GT(measurement(result, "all").share.value, 0);
  EXPECT_EQ(measurement(result, "fewer").share.ceiling, "it reads half of them");
  EXPECT_EQ(measurement(result, "fewer").share.value, 0);
}

TEST(Referee, EveryRunIsSetFreeOfTheLast) {
  // A variant that does nothing is right only if the run before left its result behind.
  const StudyEntry entry =
      study_of({variant("works", just_doubling()),
                variant("idle", [](Problem&) -> harness::Run { return [] {}; })});
  for (const Scope scope : {Scope::kernel, Scope::whole}) {
    Doubling problem(10);
    const CaseResult result = measure(entry, problem, nullptr, {}, rounds(3, scope));
    EXPECT_TRUE(measurement(result, "works").check.passed);
    EXPECT_FALSE(measurement(result, "idle").check.passed);
  }
}

/// The names of kernels and runs, as they come.
std::vector<std::string>& events() {
  static std::vector<std::string> all;
  return all;
}

TEST(Referee, LaunchesAKernelBeforeEachClock) {
  events().clear();
  Kokkos::Tools::Experimental::set_begin_parallel_for_callback(
      [](const char* label, std::uint32_t, std::uint64_t*) { events().emplace_back(label); });
  const auto note = [](Problem& problem) -> harness::Run {
    return [&problem] {
      events().emplace_back("run");
      dynamic_cast<Doubling&>(problem).call(doubling);
    };
  };
  const StudyEntry entry = study_of({variant("a", note), variant("y", note, Model::yardstick)});
  for (const Scope scope : {Scope::kernel, Scope::whole}) {
    Doubling problem(10);
    static_cast<void>(measure(entry, problem, nullptr, {}, rounds(2, scope)));
  }
  Kokkos::Tools::Experimental::set_begin_parallel_for_callback(nullptr);
  int runs = 0;
  for (std::size_t i = 0; i < events().size(); ++i)
    if (events()[i] == "run") {
      ++runs;
      ASSERT_GT(i, 0U);
      EXPECT_EQ(events()[i - 1], "referee: first kernel");
    }
  EXPECT_EQ(runs, 9) << "a warm-up and two rounds; yardsticks only in scope kernel";
}

TEST(Referee, WhatFailsItsCheckHasNoTimeAndFailsTheCase) {
  const StudyEntry entry =
      study_of({variant("right", just_doubling()), variant("wrong", doubling_off_by(1))});
  Doubling problem(10);
  const CaseResult result = measure(entry, problem, nullptr, {}, rounds(6));
  const Measurement& wrong = measurement(result, "wrong");
  EXPECT_FALSE(wrong.timed());
  EXPECT_FALSE(wrong.check.passed);
  EXPECT_EQ(wrong.check.error, 1);
  EXPECT_EQ(wrong.check.detail, "element 0");
  EXPECT_TRUE(wrong.skipped.empty()) << "it ran";
  EXPECT_LT(wrong.runs_checked, 7) << "and was sent off";
  EXPECT_TRUE(measurement(result, "right").timed());
  EXPECT_FALSE(result.all_passed());
}

TEST(Referee, OneWrongRunOfManyIsEnough) {
  for (const int wrong_run : {0, 1, 4}) { // the warm-up, the first, the last
    int run = 0;
    const StudyEntry entry = study_of({variant("moody", [&](Problem& problem) -> harness::Run {
      return [&] { doubling_off_by(run++ == wrong_run ? 2 : 0)(problem)(); };
    })});
    Doubling problem(10);
    const CaseResult result = measure(entry, problem, nullptr, {}, rounds(4));
    EXPECT_FALSE(measurement(result, "moody").timed()) << wrong_run;
    EXPECT_FALSE(result.all_passed()) << wrong_run;
    EXPECT_EQ(measurement(result, "moody").check.error, 2) << wrong_run;
  }
}

TEST(Referee, TheWorstErrorOfAllRunsIsKept) {
  int run = 0;
  const StudyEntry entry = study_of({variant("sloppy", [&](Problem& problem) -> harness::Run {
    return [&] { doubling_off_by(run++ == 2 ? 0.25 : 0.125)(problem)(); };
  })});
  Doubling problem(10);
  const CaseResult result = measure(entry, problem, nullptr, {}, rounds(4));
  EXPECT_TRUE(result.all_passed());
  EXPECT_EQ(measurement(result, "sloppy").check.error, 0.25);
}

TEST(Referee, WhatCannotRunIsSkippedWithTheReason) {
  const StudyEntry entry = study_of(
      {variant("right", just_doubling()),
       variant("not here",
               [](Problem&) -> harness::Run { throw NotAvailable("the build has no abacus"); }),
       variant("no such shape", [](Problem&) -> harness::Run {
         return [] {
           static_cast<void>(
               team_policy(1).num_workers(4).vector_length(64).for_kernel(testing::NoKernel()));
         };
       })});
  for (const Scope scope : {Scope::kernel, Scope::whole}) {
    Doubling problem(10);
    const CaseResult result = measure(entry, problem, nullptr, {}, rounds(2, scope));
    EXPECT_EQ(measurement(result, "not here").skipped, "the build has no abacus");
    expect_words(measurement(result, "no such shape").skipped, {"vector_length(64)"});
    for (const char* name : {"not here", "no such shape"}) {
      EXPECT_FALSE(measurement(result, name).timed());
      EXPECT_EQ(measurement(result, name).runs_checked, 0);
    }
    EXPECT_TRUE(measurement(result, "right").timed());
    EXPECT_TRUE(result.all_passed()) << "what was not run has not failed";
    EXPECT_TRUE(result.comparisons.empty());
  }
}

TEST(Referee, ACaseMayLeaveVariantsOut) {
  const StudyEntry entry = study_of(
      {variant("usual", just_doubling()), variant("takes hours", [](Problem&) -> harness::Run {
         ADD_FAILURE() << "it was run";
         return [] {};
       })});
  Asked options = rounds(2);
  options.without = {"takes hours"};
  Doubling problem(10);
  const CaseResult result = measure(entry, problem, nullptr, {}, options);
  expect_words(measurement(result, "takes hours").skipped, {"left out"});
  EXPECT_TRUE(measurement(result, "usual").timed());
}

TEST(Referee, OnlyWhatIsWantedRuns) {
  const StudyEntry& entry = study("doubling");
  Doubling problem(10);
  const auto names = [&](std::vector<Model> models, std::vector<std::string> variants,
                         Scope scope = Scope::kernel) {
    Asked options = rounds(1, scope);
    options.wanted.models = std::move(models);
    options.wanted.names = std::move(variants);
    std::vector<std::string> all;
    for (const Measurement& m : measure(entry, problem, nullptr, {}, options).measurements)
      all.push_back(std::string(name_of(m.model)) + ":" + m.variant);
    return all;
  };
  using Names = std::vector<std::string>;
  const std::vector<Model> every{Model::kokkos, Model::openacc, Model::yardstick};
  EXPECT_EQ(names(every, {}),
            (Names{"kokkos:plain", "kokkos:half-done", "kokkos:teams", "yardstick:library"}));
  EXPECT_EQ(names(every, {}, Scope::whole),
            (Names{"kokkos:plain", "kokkos:half-done", "kokkos:teams"}))
      << "yardsticks have no data regions";
  EXPECT_EQ(names({Model::yardstick}, {}), Names{"yardstick:library"});
  EXPECT_EQ(names({Model::openacc}, {}), Names{});
  EXPECT_EQ(names(every, {"teams", "library"}), (Names{"kokkos:teams", "yardstick:library"}));
  EXPECT_EQ(names(every, {"nope"}), Names{});
}

TEST(Referee, SlowVariantsGetFewerRounds) {
  const auto sleeping = [](int milliseconds) -> Prepare {
    return [milliseconds](Problem& problem) -> harness::Run {
      return [milliseconds, &problem] {
        std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
        dynamic_cast<Doubling&>(problem).call(doubling);
      };
    };
  };
  const StudyEntry entry = study_of({variant("fast", sleeping(0)), variant("slow", sleeping(400))});
  Asked options;
  options.rounds = 5;
  options.fewest_rounds = 2;
  options.seconds_per_variant = 1;
  Doubling problem(10);
  const CaseResult result = measure(entry, problem, nullptr, {}, options);
  EXPECT_EQ(measurement(result, "fast").seconds.size(), 5U);
  EXPECT_EQ(measurement(result, "slow").seconds.size(), 2U);
  for (const double seconds : measurement(result, "slow").seconds)
    EXPECT_GE(seconds, 0.4);
}

TEST(Referee, VariantsBeyondThePatienceAreTimedOnce) {
  std::vector<std::string> order;
  const Variant slow = variant("slow", [&](Problem& problem) -> harness::Run {
    return [&] {
      order.push_back("slow");
      std::this_thread::sleep_for(std::chrono::milliseconds(30));
      dynamic_cast<Doubling&>(problem).call(doubling);
    };
  });
  const StudyEntry entry = study_of({slow, noting("quick", order)});
  Doubling problem(10);
  Asked options = rounds(4);
  options.fewest_rounds = 3;
  options.patience = 0.08; // less than three runs of `slow`
  const CaseResult result = measure(entry, problem, nullptr, {}, options);
  EXPECT_EQ(std::count(order.begin(), order.end(), "slow"), 1);
  ASSERT_EQ(result.measurements[0].seconds.size(), 1U);
  EXPECT_GE(result.measurements[0].seconds[0], 0.03);
  EXPECT_TRUE(result.measurements[0].once);
  EXPECT_EQ(result.measurements[1].seconds.size(), 4U);
  EXPECT_FALSE(result.measurements[1].once);
  options.patience = 60;
  EXPECT_EQ(measure(entry, problem, nullptr, {}, options).measurements[0].seconds.size(), 4U);
}

TEST(Referee, EffortsGiveEnoughRoundsForAVerdict) {
  for (const Effort effort : {Effort::quick, Effort::normal, Effort::full}) {
    const RefereeOptions options = RefereeOptions::of(effort);
    EXPECT_GE(options.fewest_rounds, fewest_samples);
    EXPECT_LE(options.fewest_rounds, options.rounds);
    EXPECT_GT(options.seconds_per_variant, 0);
  }
  EXPECT_LT(RefereeOptions::of(Effort::quick).rounds, RefereeOptions::of(Effort::full).rounds);
}

TEST(Referee, TellsWhatItIsDoing) {
  std::vector<std::string> told;
  Asked options = rounds(2);
  options.wanted.names = {"plain"};
  options.progress = [&](int done, int all, const std::string& what) {
    told.push_back(std::to_string(done) + "/" + std::to_string(all) + " " + what);
  };
  Doubling problem(10);
  static_cast<void>(measure(study("doubling"), problem, nullptr, {}, options));
  EXPECT_EQ(told, (std::vector<std::string>{"0/2 warm-up kokkos plain", "0/2 kokkos plain",
                                            "1/2 kokkos plain"}));
}

TEST(Referee, NotesTheShapesOfOneRun) {
  Doubling problem(10);
  const CaseResult result = measure(study("doubling"), problem, nullptr, {}, rounds(5));
  ASSERT_EQ(measurement(result, "teams").shapes.size(), 1U);
  EXPECT_EQ(measurement(result, "teams").shapes[0].gangs, 10);
  EXPECT_EQ(measurement(result, "teams").shapes[0].requested, (Clauses{1, 32}));
  EXPECT_TRUE(measurement(result, "plain").shapes.empty()) << "a range has no teams";
}

TEST(Referee, DescribesTheCase) {
  Doubling problem(10);
  const CaseResult result = measure(study("doubling"), problem, nullptr, {}, rounds(1));
  EXPECT_EQ(result.study, "doubling");
  EXPECT_EQ(result.description, "10 elements");
  EXPECT_EQ(result.working_set, 160);
  EXPECT_EQ(result.work.bytes, 160);
  EXPECT_EQ(result.scope, Scope::kernel);
}

TEST(Referee, EmptyProblemsAreFine) {
  for (const Scope scope : {Scope::kernel, Scope::whole}) {
    Doubling problem(0);
    EXPECT_TRUE(measure(study("doubling"), problem, nullptr, {}, rounds(1, scope)).all_passed());
  }
}

TEST(Referee, AnErrorInAKernelLeavesNothingOnTheDevice) {
  const WithMemory separate(Memory::separate);
  int run = 0;
  const StudyEntry entry = study_of({variant("throws", [&](Problem& problem) -> harness::Run {
    return [&] {
      dynamic_cast<Doubling&>(problem).call([&](int n, const double* x, double* y) {
        Data data;
        static_cast<void>(data.copyin(x, n));
        static_cast<void>(data.copyout(y, n));
        if (run++ == 2)
          throw std::runtime_error("in a kernel");
      });
      doubling_off_by(0)(problem)();
    };
  })});
  for (const Scope scope : {Scope::kernel, Scope::whole}) {
    run = 0;
    Doubling problem(10);
    EXPECT_EQ(message_of<std::runtime_error>([&] {
                static_cast<void>(measure(entry, problem, nullptr, {}, rounds(4, scope)));
              }),
              "in a kernel");
    EXPECT_EQ(present_arrays(), 0U);
  }
}

/// As Kokkos' set-ups: once in scope `kernel`, and a part of every run in scope `whole`.
TEST(Referee, PlansOfOpenAccAreSetUp) {
  if (has_device)
    GTEST_SKIP() << refused_beside_a_gpu;
  const OpenAccLibrary openacc(fake("host"));
  const StudyEntry& doubling_study = study("doubling");
  const auto count = [&](const char* which) {
    return reinterpret_cast<int (*)()>(openacc.find("doubling", which))();
  };
  const StudyEntry entry = study_of(
      {variant("with-plan", doubling_study.openacc(openacc, "with-plan"), Model::openacc, true)});
  for (const auto& [scope, plans] : {std::pair{Scope::kernel, 1}, std::pair{Scope::whole, 5}}) {
    const int before = count("plans-made");
    Doubling problem(10);
    const CaseResult result = measure(entry, problem, &openacc, {}, rounds(4, scope));
    EXPECT_TRUE(measurement(result, "with-plan", Model::openacc).check.passed);
    EXPECT_EQ(count("plans-made") - before, plans) << name_of(scope);
    EXPECT_EQ(count("plans-left"), 0) << name_of(scope);
  }
}

// Comparisons

TEST(Comparisons, AreOfTwinsAndOfTheBest) {
  if (has_device)
    GTEST_SKIP() << refused_beside_a_gpu;
  const OpenAccLibrary openacc(fake("host"));
  const StudyEntry& entry = study("doubling");
  Doubling problem(1000);
  const CaseResult result = measure(entry, problem, &openacc, {}, rounds(7));
  EXPECT_TRUE(measurement(result, "plain", Model::openacc).timed());
  EXPECT_FALSE(measurement(result, "half-done", Model::openacc).timed()) << "it is wrong";
  EXPECT_FALSE(result.all_passed());
  std::vector<std::string> pairs;
  for (const Comparison& c : result.comparisons) {
    if (c.kind == Comparison::Kind::best)
      EXPECT_TRUE(c.own.starts_with("kokkos:"));
    else
      pairs.push_back(std::string(name_of(c.kind)) + " " + c.own + " " + c.other);
    EXPECT_GT(c.ratio.value, 0);
    EXPECT_LE(c.ratio.low, c.ratio.value);
    EXPECT_GE(c.ratio.high, c.ratio.value);
    EXPECT_EQ(c.ratio.samples, 7);
  }
  EXPECT_EQ(result.comparisons.size() - pairs.size(), 1U) << "one best";
  EXPECT_TRUE(base::contains(pairs, std::string("twins kokkos:plain openacc:plain")));
  EXPECT_TRUE(base::contains(pairs, std::string("beyond kokkos:teams openacc:plain")));
  EXPECT_TRUE(base::contains(pairs, std::string("yardstick kokkos:teams yardstick:library")));
  for (const std::string& pair : pairs)
    EXPECT_EQ(pair.find("half-done openacc:half-done"), std::string::npos)
        << "what has no time is compared with nothing";
}

/// What computes something else is no rival, however fast it is.
TEST(Comparisons, AreOfTheSameResult) {
  StudyEntry entry = study_of({variant("sum", just_doubling()), variant("product", just_doubling()),
                               variant("team", just_doubling(), Model::kokkos, true),
                               variant("library", just_doubling(), Model::yardstick)});
  entry.each_stage_another_result = true;
  EXPECT_EQ(entry.result_of("product"), "product");
  EXPECT_EQ(entry.result_of("team"), "sum");
  Doubling problem(10);
  const CaseResult result = measure(entry, problem, nullptr, {}, rounds(7));
  EXPECT_EQ(measurement(result, "library", Model::yardstick).result, "sum");
  for (const Comparison& c : result.comparisons)
    EXPECT_EQ(c.own.find("product"), std::string::npos) << c.own << " with " << c.other;
  entry.each_stage_another_result = false;
  EXPECT_EQ(entry.result_of("product"), "");
}

TEST(Comparisons, TwinsAreRunNextToEachOther) {
  if (has_device)
    GTEST_SKIP() << refused_beside_a_gpu;
  const OpenAccLibrary openacc(fake("host"));
  std::vector<std::string> order;
  for (const Variant& v : variants_of(study("doubling"), &openacc, Scope::kernel))
    order.push_back(std::string(name_of(v.model)) + ":" + v.name);
  EXPECT_EQ(order,
            (std::vector<std::string>{"kokkos:plain", "openacc:plain", "kokkos:half-done",
                                      "openacc:half-done", "kokkos:teams", "yardstick:library"}));
}

/// Each library is a model of its own: in the rounds, and against Kokkos.
TEST(Comparisons, AreOfEachOpenAccLibrary) {
  if (has_device)
    GTEST_SKIP() << refused_beside_a_gpu;
  const LoadedOpenAcc loaded = load_openacc({{"a", fake("host")}, {"b", fake("gpu")}});
  const StudyEntry& entry = study("doubling");
  Asked options = rounds(7);
  options.wanted.names = {"plain", "teams", "library"};
  std::vector<std::string> told;
  options.progress = [&](int, int, const std::string& what) { told.push_back(what); };
  const WithMemory separate(Memory::separate); // `b` has its own
  Doubling problem(1000);
  const CaseResult result = measure(entry, problem, loaded.all(), {}, options);
  ASSERT_GE(told.size(), 10U);
  EXPECT_EQ(std::vector<std::string>(told.begin() + 5, told.begin() + 10),
            (std::vector<std::string>{"kokkos plain", "openacc[a] plain", "openacc[b] plain",
                                      "kokkos teams", "yardstick library"}));
  std::vector<std::string> pairs;
  int best = 0;
  for (const Comparison& c : result.comparisons) {
    EXPECT_EQ(c.library, c.kind == Comparison::Kind::yardstick ? "" : c.other.substr(8, 1));
    if (c.kind == Comparison::Kind::twins || c.kind == Comparison::Kind::beyond)
      pairs.push_back(std::string(name_of(c.kind)) + " " + c.own + " " + c.other);
    best += c.kind == Comparison::Kind::best ? 1 : 0;
  }
  EXPECT_EQ(pairs, (std::vector<std::string>{"twins kokkos:plain openacc[a]:plain",
                                             "beyond kokkos:teams openacc[a]:plain",
                                             "twins kokkos:plain openacc[b]:plain",
                                             "beyond kokkos:teams openacc[b]:plain"}));
  EXPECT_EQ(best, 2);
}

// Flags

/// Not from the mode's name: GCC leaves some `kernels` to one thread in its mode decompose, too.
TEST(Flags, FollowFromTheShapeThatWasLaunched) {
  if (has_device)
    GTEST_SKIP() << refused_beside_a_gpu;
  StudyEntry entry = study("doubling");
  entry.kokkos.front().flag = Flag::kernels;
  Asked options = rounds(1);
  options.wanted.names = {"plain"};
  const WithMemory separate(Memory::separate);
  const auto flagged = [&](const char* name) {
    const OpenAccLibrary openacc(fake(name));
    Doubling problem(1000);
    return measurement(measure(entry, problem, &openacc, {}, options), "plain", Model::openacc)
        .flag;
  };
  EXPECT_EQ(flagged("gcc_plain_one"), Flag::kernels);
  EXPECT_EQ(flagged("gcc_decompose_one"), Flag::kernels);
  EXPECT_EQ(flagged("gcc_plain_many"), Flag::none);
  EXPECT_EQ(flagged("gcc_decompose_many"), Flag::none);
  EXPECT_EQ(flagged("gcc_silent"), Flag::kernels) << "no shape is known";
  EXPECT_EQ(flagged("gpu"), Flag::none) << "another compiler's";
}

// Sweeps

TEST(Sweep, RunsEveryPointAndSaysWhatCannotBe) {
  const std::vector<kernels::Mapping> points{
      {{1, 1}, 1}, {{4, 32}, 2}, {{4, 64}, 1}, {{64, 32}, 1}};
  Doubling problem(10);
  const auto results = sweep(study("doubling"), problem, points, {}, rounds(2));
  ASSERT_EQ(results.size(), 4U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(results[i].mapping.clauses, points[i].clauses);
    EXPECT_EQ(results[i].measurement.seconds.size(), 2U);
    EXPECT_TRUE(results[i].measurement.check.passed);
    EXPECT_EQ(results[i].measurement.shapes.at(0).requested, points[i].clauses);
  }
  EXPECT_EQ(results[1].measurement.variant, "4 x 32, 2 each");
  expect_words(results[2].measurement.skipped, {"num_workers(4) vector_length(64)"});
  expect_words(results[3].measurement.skipped, {"1024 threads"});
  EXPECT_THROW(static_cast<void>(sweep(study("another"), problem, points, {}, rounds(1))),
               base::UsageError);
}

} // namespace
} // namespace gangway::harness
