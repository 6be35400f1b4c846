// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/registry.hpp"

#include "base/errors.hpp"
#include "doubling.hpp"
#include "gangway/runtime.hpp"
#include "harness/referee.hpp"
#include "harness/study.hpp"
#include "testing/messages.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <new>
#include <string>
#include <type_traits>
#include <vector>

namespace gangway::harness {
namespace {

using testing::expect_words;
using testing::message_of;

TEST(Registry, HasTheStudiesInOrder) {
  std::vector<std::string> ids;
  for (const StudyEntry* entry : studies())
    ids.emplace_back(entry->id);
  EXPECT_EQ(ids, (std::vector<std::string>{"another", "doubling", "one_kernel"}));
}

TEST(Registry, AStudyAndItsYardsticksFindEachOther) {
  const StudyEntry& entry = study("doubling");
  EXPECT_EQ(entry.title, "twice a vector");
  EXPECT_EQ(entry.source, "harness_test");
  EXPECT_EQ(entry.stages(), (std::vector<std::string>{"plain", "half-done"}));
  ASSERT_EQ(entry.kokkos.size(), 3U);
  EXPECT_EQ(entry.kokkos[0].name, "plain");
  EXPECT_FALSE(entry.kokkos[0].beyond);
  EXPECT_EQ(entry.kokkos[2].name, "teams");
  EXPECT_TRUE(entry.kokkos[2].beyond);
  ASSERT_EQ(entry.yardsticks.size(), 1U);
  EXPECT_EQ(entry.yardsticks[0].model, Model::yardstick);
  EXPECT_EQ(entry.sweep.most_items_per_worker, 4);
  EXPECT_FALSE(entry.whole_by_default);
  EXPECT_TRUE(study("another").whole_by_default);
  EXPECT_FALSE(study("another").sweep.run);
}

// All that is said of a variant stands in its row: there is no list of names to misspell one in,
// and no flag that there is not.
template <class Table>
constexpr bool lists_names =
    requires(Table table) { table.moves_less; } || requires(Table table) { table.openacc.flags; };
static_assert(!lists_names<Variants<Doubling>> && !lists_names<StudyEntry>);
static_assert(!std::is_convertible_v<const char*, Flag>);

TEST(Registry, KeepsWhatARowSays) {
  const StudyEntry& entry = study("doubling");
  EXPECT_EQ(entry.kokkos[0].flag, Flag::none);
  EXPECT_EQ(entry.kokkos[0].moves_less, "");
  EXPECT_EQ(entry.kokkos[1].flag, Flag::sum);
  EXPECT_EQ(entry.kokkos[1].moves_less, "it does half");
  EXPECT_EQ(entry.kokkos[2].openacc_cannot, "a test says so");
  EXPECT_TRUE(entry.openacc_only.empty());
  const StudyEntry& another = study("another");
  ASSERT_EQ(another.openacc_only.size(), 1U) << "the row has no kernel";
  EXPECT_EQ(another.openacc_only[0].name, "directive");
  EXPECT_TRUE(another.openacc_only[0].beyond);
  EXPECT_TRUE(another.kokkos.empty());
}

TEST(Registry, UnknownStudiesAreRefused) {
  expect_words(message_of<base::UsageError>([] { static_cast<void>(study("trebling")); }),
               {"no study 'trebling'", "there are: another, doubling, one_kernel"});
  EXPECT_THROW(static_cast<void>(study("")), base::UsageError);
}

TEST(Registry, StudiesThatDoNotSayEnoughAreRefused) {
  EXPECT_NO_THROW(require_described(study("doubling")));
  const auto said = [](const StudyEntry& entry) {
    return message_of<base::UsageError>([&] { require_described(entry); });
  };
  StudyEntry entry = study("doubling");
  entry.footprint = nullptr;
  expect_words(said(entry), {"doubling: the study has no footprint (StudyInfo::footprint)"});
  expect_words(said(study("another")), {"another: the study has no cases (StudyInfo::cases)"});
  entry.create = nullptr;
  expect_words(said(entry), {"doubling: the study has no stages (harness::Study)"});
}

TEST(Registry, ModelsHaveNames) {
  EXPECT_STREQ(name_of(Model::kokkos), "kokkos");
  EXPECT_STREQ(name_of(Model::openacc), "openacc");
  EXPECT_STREQ(name_of(Model::yardstick), "yardstick");
}

TEST(Registry, FlagsHaveNames) {
  EXPECT_STREQ(name_of(Flag::none), "");
  EXPECT_STREQ(name_of(Flag::kernels), "kernels");
  EXPECT_STREQ(name_of(Flag::sum), "sum");
  EXPECT_STREQ(name_of(Flag::tile), "tile");
  EXPECT_STREQ(name_of(Flag::frame), "frame");
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

} // namespace
} // namespace gangway::harness
