// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/study.hpp"
#include "kernels/packs.hpp"
#include "studies/saxpy/saxpy.hpp"

namespace gangway::saxpy {
namespace {

/// The loop over gangs and vector, with the clauses of any stage.
template <class Policy>
void add(const char* label, const Policy& policy, long n, const float* x, float* y) {
  Data data;
  const auto in = data.copyin(x, n);
  const auto out = data.copy(y, n);
  gangway::parallel_for(label, policy, KOKKOS_LAMBDA(long i) { out(i) = 2.0F * in(i) + out(i); });
}

/// Iterations of one gang: eight for each lane of a vector of 128; on a host enough to vectorise.
constexpr long of_gang = has_device ? 1024 : 8192;

/// The vector length by device, as the guide has it; all other devices choose.
void device_type(long n, const float* x, float* y) {
  const auto loop = gang_vector(n)
                        .num_gangs((n + of_gang - 1) / of_gang)
                        .vector_length(DeviceType::nvidia, 128)
                        .vector_length(DeviceType::radeon, 256);
  add("saxpy/device-type", loop, n, x, y);
}

/// One iteration a thread of a flat range.
void range(long n, const float* x, float* y) {
  Data data;
  const auto in = data.copyin(x, n);
  const auto out = data.copy(y, n);
  Kokkos::parallel_for(
      "saxpy/range",
      Kokkos::RangePolicy<Kokkos::DefaultExecutionSpace, Kokkos::IndexType<long>>(0, n),
      KOKKOS_LAMBDA(long i) { out(i) = 2.0F * in(i) + out(i); });
}

/// Loads four elements of each vector in every lane before it writes the first result. Floats take
/// that many: with one per lane, a multiprocessor with all its threads busy has 16 kB in flight. It
/// needs about twice that to keep its share of the memory busy.
void unrolled(long n, const float* x, float* y) {
  constexpr int lanes = 256;
  constexpr int depth = has_device ? 4 : 1; // a host loads ahead by itself
  constexpr long block = 8192;
  Data data;
  const auto in = data.copyin(x, n);
  const auto out = data.copy(y, n);
  gangway::parallel_for(
      "saxpy/unrolled", team_policy((n + block - 1) / block).vector_length(lanes),
      KOKKOS_LAMBDA(const Member& gang) {
        const long first = gang.league_rank() * block;
        const long last = Kokkos::min(first + block, n);
        long start = first;
        for (; start + lanes * depth <= last; start += lanes * depth)
          Kokkos::parallel_for(Kokkos::TeamVectorRange(gang, lanes), [&](int lane) {
            float xs[depth];
            float ys[depth];
            for (int k = 0; k < depth; ++k) {
              xs[k] = in(start + k * lanes + lane);
              ys[k] = out(start + k * lanes + lane);
            }
            for (int k = 0; k < depth; ++k)
              out(start + k * lanes + lane) = 2.0F * xs[k] + ys[k];
          });
        Kokkos::parallel_for(Kokkos::TeamVectorRange(gang, start, last),
                             [&](long i) { out(i) = 2.0F * in(i) + out(i); });
      });
}

/// Four neighbouring floats a thread, in one load of each vector and one store.
void packs(long n, const float* x, float* y) {
  using Floats = kernels::Pack<float>;
  Data data;
  const auto in = data.copyin(x, n);
  const auto out = data.copy(y, n);
  const long count = kernels::whole_packs(n, in, out);
  const auto in_pack = kernels::as_packs(in, count);
  const auto out_pack = kernels::as_packs(out, count);
  Kokkos::parallel_for(
      "saxpy/packs",
      Kokkos::RangePolicy<Kokkos::DefaultExecutionSpace, Kokkos::IndexType<long>>(0, count),
      KOKKOS_LAMBDA(long p) {
        const Floats xs = in_pack(p);
        Floats ys = out_pack(p);
        for (int k = 0; k < Floats::size; ++k)
          ys.at[k] = 2.0F * xs.at[k] + ys.at[k];
        out_pack(p) = ys;
      });
  const long first = count * Floats::size;
  if (first < n)
    Kokkos::parallel_for(
        "saxpy/packs rest",
        Kokkos::RangePolicy<Kokkos::DefaultExecutionSpace, Kokkos::IndexType<long>>(first, n),
        KOKKOS_LAMBDA(long i) { out(i) = 2.0F * in(i) + out(i); });
}

/// `items_per_worker` iterations a lane.
void of_mapping(const kernels::Mapping& mapping, long n, const float* x, float* y) {
  const long per_gang = static_cast<long>(mapping.clauses.workers) * mapping.clauses.vector *
                        mapping.items_per_worker;
  const long gangs = (n + per_gang - 1) / per_gang;
  add("saxpy/of-mapping", gang_vector(n).clauses(mapping.clauses).num_gangs(gangs), n, x, y);
}

const harness::Study<Problem> study({
    .stages = {{"device-type", device_type}},
    .beyond = {{"range", range}, {"unrolled", unrolled}, {"packs", packs}},
    // Its own: as `device-type` on NVIDIA.
    .sweep = {.kernel = of_mapping, .own = {{1, 128}, of_gang / 128}, .most_items_per_worker = 16},
});

} // namespace
} // namespace gangway::saxpy
