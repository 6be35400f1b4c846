// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// What the harness' tests share: a tiny problem of their own, registered as the study `doubling`,
// and OpenACC libraries that only pretend (tests/fake_openacc).
#include "harness/referee.hpp"
#include "harness/registry.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

namespace gangway::harness {

/// y = 2 x, where x(i) = i + 1. It counts its resets and its checks.
class Doubling : public ProblemOf<void(int n, const double* x, double* y)> {
public:
  static const StudyInfo info;
  explicit Doubling(const Parameters& parameters)
      : Doubling(static_cast<std::size_t>(parameters.integer("n", 0, 1'000'000'000))) {}
  explicit Doubling(std::size_t n) : _x(n), _y(n) {
    for (std::size_t i = 0; i < n; ++i)
      _x[i] = static_cast<double>(i) + 1;
    kernels_take(static_cast<int>(n), in("x", _x), out("y", _y));
    described_as(std::to_string(n) + " elements");
    resets = 0; // of runs: the constructor's own does not count
  }

  void reset() override {
    ++resets;
    ProblemOf::reset();
  }
  [[nodiscard]] Check check() const override {
    ++checks;
    Check check{true, 0, 0.5, "every element"};
    for (std::size_t i = 0; i < _x.size(); ++i) {
      const double error = std::abs(_y[i] - 2 * _x[i]);
      if (!(error <= check.tolerance)) {
        check.passed = false;
        check.detail = "element " + std::to_string(i);
      }
      check.error = std::isnan(error) ? HUGE_VAL : std::max(check.error, error);
    }
    return check;
  }
  [[nodiscard]] Work work() const override {
    return {.bytes = 16.0 * static_cast<double>(_x.size()),
            .flops = static_cast<double>(_x.size()),
            .reasoning = "x once, y once"};
  }

  int resets = 0;
  mutable int checks = 0;

private:
  std::vector<double> _x;
  std::vector<double> _y;
};

/// The study's stages `plain` and `half-done`, and the yardstick `library`.
void doubling(int n, const double* x, double* y);
Prepare just_doubling();
/// The same, but for `amount` too much in the first element, which the check tolerates up to 0.5.
Prepare doubling_off_by(double amount);

/// All that a test decides of a case.
struct Asked : RefereeOptions {
  Wanted wanted = {};
  std::vector<std::string> without = {};
  Progress progress = {};
};
/// For so many rounds, however slow a variant is.
Asked rounds(int count, Scope scope = Scope::kernel);
CaseResult measure(const StudyEntry& study, Problem& problem, const OpenAccLibraries& openacc,
                   const Ceilings& ceilings, const Asked& asked);

/// A study made of the variants at hand.
StudyEntry study_of(const std::vector<Variant>& variants);
Variant variant(const std::string& name, const Prepare& prepare, Model model = Model::kokkos,
                bool beyond = false);

/// Errors: std::logic_error if there is none of that name and model.
const Measurement& measurement(const CaseResult& result, std::string_view name,
                               Model model = Model::kokkos);

/// The path of an OpenACC library that pretends: `host`, `gpu`, … as in tests/fake_openacc.
std::string fake(const std::string& name);
constexpr const char* refused_beside_a_gpu =
    "a library that runs on the host is refused where Kokkos uses a GPU";

} // namespace gangway::harness
