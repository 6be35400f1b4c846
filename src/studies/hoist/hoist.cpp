// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/hoist/hoist.hpp"

#include "gangway/data.hpp"
#include "harness/check.hpp"

namespace gangway::hoist {
namespace {

int size_of(const harness::Parameters& parameters) {
  // 64 n, the largest sum, is exact in float up to here; memory ends long before.
  return static_cast<int>(parameters.integer("n", 0, 40000));
}

/// Elements of a matrix.
long square(long n) {
  return n * n;
}

// a(i, k) = u(i) + v(k) and b(k, j) = w(k) + x(j), whole numbers up to 8: the product is known in
// closed form, and exact in whatever order it is summed.
constexpr long u(long i) {
  return i % 11 - 5;
}
constexpr long v(long k) {
  return k % 7 - 3;
}
constexpr long w(long k) {
  return k % 5 - 2;
}
constexpr long x(long j) {
  return j % 13 - 6;
}

std::vector<harness::Case> cases(harness::Effort effort, double memory_bytes) {
  // Without a GPU the products take all the time, and there is nothing to move.
  if (!has_device)
    return {{effort == harness::Effort::quick ? "200" : "400",
             {{"n", effort == harness::Effort::quick ? "200" : "400"}}}};
  std::vector<harness::Case> cases{{"1000", {{"n", "1000"}}}};
  if (effort == harness::Effort::full && memory_bytes > 2e9)
    cases.push_back({"4000", {{"n", "4000"}}});
  return cases;
}

double footprint(const harness::Parameters& given) {
  return 4.0 * (2 + products) * square(size_of(given));
}

constexpr harness::Key keys[]{{"n", "400", "rows and columns of each matrix"}};

} // namespace

constinit const harness::StudyInfo Problem::info{
    .id = "hoist",
    .title = "five matrix products, data region in each or around all",
    .source = "More Tips on OpenACC Acceleration (Microway), the time reports",
    .whole_by_default = true,
    .keys = keys,
    .cases = cases,
    .edge_cases = []() -> std::vector<harness::Case> {
      std::vector<harness::Case> cases;
      for (const char* n : {"0", "1", "31", "129", "33"})
        cases.push_back({n, {{"n", n}}});
      return cases;
    },
    .footprint = footprint,
};

Problem::Problem(const harness::Parameters& parameters)
    : _n(size_of(parameters)),
      _a(base::filled<float>(square(_n),
                             [this](long k) { return static_cast<float>(u(k / _n) + v(k % _n)); })),
      _b(base::filled<float>(square(_n),
                             [this](long k) { return static_cast<float>(w(k / _n) + x(k % _n)); })),
      _c(products * _a.size()) {
  kernels_take(_n, in("a", _a), in("b", _b), out("c", _c));
  described_as(fmt::format("{} products of {} x {} matrices{}", products, _n, _n,
                           memory() == Memory::shared
                               ? "; host and device memory are the same here, nothing is copied"
                               : ""));
}

harness::Check Problem::check() const {
  long sum_v = 0;
  long sum_w = 0;
  long sum_vw = 0;
  for (long k = 0; k < _n; ++k) {
    sum_v += v(k);
    sum_w += w(k);
    sum_vw += v(k) * w(k);
  }
  return harness::check_exact(_c, [&](long at) {
    const long i = at / _n % _n;
    const long j = at % _n;
    return static_cast<float>(u(i) * sum_w + u(i) * x(j) * _n + sum_vw + x(j) * sum_v);
  });
}

harness::Work Problem::work() const {
  const double n = _n;
  return {.bytes = (2 + products) * 4 * n * n,
          .flops = products * 2 * n * n * n,
          .single_precision = true,
          .reasoning = "inputs read once, five results written; two operations a term"};
}

} // namespace gangway::hoist
