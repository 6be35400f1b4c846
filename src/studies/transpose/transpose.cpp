// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/transpose/transpose.hpp"

#include "base/parallel.hpp"
#include "gangway/levels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>

namespace gangway::transpose {

using harness::Buffer;
using harness::Case;
using harness::Effort;
using harness::Intent;
using harness::Parameters;

namespace {

constexpr std::int64_t max_extent = 2000000000;

/// A pattern no input holds: a NaN of our own.
constexpr std::uint32_t poison = 0x7fdeadaf;

/// A finite number for each place, different from those around it and from those a tile away.
float value_at(long place) {
  const auto mixed = static_cast<std::uint32_t>(place) * 2654435761U;
  return static_cast<float>(mixed >> 8U);
}

std::size_t elements(int rows, int columns) {
  return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
}

} // namespace

std::vector<std::string> Problem::stages() {
  return {"naive", "tile-8x8", "tile-16x16", "tile-32x32", "tile-8x32", "tile-32x8"};
}

std::vector<harness::Key> Problem::keys() {
  return {{"rows", "5400", "rows of the matrix, columns of the result"},
          {"columns", "5400", "columns of the matrix, rows of the result"}};
}

std::vector<Case> Problem::cases(Effort effort, double memory_bytes) {
  const auto matrix = [](const char* rows, const char* columns) {
    return Case{fmt::format("{}x{}", rows, columns), {{"rows", rows}, {"columns", columns}}};
  };
  if (effort == Effort::full && has_device && memory_bytes > 4e9)
    return {matrix("16384", "16384"), matrix("10000", "25000")};
  if (effort == Effort::quick)
    return {matrix("5400", "5400")};
  return {matrix("5400", "5400"), matrix("3000", "10000"), matrix("8192", "8192")};
}

std::vector<Case> Problem::edge_cases() {
  std::vector<Case> cases;
  const auto add = [&](const char* rows, const char* columns) {
    cases.push_back({fmt::format("{}x{}", rows, columns), {{"rows", rows}, {"columns", columns}}});
  };
  add("0", "0");
  add("0", "5");
  add("7", "0");
  add("1", "1");
  add("1", "1000");
  add("1000", "1");
  add("7", "9");
  add("31", "33");
  add("32", "32");
  add("63", "65");
  add("64", "31");
  add("65", "129");
  add("127", "200");
  add("127", "513");
  add("129", "1030");
  return cases;
}

double Problem::footprint(const Parameters& parameters) {
  return 8 * static_cast<double>(parameters.integer("rows", 0, max_extent)) *
         static_cast<double>(parameters.integer("columns", 0, max_extent));
}

Problem::Problem(const Parameters& parameters)
    : _rows(static_cast<int>(parameters.integer("rows", 0, max_extent))),
      _columns(static_cast<int>(parameters.integer("columns", 0, max_extent))), _generated(true),
      _in(elements(_rows, _columns)), _out(elements(_rows, _columns)) {
  base::parallel_ranges(static_cast<long>(_in.size()), [&](long begin, long end) {
    for (long at = begin; at < end; ++at)
      _in[static_cast<std::size_t>(at)] = value_at(at);
  });
  reset();
}

Problem::Problem(int rows, int columns, base::HostArray<float> in)
    : _rows(rows), _columns(columns), _generated(false), _in(std::move(in)), _out(_in.size()) {
  reset();
}

std::vector<Buffer> Problem::buffers() {
  return {Buffer::of("in", _in, Intent::in), Buffer::of("out", _out, Intent::out)};
}

void Problem::reset() {
  base::parallel_ranges(static_cast<long>(_out.size()), [&](long begin, long end) {
    std::fill(_out.begin() + begin, _out.begin() + end, std::bit_cast<float>(poison));
  });
}

harness::Check Problem::check() const {
  std::atomic<long> all_wrong{0};
  // Rows of the result may be few and long, or many and short: ranges are of elements.
  const auto expected = [&](long i, long j) {
    const long place = j * _columns + i;
    return std::bit_cast<std::uint32_t>(_generated ? value_at(place)
                                                   : _in[static_cast<std::size_t>(place)]);
  };
  const auto got = [&](long at) {
    return std::bit_cast<std::uint32_t>(_out[static_cast<std::size_t>(at)]);
  };
  base::parallel_ranges(static_cast<long>(_out.size()), [&](long begin, long end) {
    long wrong = 0;
    for (long at = begin; at < end;) {
      const long i = at / _rows;
      const long row_end = std::min((i + 1) * _rows, end);
      for (long j = at - i * _rows; at < row_end; ++at, ++j)
        wrong += got(at) == expected(i, j) ? 0 : 1;
    }
    all_wrong += wrong;
  });
  harness::Check check{all_wrong == 0, static_cast<double>(all_wrong), 0,
                       "every element, bit by bit"};
  if (!check.passed) {
    long at = 0;
    while (got(at) == expected(at / _rows, at % _rows))
      ++at;
    check.detail = fmt::format("{} elements are wrong, first row {}, column {} of the result: bits "
                               "{:08x} instead of {:08x}",
                               all_wrong.load(), at / _rows, at % _rows, got(at),
                               expected(at / _rows, at % _rows));
  }
  return check;
}

harness::Work Problem::work() const {
  return {.bytes = 8 * static_cast<double>(_in.size()),
          .flops = 0,
          .single_precision = true,
          .reasoning = "each element read once and written once"};
}

std::string Problem::describe() const {
  return fmt::format("{} x {} elements, {:.1f} MB", _rows, _columns,
                     4e-6 * static_cast<double>(_in.size()));
}

} // namespace gangway::transpose
