// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/study.hpp"
#include "studies/private/private.hpp"

namespace gangway::private_array {
namespace {

// Rows are counted in 64 bits: a view computes an offset as wide as the widest of its indices.

/// One tmp a gang, so its columns go one after the other. Four are stored at a time, 16 bytes, from
/// the first column on that lies so: what the gangs wait for is the number of their stores, and GCC
/// joins them by itself.
void sequential_inner(int rows, int columns, int* a) {
  using Ints = Pack<int>;
  Data data;
  const auto out = data.copyout(a, rows, columns);
  const auto body = KOKKOS_LAMBDA(const Member& gang) {
    int* const row = columns > 0 ? &out(static_cast<long>(gang.league_rank()), 0) : nullptr;
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
    for (; j < columns && !is_pack_aligned(row + j); ++j)
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
  Kokkos::parallel_for("private/sequential-inner", team_policy({.workers = 1, .vector = 1}, rows),
                       body);
}

/// private(tmp) is where tmp is declared: in the innermost body, it is each lane's own.
void private_to_lane(const char* label, const Clauses& clauses, int rows, int columns, int* a) {
  Data data;
  const auto out = data.copyout(a, rows, columns);
  const auto body = KOKKOS_LAMBDA(const Member& gang) {
    const long i = gang.league_rank();
    Kokkos::parallel_for(Kokkos::TeamVectorRange(gang, columns), [&](int j) {
      int tmp[depth];
      for (int k = 0; k < depth; ++k)
        tmp[k] = k;
      int sum = 0;
      for (int k = 0; k < depth; ++k)
        sum += tmp[k];
      out(i, j) = sum;
    });
  };
  Kokkos::parallel_for(label, team_policy(clauses, rows, body, Kokkos::ParallelForTag{}), body);
}

constexpr Clauses one_worker{.workers = 1, .vector = 128};

void of_lanes(int rows, int columns, int* a) {
  private_to_lane("private/private", one_worker, rows, columns, a);
}

void of_mapping(const Mapping& mapping, int rows, int columns, int* a) {
  private_to_lane("private/of-mapping", mapping.clauses, rows, columns, a);
}

/// The private array of each worker in scratch: for one too large for registers, which would be
/// spilled to the device's memory. Workers of one lane, as the lanes of a worker share its scratch.
void scratch(int rows, int columns, int* a) {
  using Tmp = Kokkos::View<int[depth], Kokkos::LayoutRight, Device::scratch_memory_space,
                           Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  Data data;
  const auto out = data.copyout(a, rows, columns);
  const auto body = KOKKOS_LAMBDA(const Member& gang) {
    const long i = gang.league_rank();
    const Tmp tmp(gang.thread_scratch(0)); // once a worker: each call takes more of the scratch
    Kokkos::parallel_for(Kokkos::TeamThreadRange(gang, columns), [&](int j) {
      for (int k = 0; k < depth; ++k)
        tmp(k) = k;
      int sum = 0;
      for (int k = 0; k < depth; ++k)
        sum += tmp(k);
      out(i, j) = sum;
    });
  };
  auto policy = team_policy({.workers = 128, .vector = 1}, rows);
  policy.set_scratch_size(0, Kokkos::PerThread(static_cast<int>(Tmp::shmem_size())));
  Kokkos::parallel_for("private/scratch", policy, body);
}

const harness::Study<Problem> study({
    .stages = {{"sequential-inner", sequential_inner}, {"private", of_lanes}},
    .beyond = {{"scratch", scratch}},
    .sweep = {.kernel = of_mapping, .own = {one_worker, 1}},
});

} // namespace
} // namespace gangway::private_array
