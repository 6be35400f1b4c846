// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gangway/gangway.hpp"
#include "snippets.hpp"

#include <string>
namespace guide::kokkos {
namespace {

using gangway::Array;
using gangway::Data;
using Range = Kokkos::RangePolicy<Kokkos::IndexType<long>>;
using Member = Kokkos::TeamPolicy<>::member_type;

// [gang_worker_vector]
void gang_worker_vector(long planes, long rows, long columns, const double* a, double* sums) {
  Data data;
  const auto in = data.copyin(a, planes, rows, columns);
  const auto out = data.copyout(sums, planes, rows);
  gangway::for_gangs(
      "row sums", {.workers = 4, .vector = 32}, {.iterations = planes},
      KOKKOS_LAMBDA(const Member& gang, long p) {
        Kokkos::parallel_for(Kokkos::TeamThreadRange(gang, rows), [&](long i) {
          double sum = 0;
          Kokkos::parallel_reduce(
              Kokkos::ThreadVectorRange(gang, columns),
              [&](long j, double& partial) { partial += in(p, i, j); }, sum);
          Kokkos::single(Kokkos::PerThread(gang), [&] { out(p, i) = sum; });
        });
      });
}
// [gang_worker_vector]

// [vector_length]
void vector_length(long rows, long columns, const double* a, double* sums) {
  Data data;
  const auto in = data.copyin(a, rows, columns);
  const auto out = data.copyout(sums, rows);
  gangway::for_gangs(
      "long row sums", {.vector = 128}, {.iterations = rows},
      KOKKOS_LAMBDA(const Member& gang, long i) {
        double sum = 0;
        Kokkos::parallel_reduce(
            Kokkos::TeamVectorRange(gang, columns),
            [&](long j, double& partial) { partial += in(i, j); }, sum);
        Kokkos::single(Kokkos::PerTeam(gang), [&] { out(i) = sum; });
      });
}
// [vector_length]

// [num_gangs]
void num_gangs(long n, double a, const double* x, double* y) {
  constexpr long gangs = 64;
  Data data;
  const auto in = data.copyin(x, n);
  const auto out = data.copyout(y, n);
  Kokkos::parallel_for(
      "scale by 64 gangs", gangway::team_policy({.vector = 128}, gangs),
      KOKKOS_LAMBDA(const Member& gang) {
        gangway::loop_gang_vector(gang, n, [&](long i) { out(i) = a * in(i); });
      });
}
// [num_gangs]

// [one_gang]
void one_gang(long n, double* x) {
  Data data;
  const auto values = data.copy(x, n);
  Kokkos::parallel_for(
      "divide by the maximum", gangway::team_policy({.vector = 128}, 1),
      KOKKOS_LAMBDA(const Member& gang) {
        double highest = 0;
        Kokkos::parallel_reduce(
            Kokkos::TeamVectorRange(gang, n),
            [&](long i, double& most) { most = Kokkos::max(most, values(i)); },
            Kokkos::Max<double>(highest));
        Kokkos::parallel_for(Kokkos::TeamVectorRange(gang, n),
                             [&](long i) { values(i) /= highest; });
      });
}
// [one_gang]

// [cache]
using Scratch = Kokkos::View<double*, Kokkos::DefaultExecutionSpace::scratch_memory_space,
                             Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

void cache(long n, const double* x, double* y) {
  constexpr long block = 128;
  Data data;
  const auto in = data.copyin(x, n + 2);
  const auto out = data.copyout(y, n);
  auto policy = gangway::team_policy({.vector = 128}, (n + block - 1) / block);
  policy.set_scratch_size(0, Kokkos::PerTeam(Scratch::shmem_size(block + 2)));
  Kokkos::parallel_for(
      "means", policy, KOKKOS_LAMBDA(const Member& gang) {
        const long first = gang.league_rank() * block;
        const long count = Kokkos::min(long{block}, n - first);
        const Scratch near(gang.team_scratch(0), block + 2);
        Kokkos::parallel_for(Kokkos::TeamVectorRange(gang, count + 2),
                             [&](long k) { near(k) = in(first + k); });
        gang.team_barrier(); // all of it is there before any of it is read
        Kokkos::parallel_for(Kokkos::TeamVectorRange(gang, count), [&](long k) {
          out(first + k) = 0.25 * (near(k) + near(k + 1) + near(k + 2));
        });
      });
}
// [cache]

// [private_to_gang]
void private_to_gang(long n, double* x) {
  constexpr long block = 128;
  Data data;
  const auto all = data.copy(x, n);
  auto policy = gangway::team_policy({.vector = 128}, (n + block - 1) / block);
  policy.set_scratch_size(0, Kokkos::PerTeam(Scratch::shmem_size(block)));
  Kokkos::parallel_for(
      "reverse blocks", policy, KOKKOS_LAMBDA(const Member& gang) {
        const long first = gang.league_rank() * block;
        const long count = Kokkos::min(long{block}, n - first);
        const Scratch held(gang.team_scratch(0), block);
        Kokkos::parallel_for(Kokkos::TeamVectorRange(gang, count),
                             [&](long k) { held(k) = all(first + k); });
        gang.team_barrier(); // all of it is there before any of it is read
        Kokkos::parallel_for(Kokkos::TeamVectorRange(gang, count),
                             [&](long k) { all(first + k) = held(count - 1 - k); });
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
KOKKOS_INLINE_FUNCTION void scale_row(const Member& gang, long i, double factor,
                                      const Array<double, 2>& a) {
  Kokkos::parallel_for(Kokkos::TeamVectorRange(gang, a.extent(1)),
                       [&](long j) { a(i, j) *= factor; });
}

void routine_vector(long rows, long columns, const double* factor, double* a) {
  Data data;
  const auto factors = data.copyin(factor, rows);
  const auto matrix = data.copy(a, rows, columns);
  gangway::for_gangs(
      "scale rows", {.vector = 128}, {.iterations = rows},
      KOKKOS_LAMBDA(const Member& gang, long i) { scale_row(gang, i, factors(i), matrix); });
}
// [routine_vector]

// [routine_worker]
KOKKOS_INLINE_FUNCTION void scale_rows(const Member& gang, long first, long last,
                                       const Array<const double>& factor,
                                       const Array<double, 2>& a) {
  Kokkos::parallel_for(Kokkos::TeamThreadRange(gang, first, last), [&](long i) {
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(gang, a.extent(1)),
                         [&](long j) { a(i, j) *= factor(i); });
  });
}

void routine_worker(long rows, long columns, const double* factor, double* a) {
  Data data;
  const auto factors = data.copyin(factor, rows);
  const auto matrix = data.copy(a, rows, columns);
  Kokkos::parallel_for(
      "scale blocks of rows", gangway::team_policy({.workers = 4, .vector = 32}, (rows + 15) / 16),
      KOKKOS_LAMBDA(const Member& gang) {
        const long first = gang.league_rank() * 16L;
        scale_rows(gang, first, Kokkos::min(first + 16, rows), factors, matrix);
      });
}
// [routine_worker]

// [routine_gang]
KOKKOS_INLINE_FUNCTION void scale_matrix(const Member& gang, const Array<const double>& factor,
                                         const Array<double, 2>& a) {
  gangway::loop_gang(gang, a.extent_int(0), [&](long i) {
    Kokkos::parallel_for(Kokkos::TeamVectorRange(gang, a.extent(1)),
                         [&](long j) { a(i, j) *= factor(i); });
  });
}

void routine_gang(long rows, long columns, const double* factor, double* a) {
  Data data;
  const auto factors = data.copyin(factor, rows);
  const auto matrix = data.copy(a, rows, columns);
  Kokkos::parallel_for(
      "scale the matrix", gangway::team_policy({.vector = 128}, 64),
      KOKKOS_LAMBDA(const Member& gang) { scale_matrix(gang, factors, matrix); });
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
                    .one_gang = one_gang,
                    .cache = cache,
                    .private_to_gang = private_to_gang,
                    .routine_seq = routine_seq,
                    .routine_rows = routine_rows,
                    .routine_vector = routine_vector,
                    .routine_worker = routine_worker,
                    .routine_gang = routine_gang};

} // namespace guide::kokkos
