// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "smooth.hpp"

#include "harness/check.hpp"

namespace smooth {

static double in_at(long i) {
  return static_cast<double>(i * 7 % 1024); // whole numbers: no sum is rounded
}

static int size(const harness::Parameters& given, const char* key) {
  return static_cast<int>(given.integer(key, 3, 100000));
}

static std::vector<harness::Case> cases(harness::Effort effort, double /*memory_bytes*/) {
  if (effort == harness::Effort::quick)
    return {{"small", {{"rows", "512"}, {"columns", "512"}}}};
  return {{"square", {}}, {"flat", {{"rows", "64"}, {"columns", "65536"}}}};
}

static std::vector<harness::Case> edge_cases() {
  return {{"one point", {{"rows", "3"}, {"columns", "3"}}}};
}

constexpr harness::Key keys[]{{"rows", "2048", "rows of the grid"},
                              {"columns", "2048", "columns of the grid"}};

constinit const harness::StudyInfo Problem::info{
    .id = "smooth",
    .title = "mean of four neighbours, double",
    .source = "docs/your-own-study.md",
    .keys = keys,
    .cases = cases,
    .edge_cases = edge_cases,
    .footprint =
        [](const harness::Parameters& given) {
          return 16.0 * size(given, "rows") * size(given, "columns");
        },
};

Problem::Problem(const harness::Parameters& given)
    : _rows(size(given, "rows")), _columns(size(given, "columns")),
      _in(base::filled<double>(static_cast<long>(_rows) * _columns, in_at)), _out(_in.size()) {
  kernels_take(_rows, _columns, in("in", _in), out("out", _out));
  described_as(std::to_string(_rows) + " x " + std::to_string(_columns) + " points");
}

harness::Check Problem::check() const {
  const long columns = _columns;
  return harness::check_exact(
      _rows - 2, _columns - 2,
      [&](long i, long j) { return _out[static_cast<std::size_t>((i + 1) * columns + j + 1)]; },
      [&](long i, long j) {
        const long at = (i + 1) * columns + j + 1;
        return (in_at(at - columns) + in_at(at + columns) + in_at(at - 1) + in_at(at + 1)) / 4;
      });
}

harness::Work Problem::work() const {
  const double points = static_cast<double>(_rows) * _columns;
  return {.bytes = 16 * points,
          .flops = 4 * points,
          .reasoning = "every point read once and written once; three sums, one product"};
}

} // namespace smooth
