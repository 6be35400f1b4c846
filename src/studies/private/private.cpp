// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/private/private.hpp"

#include "base/parallel.hpp"
#include "harness/check.hpp"

namespace gangway::private_array {

using harness::Effort;
using harness::Parameters;

namespace {

constexpr std::int64_t most = (1L << 31) - 1; // a row is a gang

} // namespace

std::vector<std::string> Problem::stages() {
  return {"sequential-inner", "private"};
}

std::vector<harness::Key> Problem::keys() {
  return {{"rows", "9000", "rows of the array"}, {"columns", "7000", "columns, side by side"}};
}

std::vector<harness::Case> Problem::cases(Effort effort, double memory_bytes) {
  const auto of = [](const char* rows, const char* columns) {
    return std::vector<harness::Case>{{"large", {{"rows", rows}, {"columns", columns}}}};
  };
  if (effort == Effort::full)
    return memory_bytes > 12e9 ? of("36000", "28000") : of("18000", "14000");
  return effort == Effort::quick ? of("9000", "7000") : of("10000", "9000");
}

std::vector<harness::Case> Problem::edge_cases() {
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
}

double Problem::footprint(const Parameters& parameters) {
  return 4 * static_cast<double>(parameters.integer("rows", 0, most)) *
         static_cast<double>(parameters.integer("columns", 0, most));
}

Problem::Problem(const Parameters& parameters)
    : _rows(static_cast<int>(parameters.integer("rows", 0, most))),
      _columns(static_cast<int>(parameters.integer("columns", 0, most))),
      _a(static_cast<std::size_t>(_rows) * static_cast<std::size_t>(_columns)) {
  reset();
}

std::vector<harness::Buffer> Problem::buffers() {
  return {harness::Buffer::of("a", _a, harness::Intent::out)};
}

void Problem::reset() {
  base::parallel_ranges(static_cast<long>(_a.size()), [&](long begin, long end) {
    std::fill(_a.begin() + begin, _a.begin() + end, -1);
  });
}

harness::Check Problem::check() const {
  // Whole numbers.
  return harness::check_exact(
      static_cast<long>(_a.size()), [&](long i) { return _a[static_cast<std::size_t>(i)]; },
      [](long) { return depth * (depth - 1) / 2; });
}

harness::Work Problem::work() const {
  return {.bytes = 4 * static_cast<double>(_a.size()),
          .flops = 0,
          .single_precision = false,
          .reasoning = "each element written once; the temporaries need not leave the registers",
          .write_only = true};
}

std::string Problem::describe() const {
  return fmt::format("{} x {} elements", _rows, _columns);
}

} // namespace gangway::private_array
