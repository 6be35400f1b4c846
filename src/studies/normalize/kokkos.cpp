// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/study.hpp"
#include "studies/normalize/normalize.hpp"

namespace gangway::normalize {
namespace {

using Scalar = Kokkos::View<double, DeviceSpace>;
/// A result that a kernel writes where the host can read it: unlike a `Scalar` it is not copied.
using Shared = Kokkos::View<double, Kokkos::SharedHostPinnedSpace>;

/// Iterations of a gang.
constexpr long block = has_device ? 2048 : 8192;

long gangs_for(long iterations) {
  return (iterations + block - 1) / block;
}

/// A sum that is known when the kernel is launched.
struct OnHost {
  double sum;
  KOKKOS_INLINE_FUNCTION double operator()() const { return sum; }
};

/// Divides by sum(), a block a gang.
template <class Sum>
void divide_by_gangs(const char* label, const Clauses& clauses, long n, const Array<double>& value,
                     const Sum& sum) {
  const auto body = KOKKOS_LAMBDA(const Member& gang) {
    const double divisor = sum(); // a gang's own: for all a compiler knows, `value` is the sum too
    const long first = gang.league_rank() * block;
    Kokkos::parallel_for(Kokkos::TeamVectorRange(gang, first, Kokkos::min(first + block, n)),
                         [&](long i) { value(i) /= divisor; });
  };
  Kokkos::parallel_for(label, team_policy(clauses, gangs_for(n), body, Kokkos::ParallelForTag{}),
                       body);
}

/// On a device: a pack of 16 bytes a thread. The first one also leaves the sum to the host, which
/// then need not copy it.
void divide_by_packs(const char* label, long n, const Array<double>& value, const Scalar& sum,
                     const Shared& for_host) {
  using Doubles = Pack<double>;
  const long packs = is_pack_aligned(value.data()) ? n / Doubles::size : 0;
  const auto pack = deviceptr(reinterpret_cast<Doubles*>(value.data()), packs);
  const long rest = n - packs * Doubles::size;
  Kokkos::parallel_for(
      label, Kokkos::RangePolicy<Device, Kokkos::IndexType<long>>(0, std::max({packs, rest, 1L})),
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
void kernels_by(const Clauses& clauses, long n, double* v, double* sum) {
  Data data;
  const auto value = data.copy(v, n);
  const auto add = KOKKOS_LAMBDA(const Member& gang, double& of_all) {
    const long first = gang.league_rank() * block;
    double of_gang = 0;
    Kokkos::parallel_reduce(
        Kokkos::TeamVectorRange(gang, first, Kokkos::min(first + block, n)),
        [&](long i, double& partial) { partial += value(i); }, of_gang);
    Kokkos::single(Kokkos::PerTeam(gang), [&] { of_all += of_gang; });
  };
  double s = 0;
  Kokkos::parallel_reduce("normalize/sum",
                          team_policy(clauses, gangs_for(n), add, Kokkos::ParallelReduceTag{}), add,
                          s);
  divide_by_gangs("normalize/divide", clauses, n, value, OnHost{s});
  *sum = s;
}
void kernels(long n, double* v, double* sum) {
  kernels_by({}, n, v, sum);
}

void of_mapping(const Mapping& mapping, long n, double* v, double* sum) {
  kernels_by(mapping.clauses, n, v, sum);
}

/// The sum stays where it is made: nothing waits between the two kernels.
void on_device(long n, const Array<double>& value, const Scalar& sum, const Shared& for_host) {
  const SumGangs shape;
  const auto add = KOKKOS_LAMBDA(const Member& gang, double& of_all) {
    const long size = gang.team_size();
    of_all += sum_of_packs(value.data(), n, gang.league_rank() * size + gang.team_rank(),
                           gang.league_size() * size);
  };
  // Into a View: the call returns before the sum is there, and the next kernel finds it in its
  // place.
  Kokkos::parallel_reduce("normalize/resident sum",
                          team_policy(shape.clauses, shape.gangs, add, Kokkos::ParallelReduceTag{}),
                          add, sum);
  divide_by_packs("normalize/resident divide", n, value, sum, for_host);
}

/// The same on a host, whose memory is the device's: a share of the array a thread, then a block a
/// gang.
void on_host(long n, const Array<double>& value, const Shared& sum) {
  const long share = std::max(block, n / Device().concurrency() + 1);
  const auto add = KOKKOS_LAMBDA(const Member& gang, double& of_all) {
    const long first = gang.league_rank() * share;
    of_all += sum_in_streams<double>(first, Kokkos::min(first + share, n),
                                     [&](long i) { return value(i); });
  };
  Kokkos::parallel_reduce("normalize/resident sum",
                          team_policy({.workers = 1, .vector = 1}, (n + share - 1) / share, add,
                                      Kokkos::ParallelReduceTag{}),
                          add, sum);
  divide_by_gangs("normalize/resident divide", {}, n, value, sum);
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
    .stages = {{"kernels", kernels}},
    .beyond = {{"resident", harness::run_planned<Resident>}},
    .sweep = {.kernel = of_mapping, .own = {{1, 128}, 1}},
    .openacc = {.flags = {{"kernels", "kernels"}}},
});

} // namespace
} // namespace gangway::normalize
