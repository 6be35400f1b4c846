// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/cg/cg.hpp"

#include "harness/check.hpp"
#include "inputs/matrices.hpp"

#include <mutex>

namespace gangway::cg {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

int size_of(const harness::Parameters& parameters) {
  return static_cast<int>(parameters.integer("n", 1, inputs::max_guide_size));
}

double tolerance_of(const harness::Parameters& parameters) {
  return parameters.real("tolerance", 0, std::numeric_limits<double>::max());
}

int most_of(const harness::Parameters& parameters) {
  return static_cast<int>(parameters.integer("iterations", 0, 100000));
}

std::vector<harness::Case> cases(harness::Effort effort, double memory_bytes) {
  if (effort == harness::Effort::full && memory_bytes > 12e9)
    return {{"guide", {{"n", "200"}, {"iterations", "100"}}}};
  // Each iteration reads the matrix, 330 MB, again: a few tell as much as a hundred.
  const char* const iterations = effort == harness::Effort::quick    ? "3"
                                 : effort == harness::Effort::normal ? "10"
                                                                     : "100";
  return {{"guide", {{"n", "100"}, {"iterations", iterations}}}};
}

double footprint(const harness::Parameters& parameters) {
  static_cast<void>(tolerance_of(parameters));
  const double rows = std::pow(size_of(parameters) + 1.0, 3);
  // The matrix, the five vectors and the reference's solution; while that is made, its four
  // vectors.
  return rows * (27 * 12 + 4 + 6 * 8 + 4 * 16) + most_of(parameters) * 16.0;
}

constexpr harness::Key keys[]{
    {"n", "100", "the guide's matrix has (n + 1)^3 rows; the guide's own n is 200"},
    {"iterations", "100", "at most so many"},
    {"tolerance", "1e-12", "stop when the norm of the residual is this small"}};

} // namespace

constinit const harness::StudyInfo Problem::info{
    .id = "cg",
    .title = "conjugate gradients on the guide's matrix, CSR, double",
    .source = "OpenACC Programming and Best Practices Guide, the example of chapters 3 to 6",
    .keys = keys,
    .cases = cases,
    .edge_cases = []() -> std::vector<harness::Case> {
      return {{"no iteration", {{"n", "3"}, {"iterations", "0"}}},
              {"one iteration", {{"n", "4"}, {"iterations", "1"}}},
              {"8 rows, merged offsets", {{"n", "1"}, {"iterations", "3"}}},
              {"converges", {{"n", "5"}, {"iterations", "1000"}, {"tolerance", "1e-4"}}},
              {"starts converged", {{"n", "5"}, {"iterations", "10"}, {"tolerance", "1e9"}}},
              {"guide", {{"n", "17"}, {"iterations", "25"}}}};
    },
    .footprint = footprint,
};

Problem::Problem(const harness::Parameters& parameters)
    : Problem(inputs::guide_matrix(size_of(parameters)), most_of(parameters),
              tolerance_of(parameters)) {}

Problem::Problem(inputs::CsrMatrix matrix, int most, double tolerance)
    : _matrix(std::move(matrix)), _most(most), _tolerance(tolerance),
      _b(base::filled<double>(_matrix.rows, [](long) { return 1.0; })), _x(_b.size()),
      _r(_b.size()), _p(_b.size()), _q(_b.size()), _history(static_cast<std::size_t>(most) + 1),
      _reference(solve_serially(_matrix, most, tolerance)) {
  kernels_find(in("row_offsets", _matrix.row_offsets), in("column_indices", _matrix.column_indices),
               in("values", _matrix.values));
  kernels_take(sparse::csr_of(_matrix), in("b", _b),
               inout("x", _x, [](long) { return first_guess; }), scratch("r", _r), scratch("p", _p),
               scratch("q", _q), _most, _tolerance, _history.data(), result(_iterations));
  described_as(fmt::format("{} rows, {} non-zeros; {} iterations, residual {:.4e} to {:.4e}",
                           _matrix.rows, _matrix.nonzeros(), _reference.residuals.size() - 1,
                           _reference.residuals.front(), _reference.residuals.back()));
}

void Problem::reset() {
  ProblemOf::reset();
  std::ranges::fill(_history, harness::poison<double>);
}

/// The algorithm at the head of cg.hpp, in long double. Rows are shared among threads; nothing else
/// differs from the serial loop but the order in which a dot product's few parts are added.
Reference solve_serially(const inputs::CsrMatrix& matrix, int most, double tolerance) {
  using Real = long double;
  const long rows = matrix.rows;
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
    for (auto j = static_cast<std::size_t>(matrix.row_offsets[row]);
         j < static_cast<std::size_t>(matrix.row_offsets[row + 1]); ++j)
      sum += static_cast<Real>(matrix.values[j]) *
             in[static_cast<std::size_t>(matrix.column_indices[j])];
    return sum;
  };

  over_rows([&](std::size_t row) {
    x[row] = first_guess;
    return Real(0);
  });
  Real rr = over_rows([&](std::size_t row) {
    r[row] = 1 - row_times(row, x);
    p[row] = r[row];
    return r[row] * r[row];
  });
  Reference reference{.residuals = {static_cast<double>(std::sqrt(rr))},
                      .x = base::HostArray<double>(size),
                      .largest_x = first_guess};
  for (int k = 0; k < most && reference.residuals.back() > tolerance; ++k) {
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
    reference.residuals.push_back(static_cast<double>(std::sqrt(rr)));
  }
  for (std::size_t row = 0; row < size; ++row) {
    reference.x[row] = static_cast<double>(x[row]);
    reference.largest_x = std::max(reference.largest_x, std::abs(reference.x[row]));
  }
  return reference;
}

harness::Check compare(const Reference& reference, const std::vector<double>& history,
                       int iterations, const double* x, long first, long count) {
  // Relative: each dot product adds `rows` terms. Absolute, where the residual is far below the
  // first: directions that converged have left rounding errors of that size.
  const double relative = 4 * epsilon * (static_cast<double>(reference.x.size()) + 100.0);
  const auto last = static_cast<int>(reference.residuals.size()) - 1;
  const double noise = 16 * epsilon * reference.residuals.front();
  // A residual that just passes the tolerance in one order of additions may just miss it in
  // another; and one that is to be smaller than rounding errors takes whatever it takes.
  const bool too_many = iterations > last + 1 && reference.residuals.back() >= noise;
  if (iterations < last - 1 || too_many) {
    return {.passed = false,
            .error = std::numeric_limits<double>::infinity(),
            .tolerance = 1,
            .detail = fmt::format("{} iterations instead of {}", iterations, last)};
  }
  harness::Check residuals = harness::check_within(
      std::min(iterations, last) + 1, history, reference.residuals,
      [&](long k) {
        return relative * reference.residuals[static_cast<std::size_t>(k)] + noise +
               std::numeric_limits<double>::denorm_min();
      },
      "every residual and the solution, within rounding of the additions");
  if (!residuals.passed) {
    residuals.detail = "residuals by iteration, " + residuals.detail;
    return residuals;
  }
  // One iteration more or less moves x by its residual, and that was let pass above.
  const double step = iterations == last ? 0 : 2 * reference.residuals.back();
  const double bound = (relative + 4 * epsilon * last) * reference.largest_x + step;
  harness::Check solution = harness::check_within(
      count, std::span(x, static_cast<std::size_t>(count)),
      std::span(reference.x.data() + first, static_cast<std::size_t>(count)),
      [&](long) { return bound; }, residuals.detail);
  if (!solution.passed)
    solution.detail = "x, " + solution.detail;
  solution.error = std::max(solution.error, residuals.error);
  return solution;
}

harness::Check Problem::check() const {
  return compare(_reference, _history, _iterations, _x.data(), 0, _matrix.rows);
}

harness::Work Problem::work() const {
  const double rows = _matrix.rows;
  const auto nonzeros = static_cast<double>(_matrix.nonzeros());
  const auto iterations = static_cast<double>(_reference.residuals.size() - 1);
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

} // namespace gangway::cg
