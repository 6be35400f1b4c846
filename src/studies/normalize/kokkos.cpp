// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/study.hpp"
#include "kernels/packs.hpp"
#include "kernels/sum.hpp"
#include "studies/normalize/normalize.hpp"

namespace gangway::normalize {
namespace {

using Scalar = Kokkos::View<double, DeviceSpace>;
/// A result that a kernel writes where the host can read it: unlike a `Scalar` it is not copied.
using Shared = Kokkos::View<double, Kokkos::SharedHostPinnedSpace>;

/// Divides on a device: a pack of 16 bytes per thread. The first one also leaves the sum to the
/// host, which then need not copy it.
void divide_by_packs(const char* label, long n, const DeviceView<double>& value, const Scalar& sum,
                     const Shared& for_host) {
  using Doubles = kernels::Pack<double>;
  const long packs = kernels::is_pack_aligned(value.data()) ? n / Doubles::size : 0;
  const auto pack = deviceptr(reinterpret_cast<Doubles*>(value.data()), packs);
  const long rest = n - packs * Doubles::size;
  Kokkos::parallel_for(
      label,
      Kokkos::RangePolicy<Kokkos::DefaultExecutionSpace, Kokkos::IndexType<long>>(
          0, std::max({packs, rest, 1L})),
      KOKKOS_LAMBDA(long i) {
        const double divisor = sum();
        if (i == 0)
          for_host() = divisor;
        if (i < packs) {
          Doubles entries = pack(i);
          for (int k = 0; k < Doubles::size; ++k)
            entries.at[k] /= divisor;
          pack(i) = entries;
        }
        if (i < rest)
          value(packs * Doubles::size + i) /= divisor;
      });
}

/// Two kernels: the first waits until the sum is on the host, the second takes it along.
template <class Policy>
void kernels_by(const Policy& policy, long n, double* v, double* sum) {
  Data data;
  const auto value = data.copy(v, n);
  double s = 0;
  gangway::parallel_reduce(
      "normalize/sum", policy, KOKKOS_LAMBDA(long i, double& partial) { partial += value(i); }, s);
  gangway::parallel_for("normalize/divide", policy, KOKKOS_LAMBDA(long i) { value(i) /= s; });
  *sum = s;
}
void kernels(long n, double* v, double* sum) {
  kernels_by(gang_vector(n), n, v, sum);
}

void of_mapping(const kernels::Mapping& mapping, long n, double* v, double* sum) {
  kernels_by(gang_vector(n).clauses(mapping.clauses), n, v, sum);
}

/// Normalizes on a device. The sum stays where it is made, so the kernels follow without a wait.
[[maybe_unused]] void on_device(long n, const DeviceView<double>& value, const Scalar& sum,
                                const Shared& for_host) {
  const kernels::SumGangs shape;
  const auto add = KOKKOS_LAMBDA(const Member& gang, double& of_all) {
    const long size = gang.team_size();
    of_all += kernels::sum_of_packs(value.data(), n, gang.league_rank() * size + gang.team_rank(),
                                    gang.league_size() * size);
  };
  // Into a View: the call returns before the sum is there, and the next kernel finds it in its
  // place.
  const auto policy = team_policy(shape.gangs).clauses(shape.clauses);
  Kokkos::parallel_reduce("normalize/resident sum",
                          policy.for_kernel(add, Kokkos::ParallelReduceTag()), add, sum);
  divide_by_packs("normalize/resident divide", n, value, sum, for_host);
}

/// Normalizes on a host, whose memory is the device's: each thread takes a share of the array, in
/// both kernels.
[[maybe_unused]] void on_host(long n, const DeviceView<double>& value, const Shared& sum) {
  constexpr long least = 8192;
  const long share = std::max(least, n / Kokkos::DefaultExecutionSpace().concurrency() + 1);
  const auto gangs = team_policy((n + share - 1) / share);
  const auto add = KOKKOS_LAMBDA(const Member& gang, double& of_all) {
    const long first = gang.league_rank() * share;
    of_all += kernels::sum_in_streams<double>(first, Kokkos::min(first + share, n),
                                              [&](long i) { return value(i); });
  };
  Kokkos::parallel_reduce("normalize/resident sum",
                          gangs.for_kernel(add, Kokkos::ParallelReduceTag()), add, sum);
  gangway::parallel_for(
      "normalize/resident divide", gangs, KOKKOS_LAMBDA(const Parallel<>& gang) {
        const double divisor = sum(); // a gang's own: for all a compiler knows, `value` is it too
        loop_gang_vector(gang, 0, n, [&](long i) { value(i) /= divisor; });
      });
}

/// The sum stays where the division reads it. Its places are made once, not in each run.
class Resident {
public:
  void operator()(long n, double* v, double* sum) const {
    Data data;
    const auto value = data.copy(v, n);
    if constexpr (has_device)
      on_device(n, value, _on_its_device, _for_host);
    else
      on_host(n, value, _for_host);
    Kokkos::fence("normalize: the sum is there");
    *sum = _for_host();
  }

private:
  Scalar _on_its_device{"normalize/sum"};
  Shared _for_host{"normalize/sum for the host"};
};

const harness::Study<Problem> study({
    .stages = {{.name = "kernels", .kernel = kernels, .flag = harness::Flag::kernels}},
    .beyond = {{.name = "resident", .kernel = harness::run_planned<Resident>}},
    .sweep = {.kernel = of_mapping, .own = {{1, 128}, 1}},
});

} // namespace
} // namespace gangway::normalize
