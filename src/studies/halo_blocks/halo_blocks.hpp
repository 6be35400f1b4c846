// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "harness/problem.hpp"
#include "ranks/blocks.hpp"
#include "ranks/exchange.hpp"

/// The plate of the study halo, of doubles, cut both ways: a block for each rank. Its halo is two
/// rows and two columns, and columns are not contiguous: a kernel packs all that others want.
///
///     for (int s = 0; s < sweeps; ++s) {
///       change = 0;
///       for (long i = 1; i <= rows; ++i)
///         for (long j = 1; j <= columns; ++j) {
///           next[i][j] = (plate[i+1][j] + plate[i-1][j] + plate[i][j+1] + plate[i][j-1]) / 4;
///           change = max(change, |next[i][j] - plate[i][j]|);
///         }
///       for (int k = 0; k < sent_count; ++k)      packed[k] = next[sent[k]];
///       exchange packed for arrived;
///       for (int k = 0; k < received_count; ++k)  next[received[k]] = arrived[k];
///       changes[s] = the largest of all ranks;
///       swap(plate, next);
///     }
///
/// gang: the rows of a block; worker: none; vector: the cells of a row. Packing: gang and vector.
namespace gangway::halo_blocks {

/// What a rank has of the plate. Cells are numbered as they lie in its arrays, which are
/// (rows + 2) x (columns + 2) with the halo, row-major. Plain, so that it goes by value through the
/// C ABI between the two models.
struct LocalBlock {
  long rows; ///< both are 0 for a rank without cells
  long columns;
  int sent_count;
  const int* sent; ///< sent_count: own cells that others want, a corner twice, in their order
  int received_count;
  const int* received; ///< received_count: cells of the halo that others have
  int rim_count;
  const int* rim; ///< rim_count: own cells that others want, each once
  // The own cells that nobody wants: rows [first_row, end_row) and columns [first_column,
  // end_column) of the arrays.
  long first_row;
  long end_row;
  long first_column;
  long end_column;

  [[nodiscard]] long stride() const { return columns + 2; }
  [[nodiscard]] long cells() const { return (rows + 2) * stride(); }
};

/// One run of a rank's part. `plate` and `next` hold the plate before the first sweep, halo and
/// edges included; afterwards the result is in `plate` if `sweeps` is even, else in `next`.
/// packed: sent_count, and arrived: received_count, each at least 1: work space. changes[s], in
/// host memory, is the largest change of sweep s on all ranks.
using Kernel = void(ranks::Exchange* ranks, LocalBlock block, int sweeps, double* plate,
                    double* next, double* packed, double* arrived, double* changes);

class Problem : public harness::ProblemOf<Kernel> {
public:
  static const harness::StudyInfo info;

  explicit Problem(const harness::Parameters& parameters);
  ~Problem() override;

  [[nodiscard]] harness::Check check() const override;
  [[nodiscard]] harness::Work work() const override;

private:
  void find_neighbours();
  void solve_reference();

  long _all_rows;
  long _all_columns;
  int _sweeps;
  ranks::Block _own; ///< this rank's part of the plate
  std::unique_ptr<ranks::Exchange> _ranks;
  base::HostArray<int> _sent, _received, _rim;
  LocalBlock _block{};
  base::HostArray<double> _plate, _next, _packed, _arrived;
  std::vector<double> _changes;
  base::HostArray<double> _reference; ///< this rank's cells, without halo
  std::vector<double> _reference_changes;
};

} // namespace gangway::halo_blocks
