// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/study.hpp"
#include "kernels/packs.hpp"
#include "studies/private/private.hpp"

namespace gangway::private_array {
namespace {

// Rows are counted in 64 bits: a view computes an offset as wide as the widest of its indices.

/// Uses one tmp per gang, so its columns go one after the other. It stores four at a time, 16
/// bytes, from the first column on that lies so. The number of its stores sets a gang's time, and
/// GCC merges them by itself.
void sequential_inner(int rows, int columns, int* a) {
  using Ints = kernels::Pack<int>;
  Data data;
  const auto out = data.copyout(a, rows, columns);
  const auto body = KOKKOS_LAMBDA(const Gang<>& /*gang*/, long i) {
    int* const row = columns > 0 ? &out(i, 0) : nullptr;
    int tmp[depth];
    const auto element = [&] {
      for (int k = 0; k < depth; ++k)
        tmp[k] = k;
      int sum = 0;
      for (int k = 0; k < depth; ++k)
        sum += tmp[k];
      return sum;
    };
    int j = 0;
    for (; j < columns && !kernels::is_pack_aligned(row + j); ++j)
      row[j] = element();
    for (; j + Ints::size <= columns; j += Ints::size) {
      Ints four;
      for (int k = 0; k < Ints::size; ++k)
        four.at[k] = element();
      *reinterpret_cast<Ints*>(row + j) = four;
    }
    for (; j < columns; ++j)
      row[j] = element();
  };
  gangway::parallel_for("private/sequential-inner",
                        gang(long{rows}).num_workers(1).vector_length(1), body);
}

/// private(tmp) is where tmp is declared: in the innermost body, it is each lane's own.
template <class Policy>
void private_to_lane(const char* label, const Policy& policy, int rows, int columns, int* a) {
  Data data;
  const auto out = data.copyout(a, rows, columns);
  gangway::parallel_for(
      label, policy, KOKKOS_LAMBDA(const Gang<>& gang, long i) {
        loop_vector(gang, 0, columns, [&](int j) {
          int tmp[depth];
          for (int k = 0; k < depth; ++k)
            tmp[k] = k;
          int sum = 0;
          for (int k = 0; k < depth; ++k)
            sum += tmp[k];
          out(i, j) = sum;
        });
      });
}

void of_lanes(int rows, int columns, int* a) {
  private_to_lane("private/private", gang(long{rows}).vector_length(128), rows, columns, a);
}

void of_mapping(const kernels::Mapping& mapping, int rows, int columns, int* a) {
  private_to_lane("private/of-mapping", gang(long{rows}).clauses(mapping.clauses), rows, columns,
                  a);
}

/// The private array of each worker in scratch: for one too large for registers, which would be
/// spilled to the device's memory. Workers of one lane, as the lanes of a worker share its scratch.
void scratch(int rows, int columns, int* a) {
  using Tmp = Kokkos::View<int[depth], Kokkos::LayoutRight,
                           Kokkos::DefaultExecutionSpace::scratch_memory_space,
                           Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  Data data;
  const auto out = data.copyout(a, rows, columns);
  gangway::parallel_for(
      "private/scratch",
      team_policy(rows).num_workers(128).vector_length(1).scratch(0, 0, Tmp::shmem_size()),
      KOKKOS_LAMBDA(const Parallel<>& gang) {
        const long i = gang.member().league_rank();
        const Tmp tmp(gang.member().thread_scratch(0)); // once a worker: each call takes more of it
        loop_worker(gang, 0, columns, [&](const Worker<>& /*worker*/, int j) {
          for (int k = 0; k < depth; ++k)
            tmp(k) = k;
          int sum = 0;
          for (int k = 0; k < depth; ++k)
            sum += tmp(k);
          out(i, j) = sum;
        });
      });
}

const harness::Study<Problem> study({
    .stages = {{"sequential-inner", sequential_inner}, {"private", of_lanes}},
    .beyond = {{"scratch", scratch}},
    .sweep = {.kernel = of_mapping, .own = {{1, 128}, 1}},
});

} // namespace
} // namespace gangway::private_array
