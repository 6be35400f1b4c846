// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "harness/problem.hpp"
#include "ranks/exchange.hpp"
#include "sparse/csr.hpp"
#include "studies/cg/cg.hpp"

/// Conjugate gradients across ranks: the solver of the study cg. The rows of the matrix, and the
/// same elements of all vectors, are cut into one part for each rank. The rows of a part need
/// elements of others' parts: its halo, which lies after its own elements.
///
///     exchange x;  r = b - A x;  p = r;  rr = r . r;
///     for (int k = 0;; ++k) {
///       history[k] = sqrt(rr);
///       if (k == most || history[k] <= tolerance) break;
///       exchange p;  q = A p;                               // matvec
///       alpha = rr / (p . q);                               // dot, the sum of all ranks
///       x = x + alpha p;  r = r - alpha q;                  // waxpby, twice
///       before = rr;  rr = r . r;                           // dot, the sum of all ranks
///       p = r + (rr / before) p;                            // waxpby
///     }
///
/// matvec: rows over gangs and workers, the non-zeros of a row over the vector. dot, waxpby: over
/// gangs and the vector; no worker. A separate kernel packs the elements to send.
namespace gangway::cg_ranks {

/// Part of the system that a rank has. Plain, so that it goes by value through the C ABI between
/// the two models. Its vectors have an element for each of its rows; those that a product reads
/// have the halo after them.
struct LocalSystem {
  sparse::Csr matrix; ///< its rows; their columns are its own elements and, after these, the halo
  int sent_count;
  const int* sent;  ///< sent_count: its own elements that other ranks want, in the order of packing
  const int* order; ///< rows: those that need no halo, and then those that do
  int inner;        ///< how many need none

  [[nodiscard]] int halo() const { return matrix.columns - matrix.rows; }
};

/// x: in, the first guess; out, the solution. x, p and r: rows and halo; q and s: rows; packed:
/// sent_count, at least 1. p, r, q, s and packed are work space. history: host memory for most + 1
/// residual norms, of all ranks together, of which the first *iterations + 1 are written.
using Kernel = void(LocalSystem system, ranks::Exchange* ranks, const double* b, double* x,
                    double* r, double* p, double* q, double* s, double* packed, int most,
                    double tolerance, double* history, int* iterations);

class Problem : public harness::ProblemOf<Kernel> {
public:
  static const harness::StudyInfo info;
  explicit Problem(const harness::Parameters& parameters);
  /// Takes any symmetric positive definite matrix, the same on all ranks, for tests.
  Problem(const inputs::CsrMatrix& matrix, int most, double tolerance);
  ~Problem() override;
  void reset() override;
  [[nodiscard]] harness::Check check() const override;
  [[nodiscard]] harness::Work work() const override;

  /// This rank's rows.
  [[nodiscard]] const inputs::CsrMatrix& matrix() const { return _matrix; }
  /// The first of consecutive rows that need no halo, and one past the last: all between the two
  /// rows next to the middle that need it.
  [[nodiscard]] std::pair<int, int> middle() const;

private:
  inputs::CsrMatrix _matrix;
  int _first_row;
  base::HostArray<int> _order;
  int _inner; ///< of `_order`, how many need no halo
  base::HostArray<int> _sent;
  std::unique_ptr<ranks::Exchange> _ranks;
  base::HostArray<double> _b, _x, _r, _p, _q, _s, _packed;
  std::vector<double> _history;
  int _iterations = 0;
  cg::Reference _reference;
};

} // namespace gangway::cg_ranks
