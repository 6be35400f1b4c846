// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/hoist/hoist.hpp"

#include "base/parallel.hpp"
#include "gangway/data.hpp"
#include "gangway/levels.hpp"
#include "harness/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace gangway::hoist {

using harness::Buffer;
using harness::Case;
using harness::Effort;
using harness::Intent;
using harness::Parameters;

namespace {

/// 64 n, the largest sum, is exact in float up to here; memory ends long before.
constexpr int max_n = 40000;

std::size_t square(int n) {
  return static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
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

} // namespace

std::vector<std::string> Problem::stages() {
  return {"region-per-call", "region-around"};
}

std::vector<harness::Key> Problem::keys() {
  return {{"n", "400", "rows and columns of each matrix"}};
}

std::vector<Case> Problem::cases(Effort effort, double memory_bytes) {
  // Without a GPU the products take all the time, and there is nothing to move.
  if (!has_device)
    return {{effort == Effort::quick ? "200" : "400",
             {{"n", effort == Effort::quick ? "200" : "400"}}}};
  std::vector<Case> cases{{"1000", {{"n", "1000"}}}};
  if (effort == Effort::full && memory_bytes > 2e9)
    cases.push_back({"4000", {{"n", "4000"}}});
  return cases;
}

std::vector<Case> Problem::edge_cases() {
  std::vector<Case> cases;
  for (const char* n : {"0", "1", "31", "129", "33"})
    cases.push_back({n, {{"n", n}}});
  return cases;
}

double Problem::footprint(const Parameters& parameters) {
  const auto n = static_cast<double>(parameters.integer("n", 0, max_n));
  return (2 + products) * 4 * n * n;
}

Problem::Problem(const Parameters& parameters)
    : _n(static_cast<int>(parameters.integer("n", 0, max_n))), _a(square(_n)), _b(square(_n)),
      _c(products * square(_n)) {
  for (long i = 0; i < _n; ++i)
    for (long j = 0; j < _n; ++j) {
      _a[static_cast<std::size_t>(i * _n + j)] = static_cast<float>(u(i) + v(j));
      _b[static_cast<std::size_t>(i * _n + j)] = static_cast<float>(w(i) + x(j));
    }
  reset();
}

std::vector<Buffer> Problem::buffers() {
  return {Buffer::of("a", _a, Intent::in), Buffer::of("b", _b, Intent::in),
          Buffer::of("c", _c, Intent::out)};
}

void Problem::reset() {
  base::parallel_ranges(static_cast<long>(_c.size()), [&](long begin, long end) {
    std::fill(_c.begin() + begin, _c.begin() + end, std::numeric_limits<float>::quiet_NaN());
  });
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
  return harness::check_exact(
      static_cast<long>(_c.size()), [&](long at) { return _c[static_cast<std::size_t>(at)]; },
      [&](long at) {
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

std::string Problem::describe() const {
  return fmt::format("{} products of {} x {} matrices{}", products, _n, _n,
                     memory() == Memory::shared
                         ? "; host and device memory are the same here, nothing is copied"
                         : "");
}

} // namespace gangway::hoist
