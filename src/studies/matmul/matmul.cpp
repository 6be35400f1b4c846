// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/matmul/matmul.hpp"

#include "gangway/device.hpp"
#include "harness/check.hpp"

#include <array>

namespace gangway::matmul {
namespace {

/// Generated matrices repeat with these periods, one in the rows of A, the other in the columns of
/// B, so that all of C is known from one corner. Primes: no tile of a kernel has such a size.
constexpr int row_period = 61;
constexpr int column_period = 67;

struct Sizes {
  int rows;
  int inner;
  int columns;
};

Sizes sizes_of(const harness::Parameters& parameters) {
  constexpr int most = 2000000000;
  const auto columns = static_cast<int>(parameters.integer("n", 0, most));
  const auto other = [&](const char* key, int limit) {
    return parameters.text(key).empty() ? columns
                                        : static_cast<int>(parameters.integer(key, 0, limit));
  };
  const Sizes sizes{other("rows", most), other("inner", max_inner), columns};
  if (sizes.inner > max_inner)
    throw base::UsageError(fmt::format(
        "matmul: inner is {}; at most {} is checked exactly in float", sizes.inner, max_inner));
  return sizes;
}

/// A whole number in [-limit, limit] for each place in a period; large enough to fill float's
/// digits.
template <int period>
std::array<float, period> numbers(int limit, unsigned seed) {
  std::array<float, period> values;
  for (float& value : values) {
    seed = seed * 1664525U + 1013904223U;
    value = static_cast<float>(static_cast<int>((seed >> 8U) % (2U * limit + 1U)) - limit);
  }
  return values;
}

std::size_t elements(int rows, int columns) {
  return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
}

std::vector<harness::Case> cases(harness::Effort effort, double memory_bytes) {
  // `kernels` and `linear` are one thread's work where the compiler leaves `kernels` sequential,
  // and without a GPU GCC's OpenACC is that in every stage.
  const std::vector<std::string> slow =
      has_device
          ? std::vector<std::string>{"kernels", "linear"}
          : std::vector<std::string>{"naive", "kernels", "linear", "collapse", "three-level"};
  std::vector<harness::Case> cases{{"200", {{"n", "200"}}}};
  if (effort == harness::Effort::quick) {
    cases.push_back({"500", {{"n", "500"}}, slow});
    return cases;
  }
  cases.push_back({"1000", {{"n", "1000"}}, slow});
  if (has_device && effort == harness::Effort::full && memory_bytes > 2e9) {
    cases.push_back({"5000", {{"n", "5000"}}, slow});
    cases.push_back({"8192", {{"n", "8192"}}, slow});
  } else if (effort == harness::Effort::full) {
    cases.push_back({"2048", {{"n", "2048"}}, slow});
  }
  return cases;
}

std::vector<harness::Case> edge_cases() {
  const auto product = [](int rows, int inner, int columns) {
    return harness::Case{fmt::format("{}x{}x{}", rows, inner, columns),
                         {{"rows", std::to_string(rows)},
                          {"inner", std::to_string(inner)},
                          {"n", std::to_string(columns)}}};
  };
  // One less and one more than a vector, a tile and a panel of each kind, and rows that are no
  // whole quads.
  return {product(0, 0, 0),     product(1, 1, 1),     product(3, 0, 5),     product(1, 70, 1),
          product(1, 1, 300),   product(300, 1, 1),   product(5, 6, 7),     product(31, 32, 33),
          product(127, 7, 129), product(128, 8, 128), product(129, 9, 127), product(13, 257, 33),
          product(121, 20, 31), product(7, 20, 259),  product(16, 300, 36), product(130, 12, 260)};
}

double footprint(const harness::Parameters& parameters) {
  const Sizes size = sizes_of(parameters);
  return 4.0 * (1.0 * size.rows * size.inner + 1.0 * size.inner * size.columns +
                1.0 * size.rows * size.columns);
}

constexpr harness::Key keys[]{{"n", "256", "columns of B and C"},
                              {"rows", "", "rows of A and C; default n"},
                              {"inner", "", "columns of A, rows of B; default n"}};

} // namespace

constinit const harness::StudyInfo Problem::info{
    .id = "matmul",
    .title = "matrix product C = A B, float",
    .source = "short course on OpenACC (UFRJ), sections 2.3 and 2.9.5; More Tips on OpenACC "
              "Acceleration (Microway)",
    .keys = keys,
    .cases = cases,
    .edge_cases = edge_cases,
    .footprint = footprint,
};

Problem::Problem(const harness::Parameters& parameters)
    : _rows(sizes_of(parameters).rows), _inner(sizes_of(parameters).inner),
      _columns(sizes_of(parameters).columns), _a(elements(_rows, _inner)),
      _b(elements(_inner, _columns)), _c(elements(_rows, _columns)) {
  fill();
  take_arguments();
}

Problem::Problem(int rows, int inner, int columns, base::HostArray<float> a,
                 base::HostArray<float> b)
    : _rows(rows), _inner(inner), _columns(columns), _a(std::move(a)), _b(std::move(b)),
      _c(elements(rows, columns)) {
  sum_in_double();
  take_arguments();
}

void Problem::take_arguments() {
  kernels_take(_rows, _inner, _columns, in("a", _a), in("b", _b), out("c", _c));
  described_as(fmt::format("{} x {} times {} x {}", _rows, _inner, _inner, _columns));
}

void Problem::fill() {
  // The largest whole number whose square, summed `inner` times, float still holds exactly.
  const int limit = static_cast<int>(
      std::min(1024.0, std::sqrt(static_cast<double>(max_inner) / std::max(_inner, 1))));
  const auto of_a = numbers<row_period>(limit, 1);
  const auto of_b = numbers<column_period>(limit, 2);
  base::parallel_ranges(_rows, [&](long begin, long end) {
    for (long i = begin; i < end; ++i)
      for (long k = 0; k < _inner; ++k)
        _a[static_cast<std::size_t>(i * _inner + k)] =
            of_a[static_cast<std::size_t>((i + 3 * k) % row_period)];
  });
  base::parallel_ranges(_inner, [&](long begin, long end) {
    for (long k = begin; k < end; ++k)
      for (long j = 0; j < _columns; ++j)
        _b[static_cast<std::size_t>(k * _columns + j)] =
            of_b[static_cast<std::size_t>((5 * k + j) % column_period)];
  });
  // Terms repeat after row_period * column_period values of k.
  constexpr long both = static_cast<long>(row_period) * column_period;
  _reference.assign(both, 0);
  for (long i = 0; i < row_period; ++i)
    for (long j = 0; j < column_period; ++j) {
      long sum = 0;
      for (long k = 0; k < std::min<long>(both, _inner); ++k) {
        const long times = (_inner - k + both - 1) / both;
        sum += times * static_cast<long>(of_a[static_cast<std::size_t>((i + 3 * k) % row_period)]) *
               static_cast<long>(of_b[static_cast<std::size_t>((5 * k + j) % column_period)]);
      }
      _reference[static_cast<std::size_t>(i * column_period + j)] = static_cast<double>(sum);
    }
}

void Problem::sum_in_double() {
  _reference.assign(_c.size(), 0);
  _scale.assign(_c.size(), 0);
  for (long i = 0; i < _rows; ++i)
    for (long k = 0; k < _inner; ++k)
      for (long j = 0; j < _columns; ++j) {
        const double term = static_cast<double>(_a[static_cast<std::size_t>(i * _inner + k)]) *
                            static_cast<double>(_b[static_cast<std::size_t>(k * _columns + j)]);
        _reference[static_cast<std::size_t>(i * _columns + j)] += term;
        _scale[static_cast<std::size_t>(i * _columns + j)] += std::abs(term);
      }
}

harness::Check Problem::check() const {
  if (_scale.empty())
    return harness::check_exact(_c, [&](long at) {
      return _reference[static_cast<std::size_t>(at / _columns % row_period * column_period +
                                                 at % _columns % column_period)];
    });
  const auto index = [&](long i, long j) { return static_cast<std::size_t>(i * _columns + j); };
  return harness::check_within(
      _rows, _columns, [&](long i, long j) { return _c[index(i, j)]; },
      [&](long i, long j) { return _reference[index(i, j)]; },
      // A sum of m terms in any order is off by at most about m units of rounding of the sum of
      // |a b|.
      [&](long i, long j) {
        return (_inner + 1.0) * static_cast<double>(std::numeric_limits<float>::epsilon()) *
                   _scale[index(i, j)] +
               static_cast<double>(std::numeric_limits<float>::min());
      },
      "sums in double, in units of their rounding bound in float");
}

harness::Work Problem::work() const {
  const double m = _rows;
  const double n = _columns;
  const double k = _inner;
  return {.bytes = 4 * (m * k + k * n + m * n),
          .flops = 2 * m * n * k,
          .single_precision = true,
          .reasoning = "each matrix crosses once; a multiplication and an addition a term"};
}

} // namespace gangway::matmul
