// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ranks/block_sums.hpp"
#include "ranks/vector_halo.hpp"
#include "sparse/row_part.hpp"

#include <functional>
#include <memory>
#include <span>
#include <vector>

/// Conjugate gradients across ranks (ranks::world()), or on one. All functions are of all ranks,
/// and every number has the same bits whatever their number.
namespace gangway::apps::cg {

/// One over each diagonal entry. Errors: UsageError that names the first row whose diagonal is not
/// positive: such a matrix is not positive definite.
[[nodiscard]] std::vector<double> inverse_diagonal(const inputs::CsrMatrix& matrix);

/// The system A x = b. Each rank has some rows and, of all vectors, the elements of these rows. Its
/// halo, the elements of other ranks that its rows need, comes after its own.
struct System {
  /// Takes the whole system on each rank: a symmetric matrix, vectors as long as it has rows.
  /// `scale` is the preconditioner, the inverse of a diagonal; empty for none.
  System(inputs::CsrMatrix matrix, std::span<const double> b, std::span<const double> scale);

  std::vector<int> cut; ///< the first row of each rank, and after them the number of rows
  double mean;          ///< non-zeros per row, of the whole
  sparse::RowPart part; ///< this rank's rows
  base::HostArray<double> b;
  base::HostArray<double> scale;
  ranks::BlockSums sums;
  ranks::VectorHalo halo;
};

/// State that an iteration leaves to the next. Its vectors have this rank's elements; x and p have
/// its halo after them.
struct State {
  State() = default;
  /// Sets up the state before the first iteration, from a first guess for all elements of x.
  State(const System& system, std::span<const double> guess);

  bool has_begun = false; ///< r, p and the squares match x
  int iteration = 0;
  double square = 0; ///< r . r
  double scaled = 0; ///< r . M r with the preconditioner M
  base::HostArray<double> x, r, p;
};

enum class End { converged, out_of_iterations, not_positive_definite, not_finite };

struct Outcome {
  End end;
  int iterations;
  double residual; ///< as the iteration carries it along
};

/// Function called before each iteration and after the last, with the norm of the residual. The
/// vectors are up to date after `fetch`. An exception from it ends the solution.
using Report =
    std::function<void(const State& state, double residual, const std::function<void()>& fetch)>;

/// Iterates conjugate gradients from that state until the norm of the residual is at most `target`,
/// or `most` iterations are done, those before the state included. The solution ends early if the
/// matrix turns out not to be positive definite, or if numbers overflow. The state is then where it
/// had come to.
Outcome solve(System& system, State& state, int most, double target, const Report& report);

/// The norm of b - A x, on the host. The halo of x is brought up to date.
[[nodiscard]] double residual_norm(System& system, std::span<double> x);

} // namespace gangway::apps::cg
