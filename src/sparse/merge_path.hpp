// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "sparse/staging.hpp"

#include <string>

namespace gangway::sparse {

/// Product in equal shares of work whatever the rows look like. The path that walks down the rows
/// and along the non-zeros is cut into pieces of equal length (Merrill and Garland, Merge-based
/// parallel sparse matrix-vector multiplication, SC 2016). A piece writes the rows that end in it.
/// Its part of the row that does not is carried over and added in a second, small kernel.
class MergePath {
public:
  using Ints = Kokkos::View<int*, Kokkos::LayoutRight, DeviceSpace>;
  using Doubles = Kokkos::View<double*, Kokkos::LayoutRight, DeviceSpace>;
  /// Owners of a piece: a team, which stages it, or one thread, which walks along it.
  enum class Piece { of_team, of_thread };

  static constexpr int threads = 128;                 ///< of a team
  static constexpr int vector = 32;                   ///< and of its threads
  static constexpr int staged = most_staged(threads); ///< rows and non-zeros of a piece
  static constexpr int longest_of_lane = 64;          ///< non-zeros of a row that one lane sums
  /// Number of longer rows that a piece can have, whole or in part.
  static constexpr int most_long_rows = staged / (longest_of_lane + 1);

  /// Finds where each piece begins. The labels of the kernels and of the arrays on the device begin
  /// with `label`.
  MergePath(const std::string& label, const Csr& matrix,
            Piece piece = has_device ? Piece::of_team : Piece::of_thread);

  /// out = A in; of that matrix. Returns before the kernels have ended. The carries are this
  /// object's: one product at a time.
  void operator()(const DeviceCsr& a, const DeviceView<const double>& in,
                  const DeviceView<double>& out) const;

  // Public because nvcc takes no kernels in private members.
  void find_first_rows(const Csr& matrix) const;
  void pieces_by_teams(const DeviceCsr& a, const DeviceView<const double>& in,
                       const DeviceView<double>& out) const;
  void pieces_by_threads(const DeviceCsr& a, const DeviceView<const double>& in,
                         const DeviceView<double>& out) const;
  void add_carries(const DeviceView<double>& out) const;

private:
  std::string _label;
  Piece _whose;
  int _rows;
  long _path; ///< its steps: rows and non-zeros
  long _piece = 0;
  int _pieces = 0;
  Ints _first_row; ///< first row that ends in or after a piece; one more than there are pieces
  Doubles _carry;  ///< of each piece, to the row that its end cuts
};

} // namespace gangway::sparse
