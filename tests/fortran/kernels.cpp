// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The kernels of the tests of module gangway, for clauses.F90.
#define GANGWAY_CHECK_BOUNDS
#include "gangway/gangway.hpp"

#include <algorithm>
#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

namespace {

using gangway::Descriptor;
using gangway::FArray;

template <int Rank>
using Indices = Kokkos::Array<long, Rank>;

template <class Array, int Rank, std::size_t... d>
KOKKOS_FUNCTION auto& element(const Array& a, const Indices<Rank>& i, std::index_sequence<d...>) {
  return a(i[d]...);
}

/// a(i, j, k, …) = 2 * a(i, j, k, …) + i + 10 * j + 100 * k + …
template <int Rank>
void mark(const Descriptor& host_a, const int* lower) {
  typename FArray<double, Rank>::Numbers bounds{};
  std::copy_n(lower, Rank, bounds.begin());
  const FArray<double, Rank> a("a", host_a, bounds);
  Kokkos::parallel_for(
      "mark", gangway::range(0, a.size()), KOKKOS_LAMBDA(long at) {
        Indices<Rank> index{};
        double number = 0;
        double weight = 1;
        for (int d = 0; d < Rank; ++d) {
          index[d] = a.lbound(d + 1) + at % a.size(d + 1);
          at /= a.size(d + 1);
          number += weight * static_cast<double>(index[d]);
          weight *= 10;
        }
        double& one =
            element<FArray<double, Rank>, Rank>(a, index, std::make_index_sequence<Rank>());
        one = 2 * one + number;
      });
}

/// a(i) = a(i) + 1
template <class T>
void add_one(const Descriptor& host_a) {
  const FArray<T, 1> a("a", host_a);
  Kokkos::parallel_for(
      "add one", gangway::range(a.lbound(1), a.ubound(1) + 1),
      KOKKOS_LAMBDA(long i) { a(i) = static_cast<T>(a(i) + T(1)); });
}

/// a(i) = .not. a(i)
template <class T>
void negate(const Descriptor& host_a) {
  const FArray<T, 1> a("a", host_a);
  Kokkos::parallel_for(
      "negate", gangway::range(a.lbound(1), a.ubound(1) + 1),
      KOKKOS_LAMBDA(long i) { a(i) = static_cast<T>(a(i) == T(0)); });
}

template <class Array>
void find(const Descriptor& a, char* message, std::size_t length) {
  std::string text;
  try {
    const Array found("a", a);
    text = "found";
  } catch (const gangway::DataError& error) {
    text = error.what();
  }
  std::fill_n(message, length, ' ');
  std::copy_n(text.data(), std::min(length, text.size()), message);
}

} // namespace

extern "C" {

void mark1(const Descriptor& a, const int* lower) {
  mark<1>(a, lower);
}
void mark2(const Descriptor& a, const int* lower) {
  mark<2>(a, lower);
}
void mark3(const Descriptor& a, const int* lower) {
  mark<3>(a, lower);
}
void mark4(const Descriptor& a, const int* lower) {
  mark<4>(a, lower);
}
void mark5(const Descriptor& a, const int* lower) {
  mark<5>(a, lower);
}
void mark6(const Descriptor& a, const int* lower) {
  mark<6>(a, lower);
}
void mark7(const Descriptor& a, const int* lower) {
  mark<7>(a, lower);
}
void mark15(const Descriptor& a, const int* lower) {
  mark<15>(a, lower);
}

void add_one_int8(const Descriptor& a) {
  add_one<std::int8_t>(a);
}
void add_one_int16(const Descriptor& a) {
  add_one<std::int16_t>(a);
}
void add_one_int32(const Descriptor& a) {
  add_one<std::int32_t>(a);
}
void add_one_int64(const Descriptor& a) {
  add_one<std::int64_t>(a);
}
void add_one_real32(const Descriptor& a) {
  add_one<float>(a);
}
void add_one_real64(const Descriptor& a) {
  add_one<double>(a);
}
void add_one_complex32(const Descriptor& a) {
  add_one<Kokkos::complex<float>>(a);
}
void add_one_complex64(const Descriptor& a) {
  add_one<Kokkos::complex<double>>(a);
}
void negate_bool(const Descriptor& a) {
  negate<bool>(a);
}
void negate_int32(const Descriptor& a) {
  negate<std::int32_t>(a);
}

/// The bounds of an allocatable or pointer dummy argument, as FArray has them; all four are 0 if
/// its View has other extents.
void bounds2(const Descriptor& host_a, int* bounds) {
  const FArray<const double, 2> a("a", host_a);
  const auto view = a.view();
  const bool same = view.extent_int(0) == a.size(1) && view.extent_int(1) == a.size(2) &&
                    view.stride(0) == 1 && view.data() == a.data();
  const std::array all{a.lbound(1), a.ubound(1), a.lbound(2), a.ubound(2)};
  for (std::size_t i = 0; i < all.size(); ++i)
    bounds[i] = same ? static_cast<int>(all[i]) : 0;
}

void find_real64_2(const Descriptor& a, char* message, std::size_t length) {
  find<FArray<double, 2>>(a, message, length);
}
void find_real32_1(const Descriptor& a, char* message, std::size_t length) {
  find<FArray<float, 1>>(a, message, length);
}
void find_int64_1(const Descriptor& a, char* message, std::size_t length) {
  find<FArray<std::int64_t, 1>>(a, message, length);
}
void find_real64_1(const Descriptor& a, char* message, std::size_t length) {
  find<FArray<double, 1>>(a, message, length);
}

/// A loop of the library's own, which notes its launch.
void launch(const Descriptor& host_a) {
  const FArray<double, 1> a("a", host_a);
  gangway::parallel_for(
      "launch", gangway::gang_vector(a.size()), KOKKOS_LAMBDA(long i) { a(i + 1) += 1; });
}

/// Writes to memory of the device that no FArray describes.
void set_all(void* device, int n, double value) {
  auto* const to = static_cast<double*>(device);
  Kokkos::parallel_for("set all", gangway::range(0, n), KOKKOS_LAMBDA(long i) { to[i] = value; });
}

/// The sum of n numbers of the device.
double total(const void* device, int n) {
  const auto* const from = static_cast<const double*>(device);
  double sum = 0;
  Kokkos::parallel_reduce(
      "total", gangway::range(0, n), KOKKOS_LAMBDA(long i, double& partial) { partial += from[i]; },
      sum);
  return sum;
}

/// Reads one element past the end.
void out_of_bounds(const Descriptor& host_a) {
  const FArray<double, 2> a("a", host_a, {0, -3});
  Kokkos::parallel_for(
      "out of bounds", gangway::range(0, 1),
      KOKKOS_LAMBDA(long) { a(a.lbound(1), a.ubound(2) + 1) = 0; });
}

} // extern "C"
