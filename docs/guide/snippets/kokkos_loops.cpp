// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gangway/gangway.hpp"
#include "snippets.hpp"

namespace guide::kokkos {
namespace {

// [names]
using gangway::Data;
using gangway::DeviceView;
using gangway::Gang;
using Range = Kokkos::RangePolicy<Kokkos::IndexType<long>>; // a flat loop, 64-bit indices
// [names]

// [parallel_loop]
void parallel_loop(long n, double a, const double* x, double* y) {
  Data data;
  const auto in = data.copyin(x, n);
  const auto out = data.copyout(y, n);
  Kokkos::parallel_for("scale", Range(0, n), KOKKOS_LAMBDA(long i) { out(i) = a * in(i); });
}
// [parallel_loop]

// [kernels]
void kernels(long n, const double* x, double* square, double* mean) {
  Data data;
  const auto in = data.copyin(x, n);
  const auto squares = data.copyout(square, n);
  const auto means = data.copyout(mean, n);
  Kokkos::parallel_for("squares", Range(0, n), KOKKOS_LAMBDA(long i) { squares(i) = in(i)*in(i); });
  Kokkos::parallel_for(
      "means", Range(0, n), KOKKOS_LAMBDA(long i) {
        means(i) = 0.5 * (squares((i + n - 1) % n) + squares((i + 1) % n));
      });
}
// [kernels]

// [independent]
void independent(long n, const int* place, const double* x, double* y) {
  Data data;
  const auto to = data.copyin(place, n);
  const auto in = data.copyin(x, n);
  const auto out = data.copyout(y, n);
  Kokkos::parallel_for("scatter", Range(0, n), KOKKOS_LAMBDA(long i) { out(to(i)) = in(i); });
}
// [independent]

// [seq]
void seq(long rows, long columns, double* a) {
  Data data;
  const auto sums = data.copy(a, rows, columns);
  Kokkos::parallel_for(
      "running sums", Range(0, rows), KOKKOS_LAMBDA(long i) {
        for (long j = 1; j < columns; ++j)
          sums(i, j) += sums(i, j - 1);
      });
}
// [seq]

// [serial]
void serial(long n, double* x) {
  Data data;
  const auto sums = data.copy(x, n);
  Kokkos::parallel_for(
      "running sums", Range(0, 1), KOKKOS_LAMBDA(long) {
        for (long i = 1; i < n; ++i)
          sums(i) += sums(i - 1);
      });
}
// [serial]

// [collapse]
void collapse(long rows, long columns, const double* a, const double* b, double* c) {
  Data data;
  const auto left = data.copyin(a, rows);
  const auto right = data.copyin(b, columns);
  const auto product = data.copyout(c, rows, columns);
  gangway::parallel_for(
      "outer product", gangway::tile<2>({rows, columns}, {4, 32}),
      KOKKOS_LAMBDA(long i, long j) { product(i, j) = left(i) * right(j); });
}
// [collapse]

// [collapse_three]
void collapse_three(long planes, long rows, long columns, const double* weight, const double* x,
                    double* y) {
  Data data;
  const auto w = data.copyin(weight, planes);
  const auto in = data.copyin(x, planes, rows, columns);
  const auto out = data.copyout(y, planes, rows, columns);
  gangway::parallel_for(
      "weigh planes", gangway::tile<3>({planes, rows, columns}, {1, 4, 32}),
      KOKKOS_LAMBDA(long k, long j, long i) { out(k, j, i) = w(k) * in(k, j, i); });
}
// [collapse_three]

// [collapse_reduction]
double collapse_reduction(long rows, long columns, const double* a, const double* b) {
  Data data;
  const auto left = data.copyin(a, rows);
  const auto right = data.copyin(b, columns);
  double sum = 0;
  Kokkos::parallel_reduce(
      "all products", Range(0, rows * columns),
      KOKKOS_LAMBDA(long ij, double& partial) {
        const long i = ij / columns;
        const long j = ij % columns;
        partial += left(i) * right(j);
      },
      sum);
  return sum;
}
// [collapse_reduction]

// [interior]
double interior(long rows, long columns, const double* a_of_host, double* b_of_host) {
  Data data;
  const auto a = data.copyin(a_of_host, rows, columns);
  const auto b = data.copy(b_of_host, rows, columns);
  double sum = 0;
  gangway::parallel_reduce(
      "interior", gangway::tile<2>({rows - 2, columns - 2}, {4, 64}),
      KOKKOS_LAMBDA(long row, long column, double& partial) {
        const long i = row + 1;
        const long j = column + 1;
        b(i, j) = 0.25 * (a(i - 1, j) + a(i + 1, j) + a(i, j - 1) + a(i, j + 1));
        partial += a(i, j) * b(i, j);
      },
      sum);
  return sum;
}
// [interior]

// [interior_by_rows]
double interior_by_rows(long rows, long columns, const double* a_of_host, double* b_of_host) {
  Data data;
  const auto a = data.copyin(a_of_host, rows, columns);
  const auto b = data.copy(b_of_host, rows, columns);
  double sum = 0;
  gangway::parallel_reduce(
      "interior_by_rows", gangway::gang(rows - 2).vector_length(128),
      KOKKOS_LAMBDA(const Gang<>& gang, long row, double& total) {
        const long i = row + 1;
        loop_vector(
            gang, 1, columns - 1,
            [&](long j, double& partial) {
              const double mean = 0.25 * (a(i - 1, j) + a(i + 1, j) + a(i, j - 1) + a(i, j + 1));
              b(i, j) = mean;
              partial += a(i, j) * mean;
            },
            total);
      },
      sum);
  return sum;
}
// [interior_by_rows]

// [tile]
void tile(long rows, long columns, const double* in, double* out) {
  Data data;
  const auto from = data.copyin(in, rows, columns);
  const auto to = data.copyout(out, columns, rows);
  gangway::parallel_for(
      "transpose", gangway::tile<2>({rows, columns}, {8, 32}).scattered(),
      KOKKOS_LAMBDA(long i, long j) { to(j, i) = from(i, j); });
}
// [tile]

// [private_array]
void private_array(long n, const double* x, double* y) {
  Data data;
  const auto in = data.copyin(x, n + 2);
  const auto out = data.copyout(y, n);
  Kokkos::parallel_for(
      "median", Range(0, n), KOKKOS_LAMBDA(long i) {
        double w[3];
        for (int k = 0; k < 3; ++k)
          w[k] = in(i + k);
        const double low = Kokkos::min(w[0], w[1]);
        const double high = Kokkos::max(w[0], w[1]);
        out(i) = Kokkos::clamp(w[2], low, high);
      });
}
// [private_array]

// [if_large]
template <class Space, class In, class Out>
void scale_on(const Space& space, long n, double a, const In& x, const Out& y) {
  Kokkos::parallel_for(
      "scale if large", Kokkos::RangePolicy<Space, Kokkos::IndexType<long>>(space, 0, n),
      KOKKOS_LAMBDA(long i) { y[i] = a * x[i]; });
}

void if_large(long n, double a, const double* x, double* y) {
  if (n > 10000) {
    Data data;
    scale_on(Kokkos::DefaultExecutionSpace(), n, a, data.copyin(x, n), data.copyout(y, n));
  } else {
    scale_on(Kokkos::DefaultHostExecutionSpace(), n, a, x, y);
  }
}
// [if_large]

// [device_type]
void device_type(long n, double a, const double* x, double* y) {
  Data data;
  const auto in = data.copyin(x, n);
  const auto out = data.copy(y, n);
  gangway::parallel_for(
      "axpy",
      gangway::gang_vector(n)
          .vector_length(64)
          .vector_length(gangway::DeviceType::nvidia, 256)
          .vector_length(gangway::DeviceType::radeon, 256),
      KOKKOS_LAMBDA(long i) { out(i) += a * in(i); });
}
// [device_type]

// [linearised]
void linearised(long rows, long columns, const double* a, double* y) {
  Data data;
  const DeviceView<const double, 2> matrix = data.copyin(a, rows, columns);
  const auto out = data.copyout(y, columns);
  Kokkos::parallel_for(
      "column sums", Range(0, columns), KOKKOS_LAMBDA(long j) {
        double sum = 0;
        for (long i = 0; i < rows; ++i)
          sum += matrix(i, j);
        out(j) = sum;
      });
}
// [linearised]

// [column_major]
using FortranArray = Kokkos::View<double**, Kokkos::LayoutLeft, gangway::DeviceSpace,
                                  Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

void column_major(long rows, long columns, const double* factor, double* a) {
  Data data;
  const auto factors = data.copyin(factor, columns);
  const FortranArray matrix(data.copy(a, rows * columns).data(), rows, columns);
  gangway::parallel_for(
      "scale columns", gangway::tile<2>({columns, rows}, {4, 32}),
      KOKKOS_LAMBDA(long j, long i) { matrix(i, j) *= factors(j); }); // stride-1 is the last one
}
// [column_major]

// [restrict_const]
using Table = Kokkos::View<const double*, Kokkos::LayoutRight, gangway::DeviceSpace,
                           Kokkos::MemoryTraits<Kokkos::Unmanaged | Kokkos::RandomAccess>>;
using Alone = Kokkos::View<double*, Kokkos::LayoutRight, gangway::DeviceSpace,
                           Kokkos::MemoryTraits<Kokkos::Unmanaged | Kokkos::Restrict>>;

void restrict_const(long n, long m, const int* index, const double* table, double* y) {
  Data data;
  const auto indices = data.copyin(index, n);
  const Table values = data.copyin(table, m);
  const Alone out = data.copyout(y, n);
  Kokkos::parallel_for(
      "gather", Range(0, n), KOKKOS_LAMBDA(long i) { out(i) = values(indices(i)); });
}
// [restrict_const]

} // namespace

const Loops loops{.parallel_loop = parallel_loop,
                  .kernels = kernels,
                  .independent = independent,
                  .serial = serial,
                  .seq = seq,
                  .collapse = collapse,
                  .collapse_three = collapse_three,
                  .collapse_reduction = collapse_reduction,
                  .interior = interior,
                  .interior_by_rows = interior_by_rows,
                  .tile = tile,
                  .private_array = private_array,
                  .if_large = if_large,
                  .device_type = device_type,
                  .linearised = linearised,
                  .column_major = column_major,
                  .restrict_const = restrict_const};

} // namespace guide::kokkos
