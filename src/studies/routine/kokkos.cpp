// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/study.hpp"
#include "studies/routine/routine.hpp"

namespace gangway::routine {
namespace {

/// Rows are counted in 64 bits: a view computes an offset as wide as the widest of its indices.
using Out = Array<float, 2>;

/// routine seq: for one thread, from any loop. Counted from 1: from 0, the first would divide by
/// zero.
KOKKOS_INLINE_FUNCTION float reciprocal(long i, int j, float one = 1.0F) {
  return one / (static_cast<float>(i + 1) * static_cast<float>(j + 1));
}

/// routine vector: for a gang of one worker, whose vector is all its threads. To be called by all
/// of them.
KOKKOS_INLINE_FUNCTION void fill_row(const Member& gang, const Out& v, long i) {
  Kokkos::parallel_for(Kokkos::TeamVectorRange(gang, v.extent_int(1)),
                       [&](int j) { v(i, j) = reciprocal(i, j); });
}

/// routine worker: for a gang, whose workers share out the rows and whose vectors, of 32 lanes, the
/// columns. `one` is 1, but nvcc must not know: it makes a reciprocal of 1.0F / x, which asks where
/// x lies before it begins, and each waits for the one before; a division asks meanwhile.
KOKKOS_INLINE_FUNCTION void fill_rows(const Member& gang, const Out& v, int first, int last,
                                      float one) {
  Kokkos::parallel_for(Kokkos::TeamThreadRange(gang, first, last), [&](long i) {
    loop_worker_vector<32>(gang, 0, v.extent_int(1),
                           [&](int j) { v(i, j) = reciprocal(i, j, one); });
  });
}

/// routine gang: for all gangs at once, which share out the rows.
KOKKOS_INLINE_FUNCTION void fill(const Member& gang, const Out& v) {
  for (long i = gang.league_rank(); i < v.extent_int(0); i += gang.league_size())
    fill_row(gang, v, i);
}

constexpr Clauses one_worker{.workers = 1, .vector = 128};

void seq(int rows, int columns, float* v) {
  Data data;
  const auto out = data.copyout(v, rows, columns);
  const auto body = KOKKOS_LAMBDA(const Member& gang) {
    const long i = gang.league_rank();
    Kokkos::parallel_for(Kokkos::TeamVectorRange(gang, columns),
                         [&](int j) { out(i, j) = reciprocal(i, j); });
  };
  Kokkos::parallel_for("routine/seq", team_policy(one_worker, rows, body, Kokkos::ParallelForTag{}),
                       body);
}

void row_a_gang(const char* label, const Clauses& clauses, int rows, int columns, float* v) {
  Data data;
  const auto out = data.copyout(v, rows, columns);
  const auto body = KOKKOS_LAMBDA(const Member& gang) {
    fill_row(gang, out, gang.league_rank());
  };
  Kokkos::parallel_for(label, team_policy(clauses, rows, body, Kokkos::ParallelForTag{}), body);
}

void vector(int rows, int columns, float* v) {
  row_a_gang("routine/vector", one_worker, rows, columns, v);
}

void of_mapping(const Mapping& mapping, int rows, int columns, float* v) {
  row_a_gang("routine/of-mapping", mapping.clauses, rows, columns, v);
}

void worker(int rows, int columns, float* v) {
  constexpr int block = 4; // rows of a gang, one a worker: more would leave few gangs
  Data data;
  const auto out = data.copyout(v, rows, columns);
  float one = 1; // not const: a constant would be the kernel's own
  const auto body = KOKKOS_LAMBDA(const Member& gang) {
    const int first = gang.league_rank() * block;
    fill_rows(gang, out, first, Kokkos::min(first + block, rows), one);
  };
  const int gangs = (rows + block - 1) / block;
  Kokkos::parallel_for(
      "routine/worker",
      team_policy({.workers = 4, .vector = 32}, gangs, body, Kokkos::ParallelForTag{}), body);
}

void gang(int rows, int columns, float* v) {
  constexpr long gangs = 2112; // 16 for each of 132 multiprocessors, which is all that fit
  Data data;
  const auto out = data.copyout(v, rows, columns);
  const auto body = KOKKOS_LAMBDA(const Member& gang) {
    fill(gang, out);
  };
  Kokkos::parallel_for("routine/gang",
                       team_policy(one_worker, gangs, body, Kokkos::ParallelForTag{}), body);
}

const harness::Study<Problem> study({
    .stages = {{"seq", seq}, {"worker", worker}, {"vector", vector}, {"gang", gang}},
    .sweep = {.kernel = of_mapping, .own = {one_worker, 1}},
});

} // namespace
} // namespace gangway::routine
