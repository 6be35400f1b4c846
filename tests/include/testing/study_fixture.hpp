// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "harness/referee.hpp"
#include "testing/with_memory.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// What the tests of studies share.
namespace gangway::testing {

/// The OpenACC side of this build, loaded once; null if there is none.
const harness::OpenAccLibrary* openacc_library();

/// A study's variant by its name. A test that asks for one that there is not must not pass for want
/// of anything to run. Errors: UsageError for an unknown study; std::invalid_argument, which lists
/// what there is, for a name that the model does not have in this build.
harness::Variant variant_of(std::string_view study, std::string_view name,
                            harness::Model model = harness::Model::kokkos);

/// One run of a variant that moves its own data, in scope `whole`. A wrong result and arrays left
/// on the device are test failures. Returns what was moved, by the count of the model's own
/// runtime; nothing where that does not count. Errors: those of `variant_of` and of the variant's
/// set-up.
std::optional<Transfers> run_variant(std::string_view study, std::string_view name,
                                     harness::Problem& problem,
                                     harness::Model model = harness::Model::kokkos);
/// The same for one of a list, such as all of a study's.
std::optional<Transfers> run_variant(const harness::Variant& variant, harness::Problem& problem);

/// One checked run of every variant of the given models on one instance of a study, in both scopes
/// (yardsticks in scope `kernel` only); each failed check is a test failure, and so is it if
/// nothing ran.
void expect_all_variants_right(std::string_view study,
                               const std::vector<harness::Parameters::Setting>& settings);

/// The same on a problem made by the test, with the variants of some models only if they are given.
void expect_all_variants_right(std::string_view study, harness::Problem& problem,
                               const std::vector<harness::Model>& models = {});

/// Whether one checked run of an OpenACC stage in scope `whole` moves what is expected, by the
/// count of its own runtime. On a host that plays no device that is nothing, whatever is expected.
/// Skips the test where this build has no OpenACC side, or its runtime does not report transfers.
void expect_openacc_moves(std::string_view study, std::string_view stage, harness::Problem& problem,
                          const Transfers& expected);

/// The kernels of a study's stage or beyond variant, of `Kernel` its type, to be called on arrays
/// of the test's own: Kokkos' first, then, where this build has it and knows the variant,
/// OpenACC's. Errors: those of `variant_of`, also for a variant without a plain kernel.
template <class Kernel>
std::vector<Kernel*> kernels_of(std::string_view study, std::string_view name) {
  const harness::Variant variant = variant_of(study, name);
  if (variant.kernel == nullptr)
    throw std::invalid_argument(fmt::format("{} has no plain kernel for {}", study, name));
  std::vector<Kernel*> kernels{reinterpret_cast<Kernel*>(variant.kernel)};
  if (openacc_library() != nullptr)
    if (void* const symbol = openacc_library()->find(study, name))
      kernels.push_back(reinterpret_cast<Kernel*>(symbol));
  return kernels;
}

} // namespace gangway::testing
