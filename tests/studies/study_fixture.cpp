// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "testing/study_fixture.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <stdexcept>

namespace gangway::testing {

using namespace harness;

const OpenAccLibrary* openacc_library() {
  static const std::unique_ptr<OpenAccLibrary> library = [] {
    const auto path = OpenAccLibrary::default_path();
    return std::filesystem::exists(path) ? std::make_unique<OpenAccLibrary>(path) : nullptr;
  }();
  return library.get();
}

Variant variant_of(std::string_view id, std::string_view name, Model model) {
  const std::vector<Variant> variants =
      variants_of(study(id), openacc_library(), Scope::kernel, {.models = {model}});
  const auto found = std::find_if(variants.begin(), variants.end(),
                                  [&](const Variant& variant) { return variant.name == name; });
  if (found != variants.end())
    return *found;
  std::vector<std::string> names;
  for (const Variant& variant : variants)
    names.push_back(variant.name);
  throw std::invalid_argument(fmt::format("{} has no {} variant '{}' in this build; it has: {}", id,
                                          name_of(model), name, fmt::join(names, ", ")));
}

std::optional<Transfers> run_variant(const Variant& variant, Problem& problem) {
  const std::size_t present = present_arrays();
  TimedRuns runs(problem, openacc_library(), Scope::whole);
  const harness::Run run = runs.set_up(variant.prepare);
  const TimedRuns::Result result = runs.run(run, variant.library);
  EXPECT_TRUE(result.check.passed) << name_of(variant.model) << " " << variant.name << " on "
                                   << problem.describe() << ": " << result.check.detail;
  EXPECT_EQ(present_arrays(), present) << variant.name << " left something on the device";
  return result.transfers;
}

std::optional<Transfers> run_variant(std::string_view id, std::string_view name, Problem& problem,
                                     Model model) {
  return run_variant(variant_of(id, name, model), problem);
}

void expect_all_variants_right(std::string_view id, Problem& problem,
                               const std::vector<Model>& models) {
  const StudyEntry& entry = study(id);
  RefereeOptions options;
  options.rounds = options.fewest_rounds = 1;
  Wanted wanted;
  if (!models.empty())
    wanted.models = models;
  // Host yardsticks know host arrays only; they do not play along when the host plays a device.
  if (!has_device && memory() != Memory::shared)
    wanted.models = {Model::kokkos, Model::openacc};
  int ran = 0;
  for (const Scope scope : {Scope::kernel, Scope::whole}) {
    options.scope = scope;
    const CasePlan plan = plan_case(entry, {}, openacc_library(), options, wanted);
    const CaseResult result = measure(plan, problem, openacc_library(), Ceilings{});
    for (const Measurement& m : result.measurements) {
      if (!m.skipped.empty())
        continue;
      ++ran;
      EXPECT_TRUE(m.check.passed) << id << " " << name_of(m.model) << " " << m.variant
                                  << " in scope " << name_of(scope) << " on " << problem.describe()
                                  << ": " << m.check.detail << " (error " << m.check.error
                                  << ", tolerance " << m.check.tolerance << ")";
    }
    EXPECT_EQ(present_arrays(), 0U) << "something stayed on the device";
  }
  EXPECT_GT(ran, 0) << "no variant of " << id << " ran on " << problem.describe();
}

void expect_all_variants_right(std::string_view id,
                               const std::vector<Parameters::Setting>& settings) {
  const StudyEntry& entry = study(id);
  const auto problem = make_problem(entry, Parameters(id, entry.keys, settings));
  expect_all_variants_right(id, *problem);
}

void expect_openacc_moves(std::string_view id, std::string_view stage, Problem& problem,
                          const Transfers& expected) {
  static_cast<void>(variant_of(id, stage)); // stages have one name in both models
  const OpenAccLibrary* const library = openacc_library();
  if (library == nullptr)
    GTEST_SKIP() << "built without the OpenACC side";
  if (!library->transfers())
    GTEST_SKIP() << library->compiler() << " does not report transfers on this device";
  Transfers wanted = library->moves_data() ? expected : Transfers{};
  wanted.allocations = 0; // OpenACC's are not counted
  EXPECT_EQ(run_variant(id, stage, problem, Model::openacc), wanted) << id << " " << stage;
}

} // namespace gangway::testing
