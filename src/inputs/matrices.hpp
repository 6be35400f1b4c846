// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "csr.hpp"

#include <cstdint>

namespace gangway::inputs {

/// Every generator is deterministic: the same arguments give the same bits on every machine and
/// with any number of threads. All throw InputError for arguments out of range, for more non-zeros
/// than max_count, and for a matrix that does not fit in memory.

/// The largest n that guide_matrix takes: beyond it the non-zeros exceed max_count.
inline constexpr int max_guide_size = 429;

/// Rows of guide_matrix(n), (n+1)^3. n >= 1, at most max_guide_size.
[[nodiscard]] long guide_matrix_rows(int n);

/// Non-zeros of guide_matrix(n), without assembling it. n >= 1, at most max_guide_size.
[[nodiscard]] long guide_matrix_nonzeros(int n);

/// The matrix of the OpenACC Programming and Best Practices Guide (allocate_3d_poisson_matrix):
/// square, (n+1)^3 rows, 27 offsets dz*n*n + dy*n + dx with dx, dy, dz in -1..1, each kept where
/// 0 <= row + offset < rows; 27 where the column is the row, -1 elsewhere. The strides are n*n and
/// n, not those of a grid of n+1 points, and nothing is clipped at a grid's faces: it is a band of
/// 27 diagonals, and that is what the guide measures.
///
/// For n < 3 some of the 27 offsets coincide. The guide stores them as separate entries; here they
/// are one entry with the sum of their values, so A*x is the guide's.
[[nodiscard]] CsrMatrix guide_matrix(int n);
/// Makes that matrix with (n+1)^2 * planes rows: guide_matrix(n) has n + 1 planes. planes >= 1.
[[nodiscard]] CsrMatrix guide_matrix(int n, int planes);

/// The Laplacian-like stencil on a true grid of nx * ny * nz points, x fastest: `points` 7 (the
/// neighbours that share a face) or 27 (all that share at least a corner), clipped at each of the
/// grid's six faces. The diagonal is points - 1, each neighbour -1.
[[nodiscard]] CsrMatrix grid_matrix(int nx, int ny, int nz, int points);

/// The matrix of finite elements on a grid, with several unknowns at each point. It is
/// grid_matrix(nx, ny, nz, 27) with a dense block of unknowns * unknowns for each entry: the
/// entry's value on the block's diagonal and 1/4 of it elsewhere. Unknown u of point p is row p *
/// unknowns + u. Symmetric, and positive definite as the grid's matrix is. unknowns 1 to 64.
[[nodiscard]] CsrMatrix elements_matrix(int nx, int ny, int nz, int unknowns);

/// A square matrix of short rows, among which a few couple to a large part of it, as constraints
/// and global unknowns do: each row has `each` non-zeros, but `dense` rows, evenly spaced, have
/// max(1, rows/4). Columns are spread over the whole width of the matrix; values are uniform in
/// [-1, 1).
///
/// rows >= 1; each 0 to rows; dense 0 to rows.
[[nodiscard]] CsrMatrix dense_rows_matrix(int rows, int each, int dense, unsigned seed);

/// A square matrix whose row lengths fall off as a truncated power law, in random order.
///
/// One row in 16 is empty. Among the others the k-th longest row has c * (m/k)^(1/(exponent-1))
/// non-zeros, at least 1 and at most max(1, rows/4), which is a density proportional to
/// length^-exponent; c is such that the mean over all rows, empty ones included, is `mean`, to
/// within the rounding of the lengths. The longest row always has max(1, rows/4) non-zeros.
/// Columns are spread over the whole width of the matrix; values are uniform in [-1, 1).
///
/// rows >= 1; exponent > 1; mean between what the shortest and the longest rows allow (about 1.2
/// and rows/5; the message says the exact range).
[[nodiscard]] CsrMatrix power_law_matrix(int rows, double mean, double exponent, unsigned seed);

} // namespace gangway::inputs
