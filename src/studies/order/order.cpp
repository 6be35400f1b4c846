// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/order/order.hpp"

#include "base/parallel.hpp"
#include "harness/check.hpp"

namespace gangway::order {

using harness::Effort;
using harness::Parameters;

namespace {

// Whole numbers far below 2^53, each in one place only: nothing is rounded, and an update of the
// wrong element, or a second one of the right, shows.
double before(long i) {
  return static_cast<double>(i);
}
double after(long i) {
  return 2 * static_cast<double>(i) + 1;
}

constexpr long most = (1L << 31) - 1; // a row or a column is a gang

} // namespace

std::vector<std::string> Problem::stages() {
  return {"stride-1", "strided"};
}

std::vector<harness::Key> Problem::keys() {
  return {{"rows", "6000", "rows of the array"}, {"columns", "5000", "columns, side by side"}};
}

std::vector<harness::Case> Problem::cases(Effort effort, double memory_bytes) {
  const auto of = [](const char* rows, const char* columns) {
    return std::vector<harness::Case>{{"large", {{"rows", rows}, {"columns", columns}}}};
  };
  if (effort == Effort::full)
    return memory_bytes > 12e9 ? of("24000", "20000") : of("12000", "10000");
  return effort == Effort::quick ? of("6000", "5000") : of("6500", "6000");
}

std::vector<harness::Case> Problem::edge_cases() {
  const auto of = [](const char* name, const char* rows, const char* columns) {
    return harness::Case{name, {{"rows", rows}, {"columns", columns}}};
  };
  return {of("no rows", "0", "5"),
          of("no columns", "5", "0"),
          of("one element", "1", "1"),
          of("one row", "1", "1000"),
          of("one column", "1000", "1"),
          of("one less than a vector", "3", "127"),
          of("one more than a vector", "129", "129"),
          of("tall", "517", "33")};
}

double Problem::footprint(const Parameters& parameters) {
  return 8 * static_cast<double>(parameters.integer("rows", 0, most)) *
         static_cast<double>(parameters.integer("columns", 0, most));
}

Problem::Problem(const Parameters& parameters)
    : _rows(parameters.integer("rows", 0, most)), _columns(parameters.integer("columns", 0, most)),
      _a(static_cast<std::size_t>(_rows) * static_cast<std::size_t>(_columns)) {
  reset();
}

std::vector<harness::Buffer> Problem::buffers() {
  return {harness::Buffer::of("a", _a, harness::Intent::inout)};
}

void Problem::reset() {
  base::parallel_ranges(_rows * _columns, [&](long begin, long end) {
    for (long i = begin; i < end; ++i)
      _a[static_cast<std::size_t>(i)] = before(i);
  });
}

harness::Check Problem::check() const {
  // Whole numbers below 2^53: nothing is rounded.
  return harness::check_exact(
      _rows * _columns, [&](long i) { return _a[static_cast<std::size_t>(i)]; }, after);
}

harness::Work Problem::work() const {
  const double elements = static_cast<double>(_rows) * static_cast<double>(_columns);
  return {.bytes = 16 * elements,
          .flops = 2 * elements,
          .single_precision = false,
          .reasoning = "each element read and written, a multiplication and an addition each",
          .in_place = true};
}

std::string Problem::describe() const {
  return fmt::format("{} x {} elements", _rows, _columns);
}

} // namespace gangway::order
