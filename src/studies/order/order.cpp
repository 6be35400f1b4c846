// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/order/order.hpp"

#include "harness/check.hpp"
#include "harness/rows_columns.hpp"

namespace gangway::order {
namespace {

// Whole numbers far below 2^53, each in one place only: no result is rounded, and an update of the
// wrong element, or a second one of the right, shows.
double before(long i) {
  return static_cast<double>(i);
}
double after(long i) {
  return 2 * static_cast<double>(i) + 1;
}

long extent(const harness::Parameters& parameters, const char* key) {
  return parameters.integer(key, 0, (1L << 31) - 1); // a row or a column is a gang
}

std::vector<harness::Case> cases(harness::Effort effort, double memory_bytes) {
  using harness::of_size;
  if (effort == harness::Effort::full)
    return {memory_bytes > 12e9 ? of_size("large", "24000", "20000")
                                : of_size("large", "12000", "10000")};
  return {effort == harness::Effort::quick ? of_size("large", "6000", "5000")
                                           : of_size("large", "6500", "6000")};
}

std::vector<harness::Case> edge_cases() {
  using harness::of_size;
  return {of_size("no rows", "0", "5"),
          of_size("no columns", "5", "0"),
          of_size("one element", "1", "1"),
          of_size("one row", "1", "1000"),
          of_size("one column", "1000", "1"),
          of_size("one less than a vector", "3", "127"),
          of_size("one more than a vector", "129", "129"),
          of_size("tall", "517", "33")};
}

double footprint(const harness::Parameters& given) {
  return 8.0 * extent(given, "rows") * extent(given, "columns");
}

constexpr auto keys = harness::rows_and_columns("6000", "5000");

} // namespace

constinit const harness::StudyInfo Problem::info{
    .id = "order",
    .title = "update of a 2-D array: innermost loop stride-1 or strided",
    .source = "OpenACC Programming and Best Practices Guide, chapter 6 (loop ordering)",
    .keys = keys,
    .cases = cases,
    .edge_cases = edge_cases,
    .footprint = footprint,
};

Problem::Problem(const harness::Parameters& parameters)
    : _rows(extent(parameters, "rows")), _columns(extent(parameters, "columns")),
      _a(static_cast<std::size_t>(_rows) * static_cast<std::size_t>(_columns)) {
  kernels_take(_rows, _columns, inout("a", _a, before));
  described_as(fmt::format("{} x {} elements", _rows, _columns));
}

harness::Check Problem::check() const {
  // Whole numbers below 2^53: no result is rounded.
  return harness::check_exact(_a, after);
}

harness::Work Problem::work() const {
  const double elements = static_cast<double>(_rows) * static_cast<double>(_columns);
  return {.bytes = 16 * elements,
          .flops = 2 * elements,
          .single_precision = false,
          .reasoning = "each element read and written, a multiplication and an addition each",
          .in_place = true};
}

} // namespace gangway::order
