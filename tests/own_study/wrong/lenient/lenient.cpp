// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Refused: its check passes whatever kernels compute.
#include "harness/problem.hpp"

extern "C" void gangway_lenient_kernel(long n, const double* x, double* y) {
#pragma acc parallel loop copyin(x[0 : n]) copyout(y[0 : n])
  for (long i = 0; i < n; ++i)
    y[i] = x[i] + 1;
}

#ifndef _OPENACC
#include "harness/study.hpp"

namespace lenient {

using namespace gangway;

class Problem : public harness::ProblemOf<void(long n, const double* x, double* y)> {
public:
  static const harness::StudyInfo info;
  explicit Problem(const harness::Parameters& /*none*/) {
    kernels_take(std::ssize(_x), in("x", _x), out("y", _y));
  }
  [[nodiscard]] harness::Check check() const override {
    return {.passed = true, .detail = "as ever"};
  }
  [[nodiscard]] harness::Work work() const override {
    return {.bytes = 160, .reasoning = "x once, y once"};
  }

private:
  std::vector<double> _x = std::vector<double>(10);
  std::vector<double> _y = std::vector<double>(10);
};

constinit const harness::StudyInfo Problem::info{
    .id = "lenient",
    .title = "one more",
    .cases = [](harness::Effort, double) { return std::vector<harness::Case>{{"only", {}}}; },
    .footprint = [](const harness::Parameters&) { return 160.0; },
};

static void kernel(long n, const double* x, double* y) {
  Data data;
  const auto from = data.copyin(x, n);
  const auto to = data.copyout(y, n);
  Kokkos::parallel_for("lenient/kernel", n, KOKKOS_LAMBDA(long i) { to(i) = from(i) + 1; });
}

static const harness::Study<Problem> study({.stages = {{"kernel", kernel}}});

} // namespace lenient

#endif
