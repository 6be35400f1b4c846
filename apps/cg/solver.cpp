// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "solver.hpp"

#include "base/errors.hpp"
#include "base/parallel.hpp"
#include "gangway/gangway.hpp"
#include "sparse/product.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <mutex>

namespace gangway::apps::cg {
namespace {

using Device = Kokkos::DefaultExecutionSpace;

std::size_t at(long index) {
  return static_cast<std::size_t>(index);
}

double dot(const Array<const double>& a, const Array<const double>& b) {
  double sum = 0;
  Kokkos::parallel_reduce(
      "cg/dot", Kokkos::RangePolicy<Device>(0, a.extent_int(0)),
      KOKKOS_LAMBDA(int i, double& partial) { partial += a(i) * b(i); }, sum);
  return sum;
}

/// r . r, and r . M r with the preconditioner M.
struct Squares {
  double plain = 0;
  double scaled = 0;
};

/// r = b - r; p = M r
Squares start(const Array<const double>& b, const Array<const double>& scale,
              const Array<double>& r, const Array<double>& p) {
  const bool scaled = scale.extent(0) != 0;
  Squares squares;
  Kokkos::parallel_reduce(
      "cg/start", Kokkos::RangePolicy<Device>(0, r.extent_int(0)),
      KOKKOS_LAMBDA(int i, double& plain, double& with_scale) {
        const double rest = b(i) - r(i);
        r(i) = rest;
        p(i) = scaled ? scale(i) * rest : rest;
        plain += rest * rest;
        with_scale += rest * p(i);
      },
      squares.plain, squares.scaled);
  return squares;
}

/// x = x + alpha p; r = r - alpha q
Squares step(double alpha, const Array<const double>& p, const Array<const double>& q,
             const Array<const double>& scale, const Array<double>& x, const Array<double>& r) {
  const bool scaled = scale.extent(0) != 0;
  Squares squares;
  Kokkos::parallel_reduce(
      "cg/step", Kokkos::RangePolicy<Device>(0, r.extent_int(0)),
      KOKKOS_LAMBDA(int i, double& plain, double& with_scale) {
        x(i) += alpha * p(i);
        const double rest = r(i) - alpha * q(i);
        r(i) = rest;
        plain += rest * rest;
        with_scale += rest * (scaled ? scale(i) * rest : rest);
      },
      squares.plain, squares.scaled);
  return squares;
}

/// p = M r + beta p
void turn(double beta, const Array<const double>& r, const Array<const double>& scale,
          const Array<double>& p) {
  const bool scaled = scale.extent(0) != 0;
  Kokkos::parallel_for(
      "cg/turn", Kokkos::RangePolicy<Device>(0, p.extent_int(0)),
      KOKKOS_LAMBDA(int i) { p(i) = (scaled ? scale(i) * r(i) : r(i)) + beta * p(i); });
}

} // namespace

std::vector<double> inverse_diagonal(const inputs::CsrMatrix& matrix) {
  std::vector<double> inverse(at(matrix.rows));
  for (long row = 0; row < matrix.rows; ++row) {
    double diagonal = 0;
    for (auto j = at(matrix.row_offsets[at(row)]); j < at(matrix.row_offsets[at(row + 1)]); ++j)
      if (matrix.column_indices[j] == row)
        diagonal = matrix.values[j];
    if (!(diagonal > 0))
      throw base::UsageError(
          fmt::format("the matrix is not positive definite: the diagonal entry of row {} is {}; "
                      "conjugate gradients need all to be positive",
                      row + 1, diagonal));
    inverse[at(row)] = 1 / diagonal;
  }
  return inverse;
}

Outcome solve(const inputs::CsrMatrix& matrix, std::span<const double> scale,
              std::span<const double> b, std::span<double> x, int most, double target,
              const Report& report) {
  const std::size_t size = at(matrix.rows);
  std::vector<double> r(size);
  std::vector<double> p(size);
  std::vector<double> q(size);

  Data data;
  const sparse::Csr csr = sparse::csr_of(matrix);
  const auto a = sparse::copyin(data, csr);
  const auto diagonal = data.copyin(named("diagonal", scale.data()), scale.size());
  const auto right = data.copyin(named("b", b.data()), size);
  const auto solution = data.copy(named("x", x.data()), size);
  const auto residual = data.create(named("residual", r.data()), size);
  const auto direction = data.create(named("direction", p.data()), size);
  const auto mapped = data.create(named("mapped", q.data()), size);
  const sparse::Product product =
      sparse::product_for("cg/product", csr, inputs::row_statistics(matrix));

  product(a, solution, residual);
  Squares squares = start(right, diagonal, residual, direction);
  for (int k = 0;; ++k) {
    const double norm = std::sqrt(squares.plain);
    report(k, norm);
    if (norm <= target)
      return {End::converged, k, norm};
    if (!std::isfinite(norm) || !std::isfinite(squares.scaled))
      return {End::not_finite, k, norm};
    if (k == most)
      return {End::out_of_iterations, k, norm};
    product(a, direction, mapped);
    const double curvature = dot(direction, mapped);
    if (!(curvature > 0))
      return {std::isfinite(curvature) ? End::not_positive_definite : End::not_finite, k, norm};
    const double before = squares.scaled;
    squares = step(before / curvature, direction, mapped, diagonal, solution, residual);
    turn(squares.scaled / before, residual, diagonal, direction);
  }
}

double residual_norm(const inputs::CsrMatrix& matrix, std::span<const double> b,
                     std::span<const double> x) {
  std::mutex guard;
  double square = 0;
  base::parallel_ranges(matrix.rows, [&](long begin, long end) {
    double part = 0;
    for (long row = begin; row < end; ++row) {
      double rest = b[at(row)];
      for (auto j = at(matrix.row_offsets[at(row)]); j < at(matrix.row_offsets[at(row + 1)]); ++j)
        rest -= matrix.values[j] * x[at(matrix.column_indices[j])];
      part += rest * rest;
    }
    const std::lock_guard lock(guard);
    square += part;
  });
  return std::sqrt(square);
}

} // namespace gangway::apps::cg
