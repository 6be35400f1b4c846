// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/nested/nested.hpp"

#include "gangway/device.hpp"
#include "harness/check.hpp"

namespace gangway::nested {
namespace {

// Whole numbers below 2^32, each in one place only, and factors that are powers of two: nothing is
// rounded, and an element of the wrong place shows.
double number(long place) {
  return static_cast<double>(place);
}

long extent(const harness::Parameters& parameters, const char* key) {
  return parameters.integer(key, 0, (1L << 31) - 1); // i or j is a gang
}

std::vector<harness::Case> cases(harness::Effort effort, double memory_bytes) {
  const auto of = [](const char* name, const char* m, const char* n,
                     std::vector<std::string> without) {
    return harness::Case{name, {{"m", m}, {"n", n}}, std::move(without)};
  };
  const bool full = effort == harness::Effort::full;
  const bool quick = effort == harness::Effort::quick;
  if constexpr (!has_device)
    return {full    ? of("large", "6600", "6200", {})
            : quick ? of("large", "3300", "3100", {})
                    : of("large", "4000", "3300", {})};
  // A compiler may leave `kernels` to one thread of a GPU: that stage has a case of its own size.
  return {of("every stage", "1100", "900", {}), full && memory_bytes > 14e9
                                                    ? of("large", "16640", "15360", {"kernels"})
                                                    : of("large", "6600", "6200", {"kernels"})};
}

std::vector<harness::Case> edge_cases() {
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

double footprint(const harness::Parameters& given) {
  return 24.0 * extent(given, "m") * extent(given, "n");
}

constexpr harness::Key keys[]{{"m", "3300", "extent of j: columns of a and b, rows of c"},
                              {"n", "3100", "extent of i: rows of a and b, columns of c"}};

} // namespace

constinit const harness::StudyInfo Problem::info{
    .id = "nested",
    .title = "a(j,i) = alpha b(j,i) + beta c(i,j): which loop is stride-1",
    .source = "kernels versus parallel (notes in Chinese)",
    .keys = keys,
    .cases = cases,
    .edge_cases = edge_cases,
    .footprint = footprint,
};

Problem::Problem(const harness::Parameters& parameters)
    : _m(extent(parameters, "m")), _n(extent(parameters, "n")),
      _b(base::filled<double>(_m * _n, number)), _c(base::filled<double>(_m * _n, number)),
      _a(_b.size()) {
  kernels_take(_m, _n, alpha, beta, in("b", _b), in("c", _c), out("a", _a));
  described_as(fmt::format("{} x {} elements an array", _n, _m));
}

harness::Check Problem::check() const {
  // Whole numbers times powers of two: no result is rounded.
  return harness::check_exact(
      _n, _m, [&](long i, long j) { return _a[static_cast<std::size_t>(i * _m + j)]; },
      [&](long i, long j) { return alpha * number(i * _m + j) + beta * number(j * _n + i); });
}

harness::Work Problem::work() const {
  const double elements = static_cast<double>(_m) * static_cast<double>(_n);
  return {.bytes = 24 * elements,
          .flops = 3 * elements,
          .single_precision = false,
          .reasoning = "two elements read, one written, two multiplications and an addition each"};
}

} // namespace gangway::nested
