// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gangway/gangway.hpp"
#include "snippets.hpp"

#include <string>
namespace guide::kokkos {
namespace {

using gangway::Data;
using gangway::DeviceView;
using gangway::Gang;
using gangway::Parallel;
using gangway::Worker;
using Range = Kokkos::RangePolicy<Kokkos::IndexType<long>>;

// [gang_worker_vector]
void gang_worker_vector(long planes, long rows, long columns, const double* a, double* sums) {
  Data data;
  const auto in = data.copyin(a, planes, rows, columns);
  const auto out = data.copyout(sums, planes, rows);
  gangway::parallel_for(
      "row sums", gangway::gang(planes).num_workers(4).vector_length(32),
      KOKKOS_LAMBDA(const Gang<>& gang, long p) {
        loop_worker(gang, 0, rows, [&](const Worker<>& worker, long i) {
          double sum = 0;
          loop_vector(
              worker, 0, columns, [&](long j, double& partial) { partial += in(p, i, j); }, sum);
          single(worker, [&] { out(p, i) = sum; });
        });
      });
}
// [gang_worker_vector]

// [vector_length]
void vector_length(long rows, long columns, const double* a, double* sums) {
  Data data;
  const auto in = data.copyin(a, rows, columns);
  const auto out = data.copyout(sums, rows);
  gangway::parallel_for(
      "long row sums", gangway::gang(rows).vector_length(128),
      KOKKOS_LAMBDA(const Gang<>& gang, long i) {
        double sum = 0;
        loop_vector(gang, 0, columns, [&](long j, double& partial) { partial += in(i, j); }, sum);
        single(gang, [&] { out(i) = sum; });
      });
}
// [vector_length]

// [num_gangs]
void num_gangs(long n, double a, const double* x, double* y) {
  Data data;
  const auto in = data.copyin(x, n);
  const auto out = data.copyout(y, n);
  gangway::parallel_for(
      "scale by 64 gangs", gangway::gang_vector(n).num_gangs(64).vector_length(128),
      KOKKOS_LAMBDA(long i) { out(i) = a * in(i); });
}
// [num_gangs]

// [one_gang]
void one_gang(long n, double* x) {
  Data data;
  const auto values = data.copy(x, n);
  gangway::parallel_for(
      "divide by the maximum", gangway::team_policy(1).vector_length(128),
      KOKKOS_LAMBDA(const Parallel<>& gang) {
        double highest = 0;
        loop_vector(
            gang, 0, n, [&](long i, double& most) { most = Kokkos::max(most, values(i)); },
            gangway::reduction::max(highest));
        loop_vector(gang, 0, n, [&](long i) { values(i) /= highest; });
      });
}
// [one_gang]

// [levels_in_kernels]
void levels_in_kernels(long n, double a, const double* x, double* y) {
  Data data;
  const auto in = data.copyin(x, n);
  const auto out = data.copyout(y, n);
  gangway::parallel_for(
      "scale", gangway::gang_vector(n).num_gangs(40).vector_length(128),
      KOKKOS_LAMBDA(long i) { out(i) = a * in(i); });
}
// [levels_in_kernels]

// [cache]
using Scratch = Kokkos::View<double*, Kokkos::DefaultExecutionSpace::scratch_memory_space,
                             Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

void cache(long n, const double* x, double* y) {
  constexpr long block = 128;
  Data data;
  const auto in = data.copyin(x, n + 2);
  const auto out = data.copyout(y, n);
  gangway::parallel_for(
      "means",
      gangway::team_policy((n + block - 1) / block)
          .vector_length(128)
          .scratch(0, Scratch::shmem_size(block + 2)),
      KOKKOS_LAMBDA(const Parallel<>& gang) {
        const long first = gang.member().league_rank() * block;
        const long count = Kokkos::min(long{block}, n - first);
        const Scratch near(gang.member().team_scratch(0), block + 2);
        loop_vector(gang, 0, count + 2, [&](long k) { near(k) = in(first + k); });
        gang.member().team_barrier(); // all of it is there before any of it is read
        loop_vector(gang, 0, count,
                    [&](long k) { out(first + k) = 0.25 * (near(k) + near(k + 1) + near(k + 2)); });
      });
}
// [cache]

// [private_to_gang]
void private_to_gang(long n, double* x) {
  constexpr long block = 128;
  Data data;
  const auto all = data.copy(x, n);
  gangway::parallel_for(
      "reverse blocks",
      gangway::team_policy((n + block - 1) / block)
          .vector_length(128)
          .scratch(0, Scratch::shmem_size(block)),
      KOKKOS_LAMBDA(const Parallel<>& gang) {
        const long first = gang.member().league_rank() * block;
        const long count = Kokkos::min(long{block}, n - first);
        const Scratch held(gang.member().team_scratch(0), block);
        loop_vector(gang, 0, count, [&](long k) { held(k) = all(first + k); });
        gang.member().team_barrier(); // all of it is there before any of it is read
        loop_vector(gang, 0, count, [&](long k) { all(first + k) = held(count - 1 - k); });
      });
}
// [private_to_gang]

// [routine_seq]
KOKKOS_INLINE_FUNCTION double cube(double x) {
  return x * x * x;
}

void routine_seq(long n, const double* x, double* y) {
  Data data;
  const auto in = data.copyin(x, n);
  const auto out = data.copyout(y, n);
  Kokkos::parallel_for("cubes", Range(0, n), KOKKOS_LAMBDA(long i) { out(i) = cube(in(i)); });
}
// [routine_seq]

// [routine_rows]
KOKKOS_INLINE_FUNCTION void difference(const double* lower, const double* upper, double* flow) {
  for (int k = 0; k < 3; ++k)
    flow[k] = upper[k] - lower[k];
}

void routine_rows(long n, const double* state, double* flow) {
  Data data;
  const auto states = data.copyin(state, n + 1, 3);
  const auto flows = data.copyout(flow, n, 3);
  Kokkos::parallel_for(
      "differences", Range(0, n),
      KOKKOS_LAMBDA(long i) { difference(&states(i, 0), &states(i + 1, 0), &flows(i, 0)); });
}
// [routine_rows]

// [routine_vector]
KOKKOS_INLINE_FUNCTION void scale_row(const Gang<>& gang, long i, double factor,
                                      const DeviceView<double, 2>& a) {
  loop_vector(gang, 0, a.extent_int(1), [&](long j) { a(i, j) *= factor; });
}

void routine_vector(long rows, long columns, const double* factor, double* a) {
  Data data;
  const auto factors = data.copyin(factor, rows);
  const auto matrix = data.copy(a, rows, columns);
  gangway::parallel_for(
      "scale rows", gangway::gang(rows).vector_length(128),
      KOKKOS_LAMBDA(const Gang<>& gang, long i) { scale_row(gang, i, factors(i), matrix); });
}
// [routine_vector]

// [routine_worker]
KOKKOS_INLINE_FUNCTION void scale_rows(const Gang<>& gang, long first, long last,
                                       const DeviceView<const double>& factor,
                                       const DeviceView<double, 2>& a) {
  loop_worker(gang, first, last, [&](const Worker<>& worker, long i) {
    loop_vector(worker, 0, a.extent_int(1), [&](long j) { a(i, j) *= factor(i); });
  });
}

void routine_worker(long rows, long columns, const double* factor, double* a) {
  Data data;
  const auto factors = data.copyin(factor, rows);
  const auto matrix = data.copy(a, rows, columns);
  gangway::parallel_for(
      "scale blocks of rows", gangway::gang((rows + 15) / 16).num_workers(4).vector_length(32),
      KOKKOS_LAMBDA(const Gang<>& gang, long block) {
        const long first = block * 16;
        scale_rows(gang, first, Kokkos::min(first + 16, rows), factors, matrix);
      });
}
// [routine_worker]

// [routine_gang]
KOKKOS_INLINE_FUNCTION void scale_matrix(const Parallel<>& parallel,
                                         const DeviceView<const double>& factor,
                                         const DeviceView<double, 2>& a) {
  loop_gang(parallel, 0, a.extent_int(0), [&](const Gang<>& gang, long i) {
    loop_vector(gang, 0, a.extent_int(1), [&](long j) { a(i, j) *= factor(i); });
  });
}

void routine_gang(long rows, long columns, const double* factor, double* a) {
  Data data;
  const auto factors = data.copyin(factor, rows);
  const auto matrix = data.copy(a, rows, columns);
  gangway::parallel_for(
      "scale the matrix", gangway::team_policy(64).vector_length(128),
      KOKKOS_LAMBDA(const Parallel<>& parallel) { scale_matrix(parallel, factors, matrix); });
}
// [routine_gang]

} // namespace

// [feedback]
std::string feedback(long rows, const double* a, double* sums) {
  gangway::clear_launches();
  vector_length(rows, 1000, a, sums); // asks for vector_length(128)
  return gangway::launches().back().text();
}
// [feedback]

const Levels levels{.gang_worker_vector = gang_worker_vector,
                    .vector_length = vector_length,
                    .num_gangs = num_gangs,
                    .levels_in_kernels = levels_in_kernels,
                    .one_gang = one_gang,
                    .cache = cache,
                    .private_to_gang = private_to_gang,
                    .routine_seq = routine_seq,
                    .routine_rows = routine_rows,
                    .routine_vector = routine_vector,
                    .routine_worker = routine_worker,
                    .routine_gang = routine_gang};

} // namespace guide::kokkos
