// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The referee and what it stands on, over a tiny problem of the test's own and OpenACC libraries
// that only pretend (tests/fake_openacc).
#include "base/contains.hpp"
#include "base/errors.hpp"
#include "base/output_file.hpp"
#include "base/signals.hpp"
#include "gangway/runtime.hpp"
#include "harness/ceilings.hpp"
#include "harness/openacc_library.hpp"
#include "harness/provenance.hpp"
#include "harness/referee.hpp"
#include "harness/registry.hpp"
#include "harness/report.hpp"
#include "harness/statistics.hpp"
#include "harness/tune.hpp"

#include "temporary_folder.hpp"
#include "testing/places.hpp"
#include "with_memory.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <limits>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace gangway::harness {
namespace {

namespace fs = std::filesystem;
using ::gangway::testing::WithMemory;

template <class Error>
std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

void expect_words(const std::string& message, const std::vector<std::string>& words) {
  for (const std::string& word : words)
    EXPECT_NE(message.find(word), std::string::npos) << "no \"" << word << "\" in: " << message;
}

// The problem: y = 2 x, where x(i) = i + 1.

class Doubling : public Problem {
public:
  using Kernel = void(int n, const double* x, double* y);
  static constexpr const char* id = "doubling";
  static constexpr const char* title = "twice a vector";
  static constexpr const char* source = "harness_test";
  static std::vector<std::string> stages() { return {"plain", "half-done"}; }
  static std::vector<Key> keys() { return {{"n", "100", "elements"}, {"colour", "red", "a word"}}; }
  static std::vector<Case> cases(Effort /*effort*/, double /*memory*/) { return {{"usual", {}}}; }
  static std::vector<Case> edge_cases() { return {{"one", {{"n", "1"}}}}; }
  static double footprint(const Parameters& parameters) {
    return 16 * static_cast<double>(parameters.integer("n", 0, 4'000'000'000'000'000));
  }

  explicit Doubling(const Parameters& parameters)
      : Doubling(static_cast<std::size_t>(parameters.integer("n", 0, 1'000'000'000))) {}
  explicit Doubling(std::size_t n) : _x(n), _y(n) {
    for (std::size_t i = 0; i < n; ++i)
      _x[i] = static_cast<double>(i) + 1;
  }

  template <class F>
  void call(F&& kernel) {
    kernel(static_cast<int>(_x.size()), _x.data(), _y.data());
  }
  [[nodiscard]] std::vector<Buffer> buffers() override {
    return {Buffer::of("x", _x, Intent::in), Buffer::of("y", _y, Intent::out)};
  }
  void reset() override {
    ++resets;
    std::fill(_y.begin(), _y.end(), std::numeric_limits<double>::quiet_NaN());
  }
  [[nodiscard]] Check check() const override {
    ++checks;
    Check check{true, 0, 0.5, "every element"};
    for (std::size_t i = 0; i < _x.size(); ++i) {
      const double error = std::abs(_y[i] - 2 * _x[i]);
      if (!(error <= check.tolerance)) {
        check.passed = false;
        check.detail = "element " + std::to_string(i);
      }
      check.error = std::isnan(error) ? HUGE_VAL : std::max(check.error, error);
    }
    return check;
  }
  [[nodiscard]] Work work() const override {
    return {.bytes = 16.0 * static_cast<double>(_x.size()),
            .flops = static_cast<double>(_x.size()),
            .reasoning = "x once, y once"};
  }
  [[nodiscard]] std::string describe() const override {
    return std::to_string(_x.size()) + " elements";
  }

  int resets = 0;
  mutable int checks = 0;

private:
  std::vector<double> _x;
  std::vector<double> _y;
};

void doubling(int n, const double* x, double* y) {
  Data data;
  const auto in = data.copyin(x, n);
  const auto out = data.copyout(y, n);
  Kokkos::parallel_for(
      "doubling/plain", Kokkos::RangePolicy<>(0, n), KOKKOS_LAMBDA(int i) { out(i) = 2 * in(i); });
}

void doubling_in_teams(int n, const double* x, double* y) {
  Data data;
  const auto in = data.copyin(x, n);
  const auto out = data.copyout(y, n);
  Kokkos::parallel_for(
      "doubling/teams", team_policy({.workers = 1, .vector = 32}, n),
      KOKKOS_LAMBDA(const Kokkos::TeamPolicy<>::member_type& gang) {
        const int i = gang.league_rank();
        Kokkos::single(Kokkos::PerTeam(gang), [&] { out(i) = 2 * in(i); });
      });
}

void add_to_first(double amount, int n, double* y) {
  Data data;
  const auto out = data.copy(y, n);
  Kokkos::parallel_for(
      "doubling/off", Kokkos::RangePolicy<>(0, 1), KOKKOS_LAMBDA(int i) { out(i) += amount; });
}

/// Adds `amount` to the first element, which the check tolerates up to 0.5.
Prepare doubling_off_by(double amount) {
  return [amount](Problem& problem) -> Run {
    return [&problem, amount] {
      dynamic_cast<Doubling&>(problem).call([amount](int n, const double* x, double* y) {
        doubling(n, x, y);
        add_to_first(amount, n, y);
      });
    };
  };
}

// The yardstick comes first: a study and its yardsticks register in any order.
const Yardstick<Doubling> library("library", [](Doubling& problem) -> Run {
  return [&problem] { problem.call(doubling); };
});
const Study<Doubling> registered(
    {{"plain", doubling}, {"half-done", doubling}}, {{"teams", doubling_in_teams}},
    [](const SweepPoint& point, int n, const double* x, double* y) {
      static_cast<void>(team_policy(point.clauses, n));
      doubling(n, x, y);
    },
    4);

/// Another study, which has nothing but its name.
class Nothing : public Doubling {
public:
  static constexpr const char* id = "another";
  static std::vector<std::string> stages() { return {}; }
  static std::vector<Key> keys() { return {}; }
  static constexpr bool whole_by_default = true;
  using Doubling::Doubling;
};
const Study<Nothing> nothing({});

RefereeOptions rounds(int count, Scope scope = Scope::kernel) {
  RefereeOptions options;
  options.rounds = options.fewest_rounds = count;
  options.scope = scope;
  return options;
}

/// A study made of the variants at hand.
StudyEntry study_of(const std::vector<Variant>& variants) {
  StudyEntry entry;
  entry.id = "made-up";
  for (const Variant& variant : variants)
    (variant.model == Model::yardstick ? entry.yardsticks : entry.kokkos).push_back(variant);
  return entry;
}

Variant variant(const std::string& name, const Prepare& prepare, Model model = Model::kokkos,
                bool beyond = false) {
  return {name, model, beyond, prepare};
}

const Measurement& measurement(const CaseResult& result, std::string_view name,
                               Model model = Model::kokkos) {
  for (const Measurement& m : result.measurements)
    if (m.variant == name && m.model == model)
      return m;
  throw std::logic_error("no measurement of " + std::string(name));
}

constexpr const char* refused_beside_a_gpu =
    "a library that runs on the host is refused where Kokkos uses a GPU";

std::string fake(const std::string& name) {
  return gangway::testing::beside_program("fake/" + name + ".so").string();
}

// Statistics

TEST(Median, IsTheMiddle) {
  EXPECT_EQ(median({3}), 3);
  EXPECT_EQ(median({9, 1, 5}), 5);
  EXPECT_EQ(median({4, 1, 3, 2}), 2.5);
  EXPECT_EQ(median({1, 1, 1, 100}), 1);
  EXPECT_EQ(median({5, 5}), 5);
  EXPECT_EQ(median({-1, 0, 1e300, -1e300, 2}), 0);
  EXPECT_THROW(static_cast<void>(median({})), std::invalid_argument);
}

TEST(Bootstrap, IsTheSameEveryTime) {
  const std::vector<double> values{3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5};
  const Estimate first = bootstrap_median(values);
  const Estimate second = bootstrap_median(values);
  EXPECT_EQ(first.low, second.low);
  EXPECT_EQ(first.high, second.high);
  EXPECT_EQ(first.value, 4);
  EXPECT_EQ(first.samples, 11);
  EXPECT_LE(first.low, first.value);
  EXPECT_GE(first.high, first.value);
  EXPECT_GE(first.low, 1);
  EXPECT_LE(first.high, 9);
}

TEST(Bootstrap, OfFewValuesIsTheirRange) {
  for (const std::size_t n : {1U, 2U, 3U, 4U, 5U}) {
    std::vector<double> values{7, 3, 11, 5, 1};
    values.resize(n);
    const Estimate estimate = bootstrap_median(values);
    EXPECT_EQ(estimate.low, *std::min_element(values.begin(), values.end()));
    EXPECT_EQ(estimate.high, *std::max_element(values.begin(), values.end()));
    EXPECT_EQ(estimate.samples, static_cast<int>(n));
  }
  EXPECT_THROW(static_cast<void>(bootstrap_median({})), std::invalid_argument);
}

TEST(Bootstrap, OfEqualValuesIsAPoint) {
  const Estimate estimate = bootstrap_median(std::vector<double>(20, 2.5));
  EXPECT_EQ(estimate.value, 2.5);
  EXPECT_EQ(estimate.low, 2.5);
  EXPECT_EQ(estimate.high, 2.5);
}

/// How often the interval holds the true median, 1, of times that scatter to one side as real ones.
double coverage(int samples) {
  std::mt19937_64 generator(7);
  std::lognormal_distribution<double> times(0, 0.3);
  constexpr int trials = 300;
  int covered = 0;
  for (int trial = 0; trial < trials; ++trial) {
    std::vector<double> values(static_cast<std::size_t>(samples));
    for (double& value : values)
      value = times(generator);
    const Estimate estimate = bootstrap_median(values);
    covered += estimate.low <= 1 && estimate.high >= 1;
  }
  return static_cast<double>(covered) / trials;
}

TEST(Bootstrap, CoversTheMedianIn95Of100Cases) {
  for (const int samples : {6, 7, 21}) {
    const double covered = coverage(samples);
    EXPECT_GE(covered, 0.94) << samples;
    EXPECT_LE(covered, 0.999) << samples << ": wider than it need be";
  }
}

TEST(Bootstrap, HoldsTheOrderStatisticsThatAreSure) {
  // Ranks from tables of the sign test: with 21 values the 6th from either end, with 100 the 40th.
  const auto interval = [](int n) {
    std::vector<double> values;
    for (int i = 1; i <= n; ++i)
      values.push_back(i);
    return bootstrap_median(values);
  };
  for (const auto& [n, rank] : {std::pair{6, 1}, {7, 1}, {9, 2}, {21, 6}, {41, 14}, {100, 40}}) {
    EXPECT_LE(interval(n).low, rank) << n;
    EXPECT_GE(interval(n).high, n + 1 - rank) << n;
    EXPECT_NEAR(interval(n).low, rank, 1 + 0.02 * n) << n;
  }
}

TEST(Bootstrap, NarrowsWithMoreValues) {
  std::mt19937_64 generator(11);
  std::normal_distribution<double> normal(10, 1);
  const auto width = [&](std::size_t n) {
    std::vector<double> values(n);
    for (double& value : values)
      value = normal(generator);
    const Estimate estimate = bootstrap_median(values);
    return estimate.high - estimate.low;
  };
  EXPECT_LT(width(1001), 0.5 * width(21));
}

TEST(Verdict, NeedsAnIntervalWithout1) {
  const auto of = [](double low, double high, int samples = 21) {
    return verdict(Estimate{0.5 * (low + high), low, high, samples});
  };
  EXPECT_EQ(of(1.01, 1.2), Verdict::faster);
  EXPECT_EQ(of(0.8, 0.99), Verdict::slower);
  EXPECT_EQ(of(0.99, 1.01), Verdict::no_difference);
  EXPECT_EQ(of(1, 1.5), Verdict::no_difference) << "1 is in it";
  EXPECT_EQ(of(0.5, 1), Verdict::no_difference) << "1 is in it";
  EXPECT_STREQ(name_of(Verdict::faster), "faster");
  EXPECT_STREQ(name_of(Verdict::slower), "slower");
  EXPECT_STREQ(name_of(Verdict::no_difference), "no difference");
}

TEST(Verdict, NeedsEnoughRounds) {
  // The range of 5 values covers the median in 93.75 % of all cases, that of 6 in 96.9 %.
  EXPECT_EQ(verdict(paired_ratio({2, 2, 2, 2, 2}, {1, 1, 1, 1, 1})), Verdict::no_difference);
  EXPECT_EQ(verdict(paired_ratio({2, 2, 2, 2, 2, 2}, {1, 1, 1, 1, 1, 1})), Verdict::faster);
  EXPECT_EQ(verdict(paired_ratio({1, 1, 1, 1, 1, 1}, {2, 2, 2, 2, 2, 2})), Verdict::slower);
}

TEST(PairedRatio, IsTheMedianOfTheRounds) {
  const Estimate ratio = paired_ratio({2, 4, 6}, {1, 2, 2});
  EXPECT_EQ(ratio.value, 2);
  EXPECT_EQ(ratio.low, 2);
  EXPECT_EQ(ratio.high, 3);
  EXPECT_EQ(ratio.samples, 3);
  // A machine that slows down from round to round: the ratio of the medians would be 1 as well, but
  // the rounds tell 0.5, 1 and 2.
  const Estimate drifting = paired_ratio({1, 10, 100}, {2, 10, 50});
  EXPECT_EQ(drifting.value, 1);
  EXPECT_EQ(drifting.low, 0.5);
  EXPECT_EQ(drifting.high, 2);
}

TEST(PairedRatio, LeavesOutRoundsWithoutAPartner) {
  const Estimate ratio = paired_ratio({3, 6, 100, 100, 100}, {1, 2});
  EXPECT_EQ(ratio.value, 3);
  EXPECT_EQ(ratio.samples, 2);
}

TEST(PairedRatio, WantsTimes) {
  for (const double bad : {0.0, -1.0, std::nan("")}) {
    EXPECT_THROW(static_cast<void>(paired_ratio({1, bad}, {1, 1})), std::invalid_argument);
    EXPECT_THROW(static_cast<void>(paired_ratio({1, 1}, {1, bad})), std::invalid_argument);
  }
  EXPECT_THROW(static_cast<void>(paired_ratio({}, {1})), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(paired_ratio({1}, {})), std::invalid_argument);
}

// Parameters

Parameters with(const std::string& value) {
  return {"study", {{"size", "100", "how many"}, {"kind", "", "which"}}, {{"size", value}}};
}

TEST(ParametersTest, FallBackToTheDefault) {
  const Parameters parameters("study", {{"b", "2", ""}, {"a", "", ""}}, {});
  EXPECT_EQ(parameters.text("a"), "");
  EXPECT_EQ(parameters.integer("b", 0, 10), 2);
  EXPECT_EQ(parameters.study(), "study");
  ASSERT_EQ(parameters.all().size(), 2U);
  EXPECT_EQ(parameters.all()[0].key, "b") << "in the study's order";
  EXPECT_EQ(parameters.all()[0].value, "2");
}

TEST(ParametersTest, TheLastSettingOfAKeyHolds) {
  const Parameters parameters("study", {{"a", "1", ""}}, {{"a", "2"}, {"a", "3=4"}});
  EXPECT_EQ(parameters.text("a"), "3=4");
}

TEST(ParametersTest, UnknownKeysAreRefused) {
  const auto message = message_of<base::UsageError>([] {
    const Parameters parameters("study", {{"size", "", ""}, {"kind", "", ""}}, {{"sise", "1"}});
  });
  expect_words(message, {"study has no key 'sise'", "it has: size, kind"});
  expect_words(message_of<base::UsageError>(
                   [] { const Parameters parameters("study", {}, {{"size", "1"}}); }),
               {"study has no keys to set", "'size'"});
  EXPECT_THROW(static_cast<void>(with("1").text("nope")), std::logic_error)
      << "a mistake of the study's, not of the user's";
}

TEST(ParametersTest, WholeNumbers) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(with("4096").integer("size", 0, most), 4096);
  EXPECT_EQ(with("1e9").integer("size", 0, most), 1'000'000'000);
  EXPECT_EQ(with("2.5e3").integer("size", 0, most), 2500);
  EXPECT_EQ(with("100.0").integer("size", 0, most), 100);
  EXPECT_EQ(with("-3").integer("size", -10, 10), -3);
  EXPECT_EQ(with("0").integer("size", 0, 0), 0);
  EXPECT_EQ(with("9223372036854775807").integer("size", 0, most), most);
  const auto message = [](const std::string& value) {
    return message_of<base::UsageError>(
        [&] { static_cast<void>(with(value).integer("size", 1, 1000)); });
  };
  for (const char* value :
       {"", "abc", " 5", "5 ", "5x", "0x10", "+5", "--5", "nan", "inf", "1e", "."})
    expect_words(message(value), {"study: size=" + std::string(value), "is not a whole number"});
  for (const char* value : {"1.5", "1e-3"})
    expect_words(message(value), {"study: size=", "is not a whole number"});
  for (const char* value : {"0", "-1", "1001", "1e30", "99999999999999999999", "-1e300"})
    expect_words(message(value),
                 {"study: size=" + std::string(value), "out of range", "from 1 to 1000"});
  expect_words(message("1e400"), {"study: size=1e400", "out of range"});
}

TEST(ParametersTest, RealNumbers) {
  EXPECT_EQ(with("2.5").real("size", 0, 10), 2.5);
  EXPECT_EQ(with("1e-3").real("size", 0, 10), 1e-3);
  EXPECT_EQ(with("-2").real("size", -2, 10), -2);
  const auto message = [](const std::string& value) {
    return message_of<base::UsageError>(
        [&] { static_cast<void>(with(value).real("size", 0, 10)); });
  };
  for (const char* value : {"", "many", "1,5", "nan", "inf", "-inf"})
    expect_words(message(value), {"study: size=", "is not a number"});
  for (const char* value : {"-0.001", "10.5", "1e9"})
    expect_words(message(value), {"study: size=", "out of range", "from 0 to 10"});
}

TEST(ParametersTest, Choices) {
  EXPECT_EQ(with("red").choice("size", {"blue", "red"}), "red");
  expect_words(message_of<base::UsageError>(
                   [] { static_cast<void>(with("green").choice("size", {"blue", "red"})); }),
               {"study: size=green", "not one of blue, red"});
}

// Registry

TEST(Registry, HasTheStudiesInOrder) {
  std::vector<std::string> ids;
  for (const StudyEntry* entry : studies())
    ids.push_back(entry->id);
  EXPECT_EQ(ids, (std::vector<std::string>{"another", "doubling"}));
}

TEST(Registry, AStudyAndItsYardsticksFindEachOther) {
  const StudyEntry& entry = study("doubling");
  EXPECT_EQ(entry.title, "twice a vector");
  EXPECT_EQ(entry.source, "harness_test");
  EXPECT_EQ(entry.stages, Doubling::stages());
  ASSERT_EQ(entry.kokkos.size(), 3U);
  EXPECT_EQ(entry.kokkos[0].name, "plain");
  EXPECT_FALSE(entry.kokkos[0].beyond);
  EXPECT_EQ(entry.kokkos[2].name, "teams");
  EXPECT_TRUE(entry.kokkos[2].beyond);
  ASSERT_EQ(entry.yardsticks.size(), 1U);
  EXPECT_EQ(entry.yardsticks[0].model, Model::yardstick);
  EXPECT_EQ(entry.most_items_per_worker, 4);
  EXPECT_FALSE(entry.whole_by_default);
  EXPECT_TRUE(study("another").whole_by_default);
  EXPECT_FALSE(study("another").sweep);
}

TEST(Registry, UnknownStudiesAreRefused) {
  expect_words(message_of<base::UsageError>([] { static_cast<void>(study("trebling")); }),
               {"no study 'trebling'", "there are: another, doubling"});
  EXPECT_THROW(static_cast<void>(study("")), base::UsageError);
}

TEST(Registry, ModelsHaveNames) {
  EXPECT_STREQ(name_of(Model::kokkos), "kokkos");
  EXPECT_STREQ(name_of(Model::openacc), "openacc");
  EXPECT_STREQ(name_of(Model::yardstick), "yardstick");
}

// Sizes

TEST(MakeProblem, MakesWhatFits) {
  const StudyEntry& entry = study("doubling");
  const auto problem = make_problem(entry, Parameters("doubling", entry.keys, {{"n", "7"}}));
  EXPECT_EQ(problem->describe(), "7 elements");
}

TEST(MakeProblem, SaysWhatDoesNotFit) {
  const StudyEntry& entry = study("doubling");
  expect_words(message_of<base::UsageError>([&] {
                 static_cast<void>(
                     make_problem(entry, Parameters("doubling", entry.keys, {{"n", "1e15"}})));
               }),
               {"doubling: this size needs 16000000.0 GB of memory", "are free here", "smaller"});
}

TEST(MakeProblem, SaysThatMemoryRanOut) {
  StudyEntry entry = study("doubling");
  entry.create = [](const Parameters&) -> std::unique_ptr<Problem> { throw std::bad_alloc(); };
  expect_words(message_of<base::UsageError>([&] {
                 static_cast<void>(
                     make_problem(entry, Parameters("doubling", entry.keys, {{"n", "10"}})));
               }),
               {"doubling: not enough memory"});
}

TEST(MakeProblem, KnowsHowMuchThereIs) {
  EXPECT_GT(usable_memory(), 1e6);
  EXPECT_LT(usable_memory(), 1e15);
}

// The referee

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

TEST(Referee, TakesTurns) {
  std::vector<std::string> order;
  const StudyEntry entry =
      study_of({noting("a", order), noting("b", order), noting("y", order, Model::yardstick)});
  Doubling problem(10);
  const CaseResult result = measure(entry, problem, nullptr, {}, rounds(4));
  EXPECT_EQ(order, (std::vector<std::string>{"a", "b", "y",    // warm-up
                                             "a", "b", "y",    // and then neither
                                             "y", "b", "a",    // always goes
                                             "a", "b", "y",    // second
                                             "y", "b", "a"})); //
  for (const Measurement& m : result.measurements) {
    EXPECT_EQ(m.seconds.size(), 4U) << "the warm-up has no time";
    EXPECT_EQ(m.runs_checked, 5) << "but is checked";
    for (const double seconds : m.seconds)
      EXPECT_GT(seconds, 0);
  }
  EXPECT_EQ(problem.checks, 15);
  EXPECT_EQ(problem.resets, 15);
}

TEST(Referee, EveryRunIsSetFreeOfTheLast) {
  // A variant that does nothing is right only if the run before left its result behind.
  const StudyEntry entry =
      study_of({variant("works", Study<Doubling>::plain(doubling)),
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
  const StudyEntry entry = study_of(
      {variant("right", Study<Doubling>::plain(doubling)), variant("wrong", doubling_off_by(1))});
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
      {variant("right", Study<Doubling>::plain(doubling)),
       variant("not here",
               [](Problem&) -> harness::Run { throw NotAvailable("the build has no abacus"); }),
       variant("no such shape", [](Problem&) -> harness::Run {
         return [] { static_cast<void>(team_policy({.workers = 4, .vector = 64}, 1)); };
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
  const StudyEntry entry = study_of({variant("usual", Study<Doubling>::plain(doubling)),
                                     variant("takes hours", [](Problem&) -> harness::Run {
                                       ADD_FAILURE() << "it was run";
                                       return [] {};
                                     })});
  RefereeOptions options = rounds(2);
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
    RefereeOptions options = rounds(1, scope);
    options.models = std::move(models);
    options.variants = std::move(variants);
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
  RefereeOptions options;
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
  RefereeOptions options = rounds(2);
  options.variants = {"plain"};
  options.progress = [&](int done, int all, const std::string& what) {
    told.push_back(std::to_string(done) + "/" + std::to_string(all) + " " + what);
  };
  Doubling problem(10);
  static_cast<void>(measure(study("doubling"), problem, nullptr, {}, options));
  EXPECT_EQ(told, (std::vector<std::string>{"0/2 warm-up plain", "0/2 kokkos plain",
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

// A signal stays seen for the life of a process: a process of its own.

void be_interrupted(int signal) {
  const WithMemory separate(Memory::separate);
  base::catch_signals();
  int runs = 0;
  const StudyEntry entry = study_of({variant("interrupted", [&](Problem& problem) -> harness::Run {
    return [&] {
      dynamic_cast<Doubling&>(problem).call(doubling);
      if (++runs == 3)
        static_cast<void>(std::raise(signal));
    };
  })});
  Doubling problem(10);
  try {
    static_cast<void>(measure(entry, problem, nullptr, {}, rounds(100)));
  } catch (const base::Interrupted& interrupted) {
    const bool right = interrupted.signal() == signal && runs == 3 && present_arrays() == 0;
    std::_Exit(right ? 0 : 1);
  }
  std::_Exit(2);
}

TEST(RefereeDeathTest, StopsAtTheNextRunWhenASignalComes) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(be_interrupted(SIGINT), ::testing::ExitedWithCode(0), "");
  EXPECT_EXIT(be_interrupted(SIGTERM), ::testing::ExitedWithCode(0), "");
}

void be_interrupted_twice() {
  base::catch_signals();
  static_cast<void>(std::raise(SIGTERM));
  static_cast<void>(std::raise(SIGTERM));
  std::_Exit(0);
}

TEST(RefereeDeathTest, ASecondSignalEndsTheProcess) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(be_interrupted_twice(), ::testing::KilledBySignal(SIGTERM), "");
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

TEST(Comparisons, TwinsAreRunNextToEachOther) {
  if (has_device)
    GTEST_SKIP() << refused_beside_a_gpu;
  const OpenAccLibrary openacc(fake("host"));
  std::vector<std::string> order;
  for (const Variant& v : variants_of(study("doubling"), &openacc, rounds(1)))
    order.push_back(std::string(name_of(v.model)) + ":" + v.name);
  EXPECT_EQ(order,
            (std::vector<std::string>{"kokkos:plain", "openacc:plain", "kokkos:half-done",
                                      "openacc:half-done", "kokkos:teams", "yardstick:library"}));
}

// Sweeps

TEST(Sweep, RunsEveryPointAndSaysWhatCannotBe) {
  const std::vector<SweepPoint> points{{{1, 1}, 1}, {{4, 32}, 2}, {{4, 64}, 1}, {{64, 32}, 1}};
  Doubling problem(10);
  const auto results = sweep(study("doubling"), problem, points, {}, rounds(2));
  ASSERT_EQ(results.size(), 4U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(results[i].point.clauses, points[i].clauses);
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

// Tuning

/// Measurements whose times are made up, so that a busy machine does not decide what a test sees:
/// `seconds` of a point, spread a little from round to round; a failed check where it is negative.
Tuning tune_with(const std::function<double(const SweepPoint&)>& seconds, int rounds_each,
                 const SweepPoint& own_shape = {{4, 32}, 1}) {
  StudyEntry entry;
  entry.id = "made-up";
  entry.own_shape = own_shape;
  const std::vector<SweepPoint> points{
      {{1, 1}, 1}, {{2, 8}, 1}, {{2, 8}, 4}, {{4, 32}, 1}, {{64, 32}, 1}};
  return tune(entry, {"usual", {{"n", "10"}, {"colour", "re\nd"}}}, points, rounds(rounds_each),
              [&](const std::vector<SweepPoint>& some, const RefereeOptions& options) {
                std::vector<SweepResult> results;
                for (const SweepPoint& point : some) {
                  SweepResult result{point, {}};
                  Measurement& m = result.measurement;
                  m.variant = std::to_string(point.items_per_worker) + " each";
                  try {
                    validate(point.clauses, 1);
                    m.runs_checked = options.rounds + 1;
                    m.check = {seconds(point) > 0, 0, 0, "element 7"};
                    for (int i = 0; i < options.rounds && m.check.passed; ++i)
                      m.seconds.push_back(seconds(point) * (1 + 0.01 * (i % 3)));
                  } catch (const ClauseError& refused) {
                    m.skipped = refused.what();
                  }
                  results.push_back(std::move(result));
                }
                return results;
              });
}

TEST(Tune, PutsTheFastestShapeInTheTable) {
  const Tuning tuning =
      tune_with([](const SweepPoint& point) { return point.items_per_worker == 4 ? 1. : 3.; }, 9);
  EXPECT_TRUE(tuning.all_passed()) << tuning.failure;
  EXPECT_EQ(tuning.tried, 4U) << "64 x 32 are more than a gang has";
  ASSERT_EQ(tuning.finalists.size(), 4U);
  EXPECT_EQ(tuning.finalists[0].point, (SweepPoint{{4, 32}, 1})) << "its own";
  EXPECT_EQ(tuning.finalists[0].measurement.seconds.size(), 9U);
  ASSERT_TRUE(tuning.entry);
  EXPECT_TRUE(tuning.entry->gained());
  EXPECT_EQ(tuning.entry->kernel, "made-up");
  EXPECT_EQ(tuning.entry->architecture, architecture());
  EXPECT_EQ(tuning.entry->mapping, (SweepPoint{{2, 8}, 4}));
  EXPECT_NEAR(tuning.entry->ratio, 3, 1e-9);
  EXPECT_EQ(tuning.entry->date.size(), 10U);
  EXPECT_TRUE(tuning.entry->where.starts_with("usual n=10 colour=re d, ")) << tuning.entry->where;
  const auto read = parse_tuning_table(tuning_table_text({*tuning.entry}), "the table");
  ASSERT_EQ(read.size(), 1U);
  EXPECT_EQ(read[0].mapping, tuning.entry->mapping);
  EXPECT_EQ(read[0].where, tuning.entry->where);
  expect_words(table_of(tuning), {"made-up · usual n=10", architecture(), "4 shapes run",
                                  "4 x 32, 1 each", "(its own)", "2 x 8, 4 each is faster"});
}

TEST(Tune, LooksCloserAtADozen) {
  StudyEntry entry;
  entry.own_shape = {{4, 32}, 1};
  std::vector<SweepPoint> points;
  for (int items = 1; items <= 40; ++items)
    points.push_back({{1, 1}, items});
  const Tuning tuning =
      tune(entry, {"usual", {}}, points, rounds(6),
           [](const std::vector<SweepPoint>& some, const RefereeOptions& options) {
             std::vector<SweepResult> results;
             for (const SweepPoint& point : some) {
               SweepResult result{point, {}};
               result.measurement.check.passed = true;
               result.measurement.seconds.assign(static_cast<std::size_t>(options.rounds),
                                                 50. - point.items_per_worker);
               results.push_back(std::move(result));
             }
             return results;
           });
  ASSERT_EQ(tuning.finalists.size(), 13U) << "and its own";
  for (std::size_t i = 1; i < 13; ++i)
    EXPECT_EQ(tuning.finalists[i].point.items_per_worker, 41 - static_cast<int>(i));
}

TEST(Tune, KeepsTheOwnShapeIfItIsTheFastest) {
  const Tuning tuning =
      tune_with([](const SweepPoint& point) { return point.clauses.workers == 4 ? 1. : 3.; }, 9);
  EXPECT_EQ(tuning.best, 0U);
  ASSERT_TRUE(tuning.entry);
  EXPECT_FALSE(tuning.entry->gained());
  EXPECT_EQ(tuning.entry->mapping, (SweepPoint{{4, 32}, 1}));
  EXPECT_EQ(parse_tuning_table(tuning_table_text({*tuning.entry}), "the table").size(), 1U);
  expect_words(table_of(tuning), {"none is faster; it keeps its own"});
}

TEST(Tune, KeepsTheOwnShapeUnlessTheIntervalSaysOtherwise) {
  // Faster by far, but three rounds give no verdict.
  const Tuning tuning =
      tune_with([](const SweepPoint& point) { return point.items_per_worker == 4 ? 1. : 3.; }, 3);
  EXPECT_TRUE(tuning.ratio);
  ASSERT_TRUE(tuning.entry);
  EXPECT_FALSE(tuning.entry->gained());
  EXPECT_EQ(tuning.entry->mapping, (SweepPoint{{4, 32}, 1}));
  expect_words(table_of(tuning), {"2 x 8, 4 each is not shown to be faster", "it keeps its own"});
}

/// Its luck in being chosen does not count: the shape that is chosen is timed again.
TEST(Tune, MeasuresTheFastestOnceMore) {
  int times = 0;
  const Tuning tuning = tune_with(
      [&](const SweepPoint& point) {
        if (point.items_per_worker == 4)
          return ++times <= 13 ? 1. : 3.; // a quick first look, and ten rounds of the second
        return 3.;
      },
      9);
  EXPECT_EQ(tuning.finalists.at(*tuning.best).point, (SweepPoint{{2, 8}, 4}));
  ASSERT_TRUE(tuning.entry);
  EXPECT_FALSE(tuning.entry->gained());
}

TEST(Tune, TakesNothingFromARunThatFails) {
  const Tuning tuning = tune_with(
      [](const SweepPoint& point) {
        return point.items_per_worker == 4 ? -1. : point.clauses.workers == 1 ? 1. : 3.;
      },
      9);
  EXPECT_FALSE(tuning.all_passed());
  EXPECT_FALSE(tuning.entry);
  expect_words(tuning.failure, {"4 each", "element 7"});
  expect_words(table_of(tuning), {"FAILED its check", "element 7"});
}

TEST(Tune, HasNothingToCompareWithWhereTheOwnShapeCannotRun) {
  const Tuning tuning = tune_with([](const SweepPoint&) { return 1.; }, 9, {{64, 64}, 1});
  EXPECT_TRUE(tuning.best);
  EXPECT_FALSE(tuning.entry);
  expect_words(table_of(tuning), {"its own shape cannot run here", "num_workers(64)"});
}

TEST(Tune, RunsAStudysLevels) {
  Doubling problem(10);
  const Tuning tuning = tune(study("doubling"), problem, {"usual", {}},
                             {{{1, 1}, 1}, {{2, 8}, 4}, {{64, 32}, 1}}, rounds(2));
  EXPECT_TRUE(tuning.all_passed()) << tuning.failure;
  EXPECT_EQ(tuning.tried, 2U);
  EXPECT_EQ(tuning.finalists.size(), 3U);
  EXPECT_TRUE(tuning.entry);
  EXPECT_EQ(present_arrays(), 0U);
  EXPECT_THROW(
      static_cast<void>(tune(study("another"), problem, {"usual", {}}, {{{1, 1}, 1}}, rounds(1))),
      base::UsageError);
}

// Shares and ceilings

Work work_of(double bytes, double flops = 0, bool single_precision = false) {
  Work work;
  work.bytes = bytes;
  work.flops = flops;
  work.single_precision = single_precision;
  return work;
}

TEST(ShareOfCeiling, IsOfWhatBinds) {
  Ceilings ceilings;
  ceilings.copy = 80;
  ceilings.triad = 100;
  ceilings.read = 90;
  ceilings.flops_double = 50;
  ceilings.flops_single = 200;
  ceilings.cache_bytes = 1000;
  // 1000 bytes at 100 a second, 100 operations at 50 a second.
  const Share bandwidth = share_of_ceiling(ceilings, work_of(1000, 100), 1e6, 20);
  EXPECT_EQ(bandwidth.ceiling, "bandwidth");
  EXPECT_DOUBLE_EQ(bandwidth.value, 0.5);
  ceilings.update = 200;
  EXPECT_DOUBLE_EQ(share_of_ceiling(ceilings, work_of(1000), 1e6, 20).value, 0.5);
  Work in_place = work_of(1000);
  in_place.in_place = true;
  EXPECT_DOUBLE_EQ(share_of_ceiling(ceilings, in_place, 1e6, 20).value, 0.25);
  ceilings.fill = 50;
  Work write_only = work_of(1000);
  write_only.write_only = true;
  EXPECT_DOUBLE_EQ(share_of_ceiling(ceilings, write_only, 1e6, 40).value, 0.5);
  const Share flops = share_of_ceiling(ceilings, work_of(1000, 1000), 1e6, 40);
  EXPECT_EQ(flops.ceiling, "flops (double)");
  EXPECT_DOUBLE_EQ(flops.value, 0.5);
  const Share single = share_of_ceiling(ceilings, work_of(100, 1000, true), 1e6, 10);
  EXPECT_EQ(single.ceiling, "flops (single)");
  EXPECT_DOUBLE_EQ(single.value, 0.5);
}

TEST(ShareOfCeiling, OfBandwidthNeedsMoreThanTheCache) {
  Ceilings ceilings;
  ceilings.copy = 100;
  ceilings.flops_double = 50;
  ceilings.cache_bytes = 1000;
  EXPECT_EQ(share_of_ceiling(ceilings, work_of(1000), 1999, 20).value, 0);
  EXPECT_EQ(share_of_ceiling(ceilings, work_of(1000), 1999, 20).ceiling, "fits in cache");
  EXPECT_EQ(share_of_ceiling(ceilings, work_of(1000), 2000, 20).ceiling, "bandwidth");
  EXPECT_EQ(share_of_ceiling(ceilings, work_of(10, 1000), 1999, 40).value, 0.5)
      << "of the processor a cache is no excuse";
}

TEST(ShareOfCeiling, SaysWhyThereIsNone) {
  EXPECT_EQ(share_of_ceiling({}, work_of(100, 10), 1e6, 1).ceiling, "no work declared");
  Ceilings ceilings;
  ceilings.copy = 100;
  EXPECT_EQ(share_of_ceiling(ceilings, {}, 1e6, 1).ceiling, "no work declared");
  for (const double seconds : {0.0, -1.0, std::nan("")}) {
    EXPECT_EQ(share_of_ceiling(ceilings, work_of(100), 1e6, seconds).value, 0);
    EXPECT_EQ(share_of_ceiling(ceilings, work_of(100), 1e6, seconds).ceiling, "no time");
  }
}

TEST(ShareOfLink, CountsBothDirections) {
  Ceilings ceilings;
  EXPECT_EQ(share_of_link(ceilings, 100, 100, 1).ceiling, "no link");
  ceilings.link_in = ceilings.link_out = 5;
  ceilings.link_in_pinned = 10;
  ceilings.link_out_pinned = 20;
  EXPECT_DOUBLE_EQ(share_of_link(ceilings, 100, 100, 30).value, 0.5) << "of the link at its best";
  EXPECT_EQ(share_of_link(ceilings, 100, 100, 0).value, 0);
}

TEST(ShareOfRun, FollowsTheScope) {
  Ceilings ceilings;
  ceilings.copy = 100;
  ceilings.link_in = ceilings.link_out = 10;
  Doubling problem(10); // 160 bytes of work, 80 in, 80 out
  EXPECT_DOUBLE_EQ(share_of_run(problem, ceilings, Scope::kernel, 3.2).value, 0.5);
  const WithMemory separate(Memory::separate);
  EXPECT_DOUBLE_EQ(share_of_run(problem, ceilings, Scope::kernel, 3.2).value, 0.5);
  EXPECT_DOUBLE_EQ(share_of_run(problem, ceilings, Scope::whole, 32).value, 0.5)
      << "what crosses the link takes longest";
}

TEST(CeilingsTest, AreThoseOfARealMachine) {
  const Ceilings c = measure_ceilings(Effort::quick);
  for (const double rate : {c.copy, c.triad, c.read, c.update, c.fill})
    EXPECT_GT(rate, 1e8);
  EXPECT_GT(c.triad, c.copy / 3);
  EXPECT_LT(c.triad, c.copy * 3);
  Work work;
  const double mixed = std::max({c.copy, c.triad, c.read});
  EXPECT_EQ(c.bandwidth(work), mixed);
  work.in_place = true;
  EXPECT_EQ(c.bandwidth(work), std::max(mixed, c.update));
  EXPECT_GT(c.flops_double, 1e8);
  EXPECT_GT(c.flops_single, 1e8);
  EXPECT_GT(c.launch, 0);
  EXPECT_LT(c.launch, 1);
  EXPECT_GE(c.array_bytes, 32e6);
  EXPECT_GE(c.array_bytes, c.cache_bytes) << "or it would measure the cache";
  if (!has_device) {
    EXPECT_EQ(c.link_in, 0) << "there is no link";
  } else {
    for (const double rate : {c.link_in, c.link_out, c.link_in_pinned, c.link_out_pinned})
      EXPECT_GT(rate, 1e8);
  }
}

// Binding

TEST(BindingTest, BoundDataMovesNothingDuringARun) {
  const WithMemory separate(Memory::separate);
  Doubling problem(1000);
  const CaseResult result = measure(study("doubling"), problem, nullptr, {}, rounds(1));
  EXPECT_EQ(measurement(result, "plain").transfers, Transfers{});
  EXPECT_EQ(measurement(result, "teams").transfers, Transfers{});
}

TEST(BindingTest, UnboundDataMovesWhatTheClausesSay) {
  const WithMemory separate(Memory::separate);
  Doubling problem(1000);
  const CaseResult result =
      measure(study("doubling"), problem, nullptr, {}, rounds(1, Scope::whole));
  const Transfers expected{.to_device = 1,
                           .to_host = 1,
                           .bytes_to_device = 8000,
                           .bytes_to_host = 8000,
                           .allocations = 2};
  EXPECT_EQ(measurement(result, "plain").transfers, expected);
  EXPECT_EQ(measurement(result, "teams").transfers, expected);
}

TEST(BindingTest, HoldsEveryArrayAsItsIntentSays) {
  const WithMemory separate(Memory::separate);
  struct Four : Doubling {
    using Doubling::Doubling;
    std::vector<double> in = std::vector<double>(10, 1), out = std::vector<double>(20, 2),
                        inout = std::vector<double>(30, 3), scratch = std::vector<double>(40, 4),
                        none;
    std::vector<Buffer> buffers() override {
      return {Buffer::of("in", in, Intent::in), Buffer::of("out", out, Intent::out),
              Buffer::of("inout", inout, Intent::inout),
              Buffer::of("scratch", scratch, Intent::scratch),
              Buffer::of("none", none, Intent::in)};
    }
  } problem(std::size_t{1});
  reset_transfers();
  {
    const Binding binding(problem, nullptr);
    EXPECT_EQ(present_arrays(), 4U) << "an empty array is none";
    EXPECT_EQ(transfers().bytes_to_device, 80U) << "inputs go once";
    binding.to_device();
    EXPECT_EQ(transfers().bytes_to_device, 80U + 400) << "what a reset changed";
    EXPECT_EQ(transfers().bytes_to_host, 0U);
    std::fill(problem.out.begin(), problem.out.end(), -1);
    binding.to_host();
    EXPECT_EQ(transfers().bytes_to_host, 400U) << "what a check reads";
    EXPECT_EQ(problem.out.front(), 2);
  }
  EXPECT_EQ(present_arrays(), 0U);
  EXPECT_EQ(transfers().bytes_to_host, 400U) << "the end copies nothing";
}

TEST(BindingTest, IsUndoneWhenAnArrayCannotBeBound) {
  const WithMemory separate(Memory::separate);
  struct Overlapping : Doubling {
    using Doubling::Doubling;
    std::vector<double> all = std::vector<double>(10, 1);
    std::vector<Buffer> buffers() override {
      return {{"head", all.data(), 40, Intent::in}, {"all", all.data(), 80, Intent::in}};
    }
  } problem(std::size_t{1});
  EXPECT_THROW(const Binding binding(problem, nullptr), DataError);
  EXPECT_EQ(present_arrays(), 0U);
}

/// A pretended GPU whose memory is the library's: kernels work on what was bound.
class PretendedGpu : public ::testing::Test {
protected:
  void SetUp() override {
    if (has_device)
      GTEST_SKIP() << "its kernels run on the host";
  }
  /// As the OpenACC runtime sees it.
  [[nodiscard]] bool bound(Problem& problem) const {
    return _openacc.is_present(problem.buffers().front().host, 8);
  }
  OpenAccLibrary _openacc{fake("gpu")};
};

TEST_F(PretendedGpu, RunsOnTheSameAllocation) {
  const WithMemory separate(Memory::separate);
  Doubling problem(1000);
  {
    const Binding binding(problem, &_openacc);
    for (const Buffer& buffer : problem.buffers())
      EXPECT_TRUE(_openacc.is_present(buffer.host, buffer.bytes));
  }
  EXPECT_FALSE(bound(problem));
  const CaseResult result = measure(study("doubling"), problem, &_openacc, {}, rounds(2));
  EXPECT_TRUE(measurement(result, "plain", Model::openacc).check.passed)
      << "its result was fetched from the device";
  EXPECT_EQ(measurement(result, "plain", Model::openacc).transfers, Transfers{})
      << "bound data moves nothing";
  EXPECT_FALSE(bound(problem));
  EXPECT_EQ(present_arrays(), 0U);
}

/// GCC's runtime on an NVIDIA device: what it does not say is not 0.
TEST(PretendedSilentGpu, DoesNotReportItsTransfers) {
  const WithMemory separate(Memory::separate);
  const OpenAccLibrary silent(fake("silent_gpu"));
  EXPECT_FALSE(silent.transfers());
  Doubling problem(1000);
  const CaseResult result =
      measure(study("doubling"), problem, &silent, {}, rounds(1, Scope::whole));
  EXPECT_FALSE(measurement(result, "plain", Model::openacc).transfers);
  EXPECT_EQ(measurement(result, "plain").transfers->to_device, 1U);
  expect_words(table_of(result), {"transfers of one run", "does not report its transfers"});
}

TEST_F(PretendedGpu, UnboundDataMovesWhatTheClausesSay) {
  const WithMemory separate(Memory::separate);
  Doubling problem(1000);
  const CaseResult result =
      measure(study("doubling"), problem, &_openacc, {}, rounds(1, Scope::whole));
  EXPECT_EQ(measurement(result, "plain", Model::openacc).transfers,
            (Transfers{.to_device = 1,
                       .to_host = 1,
                       .bytes_to_device = 8000,
                       .bytes_to_host = 8000,
                       .allocations = 0}));
}

TEST_F(PretendedGpu, NothingStaysBoundAfterAnError) {
  const WithMemory separate(Memory::separate);
  StudyEntry entry = study("doubling");
  entry.kokkos.push_back(variant(
      "throws",
      [&](Problem& problem) -> harness::Run {
        return [&] {
          EXPECT_TRUE(bound(problem));
          throw std::runtime_error("in a kernel");
        };
      },
      Model::kokkos, true));
  Doubling problem(10);
  EXPECT_THROW(static_cast<void>(measure(entry, problem, &_openacc, {}, rounds(1))),
               std::runtime_error);
  EXPECT_FALSE(bound(problem));
  EXPECT_EQ(present_arrays(), 0U);
}

// The OpenACC library

TEST(OpenAccLibraryTest, SaysWhatItIs) {
  if (has_device)
    GTEST_SKIP() << refused_beside_a_gpu;
  const OpenAccLibrary loaded(fake("host"));
  EXPECT_EQ(loaded.path(), fake("host"));
  EXPECT_EQ(loaded.compiler(), "Pretend 1.0");
  EXPECT_EQ(loaded.flags(), "-facc \"quoted\"");
  EXPECT_EQ(loaded.version(), 201711);
  EXPECT_EQ(loaded.ran_on(), "host");
  EXPECT_FALSE(loaded.on_gpu());
  EXPECT_EQ(loaded.device_name(), "Abacus");
  EXPECT_EQ(loaded.device_memory().total, 2000U);
  EXPECT_EQ(loaded.device_memory().free, 1000U);
}

TEST(OpenAccLibraryTest, FindsVariantsByTheirSymbol) {
  if (has_device)
    GTEST_SKIP() << refused_beside_a_gpu;
  EXPECT_EQ(OpenAccLibrary::symbol("spmv", "vector-32"), "gangway_spmv_vector_32");
  EXPECT_EQ(OpenAccLibrary::symbol("two-words", "a-b-c"), "gangway_two_words_a_b_c");
  const OpenAccLibrary loaded(fake("host"));
  EXPECT_NE(loaded.find("doubling", "plain"), nullptr);
  EXPECT_NE(loaded.find("doubling", "half-done"), nullptr);
  EXPECT_EQ(loaded.find("doubling", "other"), nullptr);
  EXPECT_EQ(loaded.find("other", "plain"), nullptr);
}

TEST(OpenAccLibraryTest, RefusesWhatIsNotOne) {
  const auto message = [](const fs::path& path) {
    return message_of<base::UsageError>([&] { const OpenAccLibrary loaded(path); });
  };
  expect_words(message("/nowhere/libgangway_openacc.so"),
               {"OpenACC library: /nowhere/libgangway_openacc.so", "No such file"});
  expect_words(message(""), {"OpenACC library"});
  expect_words(message("/"), {"OpenACC library: /"});
  expect_words(message("/proc/self/cmdline"), {"OpenACC library: ", "cmdline"});
  expect_words(message(fake("unrelated")), {fake("unrelated"), "no function gangway_openacc_abi",
                                            "is it one that Gangway built"});
  expect_words(message(fake("without_map")), {"no function gangway_openacc_map"});
  expect_words(message(fake("other_abi")), {"version 999", "speaks 1", "from the same sources"});
  expect_words(message(fake("no_device")), {"Pretend 1.0", "Is it built for a GPU"});
}

TEST(OpenAccLibraryTest, ANameWithoutAFolderIsAFileHere) {
  if (has_device)
    GTEST_SKIP() << refused_beside_a_gpu;
  const fs::path before = fs::current_path();
  fs::current_path(gangway::testing::beside_program("fake"));
  EXPECT_NO_THROW(const OpenAccLibrary loaded("host.so"));
  fs::current_path(before);
}

TEST(OpenAccLibraryTest, TheDefaultIsBesideTheProgramUnlessNamed) {
  ASSERT_EQ(unsetenv("GANGWAY_OPENACC_LIBRARY"), 0);
  const fs::path beside = OpenAccLibrary::default_path();
  EXPECT_EQ(beside.filename(), "libgangway_openacc.so");
  EXPECT_EQ(beside.parent_path(), fs::read_symlink("/proc/self/exe").parent_path());
  ASSERT_EQ(setenv("GANGWAY_OPENACC_LIBRARY", "/some/where.so", 1), 0);
  EXPECT_EQ(OpenAccLibrary::default_path(), "/some/where.so");
  ASSERT_EQ(setenv("GANGWAY_OPENACC_LIBRARY", "", 1), 0);
  EXPECT_EQ(OpenAccLibrary::default_path(), beside);
}

// Files

class OutputFile : public ::testing::Test {
protected:
  [[nodiscard]] std::string contents(const fs::path& path) const {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  [[nodiscard]] std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(_folder.path()), fs::directory_iterator()));
  }
  testing::TemporaryFolder _folder;
};

TEST_F(OutputFile, IsWritten) {
  const fs::path path = _folder / "a.json";
  base::require_writable(path);
  EXPECT_EQ(files(), 0U) << "asking leaves nothing";
  base::write_whole(path, std::string("one\0two\n", 8));
  EXPECT_EQ(contents(path), std::string("one\0two\n", 8));
  base::write_whole(path, "shorter");
  EXPECT_EQ(contents(path), "shorter");
  EXPECT_EQ(files(), 1U) << "nothing is left beside it";
}

TEST_F(OutputFile, MayBeNamedWithoutAFolder) {
  const fs::path before = fs::current_path();
  fs::current_path(_folder.path());
  base::require_writable("a.json");
  base::write_whole("a.json", "x");
  fs::current_path(before);
  EXPECT_EQ(contents(_folder / "a.json"), "x");
}

TEST_F(OutputFile, UnwritablePathsAreRefused) {
  base::write_whole(_folder / "file", "x");
  const auto refuses = [](const fs::path& path, const std::vector<std::string>& words) {
    expect_words(message_of<base::UsageError>([&] { base::require_writable(path); }), words);
  };
  refuses(_folder.path(), {"cannot write " + _folder.path().string(), "it is a directory"});
  refuses(_folder / "none" / "a.json", {"cannot write ", "there is no directory"});
  refuses(_folder / "file" / "a.json", {"cannot write ", "there is no directory"});
  refuses("/proc/a.json", {"cannot write /proc/a.json: "}); // refused even to root
  refuses("", {"without a name"});
  EXPECT_EQ(files(), 1U);
}

TEST_F(OutputFile, AFileThatCannotBeWrittenLeavesNothing) {
  for (const fs::path& path : {fs::path("/proc/a.json"), _folder / "none" / "a.json"})
    expect_words(message_of<base::UsageError>([&] { base::write_whole(path, "x"); }),
                 {"cannot write " + path.string()});
  fs::create_directory(_folder / "directory");
  EXPECT_THROW(base::write_whole(_folder / "directory", "x"), base::UsageError);
  EXPECT_EQ(files(), 1U);
  EXPECT_TRUE(fs::is_directory(_folder / "directory"));
}

TEST_F(OutputFile, AFullDiskIsSaidAndTheOldFileStays) {
  const std::string message =
      message_of<base::UsageError>([] { base::write_whole("/dev/full", "x"); });
  expect_words(message, {"cannot write /dev/full: No space left on device"});
}

TEST_F(OutputFile, LinksLeadToTheirFile) {
  base::write_whole(_folder / "real", "old");
  fs::create_symlink("real", _folder / "link");
  base::write_whole(_folder / "link", "new");
  EXPECT_TRUE(fs::is_symlink(_folder / "link"));
  EXPECT_EQ(contents(_folder / "real"), "new");
  fs::create_symlink("not yet", _folder / "dangling");
  base::require_writable(_folder / "dangling");
  base::write_whole(_folder / "dangling", "newer");
  EXPECT_EQ(contents(_folder / "not yet"), "newer");
}

TEST_F(OutputFile, DevicesAndPipesAreNotReplaced) {
  base::require_writable("/dev/null");
  base::write_whole("/dev/null", "x");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  const fs::path pipe = _folder / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  base::require_writable(pipe);
  std::string read;
  std::thread reader([&] { read = contents(pipe); });
  base::write_whole(pipe, "through the pipe");
  reader.join();
  EXPECT_EQ(read, "through the pipe");
  EXPECT_TRUE(fs::is_fifo(pipe));
}

// The report

/// One of each kind: timed, with everything; failed; skipped; an OpenACC twin; a yardstick.
Results made_up_results() {
  CaseResult result;
  result.study = "doubling";
  result.name = "a \"quoted\", name";
  result.settings = {{"n", "100"}, {"file", "a,b.mtx"}, {"empty", ""}};
  result.description = "100 elements";
  result.work = {.bytes = 1600, .flops = 100, .reasoning = "x once, y once"};
  result.working_set = 1600;
  Measurement timed;
  timed.variant = "plain";
  timed.seconds = {2e-3, 1e-3, 3e-3};
  timed.shapes = {{{4, 32}, 25, 1, 1, {}}, {{}, 0, 0, 0, {8, 100}}};
  timed.check = {true, 0.25, 0.5, "every element"};
  timed.runs_checked = 4;
  timed.share = {0.75, "bandwidth"};
  timed.transfers = {.to_device = 1, .to_host = 2, .bytes_to_device = 800, .bytes_to_host = 1600};
  Measurement twin = timed;
  twin.model = Model::openacc;
  twin.shapes.clear();
  twin.seconds = {4e-3, 2e-3, 6e-3};
  twin.share = {0, "fits in cache"};
  Measurement failed;
  failed.variant = "half-done";
  failed.check = {false, std::nan(""), 0.5, "element 7"};
  failed.runs_checked = 2;
  Measurement skipped;
  skipped.variant = "teams";
  skipped.beyond = true;
  skipped.skipped = "no teams\nhere, \"yet\"";
  Measurement yardstick = timed;
  yardstick.variant = "library";
  yardstick.model = Model::yardstick;
  yardstick.beyond = true;
  result.measurements = {timed, twin, failed, skipped, yardstick};
  result.comparisons = {
      {Comparison::Kind::twins, "kokkos:plain", "openacc:plain", {2, 1.5, 2.5, 21}},
      {Comparison::Kind::best, "kokkos:plain", "openacc:plain", {2, 1.5, 2.5, 21}},
      {Comparison::Kind::yardstick, "kokkos:plain", "yardstick:library", {1, 0.9, 1.1, 21}}};
  Results results;
  results.provenance = {{"date", "today"}, {"flags", "-O3 \"x\""}};
  results.ceilings.copy = 1e9;
  results.cases = {result};
  return results;
}

TEST(Json, HasEverything) {
  const auto json = nlohmann::json::parse(text_of(to_json(made_up_results())));
  EXPECT_EQ(json["schema"], "gangway-results/1");
  EXPECT_EQ(json["provenance"]["flags"], "-O3 \"x\"");
  EXPECT_EQ(json["ceilings"]["copy_bytes_per_second"], 1e9);
  const auto& one = json["cases"][0];
  EXPECT_EQ(one["study"], "doubling");
  EXPECT_EQ(one["case"], "a \"quoted\", name");
  EXPECT_EQ(one["scope"], "kernel");
  EXPECT_EQ(one["settings"]["file"], "a,b.mtx");
  EXPECT_EQ(one["work"]["bytes"], 1600);
  EXPECT_EQ(one["working_set_bytes"], 1600);
  ASSERT_EQ(one["measurements"].size(), 5U);
  const auto& timed = one["measurements"][0];
  EXPECT_EQ(timed["model"], "kokkos");
  EXPECT_EQ(timed["seconds"].size(), 3U);
  EXPECT_EQ(timed["time"]["median"], 2e-3);
  EXPECT_EQ(timed["time"]["rounds"], 3);
  EXPECT_EQ(timed["check"]["runs"], 4);
  EXPECT_EQ(timed["share"]["value"], 0.75);
  EXPECT_EQ(timed["share"]["of"], "bandwidth");
  EXPECT_EQ(timed["shapes"][0]["requested"]["workers"], 4);
  EXPECT_EQ(timed["shapes"][0]["gangs"], 25);
  EXPECT_EQ(timed["shapes"][1]["tile"], (std::vector<int>{8, 100}));
  EXPECT_EQ(timed["transfers"]["bytes_to_host"], 1600);
  EXPECT_TRUE(one["measurements"][1]["share"]["value"].is_null()) << "and why is in `of`";
  EXPECT_TRUE(one["measurements"][2]["transfers"].is_null()) << "nobody counted";
  const auto& failed = one["measurements"][2];
  EXPECT_FALSE(failed.contains("seconds")) << "what failed has no time";
  EXPECT_FALSE(failed["check"]["passed"]);
  EXPECT_TRUE(failed["check"]["error"].is_null()) << "JSON has no NaN";
  const auto& skipped = one["measurements"][3];
  EXPECT_EQ(skipped["skipped"], "no teams\nhere, \"yet\"");
  EXPECT_FALSE(skipped.contains("check")) << "what was not run was not checked";
  ASSERT_EQ(one["comparisons"].size(), 3U);
  EXPECT_EQ(one["comparisons"][0]["kind"], "twins");
  EXPECT_EQ(one["comparisons"][0]["verdict"], "faster");
  EXPECT_EQ(one["comparisons"][2]["verdict"], "no difference");
}

TEST(Json, HasSweeps) {
  const Results results = made_up_results();
  SweepTable table;
  table.stages = results.cases[0];
  SweepResult point;
  point.point = {{4, 32}, 2};
  point.measurement = results.cases[0].measurements[0];
  table.points = {point};
  const auto json = nlohmann::json::parse(text_of(to_json(results, {table})));
  ASSERT_EQ(json["sweeps"].size(), 1U);
  EXPECT_EQ(json["sweeps"][0]["study"], "doubling");
  EXPECT_EQ(json["sweeps"][0]["points"][0]["workers"], 4);
  EXPECT_EQ(json["sweeps"][0]["points"][0]["vector"], 32);
  EXPECT_EQ(json["sweeps"][0]["points"][0]["items_per_worker"], 2);
  EXPECT_EQ(json["sweeps"][0]["points"][0]["measurement"]["time"]["median"], 2e-3);
}

TEST(Json, TakesNamesThatAreNotUtf8) {
  Results results = made_up_results();
  results.cases[0].settings[1].value = "caf\xe9.mtx";
  const auto json = nlohmann::json::parse(text_of(to_json(results)));
  EXPECT_EQ(json["cases"][0]["settings"]["file"], "caf\uFFFD.mtx");
}

/// Rows and fields of CSV as RFC 4180 has it.
std::vector<std::vector<std::string>> parse_csv(const std::string& text) {
  std::vector<std::vector<std::string>> rows{{""}};
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (quoted && text[i] == '"' && i + 1 < text.size() && text[i + 1] == '"')
      rows.back().back() += text[++i];
    else if (text[i] == '"')
      quoted = !quoted;
    else if (!quoted && text[i] == ',')
      rows.back().emplace_back();
    else if (!quoted && text[i] == '\n')
      rows.push_back({""});
    else
      rows.back().back() += text[i];
  }
  EXPECT_FALSE(quoted);
  EXPECT_EQ(rows.back(), std::vector<std::string>{""}) << "it ends with a line end";
  rows.pop_back();
  return rows;
}

TEST(Csv, HasALineAMeasurement) {
  const auto rows = parse_csv(to_csv(made_up_results()));
  ASSERT_EQ(rows.size(), 6U);
  for (const auto& row : rows)
    EXPECT_EQ(row.size(), rows.front().size());
  const auto field = [&](std::size_t row, const std::string& name) {
    const auto column = std::find(rows[0].begin(), rows[0].end(), name) - rows[0].begin();
    return rows.at(row).at(static_cast<std::size_t>(column));
  };
  EXPECT_EQ(field(1, "study"), "doubling");
  EXPECT_EQ(field(1, "case"), "a \"quoted\", name");
  EXPECT_EQ(field(1, "settings"), "n=100 file=a,b.mtx");
  EXPECT_EQ(field(1, "model"), "kokkos");
  EXPECT_EQ(field(1, "passed"), "true");
  EXPECT_EQ(field(1, "rounds"), "3");
  EXPECT_EQ(std::stod(field(1, "median_seconds")), 2e-3);
  EXPECT_EQ(std::stod(field(1, "low_seconds")), 1e-3);
  EXPECT_EQ(std::stod(field(1, "high_seconds")), 3e-3);
  EXPECT_EQ(field(1, "share"), "0.75");
  EXPECT_EQ(field(1, "ceiling"), "bandwidth");
  EXPECT_EQ(field(1, "shape"), "25 x 1 x 1 (+1)");
  EXPECT_EQ(field(1, "to_device"), "1");
  EXPECT_EQ(field(1, "to_host"), "2");
  EXPECT_EQ(field(1, "bytes_to_device"), "800");
  EXPECT_EQ(field(1, "bytes_to_host"), "1600");
  EXPECT_EQ(field(3, "to_device"), "") << "nobody counted";
  EXPECT_EQ(field(2, "model"), "openacc");
  EXPECT_EQ(field(3, "passed"), "false");
  EXPECT_EQ(field(3, "rounds"), "0");
  EXPECT_EQ(field(4, "passed"), "") << "it was not run";
  EXPECT_EQ(field(4, "skipped"), "no teams\nhere, \"yet\"");
  EXPECT_EQ(field(5, "variant"), "library");
}

TEST(Table, SaysItAll) {
  const std::string table = table_of(made_up_results().cases[0]);
  expect_words(table,
               {"doubling · a \"quoted\", name · scope kernel", "100 elements", "2 ms", "4 ms",
                "2 [1.5, 2.5]", "Kokkos faster", "75 % bandwidth", "fits in cache", "FAILED",
                "teams (beyond)", "skipped", "library (yardstick)",
                "kokkos teams skipped: no teams", "kokkos half-done FAILED its check: element 7",
                "25 x 1 x 1 (+1)", "kokkos:plain faster than openacc:plain: 2 [1.5, 2.5]",
                "kokkos:plain and yardstick:library, no difference shown: 1 [0.9, 1.1]"});
}

/// Counts and bytes of both models, in the scope where data moves.
TEST(Table, ShowsTransfersSideBySide) {
  CaseResult result = made_up_results().cases[0];
  EXPECT_EQ(table_of(result).find("transfers of one run"), std::string::npos);
  result.scope = Scope::whole;
  result.measurements[1].transfers = {.to_device = 2000,
                                      .to_host = 1000,
                                      .bytes_to_device = 8'000'000,
                                      .bytes_to_host = 4'096'000'000};
  std::istringstream text(table_of(result));
  const auto words_of = [&](const std::string& first) {
    for (std::string line; std::getline(text, line);) {
      std::istringstream stream(line);
      std::vector<std::string> words{std::istream_iterator<std::string>(stream), {}};
      if (!words.empty() && words[0] == first)
        return words;
    }
    return std::vector<std::string>{};
  };
  static_cast<void>(words_of("transfers"));
  EXPECT_EQ(words_of("plain"),
            (std::vector<std::string>{"plain", "1", "800", "B", "2", "1.6", "kB", "2000", "8", "MB",
                                      "1000", "4.096", "GB"}));
  EXPECT_EQ(words_of("half-done"), (std::vector<std::string>{"half-done", "?", "?", "?", "?"}));
  EXPECT_EQ(words_of("teams"), (std::vector<std::string>{"teams", "(beyond)", "-", "-", "-", "-"}));
}

TEST(Table, SaysThatNothingMovesInSharedMemory) {
  if (memory() == Memory::separate)
    GTEST_SKIP() << "this device has a memory of its own";
  Doubling problem(1000);
  const CaseResult result =
      measure(study("doubling"), problem, nullptr, {}, rounds(1, Scope::whole));
  expect_words(table_of(result), {"nothing is moved", "--separate-memory"});
  const WithMemory separate(Memory::separate);
  const CaseResult moved =
      measure(study("doubling"), problem, nullptr, {}, rounds(1, Scope::whole));
  EXPECT_EQ(table_of(moved).find("nothing is moved"), std::string::npos);
}

TEST(Table, LinesUpUtf8) {
  CaseResult result = made_up_results().cases[0];
  result.measurements.resize(2);
  result.measurements[0].seconds = {2e-6}; // µ is two bytes
  std::vector<std::string> lines;
  std::istringstream text(table_of(result));
  for (std::string line; std::getline(text, line);)
    lines.push_back(line);
  const auto column = [](const std::string& line, const std::string& word) {
    const auto at = line.find(word);
    return std::count_if(line.begin(), line.begin() + static_cast<std::ptrdiff_t>(at),
                         [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }) +
           static_cast<std::ptrdiff_t>(word.size());
  };
  ASSERT_GE(lines.size(), 4U);
  EXPECT_EQ(column(lines[2], "OpenACC"), column(lines[3], "4 ms")) << lines[2] << "\n" << lines[3];
}

TEST(Table, OfASweepMarksTheBest) {
  SweepTable table;
  table.stages = made_up_results().cases[0];
  for (const double seconds : {2e-3, 1e-3}) {
    SweepResult point;
    point.point = {{seconds > 1e-3 ? 1 : 4, 32}, 2};
    point.measurement.seconds = {seconds};
    point.measurement.check.passed = true;
    table.points.push_back(point);
  }
  std::istringstream text(table_of(table));
  std::vector<std::string> marked;
  for (std::string line; std::getline(text, line);)
    if (line.find("<- best") != std::string::npos)
      marked.push_back(line);
  ASSERT_EQ(marked.size(), 1U);
  expect_words(marked[0], {"4", "32", "1 ms", "1.00"});
}

TEST(Times, AreReadable) {
  EXPECT_EQ(seconds_text(12.34e-6), "12.3 µs");
  EXPECT_EQ(seconds_text(4.56e-3), "4.56 ms");
  EXPECT_EQ(seconds_text(1.234), "1.23 s");
  EXPECT_EQ(seconds_text(0), "0 µs");
}

TEST(ProvenanceTest, SaysWhereNumbersComeFrom) {
  if (has_device)
    GTEST_SKIP() << refused_beside_a_gpu;
  const OpenAccLibrary openacc(fake("host"));
  const Provenance facts = provenance(&openacc);
  const auto fact = [&](const std::string& name) {
    const auto found = std::find_if(facts.begin(), facts.end(),
                                    [&](const auto& entry) { return entry.first == name; });
    return found == facts.end() ? std::string("(missing)") : found->second;
  };
  for (const char* name :
       {"date", "gangway", "kokkos", "kokkos kernels", "kokkos compiler", "kokkos flags",
        "contraction (FMA)", "memory", "processor", "host threads", "system"}) {
    EXPECT_NE(fact(name), "(missing)") << name;
    EXPECT_NE(fact(name), "") << name;
  }
  EXPECT_EQ(fact("openacc compiler"), "Pretend 1.0");
  EXPECT_EQ(fact("openacc flags"), "-facc \"quoted\"");
  EXPECT_EQ(fact("openacc version"), "201711");
  EXPECT_EQ(fact("openacc device"), "host Abacus");
  EXPECT_TRUE(fact("gangway").starts_with("0."));
  EXPECT_EQ(text_of(facts).find('\t'), std::string::npos);
  const Provenance all = environment(&openacc);
  ASSERT_GT(all.size(), facts.size());
  std::string shown;
  for (const auto& [name, value] : all)
    shown.append(name).append(": ").append(value).append("\n");
  expect_words(shown, {"kokkos backends: " + std::string(Kokkos::DefaultExecutionSpace::name()),
                       "kokkos devices: ", "host memory: ", " GB free", "openacc library: ",
                       "openacc devices: the host", "openacc transfers: none on the host"});
  const Provenance without = provenance(nullptr);
  EXPECT_EQ(without.back(), (std::pair<std::string, std::string>{"openacc", "none"}));
}

} // namespace
} // namespace gangway::harness
