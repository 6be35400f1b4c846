// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "harness/problem.hpp"
#include "ranks/halo.hpp"

/// The plate of the study jacobi across ranks: cut into strips of rows, each rank has one, float or
/// double. A sweep needs the rows next to the strip, which other ranks have: its halo.
///
///     for (int s = 0; s < sweeps; ++s) {
///       change = 0;
///       for (long i = 1; i <= rows; ++i)
///         for (long j = 1; j <= columns; ++j) {
///           next[i][j] = (plate[i+1][j] + plate[i-1][j] + plate[i][j+1] + plate[i][j-1]) / 4;
///           change = max(change, |next[i][j] - plate[i][j]|);
///         }
///       exchange next[1], next[rows] for next[0], next[rows+1];
///       changes[s] = the largest of all ranks;
///       swap(plate, next);
///     }
///
/// gang: the rows of a strip; worker: none; vector: the cells of a row. The sweeps follow one
/// another.
namespace gangway::halo {

/// One run of a rank's part. `plate` and `next` are (rows + 2) x (columns + 2), row-major, of float
/// if `single` is not 0, else of double; rows may be 0. Both hold the plate before the first sweep,
/// halo and edges included; afterwards the result is in `plate` if `sweeps` is even, else in
/// `next`. changes[s], in host memory, is the largest change of sweep s on all ranks.
using Kernel = void(ranks::Halo* ranks, long rows, long columns, int sweeps, int single,
                    void* plate, void* next, double* changes);

class Problem : public harness::ProblemOf<Kernel> {
public:
  static const harness::StudyInfo info;

  explicit Problem(const harness::Parameters& parameters);
  ~Problem() override;

  [[nodiscard]] harness::Check check() const override;
  [[nodiscard]] harness::Work work() const override;

private:
  template <class T>
  void take_plates();
  template <class T>
  void solve_reference();
  template <class T>
  [[nodiscard]] harness::Check check_plate() const;
  [[nodiscard]] std::size_t cells() const;

  long _all_rows;
  long _columns;
  int _sweeps;
  bool _single;
  std::unique_ptr<ranks::Halo> _halo;
  long _first; ///< this rank's first row of the plate's
  long _rows;  ///< and how many it has
  base::HostArray<std::byte> _plate;
  base::HostArray<std::byte> _next;
  std::vector<double> _changes;
  base::HostArray<std::byte> _reference; ///< this rank's rows, without halo
  std::vector<double> _reference_changes;
};

} // namespace gangway::halo
