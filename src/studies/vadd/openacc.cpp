// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/vadd/vadd.hpp"

#include <cstdint>

// GCC refuses device_type on compute constructs. It gets the clause of the one kind of device it is
// built for here; nvc++ and clang get both. Clauses before the first device_type are the default,
// and those after one are that device's alone, whatever their line. The document's third kind,
// radeon, is left out: no compiler here builds for it, and nvc++ may warn of it.
#if defined(__NVCOMPILER) || defined(__clang__)
#define VECTOR_LENGTH_BY_DEVICE vector_length(64) device_type(nvidia) vector_length(256)
#else
#define VECTOR_LENGTH_BY_DEVICE vector_length(256)
#endif

namespace {

/// Two neighbouring doubles: 16 bytes, which a GPU loads at once.
struct alignas(16) Doubles {
  static constexpr int size = 2;
  double at[size];
};

} // namespace

extern "C" {

/// The compiler looks whether the loop is parallel. Three pointers may overlap, so it may well say
/// no.
void gangway_vadd_kernels(long n, const double* a, const double* b, double* c) {
#pragma acc kernels loop copyin(a[0 : n], b[0 : n]) copyout(c[0 : n])
  for (long i = 0; i < n; ++i)
    c[i] = a[i] + b[i];
}

/// The programmer says that it is.
void gangway_vadd_kernels_independent(long n, const double* a, const double* b, double* c) {
#pragma acc kernels loop independent copyin(a[0 : n], b[0 : n]) copyout(c[0 : n])
  for (long i = 0; i < n; ++i)
    c[i] = a[i] + b[i];
}

/// One kernel, its iterations shared out; the shape is the compiler's choice.
void gangway_vadd_parallel(long n, const double* a, const double* b, double* c) {
#pragma acc parallel loop copyin(a[0 : n], b[0 : n]) copyout(c[0 : n])
  for (long i = 0; i < n; ++i)
    c[i] = a[i] + b[i];
}

/// The work not shared out: every gang does all of it again, on one of its threads. The document
/// has a plain loop here, and means this; nvc++ parallelises plain loops in `parallel` by itself,
/// hence the `seq`.
void gangway_vadd_redundant(long n, const double* a, const double* b, double* c) {
#pragma acc parallel num_gangs(4) copyin(a[0 : n], b[0 : n]) copyout(c[0 : n])
  {
#pragma acc loop seq
    for (long i = 0; i < n; ++i)
      c[i] = a[i] + b[i];
  }
}

/// The vector length by device.
void gangway_vadd_device_type(long n, const double* a, const double* b, double* c) {
#pragma acc parallel loop gang vector copyin(a[0 : n], b[0 : n]) copyout(c[0 : n])                 \
    VECTOR_LENGTH_BY_DEVICE
  for (long i = 0; i < n; ++i)
    c[i] = a[i] + b[i];
}

/// A flat grid: as many gangs as give each lane one iteration. (At least one: a construct of no
/// gangs is an error.)
void gangway_vadd_range(long n, const double* a, const double* b, double* c) {
  static constexpr int lanes = 128;
  const long gangs = n > lanes ? (n + lanes - 1) / lanes : 1;
#pragma acc parallel loop gang vector num_gangs(gangs) vector_length(lanes)                        \
    copyin(a[0 : n], b[0 : n]) copyout(c[0 : n])
  for (long i = 0; i < n; ++i)
    c[i] = a[i] + b[i];
}

/// Two neighbouring elements per lane, in one load of each vector and one store of 16 bytes. Where
/// the vectors lie on the device, and so whether packs of them can be loaded, is known in the
/// kernel.
void gangway_vadd_packs(long n, const double* a, const double* b, double* c) {
  static constexpr int lanes = 128;
  const long packs = n > Doubles::size ? (n + Doubles::size - 1) / Doubles::size : 1;
  const long gangs = (packs + lanes - 1) / lanes;
#pragma acc parallel loop gang vector num_gangs(gangs) vector_length(lanes)                        \
    copyin(a[0 : n], b[0 : n]) copyout(c[0 : n])
  for (long p = 0; p < packs; ++p) {
    const long first = p * Doubles::size;
    const std::uintptr_t places = reinterpret_cast<std::uintptr_t>(a) |
                                  reinterpret_cast<std::uintptr_t>(b) |
                                  reinterpret_cast<std::uintptr_t>(c);
    if (places % alignof(Doubles) == 0 && first + Doubles::size <= n) {
      const Doubles left = *reinterpret_cast<const Doubles*>(a + first);
      const Doubles right = *reinterpret_cast<const Doubles*>(b + first);
      Doubles both;
#pragma acc loop seq
      for (int k = 0; k < Doubles::size; ++k)
        both.at[k] = left.at[k] + right.at[k];
      *reinterpret_cast<Doubles*>(c + first) = both;
    } else {
      const long last = first + Doubles::size < n ? first + Doubles::size : n;
#pragma acc loop seq
      for (long i = first; i < last; ++i)
        c[i] = a[i] + b[i];
    }
  }
}

} // extern "C"
