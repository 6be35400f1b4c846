// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "harness/problem.hpp"
#include "studies/halo/strip.hpp"
#include "studies/halo/sweeps.hpp"

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

/// One run of a rank's part. `plate` and `next` are (rows + 2 wide) x (columns + 2), row-major, of
/// float or double. Both hold the plate before the first sweep, halo and edges included; afterwards
/// the result is in `plate` if `sweeps` is even, else in `next`. changes[s], in host memory, is the
/// largest change of sweep s on all ranks. `largest`, one for each sweep, and `of_rows`, one for
/// each row of `wide` sweeps, are work space.
template <class T>
using KernelOf = void(ranks::Halo* ranks, LocalStrip strip, int sweeps, T* plate, T* next,
                      double* largest, double* of_rows, double* changes);
using Kernel = KernelOf<double>;
using FloatKernel = KernelOf<float>; ///< gangway_halo_VARIANT_float

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
  Sweeps _sweeps;
  std::unique_ptr<ranks::Halo> _halo;
  long _first; ///< this rank's first row of the plate's
  LocalStrip _strip;
  base::HostArray<T> _plate;
  base::HostArray<T> _next;
  base::HostArray<double> _largest;
  base::HostArray<double> _of_rows;
  std::vector<double> _changes;
  base::HostArray<T> _reference; ///< this rank's rows, without halo
  std::vector<double> _reference_changes;
};

} // namespace gangway::halo
