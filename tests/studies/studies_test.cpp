// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tests that hold for every study, and of the fixture that all of them stand on: they name none.
#include "testing/study_fixture.hpp"

#include "base/contains.hpp"
#include "harness/registry.hpp"
#include "testing/messages.hpp"

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace gangway::testing {

using namespace harness;

namespace {

std::unique_ptr<Problem> small_problem(const StudyEntry& entry) {
  return make_problem(entry, Parameters(entry, entry.edge_cases().back().settings));
}

/// A test that asks for a variant by a misspelt name must fail, not run nothing.
TEST(StudyFixture, UnknownVariantsFail) {
  const StudyEntry& entry = *studies().front();
  const std::string stage = entry.stages().front();
  const auto problem = small_problem(entry);
  EXPECT_EQ(variant_of(entry.id, stage).name, stage);
  EXPECT_EQ(variant_of(entry.id, stage).model, Model::kokkos);
  for (const Model model : {Model::kokkos, Model::openacc, Model::yardstick}) {
    EXPECT_THROW(static_cast<void>(variant_of(entry.id, "misspelt", model)), std::invalid_argument);
    EXPECT_THROW(run_variant(entry.id, "misspelt", *problem, model), std::invalid_argument);
  }
  EXPECT_THROW(kernels_of<void()>(entry.id, "misspelt"), std::invalid_argument);
  EXPECT_THROW(expect_openacc_moves(entry.id, "misspelt", *problem, {}), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(variant_of("misspelt", stage)), base::UsageError);
  expect_words(message_of<std::invalid_argument>(
                   [&] { static_cast<void>(variant_of(entry.id, "misspelt")); }),
               {std::string(entry.id) + " has no kokkos variant 'misspelt'", "it has: " + stage});
}

/// A stage is no yardstick.
TEST(StudyFixture, VariantsOfAnotherModelFail) {
  for (const StudyEntry* entry : studies()) {
    EXPECT_THROW(
        static_cast<void>(variant_of(entry->id, entry->stages().front(), Model::yardstick)),
        std::invalid_argument);
  }
}

TEST(StudyFixture, WrongResultsAndLeftArraysFail) {
  const StudyEntry& entry = *studies().front();
  const auto problem = small_problem(entry);
  Variant spoilt = variant_of(entry.id, entry.stages().front());
  run_variant(spoilt, *problem);
  const Prepare right = spoilt.prepare;
  spoilt.prepare = [](Problem&) -> harness::Run { return [] {}; };
  EXPECT_NONFATAL_FAILURE(run_variant(spoilt, *problem), spoilt.name + " on ");
  const WithMemory separate(Memory::separate);
  const std::vector<double> array(10);
  std::optional<Data> region;
  spoilt.prepare = [&](Problem& used) -> harness::Run {
    return [&] {
      right(used)();
      region.emplace();
      static_cast<void>(region->copyin(array.data(), 10));
    };
  };
  EXPECT_NONFATAL_FAILURE(run_variant(spoilt, *problem), "left something on the device");
}

TEST(StudyFixture, NothingToRunFails) {
  for (const StudyEntry* entry : studies()) {
    if (!entry->yardsticks.empty())
      continue;
    const auto problem = small_problem(*entry);
    EXPECT_NONFATAL_FAILURE(
        expect_all_variants_right(entry->id, *problem, std::vector<Model>{Model::yardstick}),
        "no variant of " + std::string(entry->id) + " ran on ");
    return;
  }
  GTEST_SKIP() << "every study has a yardstick in this build";
}

struct Instance {
  const StudyEntry* study;
  Case instance;
};

std::vector<Instance> edge_cases() {
  std::vector<Instance> all;
  for (const StudyEntry* entry : studies())
    for (const Case& instance : entry->edge_cases())
      all.push_back({entry, instance});
  return all;
}

std::string readable(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return text;
}

class EdgeCase : public ::testing::TestWithParam<Instance> {};

TEST_P(EdgeCase, EveryVariantIsRight) {
  expect_all_variants_right(GetParam().study->id, GetParam().instance.settings);
}

/// Which no kernel passes that uses an array of the host's; where the host is the device.
TEST_P(EdgeCase, EveryVariantIsRightWithStrictMemory) {
  const WithMemory strict(Memory::strict);
  expect_all_variants_right(GetParam().study->id, GetParam().instance.settings);
}

INSTANTIATE_TEST_SUITE_P(Studies, EdgeCase, ::testing::ValuesIn(edge_cases()),
                         [](const auto& test) {
                           return readable(std::string(test.param.study->id) + "_" +
                                           test.param.instance.name) +
                                  "_" + std::to_string(test.index);
                         });

class EveryStudy : public ::testing::TestWithParam<StudyEntry*> {};

TEST_P(EveryStudy, HasEveryStageInOpenAcc) {
  if (openacc_library() == nullptr)
    GTEST_SKIP() << "built without the OpenACC side";
  for (const std::string& stage : GetParam()->stages())
    EXPECT_NE(openacc_library()->find(GetParam()->id, stage), nullptr)
        << "no " << OpenAccLibrary::symbol(GetParam()->id, stage);
}

/// "Not written" is no answer: what Kokkos has beyond the documents, OpenACC has as well, or the
/// study says why OpenACC cannot.
TEST_P(EveryStudy, HasAnOpenAccTwinOrAReasonForEachVariant) {
  if (openacc_library() == nullptr)
    GTEST_SKIP() << "built without the OpenACC side";
  const auto has = [&](const std::string& variant) {
    return openacc_library()->find(GetParam()->id, variant) != nullptr;
  };
  for (const Variant& variant : GetParam()->kokkos)
    if (variant.beyond) {
      const std::string& reason = variant.openacc_cannot;
      EXPECT_NE(has(variant.name), !reason.empty())
          << variant.name << (reason.empty() ? ": neither a twin nor a reason" : ": both");
    }
  for (const Variant& variant : GetParam()->openacc_only)
    EXPECT_TRUE(has(variant.name)) << "no " << OpenAccLibrary::symbol(GetParam()->id, variant.name);
}

TEST_P(EveryStudy, NamesNoVariantTwice) {
  std::set<std::string> seen;
  for (const auto* list : {&GetParam()->kokkos, &GetParam()->yardsticks})
    for (const Variant& variant : *list)
      EXPECT_TRUE(seen.insert(variant.name).second) << variant.name;
}

TEST_P(EveryStudy, DeclaresItsWorkAndCases) {
  const StudyEntry& entry = *GetParam();
  ASSERT_FALSE(entry.edge_cases().empty());
  const Parameters parameters(entry, entry.edge_cases().front().settings);
  const auto problem = make_problem(entry, parameters);
  const Work work = problem->work();
  EXPECT_FALSE(work.reasoning.empty());
  EXPECT_TRUE(std::isfinite(work.bytes) && work.bytes >= 0) << work.bytes;
  EXPECT_TRUE(std::isfinite(work.flops) && work.flops >= 0) << work.flops;
  EXPECT_FALSE(problem->describe().empty());
  for (const Effort effort : {Effort::quick, Effort::normal, Effort::full})
    for (const Case& instance : entry.cases(effort, 20e9)) {
      const Parameters of_case(entry, instance.settings);
      EXPECT_LT(entry.footprint(of_case), 20e9) << instance.name;
      for (const std::string& variant : instance.without)
        EXPECT_TRUE(base::contains(entry.stages(), variant))
            << instance.name << " leaves out " << variant << ", which is no stage";
    }
}

/// The command then says so before it measures anything.
TEST_P(EveryStudy, RefusesAValueOfAnyKeyBeforeItAllocates) {
  for (const Key& key : GetParam()->keys) {
    const Parameters parameters(*GetParam(), {{std::string(key.name), "??"}});
    // UsageError, or InputError of a file
    EXPECT_THROW(static_cast<void>(GetParam()->footprint(parameters)), std::runtime_error)
        << key.name;
  }
}

/// A poisoned output that no kernel has touched must not pass: the check can fail.
TEST_P(EveryStudy, CheckRefusesUntouchedOutputs) {
  const StudyEntry& entry = *GetParam();
  const auto problem = small_problem(entry);
  problem->reset();
  EXPECT_FALSE(problem->check().passed);
}

/// What the command asks of a study before it runs it.
TEST_P(EveryStudy, IsNotRefused) {
  const StudyEntry& entry = *GetParam();
  const auto problem = small_problem(entry);
  EXPECT_NO_THROW(require_distinct_arrays(entry, *problem));
  EXPECT_NO_THROW(require_check_that_can_fail(entry, *problem));
  EXPECT_NO_THROW(require_stages(entry, openacc_library()));
}

/// Labels of kernels begin with the study's name, so that tools can tell whose they are.
TEST_P(EveryStudy, LabelsItsKernels) {
  static std::vector<std::string> labels;
  labels.clear();
  const StudyEntry& entry = *GetParam();
  const auto problem = small_problem(entry);
  const auto note = [](const char* label, std::uint32_t, std::uint64_t*) {
    labels.emplace_back(label);
  };
  Kokkos::Tools::Experimental::set_begin_parallel_for_callback(note);
  Kokkos::Tools::Experimental::set_begin_parallel_reduce_callback(note);
  Kokkos::Tools::Experimental::set_begin_parallel_scan_callback(note);
  const Binding binding(*problem, nullptr);
  for (const Variant& variant : entry.kokkos) {
    labels.clear();
    try {
      const harness::Run run = variant.prepare(*problem);
      run();
    } catch (const NotAvailable&) {
      continue;
    }
    Kokkos::fence();
    EXPECT_FALSE(labels.empty()) << variant.name << " launched no Kokkos kernel";
    for (const std::string& label : labels)
      EXPECT_TRUE(label.starts_with(std::string(entry.id) + "/") || label.starts_with("Kokkos::"))
          << variant.name << " has a kernel labelled '" << label << "'";
  }
  Kokkos::Tools::Experimental::set_begin_parallel_for_callback(nullptr);
  Kokkos::Tools::Experimental::set_begin_parallel_reduce_callback(nullptr);
  Kokkos::Tools::Experimental::set_begin_parallel_scan_callback(nullptr);
}

INSTANTIATE_TEST_SUITE_P(Studies, EveryStudy, ::testing::ValuesIn(studies()),
                         [](const auto& test) { return readable(std::string(test.param->id)); });

} // namespace
} // namespace gangway::testing
