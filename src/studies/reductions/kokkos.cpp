// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gangway/reducers.hpp"
#include "harness/study.hpp"
#include "studies/reductions/reductions.hpp"

namespace gangway::reductions {
namespace {

/// A result that a kernel writes where the host can read it: unlike a scalar's it is not copied.
template <class T>
using Shared = Kokkos::View<T, Kokkos::SharedHostPinnedSpace>;

/// The clause's two levels: each gang reduces its iterations over its vector, then the gangs'
/// results are joined. `Reducer` says how partial results begin and join; `take(partial, value)`
/// adds one element.
template <class Reducer, class T, class Take>
double reduced(const char* label, long n, const T* values, const Take& take,
               const Clauses& clauses = {}) {
  using Value = typename Reducer::value_type;
  Data data;
  const auto value = data.copyin(values, n);
  const auto body = KOKKOS_LAMBDA(const Member& gang, Value& total) {
    Value partial;
    loop_gang_vector(gang, n, [&](long i, Value& mine) { take(mine, value(i)); }, Reducer(partial));
    Kokkos::single(Kokkos::PerTeam(gang), [&] { Reducer(total).join(total, partial); });
  };
  const Loop loop{.iterations = n, .level = Level::gang_vector, .reduction = true};
  Value total;
  Kokkos::parallel_reduce(label, loop_policy(clauses, loop, body, Kokkos::ParallelReduceTag{}),
                          body, Reducer(total));
  return static_cast<double>(total);
}

template <class T>
double sum_by(const char* label, const Clauses& clauses, long n, const T* values) {
  const auto add = KOKKOS_LAMBDA(T & total, const T& value) {
    total += value;
  };
  return reduced<Kokkos::Sum<T>>(label, n, values, add, clauses);
}

template <class T>
void sum(long n, const T* values, Result* result) {
  *result = {Operator::sum, sum_by("reductions/sum", {}, n, values)};
}

template <class T>
void product(long n, const T* values, Result* result) {
  const auto multiply = KOKKOS_LAMBDA(T & total, const T& value) {
    total *= value;
  };
  *result = {Operator::product,
             reduced<Kokkos::Prod<T>>("reductions/product", n, values, multiply)};
}

template <class T>
void logical_and(long n, const T* values, Result* result) {
  const auto take = KOKKOS_LAMBDA(int& all, const T& value) {
    all = all && value != 0;
  };
  *result = {Operator::logical_and,
             reduced<Kokkos::LAnd<int>>("reductions/logical-and", n, values, take)};
}

template <class T>
void logical_or(long n, const T* values, Result* result) {
  const auto take = KOKKOS_LAMBDA(int& any, const T& value) {
    any = value != 0 || any; // every value is read, also when the answer is known
  };
  *result = {Operator::logical_or,
             reduced<Kokkos::LOr<int>>("reductions/logical-or", n, values, take)};
}

void bit_and(long n, const int* values, Result* result) {
  const auto take = KOKKOS_LAMBDA(int& bits, const int& value) {
    bits &= value;
  };
  *result = {Operator::bit_and, reduced<Kokkos::BAnd<int>>("reductions/bit-and", n, values, take)};
}

void bit_or(long n, const int* values, Result* result) {
  const auto take = KOKKOS_LAMBDA(int& bits, const int& value) {
    bits |= value;
  };
  *result = {Operator::bit_or, reduced<Kokkos::BOr<int>>("reductions/bit-or", n, values, take)};
}

void bit_xor(long n, const int* values, Result* result) {
  const auto take = KOKKOS_LAMBDA(int& bits, const int& value) {
    bits ^= value;
  };
  *result = {Operator::bit_xor, reduced<BXor<int>>("reductions/bit-xor", n, values, take)};
}

template <class T>
void max(long n, const T* values, Result* result) {
  const auto take = KOKKOS_LAMBDA(T & found, const T& value) {
    found = value > found ? value : found;
  };
  *result = {Operator::max, reduced<Max<T>>("reductions/max", n, values, take)};
}

template <class T>
void min(long n, const T* values, Result* result) {
  const auto take = KOKKOS_LAMBDA(T & found, const T& value) {
    found = value < found ? value : found;
  };
  *result = {Operator::min, reduced<Min<T>>("reductions/min", n, values, take)};
}

bool of_mapping(const Mapping& mapping, Type type, long n, const void* values, Result* result) {
  return with_type(type, values, [&](const auto* typed) {
    *result = {Operator::sum, sum_by("reductions/of-mapping", mapping.clauses, n, typed)};
  });
}

/// On a device: 16 bytes a load, many of them under way in every thread.
template <class T>
void sum_on_device(long n, const Array<const T>& value, const Shared<T>& total) {
  const SumGangs shape;
  const auto body = KOKKOS_LAMBDA(const Member& gang, T& sum) {
    const long size = gang.team_size();
    sum += sum_of_packs(value.data(), n, gang.league_rank() * size + gang.team_rank(),
                        gang.league_size() * size);
  };
  Kokkos::parallel_reduce(
      "reductions/team", team_policy(shape.clauses, shape.gangs, body, Kokkos::ParallelReduceTag{}),
      body, total);
}

/// On a host: each chain of additions is a lane of a vector register.
template <class T>
void sum_on_host(long n, const Array<const T>& value, const Shared<T>& total) {
  const long gangs = Device().concurrency();
  const long block = std::max(4096L, n / gangs + 1);
  const auto body = KOKKOS_LAMBDA(const Member& gang, T& sum) {
    const long first = gang.league_rank() * block;
    sum +=
        sum_in_streams<T>(first, Kokkos::min(first + block, n), [&](long i) { return value(i); });
  };
  Kokkos::parallel_reduce("reductions/team",
                          team_policy({.workers = 1, .vector = 1}, (n + block - 1) / block, body,
                                      Kokkos::ParallelReduceTag{}),
                          body, total);
}

/// The sum with many loads under way in every thread, and additions that do not wait for one
/// another.
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

/// With a place that is made once, off the clock.
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
                [](Type type, long n, const void* values, Result* result) {
                  return with_type(type, values, [&](const auto* typed) { sum(n, typed, result); });
                }},
               {"product",
                [](Type type, long n, const void* values, Result* result) {
                  return with_type(type, values,
                                   [&](const auto* typed) { product(n, typed, result); });
                }},
               {"logical-and",
                [](Type type, long n, const void* values, Result* result) {
                  return with_type(type, values,
                                   [&](const auto* typed) { logical_and(n, typed, result); });
                }},
               {"logical-or",
                [](Type type, long n, const void* values, Result* result) {
                  return with_type(type, values,
                                   [&](const auto* typed) { logical_or(n, typed, result); });
                }},
               {"bit-and",
                [](Type type, long n, const void* values, Result* result) {
                  return with_type(type, values,
                                   [&](const int* typed) { bit_and(n, typed, result); });
                }},
               {"bit-or",
                [](Type type, long n, const void* values, Result* result) {
                  return with_type(type, values,
                                   [&](const int* typed) { bit_or(n, typed, result); });
                }},
               {"bit-xor",
                [](Type type, long n, const void* values, Result* result) {
                  return with_type(type, values,
                                   [&](const int* typed) { bit_xor(n, typed, result); });
                }},
               {"max",
                [](Type type, long n, const void* values, Result* result) {
                  return with_type(type, values, [&](const auto* typed) { max(n, typed, result); });
                }},
               {"min",
                [](Type type, long n, const void* values, Result* result) {
                  return with_type(type, values, [&](const auto* typed) { min(n, typed, result); });
                }}},
    .beyond = {{"team", harness::run_planned<Team>, team_alone}},
    // By default the library's shape of a reduction.
    .sweep = {.kernel = of_mapping, .own = {{1, 256}, 1}},
    .openacc = {.flags = {{"sum", "sum"}}},
    .each_stage_another_result = true,
});

} // namespace
} // namespace gangway::reductions
