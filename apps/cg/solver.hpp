// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "inputs/csr.hpp"

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace gangway::apps::cg {

/// One over each diagonal entry. Errors: UsageError that names the first row whose diagonal is not
/// positive: such a matrix is not positive definite.
[[nodiscard]] std::vector<double> inverse_diagonal(const inputs::CsrMatrix& matrix);

enum class End { converged, out_of_iterations, not_positive_definite, not_finite };

struct Outcome {
  End end;
  int iterations;
  double residual; ///< as the iteration carries it along
};

/// Told the norm of the residual before each iteration and after the last. What it throws ends the
/// solution, and leaves x as it was.
using Report = std::function<void(int iteration, double residual)>;

/// Conjugate gradients from x until the norm of the residual is at most `target`. `scale` is the
/// preconditioner, the inverse of a diagonal; empty for none. The matrix must be square and
/// symmetric, the vectors as long as it has rows. The solution ends early where it turns out that
/// the matrix is not positive definite, or numbers overflow; x is then where it had come to.
[[nodiscard]] Outcome solve(const inputs::CsrMatrix& matrix, std::span<const double> scale,
                            std::span<const double> b, std::span<double> x, int most, double target,
                            const Report& report);

/// The norm of b - A x, on the host.
[[nodiscard]] double residual_norm(const inputs::CsrMatrix& matrix, std::span<const double> b,
                                   std::span<const double> x);

} // namespace gangway::apps::cg
