// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/study.hpp"
#include "kernels/sum.hpp"
#include "studies/reductions/reductions.hpp"

namespace gangway::reductions {
namespace {

/// A result that a kernel writes where the host can read it: unlike a scalar's it is not copied.
template <class T>
using Shared = Kokkos::View<T, Kokkos::SharedHostPinnedSpace>;

template <class T, class Policy>
double sum_by(const char* label, const Policy& policy, long n, const T* values) {
  Data data;
  const auto value = data.copyin(values, n);
  T total = 0;
  gangway::parallel_reduce(
      label, policy, KOKKOS_LAMBDA(long i, T& sum) { sum += value(i); }, total);
  return static_cast<double>(total);
}

template <class T>
void sum(long n, const T* values, Result* result) {
  *result = {Operator::sum, sum_by("reductions/sum", gang_vector(n), n, values)};
}

template <class T>
void product(long n, const T* values, Result* result) {
  Data data;
  const auto value = data.copyin(values, n);
  T total = 1;
  gangway::parallel_reduce(
      "reductions/product", gang_vector(n), KOKKOS_LAMBDA(long i, T& mine) { mine *= value(i); },
      reduction::product(total));
  *result = {Operator::product, static_cast<double>(total)};
}

// Logical reductions by `&` and `|` of 0 and 1, because GCC makes no vectors of `&&` and `||`.

template <class T>
void logical_and(long n, const T* values, Result* result) {
  Data data;
  const auto value = data.copyin(values, n);
  int all = 1;
  gangway::parallel_reduce(
      "reductions/logical-and", gang_vector(n),
      KOKKOS_LAMBDA(long i, int& mine) { mine &= value(i) != 0 ? 1 : 0; },
      reduction::logical_and(all));
  *result = {Operator::logical_and, static_cast<double>(all)};
}

template <class T>
void logical_or(long n, const T* values, Result* result) {
  Data data;
  const auto value = data.copyin(values, n);
  int any = 0;
  gangway::parallel_reduce(
      "reductions/logical-or", gang_vector(n),
      KOKKOS_LAMBDA(long i, int& mine) { mine |= value(i) != 0 ? 1 : 0; },
      reduction::logical_or(any));
  *result = {Operator::logical_or, static_cast<double>(any)};
}

void bit_and(long n, const int* values, Result* result) {
  Data data;
  const auto value = data.copyin(values, n);
  int bits = ~0;
  gangway::parallel_reduce(
      "reductions/bit-and", gang_vector(n), KOKKOS_LAMBDA(long i, int& mine) { mine &= value(i); },
      reduction::bit_and(bits));
  *result = {Operator::bit_and, static_cast<double>(bits)};
}

void bit_or(long n, const int* values, Result* result) {
  Data data;
  const auto value = data.copyin(values, n);
  int bits = 0;
  gangway::parallel_reduce(
      "reductions/bit-or", gang_vector(n), KOKKOS_LAMBDA(long i, int& mine) { mine |= value(i); },
      reduction::bit_or(bits));
  *result = {Operator::bit_or, static_cast<double>(bits)};
}

void bit_xor(long n, const int* values, Result* result) {
  Data data;
  const auto value = data.copyin(values, n);
  int bits = 0;
  gangway::parallel_reduce(
      "reductions/bit-xor", gang_vector(n), KOKKOS_LAMBDA(long i, int& mine) { mine ^= value(i); },
      reduction::bit_xor(bits));
  *result = {Operator::bit_xor, static_cast<double>(bits)};
}

template <class T>
void max(long n, const T* values, Result* result) {
  Data data;
  const auto value = data.copyin(values, n);
  T found = least<T>;
  gangway::parallel_reduce(
      "reductions/max", gang_vector(n),
      KOKKOS_LAMBDA(long i, T& mine) { mine = value(i) > mine ? value(i) : mine; },
      reduction::max(found));
  *result = {Operator::max, static_cast<double>(found)};
}

template <class T>
void min(long n, const T* values, Result* result) {
  Data data;
  const auto value = data.copyin(values, n);
  T found = largest<T>;
  gangway::parallel_reduce(
      "reductions/min", gang_vector(n),
      KOKKOS_LAMBDA(long i, T& mine) { mine = value(i) < mine ? value(i) : mine; },
      reduction::min(found));
  *result = {Operator::min, static_cast<double>(found)};
}

bool of_mapping(const kernels::Mapping& mapping, Type type, long n, const void* values,
                Result* result) {
  return with_type(type, values, [&](const auto* typed) {
    const auto loop = gang_vector(n).clauses(mapping.clauses);
    *result = {Operator::sum, sum_by("reductions/of-mapping", loop, n, typed)};
  });
}

/// Sums on a device: 16 bytes per load, many of them in flight in every thread.
template <class T>
void sum_on_device(long n, const DeviceView<const T>& value, const Shared<T>& total) {
  const kernels::SumGangs shape;
  const auto body = KOKKOS_LAMBDA(const Member& gang, T& sum) {
    const long size = gang.team_size();
    sum += kernels::sum_of_packs(value.data(), n, gang.league_rank() * size + gang.team_rank(),
                                 gang.league_size() * size);
  };
  const auto policy = team_policy(shape.gangs).clauses(shape.clauses);
  Kokkos::parallel_reduce("reductions/team", policy.for_kernel(body, Kokkos::ParallelReduceTag()),
                          body, total);
}

/// Sums on a host: each chain of additions is a lane of a vector register.
template <class T>
void sum_on_host(long n, const DeviceView<const T>& value, const Shared<T>& total) {
  const long gangs = Kokkos::DefaultExecutionSpace().concurrency();
  const long block = std::max(4096L, n / gangs + 1);
  const auto body = KOKKOS_LAMBDA(const Member& gang, T& sum) {
    const long first = gang.league_rank() * block;
    sum += kernels::sum_in_streams<T>(first, Kokkos::min(first + block, n),
                                      [&](long i) { return value(i); });
  };
  const auto policy = team_policy((n + block - 1) / block);
  Kokkos::parallel_reduce("reductions/team", policy.for_kernel(body, Kokkos::ParallelReduceTag()),
                          body, total);
}

/// Sums with many loads in flight in every thread, and additions that do not wait for one another.
template <class T>
void team_sum(long n, const T* values, const Shared<T>& total, Result* result) {
  Data data;
  const auto value = data.copyin(values, n);
  if constexpr (has_device)
    sum_on_device<T>(n, value, total);
  else
    sum_on_host<T>(n, value, total);
  Kokkos::fence("reductions: the sum is there");
  *result = {Operator::sum, static_cast<double>(total())};
}

/// The sum of either type, which `place` has room for.
bool team(const Shared<double>& place, Type type, long n, const void* values, Result* result) {
  return with_type(type, values, [&](const auto* typed) {
    using T = std::remove_cv_t<std::remove_pointer_t<decltype(typed)>>;
    team_sum(n, typed, Shared<T>(reinterpret_cast<T*>(place.data())), result);
  });
}

/// Variant with a place that is made once, off the clock.
class Team {
public:
  bool operator()(Type type, long n, const void* values, Result* result) const {
    return team(_place, type, n, values, result);
  }

private:
  Shared<double> _place{"reductions/team sum"};
};

bool team_alone(Type type, long n, const void* values, Result* result) {
  return Team()(type, n, values, result);
}

const harness::Study<Problem> study({
    .stages = {{"sum",
                {[](Type type, long n, const void* values, Result* result) {
                  return with_type(type, values, [&](const auto* typed) { sum(n, typed, result); });
                }},
                harness::Flag::sum},
               {"product", {[](Type type, long n, const void* values, Result* result) {
                  return with_type(type, values,
                                   [&](const auto* typed) { product(n, typed, result); });
                }}},
               {"logical-and", {[](Type type, long n, const void* values, Result* result) {
                  return with_type(type, values,
                                   [&](const auto* typed) { logical_and(n, typed, result); });
                }}},
               {"logical-or", {[](Type type, long n, const void* values, Result* result) {
                  return with_type(type, values,
                                   [&](const auto* typed) { logical_or(n, typed, result); });
                }}},
               {"bit-and", {[](Type type, long n, const void* values, Result* result) {
                  return with_type(type, values,
                                   [&](const int* typed) { bit_and(n, typed, result); });
                }}},
               {"bit-or", {[](Type type, long n, const void* values, Result* result) {
                  return with_type(type, values,
                                   [&](const int* typed) { bit_or(n, typed, result); });
                }}},
               {"bit-xor", {[](Type type, long n, const void* values, Result* result) {
                  return with_type(type, values,
                                   [&](const int* typed) { bit_xor(n, typed, result); });
                }}},
               {"max", {[](Type type, long n, const void* values, Result* result) {
                  return with_type(type, values, [&](const auto* typed) { max(n, typed, result); });
                }}},
               {"min", {[](Type type, long n, const void* values, Result* result) {
                  return with_type(type, values, [&](const auto* typed) { min(n, typed, result); });
                }}}},
    .beyond = {{"team", {harness::run_planned<Team>, team_alone}}},
    // By default the library's shape of a reduction.
    .sweep = {.kernel = of_mapping, .own = {{1, 256}, 1}},
    .each_stage_another_result = true,
});

} // namespace
} // namespace gangway::reductions
