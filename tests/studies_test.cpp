// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tests that hold for every study: they name none.
#include "study_fixture.hpp"

#include "base/contains.hpp"
#include "harness/registry.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <memory>
#include <set>

namespace gangway::testing {

using namespace harness;

const OpenAccLibrary* openacc_library() {
  static const std::unique_ptr<OpenAccLibrary> library = [] {
    const auto path = OpenAccLibrary::default_path();
    return std::filesystem::exists(path) ? std::make_unique<OpenAccLibrary>(path) : nullptr;
  }();
  return library.get();
}

void expect_all_variants_right(const std::string& id, Problem& problem,
                               const std::vector<Model>& models) {
  const StudyEntry& entry = study(id);
  RefereeOptions options;
  options.rounds = options.fewest_rounds = 1;
  if (!models.empty())
    options.models = models;
  // Host yardsticks know host arrays only; they do not play along when the host plays a device.
  if (!has_device && memory() == Memory::separate)
    options.models = {Model::kokkos, Model::openacc};
  for (const Scope scope : {Scope::kernel, Scope::whole}) {
    options.scope = scope;
    const CaseResult result = measure(entry, problem, openacc_library(), Ceilings{}, options);
    for (const Measurement& m : result.measurements) {
      if (!m.skipped.empty())
        continue;
      EXPECT_TRUE(m.check.passed) << id << " " << name_of(m.model) << " " << m.variant
                                  << " in scope " << name_of(scope) << " on " << problem.describe()
                                  << ": " << m.check.detail << " (error " << m.check.error
                                  << ", tolerance " << m.check.tolerance << ")";
    }
    EXPECT_EQ(present_arrays(), 0U) << "something stayed on the device";
  }
}

void expect_all_variants_right(const std::string& id,
                               const std::vector<Parameters::Setting>& settings) {
  const StudyEntry& entry = study(id);
  const auto problem = make_problem(entry, Parameters(id, entry.keys, settings));
  expect_all_variants_right(id, *problem);
}

void expect_openacc_moves(const std::string& id, const std::string& variant, Problem& problem,
                          const Transfers& expected) {
  const OpenAccLibrary* const library = openacc_library();
  if (library == nullptr)
    GTEST_SKIP() << "built without the OpenACC side";
  if (!library->transfers())
    GTEST_SKIP() << library->compiler() << " does not report transfers on this device";
  TimedRuns runs(problem, library, Scope::whole);
  const harness::Run run = runs.set_up(study(id).openacc(library->find(id, variant)));
  const TimedRuns::Result result = runs.run(Model::openacc, run);
  EXPECT_TRUE(result.check.passed) << variant << ": " << result.check.detail;
  Transfers wanted = library->on_gpu() ? expected : Transfers{};
  wanted.allocations = 0; // OpenACC's are not counted
  EXPECT_EQ(result.transfers, wanted) << id << " " << variant;
}

namespace {

struct Instance {
  const StudyEntry* study;
  Case instance;
};

std::vector<Instance> edge_cases() {
  std::vector<Instance> all;
  for (const StudyEntry* entry : studies())
    for (const Case& instance : entry->edge_cases)
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

TEST_P(EdgeCase, EveryVariantIsRightWithSeparateMemory) {
  const WithMemory separate(Memory::separate);
  expect_all_variants_right(GetParam().study->id, GetParam().instance.settings);
}

INSTANTIATE_TEST_SUITE_P(Studies, EdgeCase, ::testing::ValuesIn(edge_cases()),
                         [](const auto& test) {
                           return readable(test.param.study->id + "_" + test.param.instance.name) +
                                  "_" + std::to_string(test.index);
                         });

class EveryStudy : public ::testing::TestWithParam<StudyEntry*> {};

TEST_P(EveryStudy, HasEveryStageInKokkos) {
  std::vector<std::string> in_kokkos;
  for (const Variant& variant : GetParam()->kokkos)
    if (!variant.beyond)
      in_kokkos.push_back(variant.name);
  EXPECT_EQ(in_kokkos, GetParam()->stages) << "the documents' stages, in their order";
}

TEST_P(EveryStudy, HasEveryStageInOpenAcc) {
  if (openacc_library() == nullptr)
    GTEST_SKIP() << "built without the OpenACC side";
  for (const std::string& stage : GetParam()->stages)
    EXPECT_NE(openacc_library()->find(GetParam()->id, stage), nullptr)
        << "no " << OpenAccLibrary::symbol(GetParam()->id, stage);
}

TEST_P(EveryStudy, NamesNoVariantTwice) {
  std::set<std::string> seen;
  for (const auto* list : {&GetParam()->kokkos, &GetParam()->yardsticks})
    for (const Variant& variant : *list)
      EXPECT_TRUE(seen.insert(variant.name).second) << variant.name;
}

TEST_P(EveryStudy, DeclaresItsWorkAndCases) {
  const StudyEntry& entry = *GetParam();
  ASSERT_FALSE(entry.edge_cases.empty());
  const Parameters parameters(entry.id, entry.keys, entry.edge_cases.front().settings);
  const auto problem = make_problem(entry, parameters);
  const Work work = problem->work();
  EXPECT_FALSE(work.reasoning.empty());
  EXPECT_TRUE(std::isfinite(work.bytes) && work.bytes >= 0) << work.bytes;
  EXPECT_TRUE(std::isfinite(work.flops) && work.flops >= 0) << work.flops;
  EXPECT_FALSE(problem->describe().empty());
  for (const Effort effort : {Effort::quick, Effort::normal, Effort::full})
    for (const Case& instance : entry.cases(effort, 20e9)) {
      const Parameters of_case(entry.id, entry.keys, instance.settings);
      EXPECT_LT(entry.footprint(of_case), 20e9) << instance.name;
      for (const std::string& variant : instance.without)
        EXPECT_TRUE(base::contains(entry.stages, variant))
            << instance.name << " leaves out " << variant << ", which is no stage";
    }
}

/// A poisoned output that no kernel has touched must not pass: the check can fail.
TEST_P(EveryStudy, CheckRefusesUntouchedOutputs) {
  const StudyEntry& entry = *GetParam();
  const Parameters parameters(entry.id, entry.keys, entry.edge_cases.back().settings);
  const auto problem = make_problem(entry, parameters);
  problem->reset();
  EXPECT_FALSE(problem->check().passed);
}

/// Labels of kernels begin with the study's name, so that tools can tell whose they are.
TEST_P(EveryStudy, LabelsItsKernels) {
  static std::vector<std::string> labels;
  labels.clear();
  const StudyEntry& entry = *GetParam();
  const Parameters parameters(entry.id, entry.keys, entry.edge_cases.back().settings);
  const auto problem = make_problem(entry, parameters);
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
      EXPECT_TRUE(label.starts_with(entry.id + "/") || label.starts_with("Kokkos::"))
          << variant.name << " has a kernel labelled '" << label << "'";
  }
  Kokkos::Tools::Experimental::set_begin_parallel_for_callback(nullptr);
  Kokkos::Tools::Experimental::set_begin_parallel_reduce_callback(nullptr);
  Kokkos::Tools::Experimental::set_begin_parallel_scan_callback(nullptr);
}

INSTANTIATE_TEST_SUITE_P(Studies, EveryStudy, ::testing::ValuesIn(studies()),
                         [](const auto& test) { return readable(test.param->id); });

} // namespace
} // namespace gangway::testing
