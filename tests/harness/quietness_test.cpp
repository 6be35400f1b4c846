// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/quietness.hpp"

#include "doubling.hpp"
#include "gangway/device.hpp"
#include "harness/report.hpp"
#include "harness/summary.hpp"
#include "testing/messages.hpp"
#include "testing/temporary_folder.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

namespace gangway::harness {
namespace {

namespace fs = std::filesystem;
using testing::expect_words;

/// A machine of files, which tells what a test writes.
class FakeMachine : public ::testing::Test {
protected:
  void SetUp() override {
    thread(1, "Cpus_allowed_list:\t0-1\n", "100 200 3");
    write("proc/loadavg", "3.40 1.00 0.50 5/100 1234\n");
  }

  void write(const std::string& name, const std::string& text) const {
    fs::create_directories((_root / name).parent_path());
    std::ofstream(_root / name) << text;
  }
  void thread(int id, const std::string& status, const std::string& statistics) const {
    const std::string folder = "proc/self/task/" + std::to_string(id);
    write(folder + "/status", "Name:\ttest\n" + status);
    write(folder + "/schedstat", statistics);
  }
  /// Ticks of user, nice, system, idle, waiting for disks, interrupts of two kinds, stolen.
  void statistics_of_processors(const std::string& text) const { write("proc/stat", text); }

private:
  testing::TemporaryFolder _folder;

protected:
  const fs::path& _root = _folder.path();
};

TEST_F(FakeMachine, CountsItsProcessorsOnly) {
  thread(2, "Cpus_allowed_list:\t2,4-5\n", "");
  statistics_of_processors("cpu  9999 0 0 0 0 0 0 999 0 0\n"
                           "cpu0 100 20 3 500 7 4 3 10 0 0\n"
                           "cpu1 200 0 0 500 0 0 0 0 0 0\n"
                           "cpu2 1 0 0 500 0 0 0 0 0 0\n"
                           "cpu3 7777 0 0 0 0 0 0 77 0 0\n"
                           "cpu12 7777 0 0 0 0 0 0 77 0 0\n"
                           "intr 1 2 3\n");
  const Machine machine(2, _root);
  const double tick = 1.0 / static_cast<double>(sysconf(_SC_CLK_TCK));
  EXPECT_EQ(machine.processors(), 5) << "what any thread may use";
  EXPECT_EQ(machine.load(), 3.4);
  const MachineCounts counts = machine.counts();
  EXPECT_NEAR(counts.everybody.value_or(0), (130 + 200 + 1) * tick, 1e-9);
  EXPECT_NEAR(counts.stolen, 10 * tick, 1e-9);
  EXPECT_GT(counts.own, 0);
  EXPECT_GT(counts.wall, 0);
}

TEST_F(FakeMachine, SaysWhatItDoesNotKnow) {
  const Machine silent(2, _root / "nowhere");
  EXPECT_GT(silent.processors(), 0);
  EXPECT_FALSE(silent.load());
  EXPECT_FALSE(silent.counts().everybody);
  Waits waits(Threads::all, _root / "nowhere");
  waits.find_threads();
  waits.start();
  EXPECT_FALSE(waits.stop());
  // Some sandboxes have the file, and count nothing.
  statistics_of_processors("cpu  0 0 0 0 0 0 0 0 0 0\ncpu0 0 0 0 0 0 0 0 0 0 0\n");
  EXPECT_FALSE(Machine(2, _root).counts().everybody);
  for (const char* damaged : {"", "cpu0", "cpu0 1 2\n", "cpu0 a b c d e f g\n"}) {
    statistics_of_processors(damaged);
    EXPECT_FALSE(Machine(2, _root).counts().everybody) << damaged;
  }
  const Noise unknown = silent.between({.wall = 1}, {.wall = 2});
  EXPECT_FALSE(unknown.others);
  EXPECT_FALSE(was_busy(unknown));
  EXPECT_FALSE(looks_busy(unknown));
}

TEST_F(FakeMachine, TakesMeans) {
  const Machine machine(2, _root);
  const MachineCounts before{.wall = 10, .own = 5, .everybody = 100, .stolen = 1, .preemptions = 7};
  MachineCounts after{.wall = 14, .own = 9, .everybody = 110, .stolen = 1.2, .preemptions = 9};
  const Noise noise = machine.between(before, after);
  EXPECT_EQ(noise.seconds, 4);
  EXPECT_EQ(noise.threads, 2);
  EXPECT_EQ(noise.processors, 2);
  EXPECT_DOUBLE_EQ(noise.others.value_or(0), 1.5);
  EXPECT_NEAR(noise.stolen, 0.05, 1e-12);
  EXPECT_EQ(noise.preemptions, 2);
  after.everybody = 103; // own time is counted finer
  EXPECT_EQ(machine.between(before, after).others, 0);
}

TEST_F(FakeMachine, AddsUpWhatItsThreadsWait) {
  thread(2, "", "1000000 2000000 10");
  Waits waits(Threads::all, _root);
  waits.find_threads();
  waits.start();
  EXPECT_EQ(waits.stop(), 0);
  thread(1, "", "0 30000200 4");  // 30 ms, once
  thread(2, "", "0 12000000 11"); // 10 ms, once
  EXPECT_NEAR(waits.stop().value_or(0), 0.040, 2 * 51e-6);
  waits.start();
  thread(1, "", "0 30400200 104"); // a hundred times 4 us: woken, on a quiet machine
  EXPECT_EQ(waits.stop(), 0);
  waits.find_threads(); // again: each thread once
  waits.start();
  thread(1, "", "0 40400200 105");
  EXPECT_NEAR(waits.stop().value_or(0), 0.010, 51e-6);
}

Noise noise(double others, double waiting, double stolen = 0) {
  Noise noise;
  noise.seconds = 1;
  noise.processors = 4;
  noise.threads = 4;
  noise.others = others;
  noise.waiting = waiting;
  noise.stolen = stolen;
  return noise;
}

TEST(NoiseTest, IsWhatTakesTimeFromRuns) {
  EXPECT_FALSE(was_busy(noise(0, 0)));
  EXPECT_FALSE(was_busy(noise(3, 0))) << "beside each other";
  EXPECT_TRUE(was_busy(noise(0.5, 0.5)));
  EXPECT_TRUE(was_busy(noise(0, 0, 0.1)));
  EXPECT_DOUBLE_EQ(lost_share(noise(0, 0.25, 0.125)), 0.375);
  Noise of_a_device = noise(0, 0, 0.75);
  of_a_device.threads = 1;
  EXPECT_FALSE(was_busy(of_a_device)) << "of sixteen processors, perhaps";
  Noise untold = noise(1.5, 0);
  untold.waiting.reset();
  EXPECT_DOUBLE_EQ(lost_share(untold), 1.5) << "4 threads on 4 processors";
  untold.threads = 3;
  EXPECT_DOUBLE_EQ(lost_share(untold), 0.5);
  untold.threads = 1; // as of a device
  EXPECT_EQ(lost_share(untold), 0);
  untold.threads = 8;
  EXPECT_DOUBLE_EQ(lost_share(untold), 1.5) << "too many threads are nobody else's fault";
}

TEST(NoiseTest, IsSaidBeforehand) {
  EXPECT_EQ(warning_of(noise(0, 0)), "");
  EXPECT_EQ(warning_of(noise(0.2, 0)), "") << "a daemon";
  Noise busy = noise(1.3, 0);
  busy.load = 3.4;
  expect_words(warning_of(busy),
               {"the machine is busy", "1.3 of 4 processors", "load 3.4", "docs/command.md"});
  expect_words(warning_of(noise(0, 0, 0.25)), {"0.25", "other machines"});
  busy.threads = 2;
  EXPECT_EQ(warning_of(busy), "") << "there is room for both";
  busy.threads = 1; // a device's host
  EXPECT_EQ(warning_of(busy), "");
  busy.others = 3.9;
  EXPECT_NE(warning_of(busy), "");
}

/// Ratios of twelve rounds.
Estimate ratio(double other, double own, double other_lost, double own_lost) {
  const std::vector<double> others(12, other);
  const std::vector<double> owns(12, own);
  const std::vector<double> lost_by_other(12, other_lost);
  const std::vector<double> lost_by_own(12, own_lost);
  return paired_ratio(Rounds{others, lost_by_other}, Rounds{owns, lost_by_own});
}

TEST(NoisyVerdict, NeedsADifferenceThatNoiseCannotMake) {
  EXPECT_EQ(verdict(ratio(2, 1, 0, 0)), Verdict::faster);
  EXPECT_EQ(verdict(ratio(1, 2, 0, 0)), Verdict::slower);
  // What was lengthened itself is the faster one all the more.
  EXPECT_EQ(verdict(ratio(2, 1, 0, 0.9)), Verdict::faster);
  EXPECT_EQ(verdict(ratio(1, 2, 0.9, 0)), Verdict::slower);
  EXPECT_EQ(verdict(ratio(2, 1, 0.5, 0)), Verdict::faster) << "1.5 remains";
  EXPECT_EQ(verdict(ratio(2, 1, 1.1, 0)), Verdict::machine_busy);
  EXPECT_EQ(verdict(ratio(1, 2, 0, 0.5)), Verdict::slower);
  EXPECT_EQ(verdict(ratio(1, 2, 0, 1.1)), Verdict::machine_busy);
  EXPECT_EQ(verdict(ratio(1, 2, 0, 5)), Verdict::machine_busy) << "nothing is known of it";
  EXPECT_TRUE(std::isinf(ratio(1, 2, 0, 5).own_delay));
  EXPECT_DOUBLE_EQ(ratio(1, 2, 0, 1).own_delay, 2);
  EXPECT_DOUBLE_EQ(ratio(1, 2, 0.5, 0).other_delay, 2);
  EXPECT_EQ(ratio(1, 2, 0.5, 0).value, 0.5) << "what was measured stays what it is";
  EXPECT_EQ(verdict(ratio(1, 1, 0, 0.01)), Verdict::no_difference);
  EXPECT_EQ(verdict(ratio(1, 1, 0, 0.5)), Verdict::machine_busy) << "it may hide one";
  EXPECT_STREQ(name_of(Verdict::machine_busy), "machine busy");
}

TEST(NoisyVerdict, PassesOverAFewDisturbedRounds) {
  const std::vector<double> other(12, 2);
  std::vector<double> own(12, 1);
  std::vector<double> lost(12, 0);
  own[3] = 50;
  lost[3] = 49;
  const std::vector<double> nothing;
  const Estimate estimate = paired_ratio(Rounds{other, nothing}, Rounds{own, lost});
  EXPECT_EQ(verdict(estimate), Verdict::faster);
  EXPECT_EQ(estimate.own_delay, 1);
  EXPECT_EQ(estimate.value, 2);
}

TEST(NoisyVerdict, IsSaidEverywhere) {
  CaseResult result;
  result.study = "doubling";
  result.name = "small";
  result.noise = noise(1.5, 0.75);
  Measurement own;
  own.variant = "plain";
  own.seconds = std::vector<double>(7, 2e-3);
  own.lost = std::vector<double>(7, 1.5e-3);
  own.check.passed = true;
  own.runs_checked = 8;
  Measurement twin = own;
  twin.model = Model::openacc;
  twin.seconds = std::vector<double>(7, 1e-3);
  twin.lost = std::vector<double>(7, 0);
  result.measurements = {own, twin};
  const Estimate estimate = ratio_of(twin, own);
  result.comparisons = {{Comparison::Kind::twins, "kokkos:plain", "openacc:plain", estimate},
                        {Comparison::Kind::best, "kokkos:plain", "openacc:plain", estimate}};
  const std::string table = table_of(result);
  expect_words(table, {"machine busy", "no verdict: the machine was busy", "1.5 of 4 processors",
                       "up to 75 % of these times"});
  EXPECT_EQ(table.find("slower"), std::string::npos);
  expect_words(text_of(summarize({result}), ""), {"the machine too busy to tell in 1"});
  Results results;
  results.cases = {result};
  results.noise_before = noise(1.5, 0);
  const auto json = nlohmann::json::parse(text_of(to_json(results)));
  EXPECT_EQ(json["noise"]["before"]["others"], 1.5);
  EXPECT_FALSE(json["noise"].contains("ceilings"));
  const auto& one = json["cases"][0];
  EXPECT_TRUE(one["noise"]["busy"]);
  EXPECT_NEAR(one["measurements"][0]["noise"]["lost_share"].get<double>(), 0.75, 1e-9);
  EXPECT_EQ(one["measurements"][1]["noise"]["lost_share"], 0);
  EXPECT_EQ(one["comparisons"][0]["verdict"], "machine busy");
  EXPECT_EQ(one["comparisons"][0]["delay"]["own"], 4);
  EXPECT_EQ(one["comparisons"][0]["delay"]["other"], 1);
  EXPECT_EQ(json["summary"]["port"]["machine_busy"], 1);
}

/// Programs that keep processors busy as long as this lives.
class Spinners {
public:
  explicit Spinners(int count) {
    for (int i = 0; i < count; ++i) {
      const pid_t child = fork();
      if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (volatile unsigned turns = 0;;)
          turns = turns + 1;
      }
      _children.push_back(child);
    }
  }
  ~Spinners() {
    for (const pid_t child : _children) {
      kill(child, SIGKILL);
      waitpid(child, nullptr, 0);
    }
  }

private:
  std::vector<pid_t> _children;
};

/// Every thread of the host computes so long, whatever the time that it waits.
void compute(double seconds) {
  using Host = Kokkos::DefaultHostExecutionSpace;
  const auto done = [] {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  };
  Kokkos::parallel_for("compute", Kokkos::RangePolicy<Host>(0, Host().concurrency()), [=](int) {
    for (const double until = done() + seconds; done() < until;) {
    }
  });
}

TEST(BusyMachine, IsSeen) {
  const Machine machine(threads_of_kernels());
  if (has_device || !machine.counts().everybody)
    GTEST_SKIP() << "of a device the host's other threads do not matter; or nothing is told here";
  // Several times as long as the system leaves a program alone.
  const StudyEntry entry = study_of({variant("long", [](Problem& problem) -> harness::Run {
    return [&problem] {
      compute(0.03);
      dynamic_cast<Doubling&>(problem).call(doubling);
    };
  })});
  Doubling problem(10);
  const Spinners spinners(machine.processors());
  const Noise before = look(machine);
  const CaseResult result = measure(entry, problem, nullptr, {}, rounds(8));
  EXPECT_GT(before.others.value_or(0), 0.25) << text_of(before);
  EXPECT_NE(warning_of(before), "") << text_of(before);
  EXPECT_GT(result.noise.others.value_or(0), 0.1) << text_of(result.noise);
  EXPECT_TRUE(was_busy(result.noise)) << text_of(result.noise);
  EXPECT_GT(result.noise.preemptions, 0);
  EXPECT_EQ(measurement(result, "long").lost.size(), 8U);
}

} // namespace
} // namespace gangway::harness
