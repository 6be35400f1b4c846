// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/routine/routine.hpp"

#include "base/parallel.hpp"
#include "harness/check.hpp"

#include <limits>

namespace gangway::routine {

using harness::Effort;
using harness::Parameters;

namespace {

// A row is a gang, and whole numbers up to 2^24 are floats.
constexpr std::int64_t most = 1L << 24;

} // namespace

std::vector<std::string> Problem::stages() {
  return {"seq", "worker", "vector", "gang"};
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
          of("one less than a block of rows", "15", "31"),
          of("a block of rows", "16", "32"),
          of("one more than a block of rows", "17", "33"),
          of("one less than a vector", "3", "127"),
          of("more rows than gangs", "2115", "7"),
          of("one more than a vector", "5", "129")};
}

double Problem::footprint(const Parameters& parameters) {
  return 4 * static_cast<double>(parameters.integer("rows", 0, most)) *
         static_cast<double>(parameters.integer("columns", 0, most));
}

Problem::Problem(const Parameters& parameters)
    : _rows(static_cast<int>(parameters.integer("rows", 0, most))),
      _columns(static_cast<int>(parameters.integer("columns", 0, most))),
      _v(static_cast<std::size_t>(_rows) * static_cast<std::size_t>(_columns)) {
  reset();
}

std::vector<harness::Buffer> Problem::buffers() {
  return {harness::Buffer::of("v", _v, harness::Intent::out)};
}

void Problem::reset() {
  base::parallel_ranges(static_cast<long>(_v.size()), [&](long begin, long end) {
    std::fill(_v.begin() + begin, _v.begin() + end, std::numeric_limits<float>::quiet_NaN());
  });
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

std::string Problem::describe() const {
  return fmt::format("{} x {} elements", _rows, _columns);
}

} // namespace gangway::routine
