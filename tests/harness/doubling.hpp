// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// What the harness' tests share: a tiny problem of their own, registered as the study `doubling`,
// and OpenACC libraries that only pretend (tests/fake_openacc).
#include "harness/referee.hpp"
#include "harness/registry.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace gangway::harness {

/// y = 2 x, where x(i) = i + 1. It counts its resets and its checks.
class Doubling : public Problem {
public:
  using Kernel = void(int n, const double* x, double* y);
  static constexpr const char* id = "doubling";
  static constexpr const char* title = "twice a vector";
  static constexpr const char* source = "harness_test";
  static std::vector<std::string> stages() { return {"plain", "half-done"}; }
  static std::vector<Key> keys() { return {{"n", "100", "elements"}, {"colour", "red", "a word"}}; }
  static std::vector<Case> cases(Effort /*effort*/, double /*memory*/) { return {{"usual", {}}}; }
  static std::vector<Case> edge_cases() { return {{"one", {{"n", "1"}}}}; }
  static double footprint(const Parameters& parameters) {
    return 16 * static_cast<double>(parameters.integer("n", 0, 4'000'000'000'000'000));
  }

  explicit Doubling(const Parameters& parameters)
      : Doubling(static_cast<std::size_t>(parameters.integer("n", 0, 1'000'000'000))) {}
  explicit Doubling(std::size_t n) : _x(n), _y(n) {
    for (std::size_t i = 0; i < n; ++i)
      _x[i] = static_cast<double>(i) + 1;
  }

  template <class F>
  void call(F&& kernel) {
    kernel(static_cast<int>(_x.size()), _x.data(), _y.data());
  }
  [[nodiscard]] std::vector<Buffer> buffers() override {
    return {Buffer::of("x", _x, Intent::in), Buffer::of("y", _y, Intent::out)};
  }
  void reset() override {
    ++resets;
    std::fill(_y.begin(), _y.end(), std::numeric_limits<double>::quiet_NaN());
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
  [[nodiscard]] std::string describe() const override {
    return std::to_string(_x.size()) + " elements";
  }

  int resets = 0;
  mutable int checks = 0;

private:
  std::vector<double> _x;
  std::vector<double> _y;
};

/// The study's stages `plain` and `half-done`, and the yardstick `library`.
void doubling(int n, const double* x, double* y);
/// The same, but for `amount` too much in the first element, which the check tolerates up to 0.5.
Prepare doubling_off_by(double amount);

/// Options for so many rounds, however slow a variant is.
RefereeOptions rounds(int count, Scope scope = Scope::kernel);

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
