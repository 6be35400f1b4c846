// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/saxpy/saxpy.hpp"

// GCC refuses device_type on compute constructs. It gets the clause of the one kind of device it is
// built for here; nvc++ and clang get the document's, and choose for themselves on any other
// device. The document's radeon is left out: no compiler here builds for it, and nvc++ may warn of
// it.
#if defined(__NVCOMPILER) || defined(__clang__)
#define VECTOR_LENGTH_BY_DEVICE device_type(nvidia) vector_length(128)
#else
#define VECTOR_LENGTH_BY_DEVICE vector_length(128)
#endif

namespace {

/// Elements that one load of a device's thread can bring.
struct alignas(16) Floats {
  static constexpr int size = 4;
  float at[size];
};

} // namespace

extern "C" {

/// The vector length by device.
void gangway_saxpy_device_type(long n, const float* x, float* y) {
#pragma acc parallel loop gang vector copyin(x[0 : n]) copy(y[0 : n]) VECTOR_LENGTH_BY_DEVICE
  for (long i = 0; i < n; ++i)
    y[i] = 2.0f * x[i] + y[i];
}

/// A flat grid: as many gangs as give each lane one iteration. (At least one: a construct of no
/// gangs is an error.)
void gangway_saxpy_range(long n, const float* x, float* y) {
  static constexpr int lanes = 128;
  const long gangs = n > lanes ? (n + lanes - 1) / lanes : 1;
#pragma acc parallel loop gang vector num_gangs(gangs) vector_length(lanes) copyin(x[0 : n])       \
    copy(y[0 : n])
  for (long i = 0; i < n; ++i)
    y[i] = 2.0f * x[i] + y[i];
}

/// Loads four elements of each vector in every lane before it writes the first result. A lane's
/// elements are a gang's lanes apart, so that neighbouring lanes touch neighbouring elements every
/// time.
void gangway_saxpy_unrolled(long n, const float* x, float* y) {
  static constexpr int lanes = 256;
  static constexpr int depth = 4;
  const long gangs = n > lanes * depth ? (n + lanes * depth - 1) / (lanes * depth) : 1;
#pragma acc parallel loop gang vector num_gangs(gangs) vector_length(lanes) copyin(x[0 : n])       \
    copy(y[0 : n])
  for (long t = 0; t < gangs * lanes; ++t) {
    const long first = t / lanes * (lanes * depth) + t % lanes;
    if (first + (depth - 1) * lanes < n) {
      float xs[depth];
      float ys[depth];
#pragma acc loop seq
      for (int k = 0; k < depth; ++k) {
        xs[k] = x[first + k * lanes];
        ys[k] = y[first + k * lanes];
      }
#pragma acc loop seq
      for (int k = 0; k < depth; ++k)
        y[first + k * lanes] = 2.0f * xs[k] + ys[k];
    } else {
#pragma acc loop seq
      for (long i = first; i < n; i += lanes)
        y[i] = 2.0f * x[i] + y[i];
    }
  }
}

/// Four neighbouring floats a lane, in one load of each vector and one store. Where the arrays lie
/// on the device, and so whether packs of them can be loaded, is known in the kernel.
void gangway_saxpy_packs(long n, const float* x, float* y) {
  static constexpr int lanes = 128;
  const long packs = n > Floats::size ? (n + Floats::size - 1) / Floats::size : 1;
  const long gangs = (packs + lanes - 1) / lanes;
#pragma acc parallel loop gang vector num_gangs(gangs) vector_length(lanes) copyin(x[0 : n])       \
    copy(y[0 : n])
  for (long p = 0; p < packs; ++p) {
    const long first = p * Floats::size;
    const auto places = reinterpret_cast<std::uintptr_t>(x) | reinterpret_cast<std::uintptr_t>(y);
    if (places % alignof(Floats) == 0 && first + Floats::size <= n) {
      const Floats xs = *reinterpret_cast<const Floats*>(x + first);
      Floats ys = *reinterpret_cast<const Floats*>(y + first);
#pragma acc loop seq
      for (int k = 0; k < Floats::size; ++k)
        ys.at[k] = 2.0f * xs.at[k] + ys.at[k];
      *reinterpret_cast<Floats*>(y + first) = ys;
    } else {
      const long last = first + Floats::size < n ? first + Floats::size : n;
#pragma acc loop seq
      for (long i = first; i < last; ++i)
        y[i] = 2.0f * x[i] + y[i];
    }
  }
}

} // extern "C"
