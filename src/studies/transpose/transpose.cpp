// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/transpose/transpose.hpp"

#include "base/parallel.hpp"
#include "gangway/levels.hpp"

#include <fmt/format.h>

#include <atomic>
#include <bit>

namespace gangway::transpose {
namespace {

constexpr int max_extent = 2000000000;

/// A pattern no input holds: a NaN of our own.
constexpr std::uint32_t poison = 0x7fdeadaf;

/// A finite number for each place, different from those around it and from those a tile away.
float value_at(long place) {
  const auto mixed = static_cast<std::uint32_t>(place) * 2654435761U;
  return static_cast<float>(mixed >> 8U);
}

int extent(const harness::Parameters& parameters, const char* key) {
  return static_cast<int>(parameters.integer(key, 0, max_extent));
}

constexpr harness::Key keys[]{{"rows", "5400", "rows of the matrix, columns of the result"},
                              {"columns", "5400", "columns of the matrix, rows of the result"}};

harness::Case matrix(const char* rows, const char* columns) {
  return {fmt::format("{}x{}", rows, columns), {{"rows", rows}, {"columns", columns}}};
}

std::vector<harness::Case> cases(harness::Effort effort, double memory_bytes) {
  if (effort == harness::Effort::full && has_device && memory_bytes > 4e9)
    return {matrix("16384", "16384"), matrix("10000", "25000")};
  if (effort == harness::Effort::quick)
    return {matrix("5400", "5400")};
  return {matrix("5400", "5400"), matrix("3000", "10000"), matrix("8192", "8192")};
}

std::vector<harness::Case> edge_cases() {
  return {matrix("0", "0"),     matrix("0", "5"),     matrix("7", "0"),     matrix("1", "1"),
          matrix("1", "1000"),  matrix("1000", "1"),  matrix("7", "9"),     matrix("31", "33"),
          matrix("32", "32"),   matrix("63", "65"),   matrix("64", "31"),   matrix("65", "129"),
          matrix("127", "200"), matrix("127", "513"), matrix("129", "1030")};
}

} // namespace

constinit const harness::StudyInfo Problem::info{
    .id = "transpose",
    .title = "transpose of a matrix, float",
    .source = "short course on OpenACC (UFRJ), section 2.6.4",
    .keys = keys,
    .cases = cases,
    .edge_cases = edge_cases,
    .footprint =
        [](const harness::Parameters& parameters) {
          return 8.0 * extent(parameters, "rows") * extent(parameters, "columns");
        },
};

Problem::Problem(const harness::Parameters& parameters)
    : Problem(extent(parameters, "rows"), extent(parameters, "columns"),
              base::filled<float>(static_cast<long>(extent(parameters, "rows")) *
                                      extent(parameters, "columns"),
                                  value_at)) {
  _generated = true;
}

Problem::Problem(int rows, int columns, base::HostArray<float> given)
    : _rows(rows), _columns(columns), _in(std::move(given)), _out(_in.size()) {
  kernels_take(_rows, _columns, in("in", _in), out("out", _out, std::bit_cast<float>(poison)));
  described_as(fmt::format("{} x {} elements, {:.1f} MB", _rows, _columns,
                           4e-6 * static_cast<double>(_in.size())));
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

} // namespace gangway::transpose
