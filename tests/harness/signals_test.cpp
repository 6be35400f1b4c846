// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A signal stays seen for the life of a process, and what ends one has to end it: each test has a
// process of its own.
#include "harness/referee.hpp"

#include "base/exits.hpp"
#include "base/signals.hpp"
#include "doubling.hpp"
#include "testing/with_memory.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

namespace gangway::harness {
namespace {

using testing::WithMemory;

void be_interrupted(int signal) {
  const WithMemory separate(Memory::separate);
  base::catch_signals("test");
  int runs = 0;
  const StudyEntry entry = study_of({variant("interrupted", [&](Problem& problem) -> harness::Run {
    return [&] {
      dynamic_cast<Doubling&>(problem).call(doubling);
      if (++runs == 3)
        static_cast<void>(std::raise(signal));
    };
  })});
  Doubling problem(10);
  const CaseResult result = measure(entry, problem, nullptr, {}, rounds(100));
  const bool kept = result.measurements.size() == 1 && result.measurements[0].seconds.size() == 2;
  try {
    base::stop_if_interrupted();
  } catch (const base::Interrupted& interrupted) {
    const bool right = interrupted.signal() == signal && runs == 3 && present_arrays() == 0;
    std::_Exit(right && kept ? 0 : 1);
  }
  std::_Exit(2);
}

void be_interrupted_before_the_first_time() {
  base::catch_signals("test");
  const StudyEntry entry = study_of({variant("interrupted", just_doubling())});
  Doubling problem(10);
  static_cast<void>(std::raise(SIGINT));
  try {
    static_cast<void>(measure(entry, problem, nullptr, {}, rounds(100)));
  } catch (const base::Interrupted&) {
    std::_Exit(0);
  }
  std::_Exit(1);
}

TEST(RefereeDeathTest, StopsAtTheNextRunWhenASignalComesAndKeepsItsTimes) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(be_interrupted_before_the_first_time(), ::testing::ExitedWithCode(0), "");
  EXPECT_EXIT(be_interrupted(SIGINT), ::testing::ExitedWithCode(0), "");
  EXPECT_EXIT(be_interrupted(SIGTERM), ::testing::ExitedWithCode(0), "");
}

void be_interrupted_twice() {
  base::catch_signals("test");
  static_cast<void>(std::raise(SIGTERM));
  static_cast<void>(std::raise(SIGTERM));
  std::_Exit(0);
}

TEST(RefereeDeathTest, ASecondSignalEndsTheProcess) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(be_interrupted_twice(), ::testing::KilledBySignal(SIGTERM), "");
}

/// A kernel of so many seconds, and what is done with a signal that comes while it runs.
void be_interrupted_in_a_kernel(double kernel) {
  base::catch_signals("test");
  static_cast<void>(std::raise(SIGINT));
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(kernel);
  while (std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(std::chrono::milliseconds(10)); // the alarm may end it early
  try {
    base::stop_if_interrupted();
  } catch (const base::Interrupted&) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1500));
    std::_Exit(0);
  }
  std::_Exit(1);
}

TEST(RefereeDeathTest, SaysThatItWaitsForAKernel) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(be_interrupted_in_a_kernel(1.5), ::testing::ExitedWithCode(0),
              "test: interrupted; waiting for the kernel that runs");
  EXPECT_EXIT(be_interrupted_in_a_kernel(0), ::testing::ExitedWithCode(0), "^$");
}

/// As a library may, that has something of its own to do at the end of a program.
void end_by_exit(int status) {
  std::atexit([] { std::fputs("the library's own end\n", stderr); });
  base::ExitWatch::renew();
  std::exit(status);
}

template <class End>
void watched(const End& end, const std::string& what = "kokkos default of vadd") {
  const base::ExitWatch watch("test", 2);
  base::at_work_on(what);
  end();
}

TEST(RefereeDeathTest, SaysThatALibraryEndedTheProgram) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const std::string rest = " while it was at work on kokkos default of vadd; why stands above, if "
                           "anything does. [^\n]*\n$";
  const std::string left = "^test: a library ended the program";
  for (const int status : {0, 1, 3})
    EXPECT_EXIT(watched([&] { end_by_exit(status); }), ::testing::ExitedWithCode(2), left + rest);
  EXPECT_EXIT(watched([] { std::thread([] { std::exit(1); }).join(); }),
              ::testing::ExitedWithCode(2), left + rest);
  EXPECT_EXIT(watched([] { std::abort(); }), ::testing::ExitedWithCode(2),
              "^test: the program was aborted" + rest);
  EXPECT_EXIT(watched([] { std::exit(1); }, ""), ::testing::ExitedWithCode(2), left + "; why");
  EXPECT_EXIT(watched([] { std::exit(1); }, std::string(9999, 'x')), ::testing::ExitedWithCode(2),
              left + " while it was at work on x{400};");
  EXPECT_EXIT(watched([] {
                base::ExitWatch::rename("test: rank 1 of 4");
                std::exit(1);
              }),
              ::testing::ExitedWithCode(2), "^test: rank 1 of 4: a library ended");
}

/// As a tool's that was loaded before `main`, which ends the program as it would have ended.
void with_a_tool(void (*then)()) {
  std::signal(SIGABRT, [](int signal) {
    std::fputs("the tool's report\n", stderr);
    std::signal(signal, SIG_DFL);
    static_cast<void>(std::raise(signal));
  });
  then();
}

TEST(RefereeDeathTest, LeavesAToolItsSignal) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(with_a_tool([] { watched([] { std::abort(); }); }), ::testing::ExitedWithCode(2),
              "^test: the program was aborted[^\n]*\nthe tool's report\n$");
  EXPECT_EXIT(with_a_tool([] {
                watched([] {});
                std::abort();
              }),
              ::testing::KilledBySignal(SIGABRT), "^the tool's report\n$");
}

TEST(RefereeDeathTest, LeavesAnEndThatIsMeantAlone) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto no_end = [] {};
  EXPECT_EXIT((watched(no_end), end_by_exit(3)), ::testing::ExitedWithCode(3),
              "^the library's own end\n$");
  EXPECT_EXIT((watched(no_end), std::abort()), ::testing::KilledBySignal(SIGABRT), "^$");
  EXPECT_EXIT(watched([] { std::exit(0); }, ""), ::testing::ExitedWithCode(0), "^$");
  EXPECT_EXIT(watched([] {
                base::ExitWatch::stop();
                std::exit(3);
              }),
              ::testing::ExitedWithCode(3), "^$");
}

} // namespace
} // namespace gangway::harness
