// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/private/private.hpp"

#include "harness/check.hpp"
#include "harness/rows_columns.hpp"

namespace gangway::private_array {
namespace {

constexpr std::int64_t most = (1L << 31) - 1; // a row is a gang

constexpr auto keys = harness::rows_and_columns("9000", "7000");

} // namespace

constinit const harness::StudyInfo Problem::info{
    .id = "private",
    .title = "a temporary array for each iteration: shared or private",
    .source = "More Tips on OpenACC Acceleration (Microway), private variables",
    .keys = keys,
    .cases = harness::cases_of_written,
    .edge_cases = []() -> std::vector<harness::Case> {
      using harness::of_size;
      return {of_size("no rows", "0", "5"),
              of_size("no columns", "5", "0"),
              of_size("one element", "1", "1"),
              of_size("one row", "1", "300"),
              of_size("one column", "300", "1"),
              of_size("one less than a vector", "3", "127"),
              of_size("one more than a vector", "130", "129")};
    },
    .footprint = harness::bytes_of_written<most>,
};

Problem::Problem(const harness::Parameters& parameters)
    : _rows(static_cast<int>(parameters.integer("rows", 0, most))),
      _columns(static_cast<int>(parameters.integer("columns", 0, most))),
      _a(static_cast<std::size_t>(_rows) * static_cast<std::size_t>(_columns)) {
  kernels_take(_rows, _columns, out("a", _a));
  described_as(fmt::format("{} x {} elements", _rows, _columns));
}

harness::Check Problem::check() const {
  // Whole numbers.
  return harness::check_exact(_a, [](long) { return depth * (depth - 1) / 2; });
}

harness::Work Problem::work() const {
  return {.bytes = 4 * static_cast<double>(_a.size()),
          .flops = 0,
          .single_precision = false,
          .reasoning = "each element written once; the temporaries need not leave the registers",
          .write_only = true};
}

} // namespace gangway::private_array
