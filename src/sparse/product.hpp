// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "kernels/mapping.hpp"
#include "kernels/sum.hpp"
#include "sparse/merge_path.hpp"
#include "sparse/row_blocks.hpp"

#include <functional>
#include <string>

/// Products as a whole, and with them the plans that some are made of.
namespace gangway::sparse {

/// out = A in, of one matrix. Returns before its kernels have ended. One call at a time: it may
/// have work space of its own.
using Product = std::function<void(const DeviceCsr& a, const DeviceView<const double>& in,
                                   const DeviceView<double>& out)>;

/// Plans the product once for all calls, as `sharing_for` rows of these lengths says. The labels of
/// its kernels and of its arrays on the device begin with `label`.
[[nodiscard]] Product product_for(const std::string& label, const Csr& matrix,
                                  const inputs::RowStatistics& rows);

/// Multiplies with rows per worker and workers per gang by `mapping`; a vector takes a row's
/// non-zeros.
void rows_per_worker(const std::string& label, const kernels::Mapping& mapping, const DeviceCsr& a,
                     const DeviceView<const double>& in, const DeviceView<double>& out);

/// One row an iteration of a flat range: what a host does best with rows of like length, and good
/// on a device when rows are very short. In one sum each addition waits for the last. Short
/// neighbouring rows are worked on at the same time all the same; a host needs several sums for
/// longer ones.
void row_per_thread(const std::string& label, const DeviceCsr& a,
                    const DeviceView<const double>& in, const DeviceView<double>& out);

/// The non-zeros [begin, end) times `in`, by one thread, in so many sums. (One sum by the plain
/// loop: through kernels::sum_in_chains the guide's matrix took an H100 3.67 instead of 3.16 ms.)
template <int chains>
KOKKOS_INLINE_FUNCTION double
product_on_one_thread(const DeviceCsr& a, const DeviceView<const double>& in, int begin, int end) {
  if constexpr (chains > 1) {
    return kernels::sum_in_chains<double, chains>(
        begin, end, 1, [&](long j) { return a.values(j) * in(a.column_indices(j)); });
  } else {
    double sum = 0;
    for (int j = begin; j < end; ++j)
      sum += a.values(j) * in(a.column_indices(j));
    return sum;
  }
}

} // namespace gangway::sparse
