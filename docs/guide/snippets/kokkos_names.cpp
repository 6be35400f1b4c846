// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variables outside of functions.
#include "gangway/gangway.hpp"
#include "snippets.hpp"

#include <algorithm>

// The local names hide the global ones: that is what is shown.
#pragma GCC diagnostic ignored "-Wshadow"

namespace guide::kokkos {
namespace {

using gangway::Data;
using Range = Kokkos::RangePolicy<Kokkos::IndexType<long>>;

// [host_globals]
double background[8]; // set by the host, before anything is computed
double scale;

void add_background(long n, double* x_of_host) {
  Data data;
  const auto x = data.copy(x_of_host, n);
  const auto background = data.copyin(guide::kokkos::background, 8); // the global
  const double scale = kokkos::scale;
  Kokkos::parallel_for(
      "add_background", Range(0, n),
      KOKKOS_LAMBDA(long i) { x[i] += scale * background[i % 8]; }); // as it was
}
// [host_globals]

void host_globals(long n, double new_scale, const double* new_background, double* x) {
  scale = new_scale;
  std::copy_n(new_background, 8, background);
  add_background(n, x);
}

// [declare]
double weight[3];

void smooth(long n, const double* x, double* y) {
  Data data;
  const auto weight = data.present(kokkos::weight, 3); // the device's
  const auto in = data.copyin(x, n + 2);
  const auto out = data.copyout(y, n);
  Kokkos::parallel_for(
      "smooth", Range(0, n), KOKKOS_LAMBDA(long i) {
        out(i) = weight(0) * in(i) + weight(1) * in(i + 1) + weight(2) * in(i + 2);
      });
}

void declare(long n, const double* values, const double* x, double* y) {
  gangway::enter_data_create(weight, 3); // once, after Kokkos::initialize
  std::copy_n(values, 3, weight);
  gangway::update_device(weight, 3);
  smooth(n, x, y);
  gangway::exit_data_delete(weight, 3); // once, before Kokkos::finalize
}
// [declare]

// [constants]
constexpr double top = 2.5;

void constants(long n, const double* x, double* y) {
  Data data;
  const auto in = data.copyin(x, n);
  const auto out = data.copyout(y, n);
  Kokkos::parallel_for(
      "constants", Range(0, n), KOKKOS_LAMBDA(long i) {
        out(i) = Kokkos::clamp(in(i), 0., double{top}); // a value, not the constant itself
      });
}
// [constants]

} // namespace

const Names names{.host_globals = host_globals, .declare = declare, .constants = constants};

} // namespace guide::kokkos
