// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "gangway/dealing.hpp"
#include "gangway/handles.hpp"
#include "gangway/policy.hpp"
#include "gangway/reduction.hpp"
#include "gangway/tile.hpp"

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <concepts>
#include <limits>
#include <string>
#include <type_traits>

/// Loops, launched: a label, a policy, the body once, and the results of a reduction.
///
///     #pragma acc parallel loop gang worker num_workers(4) vector_length(32)
///     for (int row = 0; row < rows; ++row) …
///
///     gangway::parallel_for("rows", gang_worker(rows).num_workers(4).vector_length(lanes<32>),
///                           KOKKOS_LAMBDA(const Worker<32>& worker, int row) { … });
namespace gangway {

namespace detail {

/// Converts to a handle of any length: tells a wrong length from another wrong signature.
template <class Space>
struct AnyHandle {
  template <int length>
  operator const Worker<length, Space>&() const; // NOLINT(google-explicit-constructor)
  template <int length>
  operator const Gang<length, Space>&() const; // NOLINT(google-explicit-constructor)
};

/// Returns whether this policy can call the body with these values of results. If not, one line of
/// the compiler's says why.
template <class Policy, class Body, class... Values>
[[nodiscard]] constexpr bool is_callable() {
  using Space = typename Policy::execution_space;
  using Index = typename Policy::index_type;
  if constexpr (Policy::level == Level::gang || Policy::level == Level::gang_worker) {
    constexpr bool fits =
        std::is_invocable_v<const Body&, const typename Policy::Handle&, Index, Values&...>;
    constexpr bool fits_another =
        std::is_invocable_v<const Body&, AnyHandle<Space>, Index, Values&...>;
    static_assert(fits || !fits_another,
                  "gangway: the body's handle has another length than the policy's vector: "
                  "vector_length(lanes<32>) goes with Worker<32> or Gang<32>");
    static_assert(fits || fits_another || Policy::level != Level::gang,
                  "gangway: the body of gang(n) is called as body(const Gang<>&, index), and with "
                  "a value& for each result of a reduction");
    static_assert(fits || fits_another || Policy::level != Level::gang_worker,
                  "gangway: the body of gang_worker(n) is called as body(const Worker<>&, index), "
                  "and with a value& for each result of a reduction");
    return fits;
  } else if constexpr (Policy::level == Level::gang_vector) {
    constexpr bool fits = std::is_invocable_v<const Body&, Index, Values&...>;
    static_assert(fits,
                  "gangway: the body of gang_vector(n) is called as body(index), and with a value& "
                  "for each result of a reduction");
    return fits;
  } else {
    using Member = typename Policy::team_policy_type::member_type;
    constexpr bool fits =
        std::is_invocable_v<const Body&, const Member&, Values&...> ||
        std::is_invocable_v<const Body&, const Parallel<Policy::length, Space>&, Values&...>;
    static_assert(fits,
                  "gangway: the body of team_policy(gangs) is called as body(const Parallel<>&) or "
                  "body(const Member&), and with a value& for each result of a reduction");
    return fits;
  }
}

/// Iterations that a gang, a worker or a gang's lanes take in a row in this shape; worked out once
/// a launch, because a division takes longer than many an iteration.
template <Level level, class Index>
[[nodiscard]] long run_of(Index count, const Shape& shape) {
  const auto n = static_cast<long>(count);
  const long gangs = std::max(1L, shape.gangs);
  if constexpr (level == Level::gang)
    return run_of_gang(n, gangs);
  else if constexpr (level == Level::gang_worker)
    return run_of_worker(n, gangs, std::max(1, shape.team_size));
  else if constexpr (level == Level::gang_vector)
    return run_of_lanes(n, gangs);
  else
    return 1;
}

/// A body as Kokkos calls it, with the iterations of the policy's level.
template <class Policy, class Body>
class Dealt {
  using Space = typename Policy::execution_space;
  using Index = typename Policy::index_type;
  using Member = typename Policy::team_policy_type::member_type;
  static constexpr int length = Policy::length;
  static constexpr bool strided = strides<Space>;

public:
  Dealt(Index count, const Body& body) : _count(count), _body(body) {}

  void set_shape(const Shape& shape) { _run = run_of<Policy::level>(_count, shape); }

  KOKKOS_FUNCTION void operator()(const Member& member) const {
    if constexpr (Policy::level == Level::gang) {
      const Gang<length, Space> gang(member);
      over_gangs<strided>(member, _count, _run, [&](Index i) { _body(gang, i); });
    } else if constexpr (Policy::level == Level::gang_worker) {
      const Worker<length, Space> worker(member, has_one_lane(member));
      over_workers<strided>(member, _count, _run, [&](Index i) { _body(worker, i); });
    } else if constexpr (Policy::level == Level::gang_vector) {
      over_lanes<strided>(member, _count, _run, _body);
    } else if constexpr (std::is_invocable_v<const Body&, const Member&>) {
      _body(member);
    } else {
      _body(Parallel<length, Space>(member));
    }
  }

private:
  Index _count;
  long _run = 1;
  Body _body;
};

/// The value that a result on the device holds before the loop, which one of the gangs adds.
template <class Reducer>
struct HeldBefore {
  typename Reducer::value_type* place;
  KOKKOS_INLINE_FUNCTION void join_into(typename Reducer::value_type& total) const {
    Reducer(total).join(total, *place);
  }
};
struct NothingBefore {
  template <class Value>
  KOKKOS_INLINE_FUNCTION void join_into(Value& /*total*/) const {}
};

/// A reduction's body as Kokkos calls it. Each gang, worker or team has its own partial result, in
/// registers, which one of its lanes gives to the total.
template <class Policy, class Body, class Reducer, class Before>
class DealtReduction {
  using Space = typename Policy::execution_space;
  using Index = typename Policy::index_type;
  using Member = typename Policy::team_policy_type::member_type;
  static constexpr int length = Policy::length;
  static constexpr bool strided = strides<Space>;

public:
  using value_type = typename Reducer::value_type;
  DealtReduction(Index count, const Body& body, const Before& before)
      : _count(count), _before(before), _body(body) {}

  void set_shape(const Shape& shape) { _run = run_of<Policy::level>(_count, shape); }

  KOKKOS_FUNCTION void operator()(const Member& member, value_type& total) const {
    if constexpr (Policy::level == Level::team) {
      if constexpr (std::is_same_v<Before, NothingBefore>) {
        run_team(member, total);
      } else {
        run_team(member, total);
        if (member.league_rank() == 0)
          Kokkos::single(Kokkos::PerTeam(member), [&] { _before.join_into(total); });
      }
    } else {
      value_type partial;
      const Reducer reducer(partial);
      reducer.init(partial);
      if constexpr (Policy::level == Level::gang) {
        const Gang<length, Space> gang(member);
        over_gangs<strided, true>(member, _count, 1,
                                  [&](Index i) { call(_body, partial, gang, i); });
      } else if constexpr (Policy::level == Level::gang_worker) {
        const Worker<length, Space> worker(member, has_one_lane(member));
        over_workers<strided>(member, _count, _run,
                              [&](Index i) { call(_body, partial, worker, i); });
      } else {
        reduce_lanes<strided, value_type>(
            member, _count, [&](Index i, value_type& mine) { call(_body, mine, i); }, reducer);
      }
      if constexpr (Policy::level == Level::gang_worker)
        Kokkos::single(Kokkos::PerThread(member), [&] {
          if (member.league_rank() == 0 && member.team_rank() == 0)
            _before.join_into(partial);
          reducer.join(total, partial);
        });
      else
        Kokkos::single(Kokkos::PerTeam(member), [&] {
          if (member.league_rank() == 0)
            _before.join_into(partial);
          reducer.join(total, partial);
        });
    }
  }

  KOKKOS_FUNCTION void init(value_type& value) const { Reducer(value).init(value); }
  KOKKOS_FUNCTION void join(value_type& total, const value_type& part) const {
    Reducer(total).join(total, part);
  }

private:
  /// Returns whether the body is called with a `Handle` and these values.
  template <class Handle, class... Several>
  static constexpr bool takes(const Values<Several...>* /*values*/) {
    return std::is_invocable_v<const Body&, const Handle&, Several&...>;
  }
  template <class Handle>
  static constexpr bool takes(const void* /*value*/) {
    return std::is_invocable_v<const Body&, const Handle&, value_type&>;
  }
  static constexpr bool takes_member = takes<Member>(static_cast<const value_type*>(nullptr));

  KOKKOS_FUNCTION void run_team(const Member& member, value_type& total) const {
    if constexpr (takes_member)
      call(_body, total, member);
    else
      call(_body, total, Parallel<length, Space>(member));
  }
  Index _count;
  long _run = 1;
  Before _before;
  Body _body;
};

/// A body with several results as Kokkos calls it, with one value for all of them.
template <class Body, class Value>
struct Spread {
  using value_type = Value;
  Body body;
  template <class I>
  KOKKOS_FUNCTION void operator()(I i, Value& values) const {
    call(body, values, i);
  }
};

/// A reduction's body for a flat range from `first` on.
template <class Body, class Reducer, class Before>
struct FlatReduction {
  using value_type = typename Reducer::value_type;
  Before before;
  Body body;
  long first = 0;
  template <class Index>
  KOKKOS_FUNCTION void operator()(Index i, value_type& total) const {
    if constexpr (!std::is_same_v<Before, NothingBefore>)
      if (static_cast<long>(i) == first)
        before.join_into(total);
    call(body, total, i);
  }
  KOKKOS_FUNCTION void init(value_type& value) const { Reducer(value).init(value); }
  KOKKOS_FUNCTION void join(value_type& total, const value_type& part) const {
    Reducer(total).join(total, part);
  }
};

/// A plain loop over lanes is flat on a device, because Kokkos launches a range faster than teams.
template <class Policy>
inline constexpr bool may_be_flat = false;
template <class Space, class Index>
inline constexpr bool may_be_flat<detail::LoopPolicy<Space, Level::gang_vector, Index>> =
    detail::is_device<Space>;
template <class Space, class Index>
[[nodiscard]] auto flat_range(const detail::LoopPolicy<Space, Level::gang_vector, Index>& policy) {
  using Range = Kokkos::RangePolicy<Space, Kokkos::IndexType<Index>>;
  return Range(policy.space(), 0, policy.flat());
}

} // namespace detail

/// Runs a loop, or the gangs of a construct, as the policy says. `body` is called as the policy's
/// maker says: body(gang, i), body(worker, i), body(i), body(parallel) or body(member). Does not
/// wait. Errors: ClauseError for clauses without a counterpart in Kokkos, negative extents, extents
/// beyond a league, and for shapes that the kernel's registers or scratch do not allow.
template <class Space, detail::Level level, class Index, class... Traits, class Body>
void parallel_for(const std::string& label,
                  const detail::LoopPolicy<Space, level, Index, Traits...>& policy,
                  const Body& body) {
  using Policy = detail::LoopPolicy<Space, level, Index, Traits...>;
  if constexpr (detail::is_callable<Policy, Body>()) {
    if constexpr (detail::may_be_flat<Policy>)
      if (policy.is_plain()) {
        Kokkos::parallel_for(label, detail::flat_range(policy), body);
        return;
      }
    detail::Dealt<Policy, Body> dealt(policy.extent(), body);
    const auto resolved = policy.resolve(false, dealt, Kokkos::ParallelForTag());
    dealt.set_shape(resolved.shape);
    Kokkos::parallel_for(label, resolved.policy, dealt);
  }
}

/// Tiled loops; the body is called as body(i, j, …), outermost first.
template <int rank, class Space, class Body>
void parallel_for(const std::string& label, const detail::TilePolicy<rank, Space>& policy,
                  const Body& body) {
  policy.launch(
      [&](const auto& nest, const auto& visit) { Kokkos::parallel_for(label, nest, visit); }, body);
}

namespace detail {

/// Joins a value into a result on the device.
template <class Reducer>
struct JoinOnDevice {
  using Value = typename Reducer::value_type;
  Value* place;
  Value value;
  KOKKOS_FUNCTION void operator()(int /*once*/) const { Reducer(*place).join(*place, value); }
};

/// Joins values that are on the host into the results, wherever they are.
template <class Space, class Result>
void join_value(const std::string& label, const Space& space,
                const typename reducer_type<Result>::value_type& value, Result& result) {
  if constexpr (stays_on_device<Result>) {
    using Reducer = reducer_type<Result>;
    Kokkos::parallel_for(label, Kokkos::RangePolicy<Space>(space, 0, 1),
                         JoinOnDevice<Reducer>{as_reducer(result).view().data(), value});
  } else {
    join_into(result, value);
  }
}
template <class Space, class Value, class Result>
void join_values(const std::string& label, const Space& space, const Value& value, Result& result) {
  join_value(label, space, value, result);
}
template <class Space, class... Several, class Result, class... Results>
void join_values(const std::string& label, const Space& space, const Values<Several...>& values,
                 Result& result, Results&... results) {
  join_value(label, space, values.first, result);
  if constexpr (sizeof...(Results) == 1)
    join_value(label, space, values.rest.first, results...);
  else if constexpr (sizeof...(Results) > 1)
    join_values(label, space, values.rest, results...);
}

/// True if a device leaves the result in its memory. A host's kernel, which may reduce into memory
/// that a device shares, can begin by overwriting it.
template <class Space, class First, class... Results>
inline constexpr bool is_one_on_device =
    detail::is_device<Space> && sizeof...(Results) == 0 && stays_on_device<First>;

/// The reducer into a variable of the host, also for a result that stays on the device.
template <class First, class... Results>
struct ReducerOnHost {
  using type = reducer_of_results<First, Results...>;
};
template <class First>
  requires stays_on_device<First>
struct ReducerOnHost<First> {
  using type = Together<reducer_type<First>>;
};

template <class Policy>
inline constexpr bool is_range = false;
template <class... Traits>
inline constexpr bool is_range<Kokkos::RangePolicy<Traits...>> =
    std::is_void_v<typename Kokkos::RangePolicy<Traits...>::work_tag>;

} // namespace detail

/// `reduction`: runs a loop as `parallel_for` does; the body has one more parameter for each
/// result, its partial value, by reference. Results are variables (sums),
/// `reduction::max(variable)` and the others of that namespace, and reducers of Kokkos. As in
/// OpenACC, the value that a variable held before joins. Waits for the result, unless it is one in
/// a View that stays on the device. Errors: as `parallel_for`.
template <class Space, detail::Level level, class Index, class... Traits, class Body, class First,
          class... Results>
void parallel_reduce(const std::string& label,
                     const detail::LoopPolicy<Space, level, Index, Traits...>& policy,
                     const Body& body, First&& first, Results&&... results) {
  using Policy = detail::LoopPolicy<Space, level, Index, Traits...>;
  using Reducer = detail::reducer_of_results<First, Results...>;
  if constexpr (detail::is_callable<Policy, Body, typename detail::reducer_type<First>::value_type,
                                    typename detail::reducer_type<Results>::value_type...>()) {
    // The functor reduces by itself, so that the kernel asked for its size is the one launched.
    const auto launch = [&](auto& result, const auto& before) {
      if constexpr (detail::may_be_flat<Policy>)
        if (policy.is_plain()) {
          const auto range = detail::flat_range(policy);
          if (policy.extent() == 0)
            return false; // nothing to reduce, and Kokkos would write the identity
          Kokkos::parallel_reduce(
              label, range,
              detail::FlatReduction<Body, Reducer, std::remove_cvref_t<decltype(before)>>{before,
                                                                                          body},
              result);
          return true;
        }
      detail::DealtReduction<Policy, Body, Reducer, std::remove_cvref_t<decltype(before)>> dealt(
          policy.extent(), body, before);
      const auto resolved = policy.resolve(true, dealt, Kokkos::ParallelReduceTag());
      if (resolved.shape.gangs == 0)
        return false;
      dealt.set_shape(resolved.shape);
      Kokkos::parallel_reduce(label, resolved.policy, dealt, result);
      return true;
    };
    if constexpr (detail::is_one_on_device<Space, First, Results...>) {
      const auto place = detail::as_reducer(first).view();
      launch(place, detail::HeldBefore<Reducer>{place.data()});
    } else {
      typename Reducer::value_type value;
      if (launch(value, detail::NothingBefore()))
        detail::join_values(label, policy.space(), value, first, results...);
    }
  }
}

/// Reduces tiled loops, whose body is called as body(i, j, …, partial…). Always waits.
template <int rank, class Space, class Body, class First, class... Results>
void parallel_reduce(const std::string& label, const detail::TilePolicy<rank, Space>& policy,
                     const Body& body, First&& first, Results&&... results) {
  using Reducer = typename detail::ReducerOnHost<First, Results...>::type;
  typename Reducer::value_type value;
  policy.launch_reduction(
      [&](const auto& nest, const auto& visit) {
        Kokkos::parallel_reduce(label, nest, visit, Reducer(value));
      },
      body, value);
  detail::join_values(label, policy.space(), value, first, results...);
}

/// Reduces by a policy of Kokkos', such as `gangway::range`. Waits for the result, unless the
/// policy is a range and the only result is a View that stays on the device.
template <class Policy, class Body, class First, class... Results>
  requires Kokkos::is_execution_policy_v<Policy>
void parallel_reduce(const std::string& label, const Policy& policy, const Body& body,
                     First&& first, Results&&... results) {
  using Space = typename Policy::execution_space;
  if constexpr (detail::is_range<Policy> && detail::is_one_on_device<Space, First, Results...>) {
    using Reducer = detail::reducer_of_results<First>;
    using Before = detail::HeldBefore<Reducer>;
    const auto place = detail::as_reducer(first).view();
    if (policy.begin() < policy.end()) // Kokkos would write the identity
      Kokkos::parallel_reduce(label, policy,
                              detail::FlatReduction<Body, Reducer, Before>{
                                  Before{place.data()}, body, static_cast<long>(policy.begin())},
                              place);
  } else {
    using Reducer = typename detail::ReducerOnHost<First, Results...>::type;
    using Value = typename Reducer::value_type;
    Value value;
    if constexpr (std::is_same_v<Reducer, detail::reducer_of_results<First>>)
      Kokkos::parallel_reduce(label, policy, body, Reducer(value));
    else
      Kokkos::parallel_reduce(label, policy, detail::Spread<Body, Value>{body}, Reducer(value));
    detail::join_values(label, policy.space(), value, first, results...);
  }
}

} // namespace gangway
