// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gangway/gangway.hpp"
#include "snippets.hpp"

#include <algorithm>

namespace guide::kokkos {
namespace {

using gangway::Data;
using Range = Kokkos::RangePolicy<Kokkos::IndexType<long>>;

// [reduction]
double reduction(long n, double start, const double* x, const double* y) {
  Data data;
  const auto left = data.copyin(x, n);
  const auto right = data.copyin(y, n);
  double sum = 0;
  Kokkos::parallel_reduce(
      "dot", Range(0, n), KOKKOS_LAMBDA(long i, double& partial) { partial += left(i) * right(i); },
      sum);
  return start + sum; // what sum held before is overwritten, not added to
}
// [reduction]

// [two_reductions]
void two_reductions(long n, const double* x, double* sum, double* highest) {
  Data data;
  const auto in = data.copyin(x, n);
  Kokkos::parallel_reduce(
      "sum and maximum", Range(0, n),
      KOKKOS_LAMBDA(long i, double& total, double& most) {
        total += in(i);
        most = Kokkos::max(most, in(i));
      },
      Kokkos::Sum<double>(*sum), Kokkos::Max<double>(*highest));
}
// [two_reductions]

// [min_prior]
double min_prior(long n, double limit, const double* x) {
  Data data;
  const auto in = data.copyin(x, n);
  double least = 0;
  Kokkos::parallel_reduce(
      "least", Range(0, n),
      KOKKOS_LAMBDA(long i, double& least_so_far) {
        least_so_far = Kokkos::min(least_so_far, in(i));
      },
      Kokkos::Min<double>(least));
  return std::min(limit, least); // what was there before joins in afterwards
}
// [min_prior]

// [into_view]
void into_view(long n, double* v) {
  Data data;
  const auto values = data.copy(v, n);
  const Kokkos::View<double, gangway::DeviceSpace> sum("sum");
  Kokkos::parallel_reduce(
      "sum", Range(0, n), KOKKOS_LAMBDA(long i, double& partial) { partial += values(i); }, sum);
  Kokkos::parallel_for("divide", Range(0, n), KOKKOS_LAMBDA(long i) { values(i) /= sum(); });
}
// [into_view]

} // namespace

const Reductions reductions{.reduction = reduction,
                            .two_reductions = two_reductions,
                            .min_prior = min_prior,
                            .into_view = into_view};

} // namespace guide::kokkos
