// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/study.hpp"
#include "studies/routine/routine.hpp"

namespace gangway::routine {
namespace {

/// Rows are counted in 64 bits: a view computes an offset as wide as the widest of its indices.
using Out = DeviceView<float, 2>;

/// routine seq: for one thread, from any loop. Counted from 1: from 0, the first would divide by
/// zero.
KOKKOS_INLINE_FUNCTION float reciprocal(long i, int j, float one = 1.0F) {
  return one / (static_cast<float>(i + 1) * static_cast<float>(j + 1));
}

/// routine vector: for a gang whose vector is all its threads. To be called by all of them.
KOKKOS_INLINE_FUNCTION void fill_row(const Gang<>& gang, const Out& v, long i) {
  loop_vector(gang, 0, v.extent_int(1), [&](int j) { v(i, j) = reciprocal(i, j); });
}

/// routine worker: for a gang, whose workers share out the rows and whose vectors, of 32 lanes, the
/// columns. `one` is 1, but nvcc must not know: it makes a reciprocal of 1.0F / x, which asks where
/// x lies before it begins, and each waits for the one before; a division asks meanwhile.
KOKKOS_INLINE_FUNCTION void fill_rows(const Gang<32>& gang, const Out& v, int first, int last,
                                      float one) {
  loop_worker(gang, first, last, [&](const Worker<32>& worker, long i) {
    loop_vector(worker, 0, v.extent_int(1), [&](int j) { v(i, j) = reciprocal(i, j, one); });
  });
}

/// routine gang: for all gangs at once, which share out the rows.
KOKKOS_INLINE_FUNCTION void fill(const Parallel<>& parallel, const Out& v) {
  loop_gang(parallel, 0L, v.extent_int(0),
            [&](const Gang<>& gang, long i) { fill_row(gang, v, i); });
}

void seq(int rows, int columns, float* v) {
  Data data;
  const auto out = data.copyout(v, rows, columns);
  gangway::parallel_for(
      "routine/seq", gangway::gang(long{rows}).vector_length(128),
      KOKKOS_LAMBDA(const Gang<>& gang, long i) {
        loop_vector(gang, 0, columns, [&](int j) { out(i, j) = reciprocal(i, j); });
      });
}

template <class Policy>
void row_a_gang(const char* label, const Policy& policy, int rows, int columns, float* v) {
  Data data;
  const auto out = data.copyout(v, rows, columns);
  gangway::parallel_for(
      label, policy, KOKKOS_LAMBDA(const Gang<>& gang, long i) { fill_row(gang, out, i); });
}

void vector(int rows, int columns, float* v) {
  row_a_gang("routine/vector", gangway::gang(long{rows}).vector_length(128), rows, columns, v);
}

void of_mapping(const kernels::Mapping& mapping, int rows, int columns, float* v) {
  row_a_gang("routine/of-mapping", gangway::gang(long{rows}).clauses(mapping.clauses), rows,
             columns, v);
}

void worker(int rows, int columns, float* v) {
  constexpr int block = 4; // rows of a gang, one per worker: more would leave few gangs
  Data data;
  const auto out = data.copyout(v, rows, columns);
  float one = 1; // not const: a constant would be the kernel's own
  gangway::parallel_for(
      "routine/worker",
      gangway::gang((rows + block - 1) / block).num_workers(4).vector_length(lanes<32>),
      KOKKOS_LAMBDA(const Gang<32>& gang, int number) {
        const int first = number * block;
        fill_rows(gang, out, first, Kokkos::min(first + block, rows), one);
      });
}

void gang(int rows, int columns, float* v) {
  constexpr long gangs = 2112; // 16 for each of 132 multiprocessors, which is all that fit
  Data data;
  const auto out = data.copyout(v, rows, columns);
  gangway::parallel_for(
      "routine/gang", team_policy(gangs).vector_length(128),
      KOKKOS_LAMBDA(const Parallel<>& parallel) { fill(parallel, out); });
}

const harness::Study<Problem> study({
    .stages = {{"seq", seq}, {"worker", worker}, {"vector", vector}, {"gang", gang}},
    .sweep = {.kernel = of_mapping, .own = {{1, 128}, 1}},
});

} // namespace
} // namespace gangway::routine
