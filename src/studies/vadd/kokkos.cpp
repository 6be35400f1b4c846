// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/study.hpp"
#include "kernels/packs.hpp"
#include "studies/vadd/vadd.hpp"

namespace gangway::vadd {

/// The loop over gangs and vector, with the clauses of any stage.
template <class Policy>
static void add(const char* label, const Policy& policy, long n, const double* a, const double* b,
                double* c) {
  Data data;
  const auto left = data.copyin(a, n);
  const auto right = data.copyin(b, n);
  const auto sum = data.copyout(c, n);
  gangway::parallel_for(label, policy, KOKKOS_LAMBDA(long i) { sum(i) = left(i) + right(i); });
}

/// Adds without a check that the iterations are independent: parallel_for asserts it.
static void kernels(long n, const double* a, const double* b, double* c) {
  add("vadd/kernels", gang_vector(n), n, a, b, c);
}

/// `independent` says that no iteration touches what another writes. The views can say that too:
/// the inputs are const and RandomAccess, the output is Restrict.
static void kernels_independent(long n, const double* a, const double* b, double* c) {
  using In = Kokkos::View<const double*, Kokkos::LayoutRight, DeviceSpace,
                          Kokkos::MemoryTraits<Kokkos::Unmanaged | Kokkos::RandomAccess>>;
  using Out = Kokkos::View<double*, Kokkos::LayoutRight, DeviceSpace,
                           Kokkos::MemoryTraits<Kokkos::Unmanaged | Kokkos::Restrict>>;
  Data data;
  const In left = data.copyin(a, n);
  const In right = data.copyin(b, n);
  const Out sum = data.copyout(c, n);
  gangway::parallel_for(
      "vadd/kernels-independent", gang_vector(n),
      KOKKOS_LAMBDA(long i) { sum(i) = left(i) + right(i); });
}

/// The shape is the library's choice.
static void parallel(long n, const double* a, const double* b, double* c) {
  add("vadd/parallel", gang_vector(n), n, a, b, c);
}

/// `parallel` without `loop`: every gang does all the work again, on one of its threads.
static void redundant(long n, const double* a, const double* b, double* c) {
  Data data;
  const auto left = data.copyin(a, n);
  const auto right = data.copyin(b, n);
  const auto sum = data.copyout(c, n);
  gangway::parallel_for(
      "vadd/redundant", team_policy(4).num_workers(1).vector_length(1),
      KOKKOS_LAMBDA(const Parallel<>& gang) {
        single(gang, [&] {
          for (long i = 0; i < n; ++i)
            sum(i) = left(i) + right(i);
        });
      });
}

/// The vector length by device, as the short course has it.
static void device_type(long n, const double* a, const double* b, double* c) {
  const auto loop = gang_vector(n)
                        .vector_length(64)
                        .vector_length(DeviceType::nvidia, 256)
                        .vector_length(DeviceType::radeon, 512);
  add("vadd/device-type", loop, n, a, b, c);
}

/// One iteration a thread of a flat range.
static void range(long n, const double* a, const double* b, double* c) {
  Data data;
  const auto left = data.copyin(a, n);
  const auto right = data.copyin(b, n);
  const auto sum = data.copyout(c, n);
  Kokkos::parallel_for(
      "vadd/range",
      Kokkos::RangePolicy<Kokkos::DefaultExecutionSpace, Kokkos::IndexType<long>>(0, n),
      KOKKOS_LAMBDA(long i) { sum(i) = left(i) + right(i); });
}

/// Adds two neighbouring elements per thread, in one load of each vector and one store of 16 bytes,
/// where the vectors lie so on the device.
static void packs(long n, const double* a, const double* b, double* c) {
  using Doubles = kernels::Pack<double>;
  Data data;
  const auto left = data.copyin(a, n);
  const auto right = data.copyin(b, n);
  const auto sum = data.copyout(c, n);
  const long count = kernels::whole_packs(n, left, right, sum);
  const auto left_pack = kernels::as_packs(left, count);
  const auto right_pack = kernels::as_packs(right, count);
  const auto sum_pack = kernels::as_packs(sum, count);
  Kokkos::parallel_for(
      "vadd/packs",
      Kokkos::RangePolicy<Kokkos::DefaultExecutionSpace, Kokkos::IndexType<long>>(0, count),
      KOKKOS_LAMBDA(long p) {
        const Doubles l = left_pack(p);
        const Doubles r = right_pack(p);
        Doubles both;
        for (int k = 0; k < Doubles::size; ++k)
          both.at[k] = l.at[k] + r.at[k];
        sum_pack(p) = both;
      });
  const long first = count * Doubles::size;
  if (first < n)
    Kokkos::parallel_for(
        "vadd/packs rest",
        Kokkos::RangePolicy<Kokkos::DefaultExecutionSpace, Kokkos::IndexType<long>>(first, n),
        KOKKOS_LAMBDA(long i) { sum(i) = left(i) + right(i); });
}

/// `items_per_worker` iterations a lane.
static void of_mapping(const kernels::Mapping& mapping, long n, const double* a, const double* b,
                       double* c) {
  const long per_gang = static_cast<long>(mapping.clauses.workers) * mapping.clauses.vector *
                        mapping.items_per_worker;
  const long gangs = (n + per_gang - 1) / per_gang;
  add("vadd/of-mapping", gang_vector(n).clauses(mapping.clauses).num_gangs(gangs), n, a, b, c);
}

const harness::Study<Problem> study({
    .stages = {{.name = "kernels", .kernel = kernels, .flag = harness::Flag::kernels},
               {.name = "kernels-independent",
                .kernel = kernels_independent,
                .flag = harness::Flag::kernels},
               {.name = "parallel", .kernel = parallel},
               {.name = "redundant", .kernel = redundant},
               {.name = "device-type", .kernel = device_type}},
    .beyond = {{.name = "range", .kernel = range}, {.name = "packs", .kernel = packs}},
    // Its own: the vector of `device-type` on NVIDIA, with sixteen iterations for each lane. The
    // stages have one on a device.
    .sweep = {.kernel = of_mapping, .own = {{1, 256}, 16}, .most_items_per_worker = 16},
});
} // namespace gangway::vadd
