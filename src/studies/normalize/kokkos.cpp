// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gangway/gangway.hpp"
#include "harness/registry.hpp"
#include "studies/normalize/normalize.hpp"

#include <algorithm>

namespace gangway::normalize {
namespace {

using Device = Kokkos::DefaultExecutionSpace;
using Member = Kokkos::TeamPolicy<>::member_type;
using Scalar = Kokkos::View<double, DeviceSpace>;

/// Iterations of a gang.
constexpr long block = has_wide_teams<Device> ? 2048 : 8192;

long gangs_for(long iterations) {
  return (iterations + block - 1) / block;
}

/// Two kernels: the first waits until the sum is on the host, the second takes it along.
void kernels(long n, double* v, double* sum) {
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
                          team_policy({}, gangs_for(n), add, Kokkos::ParallelReduceTag{}), add, s);
  const auto divide = KOKKOS_LAMBDA(const Member& gang) {
    const long first = gang.league_rank() * block;
    Kokkos::parallel_for(Kokkos::TeamVectorRange(gang, first, Kokkos::min(first + block, n)),
                         [&](long i) { value(i) /= s; });
  };
  Kokkos::parallel_for("normalize/divide",
                       team_policy({}, gangs_for(n), divide, Kokkos::ParallelForTag{}), divide);
  *sum = s;
}

/// One thread's part of the sum of value[first, last): every `stride`-th element, in chains of
/// additions that do not wait for one another. (A compiler may not reorder a sum.)
KOKKOS_INLINE_FUNCTION double sum_in_chains(const Array<double>& value, long first, long last,
                                            int stride) {
  constexpr int chains = 8;
  double chain[chains] = {};
  long i = first;
  for (; i + (chains - 1) * stride < last; i += chains * stride)
    for (int k = 0; k < chains; ++k)
      chain[k] += value(i + k * stride);
  double sum = 0;
  for (; i < last; i += stride)
    sum += value(i);
  for (int k = 0; k < chains; ++k)
    sum += chain[k];
  return sum;
}

/// The sum stays where it is made: nothing waits between the two kernels. Gangs are as many as run
/// at a time, so that a thread has much to add before it joins its sum with the others'.
void divide_by_resident_sum(const Scalar& s, long n, double* v, double* sum) {
  constexpr bool wide = has_wide_teams<Device>;
  constexpr int lanes = 512;
  Data data;
  const auto value = data.copy(v, n);
  const long at_a_time =
      wide ? std::max(1, Device().concurrency() / (2 * lanes)) : Device().concurrency();
  const long share = std::max(block, n / at_a_time + 1);
  const auto add = KOKKOS_LAMBDA(const Member& gang, double& of_all) {
    const long first = gang.league_rank() * share;
    const long last = Kokkos::min(first + share, n);
    of_all += sum_in_chains(value, first + (wide ? gang.team_rank() : 0), last,
                            wide ? gang.team_size() : 1);
  };
  // Into a View: the call returns before the sum is there, and the next kernel finds it in its
  // place.
  Kokkos::parallel_reduce("normalize/resident sum",
                          team_policy({.workers = lanes, .vector = 1}, (n + share - 1) / share, add,
                                      Kokkos::ParallelReduceTag{}),
                          add, s);
  Kokkos::parallel_for(
      "normalize/resident divide", Kokkos::RangePolicy<Device, Kokkos::IndexType<long>>(0, n),
      KOKKOS_LAMBDA(long i) { value(i) /= s(); });
  Kokkos::deep_copy(*sum, s);
}

harness::Run resident(Problem& problem) {
  return [&problem, s = Scalar("normalize/sum")] {
    problem.call([&](auto... arguments) { divide_by_resident_sum(s, arguments...); });
  };
}

const harness::Study<Problem> study({{"kernels", kernels}}, {{"resident", resident}});

} // namespace
} // namespace gangway::normalize
