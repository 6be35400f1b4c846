// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/cg/cg.hpp"

#include "base/parallel.hpp"
#include "inputs/matrices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>

namespace gangway::cg {

using harness::Effort;
using harness::Parameters;

namespace {

constexpr double first_guess = 100000;
constexpr double epsilon = std::numeric_limits<double>::epsilon();
constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

int size_of(const Parameters& parameters) {
  return static_cast<int>(parameters.integer("n", 1, inputs::max_guide_size));
}

int most_of(const Parameters& parameters) {
  return static_cast<int>(parameters.integer("iterations", 0, 100000));
}

} // namespace

std::vector<std::string> Problem::stages() {
  return {"data"};
}

std::vector<harness::Key> Problem::keys() {
  return {{"n", "100", "the guide's matrix has (n + 1)^3 rows; the guide's own n is 200"},
          {"iterations", "100", "at most so many"},
          {"tolerance", "1e-12", "stop when the norm of the residual is this small"}};
}

std::vector<harness::Case> Problem::cases(Effort effort, double memory_bytes) {
  if (effort == Effort::full && memory_bytes > 12e9)
    return {{"guide", {{"n", "200"}, {"iterations", "100"}}}};
  // Each iteration reads the matrix, 330 MB, again: a few tell as much as a hundred.
  const char* const iterations = effort == Effort::quick    ? "3"
                                 : effort == Effort::normal ? "10"
                                                            : "100";
  return {{"guide", {{"n", "100"}, {"iterations", iterations}}}};
}

std::vector<harness::Case> Problem::edge_cases() {
  return {{"no iteration", {{"n", "3"}, {"iterations", "0"}}},
          {"one iteration", {{"n", "4"}, {"iterations", "1"}}},
          {"8 rows, merged offsets", {{"n", "1"}, {"iterations", "3"}}},
          {"converges", {{"n", "5"}, {"iterations", "1000"}, {"tolerance", "1e-4"}}},
          {"starts converged", {{"n", "5"}, {"iterations", "10"}, {"tolerance", "1e9"}}},
          {"guide", {{"n", "17"}, {"iterations", "25"}}}};
}

double Problem::footprint(const Parameters& parameters) {
  const double rows = std::pow(size_of(parameters) + 1.0, 3);
  // The matrix, the five vectors and the reference's solution; while that is made, its four
  // vectors.
  return rows * (27 * 12 + 4 + 6 * 8 + 4 * 16) + most_of(parameters) * 16.0;
}

Problem::Problem(const Parameters& parameters)
    : Problem(inputs::guide_matrix(size_of(parameters)), most_of(parameters),
              parameters.real("tolerance", 0, std::numeric_limits<double>::max())) {}

Problem::Problem(inputs::CsrMatrix matrix, int most, double tolerance)
    : _matrix(std::move(matrix)), _most(most), _tolerance(tolerance),
      _b(static_cast<std::size_t>(_matrix.rows)), _x(_b.size()), _r(_b.size()), _p(_b.size()),
      _q(_b.size()), _history(static_cast<std::size_t>(most) + 1), _reference_x(_b.size()) {
  base::parallel_ranges(_matrix.rows, [&](long begin, long end) {
    std::fill(_b.begin() + begin, _b.begin() + end, 1.0);
  });
  solve_reference();
  reset();
}

/// The algorithm at the head of cg.hpp, in long double. Rows are shared among threads; nothing else
/// differs from the serial loop but the order in which a dot product's few parts are added.
void Problem::solve_reference() {
  using Real = long double;
  const long rows = _matrix.rows;
  const auto size = static_cast<std::size_t>(rows);
  base::HostArray<Real> x(size);
  base::HostArray<Real> r(size);
  base::HostArray<Real> p(size);
  base::HostArray<Real> q(size);

  const auto over_rows = [&](const auto& body) {
    Real total = 0;
    std::mutex guard;
    base::parallel_ranges(rows, [&](long begin, long end) {
      Real part = 0;
      for (auto row = static_cast<std::size_t>(begin); row < static_cast<std::size_t>(end); ++row)
        part += body(row);
      const std::lock_guard lock(guard);
      total += part;
    });
    return total;
  };
  const auto row_times = [&](std::size_t row, const base::HostArray<Real>& in) {
    Real sum = 0;
    for (auto j = static_cast<std::size_t>(_matrix.row_offsets[row]);
         j < static_cast<std::size_t>(_matrix.row_offsets[row + 1]); ++j)
      sum += static_cast<Real>(_matrix.values[j]) *
             in[static_cast<std::size_t>(_matrix.column_indices[j])];
    return sum;
  };

  over_rows([&](std::size_t row) {
    x[row] = first_guess;
    return Real(0);
  });
  Real rr = over_rows([&](std::size_t row) {
    r[row] = static_cast<Real>(_b[row]) - row_times(row, x);
    p[row] = r[row];
    return r[row] * r[row];
  });
  _reference.push_back(static_cast<double>(std::sqrt(rr)));
  for (int k = 0; k < _most && _reference.back() > _tolerance; ++k) {
    const Real pq = over_rows([&](std::size_t row) {
      q[row] = row_times(row, p);
      return p[row] * q[row];
    });
    const Real alpha = rr / pq;
    const Real before = rr;
    rr = over_rows([&](std::size_t row) {
      x[row] += alpha * p[row];
      r[row] -= alpha * q[row];
      return r[row] * r[row];
    });
    over_rows([&](std::size_t row) {
      p[row] = r[row] + rr / before * p[row];
      return Real(0);
    });
    _reference.push_back(static_cast<double>(std::sqrt(rr)));
  }
  _largest_x = first_guess;
  for (std::size_t row = 0; row < size; ++row) {
    _reference_x[row] = static_cast<double>(x[row]);
    _largest_x = std::max(_largest_x, std::abs(_reference_x[row]));
  }
}

std::vector<harness::Buffer> Problem::buffers() {
  using harness::Buffer;
  using harness::Intent;
  return {Buffer::of("row_offsets", _matrix.row_offsets, Intent::in),
          Buffer::of("column_indices", _matrix.column_indices, Intent::in),
          Buffer::of("values", _matrix.values, Intent::in),
          Buffer::of("b", _b, Intent::in),
          Buffer::of("x", _x, Intent::inout),
          Buffer::of("r", _r, Intent::scratch),
          Buffer::of("p", _p, Intent::scratch),
          Buffer::of("q", _q, Intent::scratch)};
}

void Problem::reset() {
  base::parallel_ranges(_matrix.rows, [&](long begin, long end) {
    std::fill(_x.begin() + begin, _x.begin() + end, first_guess);
    for (base::HostArray<double>* work : {&_r, &_p, &_q})
      std::fill(work->begin() + begin, work->begin() + end, nothing);
  });
  std::ranges::fill(_history, nothing);
  _iterations = -1;
}

harness::Check Problem::check() const {
  // Errors in units of their bounds. Relative: each dot product adds `rows` terms. Absolute, where
  // the residual is far below the first: directions that converged have left rounding errors of
  // that size.
  const double relative = 4 * epsilon * (_matrix.rows + 100.0);
  harness::Check check{.passed = false, .error = 0, .tolerance = 1, .detail = {}};
  const auto last = static_cast<int>(_reference.size()) - 1;
  // A residual that just passes the tolerance in one order of additions may just miss it in
  // another.
  if (_iterations < 0 || std::abs(_iterations - last) > 1) {
    check.error = std::numeric_limits<double>::infinity();
    check.detail = fmt::format("{} iterations instead of {}", _iterations, last);
    return check;
  }
  const auto note = [&](double error, const auto& what) {
    if (error <= check.error)
      return;
    check.error = std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
    if (!(error <= check.tolerance))
      check.detail = what();
  };
  for (int k = 0; k <= std::min(_iterations, last); ++k) {
    const auto at = static_cast<std::size_t>(k);
    note(std::abs(_history[at] - _reference[at]) /
             (relative * _reference[at] + 16 * epsilon * _reference.front() +
              std::numeric_limits<double>::denorm_min()),
         [&] {
           return fmt::format("residual {} at iteration {} instead of {}", _history[at], k,
                              _reference[at]);
         });
  }
  // One iteration more or less moves x by its residual, and that was let pass above.
  const double step = _iterations == last ? 0 : 2 * _reference.back();
  const double bound = (relative + 4 * epsilon * last) * _largest_x + step;
  std::mutex guard;
  base::parallel_ranges(_matrix.rows, [&](long begin, long end) {
    double worst = 0;
    long worst_row = -1;
    for (long row = begin; row < end; ++row) {
      const auto at = static_cast<std::size_t>(row);
      const double error = std::abs(_x[at] - _reference_x[at]) / bound;
      if (!(error <= worst)) {
        worst = std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
        worst_row = row;
      }
    }
    if (worst_row < 0)
      return;
    const std::lock_guard lock(guard);
    note(worst, [&] {
      const auto at = static_cast<std::size_t>(worst_row);
      return fmt::format("x[{}] is {} instead of {}", worst_row, _x[at], _reference_x[at]);
    });
  });
  check.passed = check.error <= check.tolerance;
  return check;
}

harness::Work Problem::work() const {
  const double rows = _matrix.rows;
  const auto nonzeros = static_cast<double>(_matrix.nonzeros());
  const auto iterations = static_cast<double>(_reference.size() - 1);
  // Vectors smaller than any last-level cache may stay there from one use to the next.
  constexpr double largest_cache = 256e6;
  const bool vectors_cross = 5 * 8 * rows > largest_cache;
  const double per_iteration = 12 * nonzeros + 4 * rows + (vectors_cross ? 9 * 8 * rows : 0);
  const double start = 12 * nonzeros + 4 * rows + 5 * 8 * rows;
  return {.bytes = start + iterations * per_iteration,
          .flops = (iterations + 1) * 2 * nonzeros + iterations * 10 * rows,
          .single_precision = false,
          .reasoning =
              vectors_cross
                  ? "each iteration: value and column of each non-zero, offset of each row; "
                    "x, r and p read and written, q written, r and q read again"
                  : "each iteration: value and column of each non-zero, offset of each row; the "
                    "vectors once, for they may stay in a cache"};
}

std::string Problem::describe() const {
  return fmt::format("{} rows, {} non-zeros; {} iterations, residual {:.4e} to {:.4e}",
                     _matrix.rows, _matrix.nonzeros(), _reference.size() - 1, _reference.front(),
                     _reference.back());
}

} // namespace gangway::cg
