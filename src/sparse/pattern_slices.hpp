// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "sparse/device_csr.hpp"
#include "sparse/on_device.hpp"
#include "sparse/slices.hpp"

#include <cstdint>
#include <string>

namespace gangway::sparse {

/// A product that reads no column indices, as RowPatterns, from values of its own. They are in
/// slices of rows: of each slice the first non-zeros of all rows side by side, then the second
/// ones, and so on. A thread sums a row; neighbouring threads load neighbouring values without
/// staging or barrier. (Slices: Monakov, Lokhmotov and Avetisyan, Automatically tuning sparse
/// matrix-vector multiplication for GPU architectures, HiPEAC 2010.)
///
/// The values are those the matrix had when this was made. They take as much memory again, and
/// making it as long as some thousands of products: src/studies/spmv/README.md says how many.
class PatternSlices {
public:
  /// Rows of a slice: as many as a warp has lanes. A thread of a host goes through a slice row by
  /// row, so there it is as many as a cache line has values.
  static constexpr int slice_rows = has_device ? 32 : 8;

  /// Plans products with `matrix`. The labels of its arrays on the device and of its kernel begin
  /// with `label`. Errors: std::invalid_argument that says why the matrix does not fit.
  PatternSlices(std::string label, const Csr& matrix);

  /// out = A in; `a` is that matrix. Returns before the kernel has ended.
  void operator()(const DeviceCsr& a, const DeviceView<const double>& in,
                  const DeviceView<double>& out) const;

private:
  std::string _label;
  List<std::int64_t> _begins;
  List<double> _values;
  List<std::uint16_t> _patterns; ///< of each row
  List<int> _first;              ///< of Patterns
  List<int> _offsets;            ///< of Patterns
};

} // namespace gangway::sparse
