// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/study.hpp"
#include "kernels/packs.hpp"
#include "studies/order/order.hpp"

namespace gangway::order {
namespace {

/// A gang takes a row, its vector runs along it: neighbouring lanes, neighbouring elements.
template <class Policy>
void along_rows(const char* label, const Policy& policy, long rows, long columns, double* a) {
  Data data;
  const auto array = data.copy(a, rows, columns);
  gangway::parallel_for(
      label, policy, KOKKOS_LAMBDA(const typename Policy::Handle& gang, long i) {
        double* const row = array.data() + i * columns; // a row may have no element
        loop_vector(gang, 0, columns, [&](long j) { row[j] = 2 * row[j] + 1; });
      });
}

void stride_1(long rows, long columns, double* a) {
  along_rows("order/stride-1", gang(rows).vector_length(lanes<128>), rows, columns, a);
}

void of_mapping(const kernels::Mapping& mapping, long rows, long columns, double* a) {
  along_rows("order/of-mapping", gang(rows).clauses(mapping.clauses), rows, columns, a);
}

/// A gang takes a column, its vector runs down it: neighbouring lanes lie a whole row apart.
void strided(long rows, long columns, double* a) {
  Data data;
  const auto array = data.copy(a, rows, columns);
  gangway::parallel_for(
      "order/strided", gang(columns).vector_length(lanes<128>),
      KOKKOS_LAMBDA(const Gang<128>& gang, long j) {
        loop_vector(gang, 0, rows, [&](long i) { array(i, j) = 2 * array(i, j) + 1; });
      });
}

/// Updates the array as one row of rows x columns elements, as it is in memory, in blocks. Four
/// elements are in flight in every lane before it writes the first back. Rows need not be long.
void unrolled(long rows, long columns, double* a) {
  constexpr int lanes = 256;
  constexpr int depth = has_device ? 4 : 1; // a host loads ahead by itself
  constexpr long block = 4 * lanes * depth;
  const long n = rows * columns;
  Data data;
  const auto array = data.copy(a, n);
  gangway::parallel_for(
      "order/unrolled", team_policy((n + block - 1) / block).vector_length(lanes),
      KOKKOS_LAMBDA(const Member& gang) {
        const long first = gang.league_rank() * block;
        const long last = Kokkos::min(first + block, n);
        long start = first;
        for (; start + lanes * depth <= last; start += lanes * depth)
          Kokkos::parallel_for(Kokkos::TeamVectorRange(gang, lanes), [&](int lane) {
            double x[depth];
            for (int k = 0; k < depth; ++k)
              x[k] = array(start + k * lanes + lane);
            for (int k = 0; k < depth; ++k)
              array(start + k * lanes + lane) = 2 * x[k] + 1;
          });
        Kokkos::parallel_for(Kokkos::TeamVectorRange(gang, start, last),
                             [&](long i) { array(i) = 2 * array(i) + 1; });
      });
}

/// Updates two neighbouring elements per thread, in one load and one store of 16 bytes, where the
/// array lies so on the device.
void packs(long rows, long columns, double* a) {
  using Doubles = kernels::Pack<double>;
  const long n = rows * columns;
  Data data;
  const auto array = data.copy(a, n);
  const long count = kernels::whole_packs(n, array);
  const auto pack = kernels::as_packs(array, count);
  Kokkos::parallel_for(
      "order/packs",
      Kokkos::RangePolicy<Kokkos::DefaultExecutionSpace, Kokkos::IndexType<long>>(0, count),
      KOKKOS_LAMBDA(long p) {
        Doubles both = pack(p);
        for (int k = 0; k < Doubles::size; ++k)
          both.at[k] = 2 * both.at[k] + 1;
        pack(p) = both;
      });
  const long first = count * Doubles::size;
  if (first < n)
    Kokkos::parallel_for(
        "order/packs rest",
        Kokkos::RangePolicy<Kokkos::DefaultExecutionSpace, Kokkos::IndexType<long>>(first, n),
        KOKKOS_LAMBDA(long i) { array(i) = 2 * array(i) + 1; });
}

/// Updates one element per thread of a flat range.
void range(long rows, long columns, double* a) {
  Data data;
  const auto array = data.copy(a, rows * columns);
  Kokkos::parallel_for(
      "order/range",
      Kokkos::RangePolicy<Kokkos::DefaultExecutionSpace, Kokkos::IndexType<long>>(0,
                                                                                  rows * columns),
      KOKKOS_LAMBDA(long i) { array(i) = 2 * array(i) + 1; });
}

const harness::Study<Problem> study({
    .stages = {{"stride-1", stride_1}, {"strided", strided}},
    .beyond = {{"unrolled", unrolled}, {"range", range}, {"packs", packs}},
    .sweep = {.kernel = of_mapping, .own = {{1, 128}, 1}},
});

} // namespace
} // namespace gangway::order
