// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/routine/routine.hpp"

#include "harness/check.hpp"
#include "harness/rows_columns.hpp"

namespace gangway::routine {
namespace {

// A row is a gang, and whole numbers up to 2^24 are floats.
constexpr std::int64_t most = 1L << 24;

constexpr auto keys = harness::rows_and_columns("9000", "7000");

} // namespace

constinit const harness::StudyInfo Problem::info{
    .id = "routine",
    .title = "1 / (i j) by a device function: routine seq, vector, worker, gang",
    .source = "short course on OpenACC (UFRJ), example 2.2; OpenACC Programming and Best "
              "Practices Guide, chapter 6 (routines)",
    .keys = keys,
    .cases = harness::cases_of_written,
    .edge_cases = []() -> std::vector<harness::Case> {
      using harness::of_size;
      return {of_size("no rows", "0", "5"),
              of_size("no columns", "5", "0"),
              of_size("one element", "1", "1"),
              of_size("one less than a block of rows", "3", "31"),
              of_size("a block of rows", "4", "32"),
              of_size("one more than a block of rows", "5", "33"),
              of_size("one less than a vector", "3", "127"),
              of_size("more rows than gangs", "2115", "7"),
              of_size("one more than a vector", "5", "129")};
    },
    .footprint = harness::bytes_of_written<most>,
};

Problem::Problem(const harness::Parameters& parameters)
    : _rows(static_cast<int>(parameters.integer("rows", 0, most))),
      _columns(static_cast<int>(parameters.integer("columns", 0, most))),
      _v(static_cast<std::size_t>(_rows) * static_cast<std::size_t>(_columns)) {
  kernels_take(_rows, _columns, out("v", _v));
  described_as(fmt::format("{} x {} elements", _rows, _columns));
}

harness::Check Problem::check() const {
  // IEEE arithmetic rounds a product and a quotient the same way everywhere: not a bit may differ.
  const long columns = _columns;
  return harness::check_exact(
      _rows, columns, [&](long i, long j) { return _v[static_cast<std::size_t>(i * columns + j)]; },
      [](long i, long j) {
        return 1.0F / (static_cast<float>(static_cast<int>(i) + 1) *
                       static_cast<float>(static_cast<int>(j) + 1));
      });
}

harness::Work Problem::work() const {
  const double elements = static_cast<double>(_rows) * static_cast<double>(_columns);
  return {.bytes = 4 * elements,
          .flops = 2 * elements,
          .single_precision = true,
          .reasoning = "each element written once, a multiplication and a division each",
          .write_only = true};
}

} // namespace gangway::routine
