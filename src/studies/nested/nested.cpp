// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/nested/nested.hpp"

#include "base/parallel.hpp"
#include "gangway/levels.hpp"
#include "harness/check.hpp"

#include <limits>

namespace gangway::nested {

using harness::Effort;
using harness::Parameters;

namespace {

// Whole numbers below 2^32, each in one place only, and factors that are powers of two: nothing is
// rounded, and an element of the wrong place shows.
double b_at(long i, long j, long m) {
  return static_cast<double>(i * m + j);
}
double c_at(long i, long j, long n) {
  return static_cast<double>(j * n + i);
}

constexpr long most = (1L << 31) - 1; // i or j is a gang

} // namespace

std::vector<std::string> Problem::stages() {
  return {"kernels", "j-outer", "i-outer", "tile"};
}

std::vector<harness::Key> Problem::keys() {
  return {{"m", "3300", "extent of j: columns of a and b, rows of c"},
          {"n", "3100", "extent of i: rows of a and b, columns of c"}};
}

std::vector<harness::Case> Problem::cases(Effort effort, double memory_bytes) {
  const auto of = [](const char* name, const char* m, const char* n,
                     std::vector<std::string> without) {
    return harness::Case{name, {{"m", m}, {"n", n}}, std::move(without)};
  };
  const bool full = effort == Effort::full;
  const bool quick = effort == Effort::quick;
  if constexpr (!has_device)
    return {full    ? of("large", "6600", "6200", {})
            : quick ? of("large", "3300", "3100", {})
                    : of("large", "4000", "3300", {})};
  // A compiler may leave `kernels` to one thread of a GPU: that stage has a case of its own size.
  return {of("every stage", "1100", "900", {}), full && memory_bytes > 14e9
                                                    ? of("large", "16640", "15360", {"kernels"})
                                                    : of("large", "6600", "6200", {"kernels"})};
}

std::vector<harness::Case> Problem::edge_cases() {
  const auto of = [](const char* name, const char* m, const char* n) {
    return harness::Case{name, {{"m", m}, {"n", n}}};
  };
  return {of("no columns", "0", "7"),
          of("no rows", "7", "0"),
          of("one element", "1", "1"),
          of("one row", "300", "1"),
          of("one column", "1", "300"),
          of("one less than a tile", "31", "7"),
          of("a tile", "32", "8"),
          of("one more than a tile", "33", "9"),
          of("one less than a square of scratch", "47", "31"),
          of("one more than a square of scratch", "49", "33"),
          of("one less than a block", "255", "63"),
          of("one more than a block", "257", "65"),
          of("wide", "515", "130")};
}

double Problem::footprint(const Parameters& parameters) {
  return 24 * static_cast<double>(parameters.integer("m", 0, most)) *
         static_cast<double>(parameters.integer("n", 0, most));
}

Problem::Problem(const Parameters& parameters)
    : _m(parameters.integer("m", 0, most)), _n(parameters.integer("n", 0, most)),
      _b(static_cast<std::size_t>(_m) * static_cast<std::size_t>(_n)), _c(_b.size()),
      _a(_b.size()) {
  base::parallel_ranges(_m * _n, [&](long begin, long end) {
    for (long k = begin; k < end; ++k) {
      _b[static_cast<std::size_t>(k)] = static_cast<double>(k);
      _c[static_cast<std::size_t>(k)] = static_cast<double>(k);
    }
  });
  reset();
}

std::vector<harness::Buffer> Problem::buffers() {
  using harness::Buffer;
  using harness::Intent;
  return {Buffer::of("b", _b, Intent::in), Buffer::of("c", _c, Intent::in),
          Buffer::of("a", _a, Intent::out)};
}

void Problem::reset() {
  base::parallel_ranges(_m * _n, [&](long begin, long end) {
    std::fill(_a.begin() + begin, _a.begin() + end, std::numeric_limits<double>::quiet_NaN());
  });
}

harness::Check Problem::check() const {
  // Whole numbers times powers of two: nothing is rounded.
  return harness::check_exact(
      _n, _m, [&](long i, long j) { return _a[static_cast<std::size_t>(i * _m + j)]; },
      [&](long i, long j) { return alpha * b_at(i, j, _m) + beta * c_at(i, j, _n); });
}

harness::Work Problem::work() const {
  const double elements = static_cast<double>(_m) * static_cast<double>(_n);
  return {.bytes = 24 * elements,
          .flops = 3 * elements,
          .single_precision = false,
          .reasoning = "two elements read, one written, two multiplications and an addition each"};
}

std::string Problem::describe() const {
  return fmt::format("{} x {} elements an array", _n, _m);
}

} // namespace gangway::nested
