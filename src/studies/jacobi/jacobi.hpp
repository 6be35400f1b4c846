// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "harness/problem.hpp"
#include "studies/jacobi/plate.hpp"

/// Temperature of a plate whose edges are held: Laplace's equation by Jacobi sweeps, double.
///
///     while (done < iterations && change > tolerance) {
///       for (long i = 1; i <= rows; ++i)
///         for (long j = 1; j <= columns; ++j)
///           next[i][j] = (plate[i+1][j] + plate[i-1][j] + plate[i][j+1] + plate[i][j-1]) / 4;
///       change = 0;
///       for (long i = 1; i <= rows; ++i)
///         for (long j = 1; j <= columns; ++j) {
///           change = max(change, |next[i][j] - plate[i][j]|);
///           plate[i][j] = next[i][j];
///         }
///       ++done;
///     }
///
/// gang: the rows of a sweep; worker: none, or rows of a block; vector: the cells of a row. The
/// sweeps themselves follow one another.
namespace gangway::jacobi {

/// One run of the solver. `plate` and `next` are (rows + 2) x (columns + 2), row-major, the
/// outermost cells being the edges; the result is in `plate`. Before the first sweep the change is
/// infinite. On return *change is that of the last sweep and *done the number of sweeps.
struct Task {
  long rows;
  long columns;
  int iterations;
  double tolerance;
  double* plate;
  double* next;
  double* change;
  int* done;

  [[nodiscard]] bool goes_on() const { return *done < iterations && *change > tolerance; }
};
using Kernel = void(Task task);

class Problem : public harness::ProblemOf<Kernel> {
public:
  static const harness::StudyInfo info;

  explicit Problem(const harness::Parameters& parameters);
  Problem(Setup setup, long rows, long columns, int iterations, double tolerance);

  [[nodiscard]] harness::Check check() const override;
  [[nodiscard]] harness::Work work() const override;

  [[nodiscard]] int iterations() const { return _iterations; }
  /// Returns the last change of the reference: the loops above, on the host.
  [[nodiscard]] double reference_change() const { return _reference_change; }

private:
  void solve_reference();

  Setup _setup;
  long _rows;
  long _columns;
  int _iterations;
  double _tolerance;
  base::HostArray<double> _plate;
  base::HostArray<double> _next;
  double _change = 0;
  int _done = 0;
  base::HostArray<double> _reference;
  double _reference_change = 0;
  int _reference_done = 0;
};

} // namespace gangway::jacobi
