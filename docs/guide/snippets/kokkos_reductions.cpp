// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gangway/gangway.hpp"
#include "snippets.hpp"

namespace guide::kokkos {
namespace {

using gangway::Data;
using Range = Kokkos::RangePolicy<Kokkos::IndexType<long>>;

// [reduction]
double reduction(long n, double start, const double* x, const double* y) {
  Data data;
  const auto left = data.copyin(x, n);
  const auto right = data.copyin(y, n);
  double sum = start;
  gangway::parallel_reduce(
      "dot", gangway::gang_vector(n),
      KOKKOS_LAMBDA(long i, double& partial) { partial += left(i) * right(i); }, sum);
  return sum;
}
// [reduction]

// [two_reductions]
void two_reductions(long n, const double* x, double* sum, double* highest) {
  Data data;
  const auto in = data.copyin(x, n);
  *sum = 0;
  *highest = x[0];
  gangway::parallel_reduce(
      "sum and maximum", gangway::gang_vector(n),
      KOKKOS_LAMBDA(long i, double& total, double& most) {
        total += in(i);
        most = Kokkos::max(most, in(i));
      },
      *sum, gangway::reduction::max(*highest));
}
// [two_reductions]

// [min_prior]
double min_prior(long n, double limit, const double* x) {
  Data data;
  const auto in = data.copyin(x, n);
  double least = limit;
  gangway::parallel_reduce(
      "least", gangway::gang_vector(n),
      KOKKOS_LAMBDA(long i, double& least_so_far) {
        least_so_far = Kokkos::min(least_so_far, in(i));
      },
      gangway::reduction::min(least));
  return least;
}
// [min_prior]

// [into_view]
void into_view(long n, double* v) {
  Data data;
  const auto values = data.copy(v, n);
  const Kokkos::View<double, gangway::DeviceSpace> sum("sum");
  gangway::parallel_reduce(
      "sum", gangway::gang_vector(n),
      KOKKOS_LAMBDA(long i, double& partial) { partial += values(i); }, sum);
  Kokkos::parallel_for("divide", Range(0, n), KOKKOS_LAMBDA(long i) { values(i) /= sum(); });
}
// [into_view]

// [arg_min]
long arg_min(long n, const double* x) {
  using Least = Kokkos::MinFirstLoc<double, long>;
  Data data;
  const auto in = data.copyin(x, n);
  Least::value_type least{};
  Kokkos::parallel_reduce(
      "the least and its place", Range(0, n),
      KOKKOS_LAMBDA(long i, Least::value_type& so_far) {
        if (in(i) < so_far.val) {
          so_far.val = in(i);
          so_far.loc = i;
        }
      },
      Least(least));
  return least.loc;
}
// [arg_min]

// [scan]
void scan(long n, double* x) {
  Data data;
  const auto sums = data.copy(x, n);
  Kokkos::parallel_scan(
      "running sums", Range(0, n), KOKKOS_LAMBDA(long i, double& sum, bool is_final) {
        sum += sums(i);
        if (is_final)
          sums(i) = sum;
      });
}
// [scan]

} // namespace

const Reductions reductions{.reduction = reduction,
                            .two_reductions = two_reductions,
                            .min_prior = min_prior,
                            .into_view = into_view,
                            .arg_min = arg_min,
                            .scan = scan};

} // namespace guide::kokkos
