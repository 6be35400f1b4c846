// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/private/private.hpp"

#include "harness/check.hpp"

namespace gangway::private_array {
namespace {

constexpr std::int64_t most = (1L << 31) - 1; // a row is a gang

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
    .id = "private",
    .title = "a temporary array for each iteration: shared or private",
    .source = "More tips on OpenACC acceleration",
    .keys = keys,
    .cases = cases,
    .edge_cases = []() -> std::vector<harness::Case> {
      const auto of = [](const char* name, const char* rows, const char* columns) {
        return harness::Case{name, {{"rows", rows}, {"columns", columns}}};
      };
      return {of("no rows", "0", "5"),
              of("no columns", "5", "0"),
              of("one element", "1", "1"),
              of("one row", "1", "300"),
              of("one column", "300", "1"),
              of("one less than a vector", "3", "127"),
              of("one more than a vector", "130", "129")};
    },
    .footprint =
        [](const harness::Parameters& given) {
          return 4.0 * given.integer("rows", 0, most) * given.integer("columns", 0, most);
        },
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
