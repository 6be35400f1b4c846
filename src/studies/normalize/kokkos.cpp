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

/// A sum that is known when the kernel is launched.
struct OnHost {
  double sum;
  KOKKOS_INLINE_FUNCTION double operator()() const { return sum; }
};

/// Divides by sum(), a block a gang.
template <class Sum>
void divide_by_gangs(const char* label, long n, const Array<double>& value, const Sum& sum) {
  const auto body = KOKKOS_LAMBDA(const Member& gang) {
    const double divisor = sum(); // a gang's own: for all a compiler knows, `value` is the sum too
    const long first = gang.league_rank() * block;
    Kokkos::parallel_for(Kokkos::TeamVectorRange(gang, first, Kokkos::min(first + block, n)),
                         [&](long i) { value(i) /= divisor; });
  };
  Kokkos::parallel_for(label, team_policy({}, gangs_for(n), body, Kokkos::ParallelForTag{}), body);
}

/// The same, an entry a thread: what a device likes best.
template <class Sum>
void divide_by_range(const char* label, long n, const Array<double>& value, const Sum& sum) {
  Kokkos::parallel_for(
      label, Kokkos::RangePolicy<Device, Kokkos::IndexType<long>>(0, n),
      KOKKOS_LAMBDA(long i) { value(i) /= sum(); });
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
  divide_by_gangs("normalize/divide", n, value, OnHost{s});
  *sum = s;
}

/// The calling thread's part of value(first) + … + value(last - 1).
KOKKOS_INLINE_FUNCTION double sum_of_thread(const Member& gang, long first, long last,
                                            const Array<double, 1>& value) {
  const auto term = [&](long i) { return value(i); };
  if constexpr (has_wide_teams<Device>)
    return sum_in_chains<double>(first + gang.team_rank(), last, gang.team_size(), term);
  else
    return sum_in_streams<double>(first, last, term);
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
    of_all += sum_of_thread(gang, first, last, value);
  };
  // Into a View: the call returns before the sum is there, and the next kernel finds it in its
  // place.
  Kokkos::parallel_reduce("normalize/resident sum",
                          team_policy({.workers = lanes, .vector = 1}, (n + share - 1) / share, add,
                                      Kokkos::ParallelReduceTag{}),
                          add, s);
  if constexpr (wide)
    divide_by_range("normalize/resident divide", n, value, s);
  else
    divide_by_gangs("normalize/resident divide", n, value, s);
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
