// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "harness/problem.hpp"
#include "inputs/csr.hpp"
#include "sparse/csr.hpp"

/// Conjugate gradients for A x = b; A symmetric and positive definite, CSR, double, 32-bit indices.
///
///     r = b - A x;  p = r;  rr = r . r;                     // matvec, waxpby, dot
///     for (int k = 0;; ++k) {
///       history[k] = sqrt(rr);
///       if (k == most || history[k] <= tolerance) break;
///       q = A p;                                            // matvec
///       alpha = rr / (p . q);                               // dot
///       x = x + alpha p;  r = r - alpha q;                  // waxpby, twice
///       before = rr;  rr = r . r;                           // dot
///       p = r + (rr / before) p;                            // waxpby
///     }
///
/// matvec: rows over gangs and workers, the non-zeros of a row over the vector.
/// dot, waxpby: blocks of the vector over gangs, the elements of a block over the vector; no
/// worker. The loop over k is the host's: each dot product is a meeting point of all gangs.
namespace gangway::cg {

/// x: in, the first guess; out, the solution. r, p, q: work space of as many elements as the matrix
/// has rows. history: host memory for most + 1 residual norms, of which the first *iterations + 1
/// are written.
using Kernel = void(sparse::Csr matrix, const double* b, double* x, double* r, double* p, double* q,
                    int most, double tolerance, double* history, int* iterations);

/// Results of the serial algorithm for a matrix, in long double, with 1 for b and `first_guess` for
/// the first guess everywhere.
struct Reference {
  std::vector<double> residuals; ///< one more than there are iterations
  base::HostArray<double> x;
  double largest_x = 0; ///< of the first guess and of x: what rounding errors scale with
};
inline constexpr double first_guess = 100000;
[[nodiscard]] Reference solve_serially(const inputs::CsrMatrix& matrix, int most, double tolerance);

/// Compares a run with it: the residuals before each iteration and after the last, and the elements
/// `first` to first + count of the solution, which are in `x`.
[[nodiscard]] harness::Check compare(const Reference& reference, const std::vector<double>& history,
                                     int iterations, const double* x, long first, long count);

class Problem : public harness::ProblemOf<Kernel> {
public:
  static const harness::StudyInfo info;
  explicit Problem(const harness::Parameters& parameters);
  /// Takes any symmetric positive definite matrix, for tests. b is 1 and the first guess 100000
  /// everywhere.
  Problem(inputs::CsrMatrix matrix, int most, double tolerance);
  void reset() override;
  [[nodiscard]] harness::Check check() const override;
  [[nodiscard]] harness::Work work() const override;

  [[nodiscard]] const inputs::CsrMatrix& matrix() const { return _matrix; }
  [[nodiscard]] int most_iterations() const { return _most; }
  /// Results of the last run: iterations done, and the residual norm before each and after the
  /// last.
  [[nodiscard]] int iterations() const { return _iterations; }
  [[nodiscard]] const std::vector<double>& history() const { return _history; }
  [[nodiscard]] const base::HostArray<double>& solution() const { return _x; }
  /// The residual norms of the serial algorithm in long double.
  [[nodiscard]] const std::vector<double>& reference() const { return _reference.residuals; }

private:
  inputs::CsrMatrix _matrix;
  int _most;
  double _tolerance;
  base::HostArray<double> _b;
  base::HostArray<double> _x;
  base::HostArray<double> _r;
  base::HostArray<double> _p;
  base::HostArray<double> _q;
  std::vector<double> _history;
  int _iterations = 0;

  Reference _reference;
};

} // namespace gangway::cg
