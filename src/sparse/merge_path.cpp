// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sparse/merge_path.hpp"

#include <algorithm>

namespace gangway::sparse {

namespace {
/// Rows of a piece in a team's scratch.
using LongRows = Kokkos::View<int*, Kokkos::DefaultExecutionSpace::scratch_memory_space,
                              Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
} // namespace

MergePath::MergePath(const std::string& label, const Csr& matrix, Piece piece)
    : _label(label), _whose(piece), _rows(matrix.rows),
      _path(static_cast<long>(matrix.rows) + matrix.nonzeros()) {
  const long pieces_wanted = 8L * Kokkos::DefaultExecutionSpace().concurrency();
  _piece =
      piece == Piece::of_team ? staged : std::max(1L, (_path + pieces_wanted - 1) / pieces_wanted);
  _pieces = static_cast<int>((_path + _piece - 1) / _piece);
  _first_row = Ints(label + " first rows", _pieces + 1);
  _carry = Doubles(label + " carries", _pieces);
  find_first_rows(matrix);
}

/// Finds where each piece begins, by binary search along the path.
void MergePath::find_first_rows(const Csr& matrix) const {
  Data data;
  const auto offsets = data.copyin(matrix.row_offsets, matrix.rows + 1);
  const auto first_row = _first_row;
  const long piece = _piece;
  const long path = _path;
  const int rows = _rows;
  Kokkos::parallel_for(
      _label + " plan", Kokkos::RangePolicy<Kokkos::DefaultExecutionSpace>(0, _pieces + 1),
      KOKKOS_LAMBDA(int p) {
        // The first row that has not ended after `steps` steps; row r ends with step
        // offsets(r + 1) + r.
        const long steps = Kokkos::min(p * piece, path);
        int low = 0;
        int high = rows;
        while (low < high) {
          const int middle = low + (high - low) / 2;
          if (offsets(middle + 1) + static_cast<long>(middle) < steps)
            low = middle + 1;
          else
            high = middle;
        }
        first_row(p) = low;
      });
  Kokkos::fence(_label + " planned");
}

void MergePath::operator()(const DeviceCsr& a, const DeviceView<const double>& in,
                           const DeviceView<double>& out) const {
  if (_whose == Piece::of_team)
    pieces_by_teams(a, in, out);
  else
    pieces_by_threads(a, in, out);
  add_carries(out);
}

/// Products go to scratch side by side. Then each lane sums rows of its own, as most rows are short
/// where a few are long; the long ones it puts on a list, from which workers take them. The row
/// that the end cuts is one more of these rows.
void MergePath::pieces_by_teams(const DeviceCsr& a, const DeviceView<const double>& in,
                                const DeviceView<double>& out) const {
  const auto first_row = _first_row;
  const auto carry = _carry;
  const long piece = _piece;
  const long path = _path;
  const auto body = KOKKOS_LAMBDA(const Member& gang) {
    const int p = gang.league_rank();
    const int row_begin = first_row(p);
    const int row_cut = first_row(p + 1); // rows [row_begin, row_cut) end in this piece
    const int begin = static_cast<int>(p * piece - row_begin);
    const int end = static_cast<int>(Kokkos::min((p + 1) * piece, path) - row_cut);
    // The piece's part of a row. It has no part of the cut row if that begins with the next piece.
    const auto first_of = [&](int row) { return Kokkos::max(a.row_offsets(row), begin); };
    const auto end_of = [&](int row) { return row == row_cut ? end : a.row_offsets(row + 1); };
    const auto has_sum = [&](int row, double sum) {
      if (row == row_cut)
        carry(p) = sum;
      else
        out(row) = sum;
    };
    const LongRows long_row(gang.team_scratch(0), most_long_rows);
    const LongRows number(gang.team_scratch(0), 1); // of long rows
    Kokkos::single(Kokkos::PerTeam(gang), [&] { number(0) = 0; });
    const StagedProducts product = stage_products<threads, true>(gang, a, in, begin, end);
    Kokkos::parallel_for(Kokkos::TeamVectorRange(gang, row_begin, row_cut + 1), [&](int row) {
      const int first = first_of(row);
      const int last = end_of(row);
      if (last - first <= longest_of_lane) {
        double sum = 0;
        for (int j = first; j < last; ++j)
          sum += product(j);
        has_sum(row, sum);
      } else {
        long_row(Kokkos::atomic_fetch_add(&number(0), 1)) = row;
      }
    });
    gang.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamThreadRange(gang, number(0)), [&](int n) {
      const int row = long_row(n);
      double sum = 0;
      Kokkos::parallel_reduce(
          Kokkos::ThreadVectorRange(gang, first_of(row), end_of(row)),
          [&](int j, double& partial) { partial += product(j); }, sum);
      Kokkos::single(Kokkos::PerThread(gang), [&] { has_sum(row, sum); });
    });
  };
  gangway::parallel_for(
      _label,
      staging_policy({.workers = threads / vector, .vector = vector}, _pieces,
                     LongRows::shmem_size(most_long_rows) + LongRows::shmem_size(1)),
      body);
}

/// Each thread walks along its piece.
void MergePath::pieces_by_threads(const DeviceCsr& a, const DeviceView<const double>& in,
                                  const DeviceView<double>& out) const {
  const auto first_row = _first_row;
  const auto carry = _carry;
  const long piece = _piece;
  const long path = _path;
  Kokkos::parallel_for(
      _label, Kokkos::RangePolicy<Kokkos::DefaultExecutionSpace>(0, _pieces), KOKKOS_LAMBDA(int p) {
        const int row_end = first_row(p + 1);
        const int end = static_cast<int>(Kokkos::min((p + 1) * piece, path) - row_end);
        int j = static_cast<int>(p * piece - first_row(p));
        for (int row = first_row(p); row < row_end; ++row) {
          double sum = 0;
          for (const int last = a.row_offsets(row + 1); j < last; ++j)
            sum += a.values(j) * in(a.column_indices(j));
          out(row) = sum;
        }
        double rest = 0;
        for (; j < end; ++j)
          rest += a.values(j) * in(a.column_indices(j));
        carry(p) = rest;
      });
}

void MergePath::add_carries(const DeviceView<double>& out) const {
  const auto first_row = _first_row;
  const auto carry = _carry;
  const int rows = _rows;
  Kokkos::parallel_for(
      _label + " carries", Kokkos::RangePolicy<Kokkos::DefaultExecutionSpace>(0, _pieces),
      KOKKOS_LAMBDA(int p) {
        const int row = first_row(p + 1);
        if (row < rows && carry(p) != 0)
          Kokkos::atomic_add(&out(row), carry(p));
      });
}

} // namespace gangway::sparse
