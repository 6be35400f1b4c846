// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/order/order.hpp"

namespace {

/// Two neighbouring doubles: 16 bytes, which a GPU loads at once.
struct alignas(16) Doubles {
  static constexpr int size = 2;
  double at[size];
};

} // namespace

extern "C" {

/// A gang takes a row, its vector runs along it: neighbouring lanes, neighbouring elements.
void gangway_order_stride_1(long rows, long columns, double* a) {
#pragma acc parallel loop gang vector_length(128) copy(a[0 : rows * columns])
  for (long i = 0; i < rows; ++i) {
#pragma acc loop vector
    for (long j = 0; j < columns; ++j)
      a[i * columns + j] = 2 * a[i * columns + j] + 1;
  }
}

/// A gang takes a column, its vector runs down it: neighbouring lanes lie a whole row apart.
void gangway_order_strided(long rows, long columns, double* a) {
#pragma acc parallel loop gang vector_length(128) copy(a[0 : rows * columns])
  for (long j = 0; j < columns; ++j) {
#pragma acc loop vector
    for (long i = 0; i < rows; ++i)
      a[i * columns + j] = 2 * a[i * columns + j] + 1;
  }
}

/// Updates the array as one row of rows x columns elements, as it is in memory. Four elements are
/// in flight in every lane before it writes the first back. They are a gang's lanes apart, so that
/// neighbouring lanes touch neighbouring elements every time. Rows need not be long.
void gangway_order_unrolled(long rows, long columns, double* a) {
  static constexpr int lanes = 256;
  static constexpr int depth = 4;
  const long n = rows * columns;
  const long gangs = n > lanes * depth ? (n + lanes * depth - 1) / (lanes * depth) : 1;
#pragma acc parallel loop gang vector num_gangs(gangs) vector_length(lanes) copy(a[0 : n])
  for (long t = 0; t < gangs * lanes; ++t) {
    const long first = t / lanes * (lanes * depth) + t % lanes;
    if (first + (depth - 1) * lanes < n) {
      double x[depth];
#pragma acc loop seq
      for (int k = 0; k < depth; ++k)
        x[k] = a[first + k * lanes];
#pragma acc loop seq
      for (int k = 0; k < depth; ++k)
        a[first + k * lanes] = 2 * x[k] + 1;
    } else {
#pragma acc loop seq
      for (long i = first; i < n; i += lanes)
        a[i] = 2 * a[i] + 1;
    }
  }
}

/// Updates two neighbouring elements per lane, in one load and one store of 16 bytes. Only the
/// kernel knows where the array lies on the device, and so if packs of it can be loaded.
void gangway_order_packs(long rows, long columns, double* a) {
  static constexpr int lanes = 128;
  const long n = rows * columns;
  const long packs = n > Doubles::size ? (n + Doubles::size - 1) / Doubles::size : 1;
  const long gangs = (packs + lanes - 1) / lanes;
#pragma acc parallel loop gang vector num_gangs(gangs) vector_length(lanes) copy(a[0 : n])
  for (long p = 0; p < packs; ++p) {
    const long first = p * Doubles::size;
    if (reinterpret_cast<std::uintptr_t>(a) % alignof(Doubles) == 0 && first + Doubles::size <= n) {
      Doubles both = *reinterpret_cast<const Doubles*>(a + first);
#pragma acc loop seq
      for (int k = 0; k < Doubles::size; ++k)
        both.at[k] = 2 * both.at[k] + 1;
      *reinterpret_cast<Doubles*>(a + first) = both;
    } else {
      const long last = first + Doubles::size < n ? first + Doubles::size : n;
#pragma acc loop seq
      for (long i = first; i < last; ++i)
        a[i] = 2 * a[i] + 1;
    }
  }
}

/// A flat grid: as many gangs as give each lane one element. (At least one: a construct of no gangs
/// is an error.)
void gangway_order_range(long rows, long columns, double* a) {
  static constexpr int lanes = 128;
  const long n = rows * columns;
  const long gangs = n > lanes ? (n + lanes - 1) / lanes : 1;
#pragma acc parallel loop gang vector num_gangs(gangs) vector_length(lanes) copy(a[0 : n])
  for (long i = 0; i < n; ++i)
    a[i] = 2 * a[i] + 1;
}

} // extern "C"
