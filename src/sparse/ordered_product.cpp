// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sparse/ordered_product.hpp"

#include "sparse/on_device.hpp"
#include "sparse/row_blocks.hpp"

#include <algorithm>

namespace gangway::sparse {
namespace {

using Ints = RowBlocks::Rows;

constexpr int longest_piece = RowBlocks::longest_row;

/// One thread takes a block of pieces, in `chains` sums each.
template <int chains>
void blocks_by_threads(const std::string& label, const Ints& first_of_block, const DeviceCsr& a,
                       const DeviceView<const double>& in, const DeviceView<double>& out) {
  Kokkos::parallel_for(
      label,
      Kokkos::RangePolicy<Kokkos::DefaultExecutionSpace>(0, first_of_block.extent_int(0) - 1),
      KOKKOS_LAMBDA(int block) {
        const int end = first_of_block(block + 1);
        for (int row = first_of_block(block); row < end; ++row)
          out(row) =
              product_on_one_thread<chains>(a, in, a.row_offsets(row), a.row_offsets(row + 1));
      });
}

/// out(row) = the sums of its pieces, in their order.
void add_pieces(const std::string& label, const Ints& first,
                const DeviceView<const double>& of_pieces, const DeviceView<double>& out) {
  Kokkos::parallel_for(
      label, Kokkos::RangePolicy<Kokkos::DefaultExecutionSpace>(0, out.extent_int(0)),
      KOKKOS_LAMBDA(int row) {
        double sum = 0;
        for (int piece = first(row); piece < first(row + 1); ++piece)
          sum += of_pieces(piece);
        out(row) = sum;
      });
}

/// Plans the product with a matrix whose rows are pieces.
Product product_of_pieces(const std::string& label, const Csr& pieces, int longest, double mean) {
  if constexpr (has_device)
    return RowBlocks(label, pieces, {.maximum = longest});
  // Enough blocks for any number of threads, but not so many that the blocks take the time.
  constexpr int nonzeros_of_block = 8192;
  constexpr int rows_of_block = 2048;
  const Ints first = on_device(
      label + " blocks", first_rows_of_blocks(pieces, longest, nonzeros_of_block, rows_of_block));
  const auto run = mean < 16 ? blocks_by_threads<1> : blocks_by_threads<4>;
  return [=](const auto&... arguments) { run(label, first, arguments...); };
}

} // namespace

RowPieces::RowPieces(const Csr& matrix, int most) : longest(0) {
  for (int row = 0; row < matrix.rows; ++row) {
    first.push_back(static_cast<int>(offsets.size()));
    const int end = matrix.row_offsets[row + 1];
    int begin = matrix.row_offsets[row];
    do {
      offsets.push_back(begin);
      longest = std::max(longest, std::min(end - begin, most));
      begin += std::min(end - begin, most);
    } while (begin < end);
  }
  first.push_back(static_cast<int>(offsets.size()));
  offsets.push_back(matrix.nonzeros());
}

Product ordered_product(const std::string& label, const Csr& matrix, double mean) {
  const RowPieces pieces(matrix, longest_piece);
  if (pieces.count() == matrix.rows)
    return product_of_pieces(label, matrix, pieces.longest, mean);
  const Csr cut{pieces.count(), matrix.columns, pieces.offsets.data(), matrix.column_indices,
                matrix.values};
  return
      [label, rows = pieces.count(), offsets = on_device(label + " offsets", pieces.offsets),
       first = on_device(label + " pieces", pieces.first),
       sums =
           Kokkos::View<double*, Kokkos::LayoutRight, DeviceSpace>(label + " sums", pieces.count()),
       product = product_of_pieces(label, cut, pieces.longest, mean)](
          const DeviceCsr& a, const DeviceView<const double>& in, const DeviceView<double>& out) {
        product({rows, a.columns, offsets, a.column_indices, a.values}, in, sums);
        add_pieces(label + " joined", first, sums, out);
      };
}

} // namespace gangway::sparse
