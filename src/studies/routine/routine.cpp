// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/routine/routine.hpp"

#include "harness/check.hpp"

namespace gangway::routine {
namespace {

// A row is a gang, and whole numbers up to 2^24 are floats.
constexpr std::int64_t most = 1L << 24;

constexpr harness::Key keys[]{{"rows", "9000", "rows of the array"},
                              {"columns", "7000", "columns, side by side"}};

std::vector<harness::Case> cases(harness::Effort effort, double memory_bytes) {
  const auto of = [](const char* rows, const char* columns) {
    return std::vector<harness::Case>{{"large", {{"rows", rows}, {"columns", columns}}}};
  };
  if (effort == harness::Effort::full)
    return memory_bytes > 12e9 ? of("36000", "28000") : of("18000", "14000");
  return effort == harness::Effort::quick ? of("9000", "7000") : of("10000", "9000");
}

} // namespace

constinit const harness::StudyInfo Problem::info{
    .id = "routine",
    .title = "1 / (i j) by a device function: routine seq, vector, worker, gang",
    .source = "short course on OpenACC (UFRJ), example 2.2; OpenACC Programming and Best Practices "
              "Guide, chapter 6 (Routine Parallelism)",
    .keys = keys,
    .cases = cases,
    .edge_cases = []() -> std::vector<harness::Case> {
      const auto of = [](const char* name, const char* rows, const char* columns) {
        return harness::Case{name, {{"rows", rows}, {"columns", columns}}};
      };
      return {of("no rows", "0", "5"),
              of("no columns", "5", "0"),
              of("one element", "1", "1"),
              of("one less than a block of rows", "3", "31"),
              of("a block of rows", "4", "32"),
              of("one more than a block of rows", "5", "33"),
              of("one less than a vector", "3", "127"),
              of("more rows than gangs", "2115", "7"),
              of("one more than a vector", "5", "129")};
    },
    .footprint =
        [](const harness::Parameters& given) {
          return 4.0 * given.integer("rows", 0, most) * given.integer("columns", 0, most);
        },
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
