// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "harness/referee.hpp"
#include "with_memory.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

/// What the tests of studies share.
namespace gangway::testing {

/// The OpenACC side of this build, loaded once; null if there is none.
const harness::OpenAccLibrary* openacc_library();

/// One checked run of every variant of the given models on one instance of a study, in both scopes
/// (yardsticks in scope `kernel` only); each failed check is a test failure.
void expect_all_variants_right(const std::string& study,
                               const std::vector<harness::Parameters::Setting>& settings);

/// The same on a problem made by the test, with the variants of some models only if they are given.
void expect_all_variants_right(const std::string& study, harness::Problem& problem,
                               const std::vector<harness::Model>& models = {});

/// Whether one checked run of an OpenACC stage in scope `whole` moves what is expected, by the
/// count of its own runtime. On the host that is nothing, whatever is expected of a device. Skips
/// the test where this build has no OpenACC side, or its runtime does not report transfers.
void expect_openacc_moves(const std::string& study, const std::string& variant,
                          harness::Problem& problem, const Transfers& expected);

/// The kernels of a study's stage or beyond variant, of `Kernel` its type, to be called on arrays
/// of the test's own: Kokkos' first, then, where this build has it and knows the variant,
/// OpenACC's.
template <class Kernel>
std::vector<Kernel*> kernels_of(const std::string& study, const std::string& variant) {
  std::vector<Kernel*> kernels;
  for (const harness::Variant& known : harness::study(study).kokkos)
    if (known.name == variant && known.kernel != nullptr)
      kernels.push_back(reinterpret_cast<Kernel*>(known.kernel));
  EXPECT_EQ(kernels.size(), 1U) << study << " has no plain kernel " << variant;
  if (openacc_library() != nullptr)
    if (void* const symbol = openacc_library()->find(study, variant))
      kernels.push_back(reinterpret_cast<Kernel*>(symbol));
  return kernels;
}

} // namespace gangway::testing
