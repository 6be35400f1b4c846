// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/transpose/transpose.hpp"

namespace {

/// The nest in tiles of rows_of_tile x columns_of_tile iterations. GCC 16 makes of `tile` what
/// leaves iterations out on a GPU; it gets the tiles as loops over tiles and loops over what is in
/// one.
template <int rows_of_tile, int columns_of_tile>
void in_tiles(int rows, int columns, const float* in, float* out) {
  // A clause may not take a template's argument for a constant.
  static constexpr int height = rows_of_tile;
  static constexpr int width = columns_of_tile;
  const long all = static_cast<long>(rows) * columns;
#ifdef __NVCOMPILER
#pragma acc parallel loop tile(width, height) copyin(in[0 : all]) copyout(out[0 : all])
  for (int i = 0; i < columns; ++i)
    for (int j = 0; j < rows; ++j)
      out[static_cast<long>(i) * rows + j] = in[static_cast<long>(j) * columns + i];
#else
#pragma acc parallel loop gang collapse(2) copyin(in[0 : all]) copyout(out[0 : all])
  for (int first_i = 0; first_i < columns; first_i += height)
    for (int first_j = 0; first_j < rows; first_j += width)
#pragma acc loop worker vector collapse(2)
      for (int i = first_i; i < first_i + height; ++i)
        for (int j = first_j; j < first_j + width; ++j)
          if (i < columns && j < rows)
            out[static_cast<long>(i) * rows + j] = in[static_cast<long>(j) * columns + i];
#endif
}

} // namespace

extern "C" {

void gangway_transpose_naive(int rows, int columns, const float* in, float* out) {
  const long all = static_cast<long>(rows) * columns;
#pragma acc parallel loop copyin(in[0 : all]) copyout(out[0 : all])
  for (int i = 0; i < columns; ++i) {
#pragma acc loop
    for (int j = 0; j < rows; ++j)
      out[static_cast<long>(i) * rows + j] = in[static_cast<long>(j) * columns + i];
  }
}

void gangway_transpose_tile_8x8(int rows, int columns, const float* in, float* out) {
  in_tiles<8, 8>(rows, columns, in, out);
}

void gangway_transpose_tile_16x16(int rows, int columns, const float* in, float* out) {
  in_tiles<16, 16>(rows, columns, in, out);
}

void gangway_transpose_tile_32x32(int rows, int columns, const float* in, float* out) {
  in_tiles<32, 32>(rows, columns, in, out);
}

void gangway_transpose_tile_8x32(int rows, int columns, const float* in, float* out) {
  in_tiles<8, 32>(rows, columns, in, out);
}

void gangway_transpose_tile_32x8(int rows, int columns, const float* in, float* out) {
  in_tiles<32, 8>(rows, columns, in, out);
}

} // extern "C"
