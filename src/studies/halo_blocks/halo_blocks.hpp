// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "harness/problem.hpp"
#include "ranks/blocks.hpp"
#include "ranks/exchange.hpp"
#include "studies/halo/cells.hpp"
#include "studies/halo/sweeps.hpp"

#include <array>

/// The plate of the study halo, float or double, cut both ways: a block for each rank. Its halo is
/// rows and columns, and columns are not contiguous: a kernel packs all that others want.
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

using halo::Cells;

/// Exchange of a rank with others: cells of its arrays, in the order in which they are packed.
struct Border {
  ranks::Exchange* ranks;
  int sent_count;
  const int* sent; ///< sent_count: own cells that others want, each once per rank that wants it
  int received_count;
  const int* received; ///< received_count: cells of the halo that others have
};

/// Part of the plate that a rank has, with `wide` rows and columns of halo on every side. All
/// variants but `wide` and `temporal` use those next to the block. Cells are numbered as they lie
/// in its arrays, which are (rows + 2 wide) x (columns + 2 wide), row-major. Where the plate ends,
/// the cells next to the block are the plate's edge, and those beyond it are no part of it. Plain,
/// so that it goes by value through the C ABI between the two models.
struct LocalBlock {
  long rows; ///< both are 0 for a rank without cells
  long columns;
  int wide; ///< at least 1
  // Rows or columns of the halo that others have on each side: 0 at the edge, at most `wide`.
  long above;
  long below;
  long left;
  long right;
  Border nearest; ///< the rows and columns next to the block, without corners
  Border widest;  ///< all of the halo, with its corners
  int rim_count;
  const int* rim; ///< rim_count: own cells that `nearest` sends, each once

  [[nodiscard]] long stride() const { return columns + 2L * wide; }
  [[nodiscard]] long rows_with_halo() const { return rows + 2L * wide; }
  [[nodiscard]] long cells() const { return rows_with_halo() * stride(); }

  /// The block and, on each side, so many rows or columns of those that others have.
  [[nodiscard]] Cells own_and(long beyond) const {
    const auto at_most = [=](long there) { return beyond < there ? beyond : there; };
    return {wide - at_most(above), wide + rows + at_most(below), wide - at_most(left),
            wide + columns + at_most(right)};
  }
  /// Returns the block without cells less than `depth` from a side beyond which others have cells.
  [[nodiscard]] Cells inside(long depth) const {
    const auto cut = [=](long others) { return others > 0 ? depth : 0; };
    return own_and(0).without(cut(above), cut(below), cut(left), cut(right));
  }
};

/// One run of a rank's part, of float or double. `plate` and `next` hold the plate before the first
/// sweep, halo and edges included; afterwards the result is in `plate` if `sweeps` is even, else in
/// `next`. changes[s], in host memory, is the largest change of sweep s on all ranks. Work space,
/// never empty: `packed` and `arrived`, of as many elements as `widest` sends and receives;
/// `largest`, one for each sweep; `of_rows`, one for each row of `wide` sweeps.
template <class T>
using KernelOf = void(LocalBlock block, int sweeps, T* plate, T* next, T* packed, T* arrived,
                      double* largest, double* of_rows, double* changes);
using Kernel = KernelOf<double>;
using FloatKernel = KernelOf<float>; ///< gangway_halo_blocks_VARIANT_float

extern const harness::StudyInfo study_info;

template <class T>
class Problem : public harness::ProblemOf<KernelOf<T>> {
public:
  static constexpr const harness::StudyInfo& info = study_info;
  static constexpr const char* openacc_suffix = sizeof(T) == sizeof(float) ? "-float" : "";

  explicit Problem(const harness::Parameters& parameters);
  ~Problem() override;
  /// Creates a problem of the type that the parameters ask for.
  [[nodiscard]] static std::unique_ptr<harness::Problem>
  create(const harness::Parameters& parameters);

  [[nodiscard]] harness::Check check() const override;
  [[nodiscard]] harness::Work work() const override;

private:
  /// A border, and what it refers to.
  struct OwnBorder {
    std::unique_ptr<ranks::Exchange> ranks;
    base::HostArray<int> sent;
    base::HostArray<int> received;

    [[nodiscard]] Border plain() const;
  };

  [[nodiscard]] OwnBorder border_of(int width, bool with_corners) const;

  halo::Sweeps _sweeps;
  ranks::Block _own; ///< this rank's part of the plate
  LocalBlock _block{};
  OwnBorder _nearest, _widest;
  base::HostArray<int> _rim;
  base::HostArray<T> _plate, _next, _packed, _arrived;
  base::HostArray<double> _largest, _of_rows;
  std::vector<double> _changes;
  base::HostArray<T> _reference; ///< this rank's cells, without halo
  std::vector<double> _reference_changes;
};

} // namespace gangway::halo_blocks
