// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The studies where memory runs out: each allocation of making a problem fails in turn, and each of
// a variant's run in both scopes, as the referee makes it.
#include "testing/failing_allocations.hpp"

#include "harness/referee.hpp"
#include "testing/with_memory.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>

namespace gangway::harness {
namespace {

using testing::expect_failures_survived;
using testing::WithMemory;
using testing::Wrong;

class StudyAllocationFailures : public ::testing::TestWithParam<StudyEntry*> {
protected:
  void SetUp() override {
    if (has_device)
      GTEST_SKIP() << "what is tried is a host's operator new";
    testing::watch_views();
  }
  static Parameters smallest() { return {*GetParam(), GetParam()->edge_cases().front().settings}; }
};

TEST_P(StudyAllocationFailures, OfItsProblem) {
  const Parameters parameters = smallest();
  expect_failures_survived(fmt::format("{}: its problem", GetParam()->id), [&] {
    const std::unique_ptr<Problem> problem = make_problem(*GetParam(), parameters);
    problem->reset();
    static_cast<void>(problem->check());
  });
}

TEST_P(StudyAllocationFailures, OfItsRuns) {
  const WithMemory separate(Memory::separate);
  const std::unique_ptr<Problem> problem = make_problem(*GetParam(), smallest());
  long allocations = 0;
  for (const Variant& variant : GetParam()->kokkos) {
    try {
      static_cast<void>(variant.prepare(*problem));
    } catch (const NotAvailable&) { // on this device
      continue;
    }
    for (const Scope scope : {Scope::kernel, Scope::whole}) {
      allocations += expect_failures_survived(
          fmt::format("{} {}, scope {}", GetParam()->id, variant.name, name_of(scope)), [&] {
            TimedRuns runs(*problem, nullptr, scope);
            const harness::Run run = runs.set_up(variant.prepare);
            if (const Check check = runs.run(run, nullptr).check; !check.passed)
              throw Wrong(check.detail);
          });
      if (HasFailure())
        return;
    }
  }
  EXPECT_GT(allocations, 0);
  RecordProperty("allocations", std::to_string(allocations));
}

INSTANTIATE_TEST_SUITE_P(Studies, StudyAllocationFailures, ::testing::ValuesIn(studies()),
                         [](const auto& test) { return std::string(test.param->id); });

} // namespace
} // namespace gangway::harness
