// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A study's problem, whole or without one part of the contract.
#include "harness/problem.hpp"

namespace gangway {
namespace {

#ifdef WITHOUT_KERNEL
class Problem : public harness::Problem {
public:
  [[nodiscard]] std::vector<harness::Buffer> buffers() override { return {}; }
  void reset() override {}
  [[nodiscard]] std::string describe() const override { return {}; }
#else
class Problem : public harness::ProblemOf<void(long n, double* a)> {
public:
#endif
#ifndef WITHOUT_INFO
  static const harness::StudyInfo info;
#endif
#ifndef WITHOUT_PARAMETERS
  explicit Problem(const harness::Parameters& /*parameters*/) {}
#endif
#ifndef WITHOUT_CHECK
  [[nodiscard]] harness::Check check() const override { return {}; }
  [[nodiscard]] harness::Work work() const override { return {}; }
#endif
};

static_assert((harness::require_study_problem<Problem>(), true));

} // namespace
} // namespace gangway
