// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sparse/pattern_slices.hpp"

#include "sparse/pattern_sum.hpp"
#include "sparse/patterns.hpp"

#include <stdexcept>
#include <utility>

namespace gangway::sparse {

namespace {

/// Fills slices on the device; returns when that is done.
void fill_slices(const std::string& label, const Csr& matrix, const List<std::int64_t>& slices,
                 const List<double>& sliced) {
  constexpr int slice_rows = PatternSlices::slice_rows;
  Data data;
  const auto row_offsets = data.copyin(matrix.row_offsets, matrix.rows + 1);
  const auto values = data.copyin(matrix.values, matrix.nonzeros());
  Kokkos::parallel_for(
      label, Kokkos::RangePolicy<>(0, matrix.rows), KOKKOS_LAMBDA(int row) {
        std::int64_t place = slices(row / slice_rows) + row % slice_rows;
        for (int j = row_offsets(row); j < row_offsets(row + 1); ++j) {
          sliced(place) = values(j);
          place += slice_rows;
        }
      });
  Kokkos::fence("sparse: values in slices");
}

} // namespace

PatternSlices::PatternSlices(std::string label, const Csr& matrix) : _label(std::move(label)) {
  const auto begins = slice_begins(matrix, slice_rows);
  if (const std::string reason = why_no_slices(matrix, begins); !reason.empty())
    throw std::invalid_argument(reason);
  const Patterns patterns = patterns_of(matrix);
  if (!patterns.why_not.empty())
    throw std::invalid_argument(patterns.why_not);
  _begins = on_device(_label + " slices", begins);
  _patterns = on_device(_label + " patterns", patterns.of_row);
  _first = on_device(_label + " first offsets", patterns.first);
  _offsets = on_device(_label + " offsets", patterns.offsets);
  _values = List<double>(_label + " values", static_cast<std::size_t>(begins.back()));
  fill_slices(_label + " slicing", matrix, _begins, _values);
}

void PatternSlices::operator()(const DeviceCsr& a, const DeviceView<const double>& in,
                               const DeviceView<double>& out) const {
  // Four loads in flight were as fast as seven and nine, on grids of 7 and of 27 points.
  constexpr int loads = has_device ? 4 : 1;
  const auto slices = _begins;
  const auto values = _values;
  const auto patterns = _patterns;
  const auto first = _first;
  const auto offsets = _offsets;
  Kokkos::parallel_for(
      _label, Kokkos::RangePolicy<>(0, a.rows), KOKKOS_LAMBDA(int row) {
        const int pattern = patterns(row);
        const int begin = first(pattern);
        const double* const value = values.data() + slices(row / slice_rows) + row % slice_rows;
        out(row) = sum_of_pattern<loads>(
            begin, first(pattern + 1), [&](int k) { return value[(k - begin) * slice_rows]; },
            [&](int k) { return in(row + offsets(k)); });
      });
}

} // namespace gangway::sparse
