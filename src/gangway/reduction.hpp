// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>

#include <limits>
#include <type_traits>
#include <utility>

namespace gangway {

namespace detail {

template <class Reducer>
inline constexpr int infinity_sign = 0; ///< of the identity; 0: the reducer's own
template <class T, class Space>
  requires std::numeric_limits<T>::has_infinity
inline constexpr int infinity_sign<Kokkos::Max<T, Space>> = -1;
template <class T, class Space>
  requires std::numeric_limits<T>::has_infinity
inline constexpr int infinity_sign<Kokkos::Min<T, Space>> = 1;

/// The reducer that Kokkos is given for `Reducer`. Kokkos' Max and Min begin with the lowest and
/// the largest finite value, which would be left of infinities; this one begins with infinities.
template <class Reducer>
struct Partial : Reducer {
  using reducer = Partial;
  using value_type = typename Reducer::value_type;
  using Reducer::Reducer;
  KOKKOS_INLINE_FUNCTION void init(value_type& total) const {
    if constexpr (infinity_sign<Reducer> != 0)
      total = infinity_sign<Reducer> * Kokkos::Experimental::infinity_v<value_type>;
    else
      Reducer::init(total);
  }
};

} // namespace detail

/// The elements of a short array that a reduction takes as one result: `reduction::sum(bins)` is
/// `reduction(+: bins)` of an array. Every thread has all N, and on a device they are in memory
/// that the threads of a block share: for a few hundred bytes.
template <class T, int N>
struct Elements {
  KOKKOS_INLINE_FUNCTION T& operator[](long i) { return values[i]; } ///< element i
  KOKKOS_INLINE_FUNCTION const T& operator[](long i) const { return values[i]; }
  T values[N]; // NOLINT(modernize-avoid-c-arrays): devices have no std::array
};

namespace detail {

/// `reduction(^)`, which Kokkos has no reducer for. Its identity is that of `|`.
template <class T, class Space = Kokkos::HostSpace>
struct BXor : Kokkos::BOr<T, Space> {
  using reducer = BXor;
  using Kokkos::BOr<T, Space>::BOr;
  KOKKOS_INLINE_FUNCTION void join(T& total, const T& part) const { total ^= part; }
};

/// `Reducer` for each of N elements.
template <class Reducer, int N>
struct ElementWise {
  using reducer = ElementWise;
  using value_type = Elements<typename Reducer::value_type, N>;
  using result_view_type =
      Kokkos::View<value_type, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  KOKKOS_INLINE_FUNCTION explicit ElementWise(value_type& value) : _one(value[0]), _value(&value) {}
  KOKKOS_INLINE_FUNCTION void join(value_type& total, const value_type& part) const {
    for (int i = 0; i < N; ++i)
      _one.join(total[i], part[i]);
  }
  KOKKOS_INLINE_FUNCTION void init(value_type& value) const {
    for (int i = 0; i < N; ++i)
      _one.init(value[i]);
  }
  KOKKOS_INLINE_FUNCTION value_type& reference() const { return *_value.data(); }
  KOKKOS_INLINE_FUNCTION result_view_type view() const { return _value; }
  KOKKOS_INLINE_FUNCTION bool references_scalar() const { return true; }

private:
  Partial<Reducer> _one;
  result_view_type _value;
};

/// The reducer of a result: `Of<T>` of a variable, `Of<T, its memory>` of a View of rank 0.
template <template <class, class> class Of, class Result>
struct ReducerOf {
  using type = Of<Result, Kokkos::HostSpace>;
};
template <template <class, class> class Of, class T, int N>
struct ReducerOf<Of, Elements<T, N>> {
  using type = ElementWise<Of<T, Kokkos::HostSpace>, N>;
};
template <template <class, class> class Of, class Result>
  requires Kokkos::is_view_v<Result>
struct ReducerOf<Of, Result> {
  static_assert(Result::rank() == 0,
                "gangway: a result that stays on the device is a View of rank 0");
  using type = Of<typename Result::non_const_value_type, typename Result::memory_space>;
};
template <template <class, class> class Of, class Result>
using reducer_of = typename ReducerOf<Of, std::remove_const_t<Result>>::type;

} // namespace detail

/// `reduction(operator: result)`, as OpenACC writes it: `reduction::max(change)`. `result` is a
/// variable, `Elements`, or a View of rank 0 that stays on the device. Every other reducer of
/// Kokkos, such as `Kokkos::MinLoc`, can stand in the same place; a plain variable means a sum.
namespace reduction {

template <class Result>
[[nodiscard]] KOKKOS_INLINE_FUNCTION auto sum(Result& result) {
  return detail::reducer_of<Kokkos::Sum, Result>(result);
} ///< `+`
template <class Result>
[[nodiscard]] KOKKOS_INLINE_FUNCTION auto product(Result& result) {
  return detail::reducer_of<Kokkos::Prod, Result>(result);
} ///< `*`
/// The identity is minus infinity, if the type has it.
template <class Result>
[[nodiscard]] KOKKOS_INLINE_FUNCTION auto max(Result& result) {
  return detail::reducer_of<Kokkos::Max, Result>(result);
}
/// The identity is infinity, if the type has it.
template <class Result>
[[nodiscard]] KOKKOS_INLINE_FUNCTION auto min(Result& result) {
  return detail::reducer_of<Kokkos::Min, Result>(result);
}
template <class Result>
[[nodiscard]] KOKKOS_INLINE_FUNCTION auto bit_and(Result& result) {
  return detail::reducer_of<Kokkos::BAnd, Result>(result);
} ///< `&`
template <class Result>
[[nodiscard]] KOKKOS_INLINE_FUNCTION auto bit_or(Result& result) {
  return detail::reducer_of<Kokkos::BOr, Result>(result);
} ///< `|`
template <class Result>
[[nodiscard]] KOKKOS_INLINE_FUNCTION auto bit_xor(Result& result) {
  return detail::reducer_of<detail::BXor, Result>(result);
} ///< `^`
template <class Result>
[[nodiscard]] KOKKOS_INLINE_FUNCTION auto logical_and(Result& result) {
  return detail::reducer_of<Kokkos::LAnd, Result>(result);
} ///< `&&`
template <class Result>
[[nodiscard]] KOKKOS_INLINE_FUNCTION auto logical_or(Result& result) {
  return detail::reducer_of<Kokkos::LOr, Result>(result);
} ///< `||`

} // namespace reduction

namespace detail {

/// The reducer of a result: a reducer is its own, a variable or a View is summed.
template <class Result>
KOKKOS_INLINE_FUNCTION auto as_reducer(Result& result) {
  if constexpr (Kokkos::is_reducer_v<std::remove_const_t<Result>>)
    return result;
  else
    return reduction::sum(result);
}
template <class Result>
using reducer_type = decltype(as_reducer(std::declval<std::remove_reference_t<Result>&>()));

/// True if a result stays on the device, in a memory that is not the host's.
template <class Result>
inline constexpr bool stays_on_device =
    !std::is_same_v<typename reducer_type<Result>::result_view_type::memory_space,
                    Kokkos::HostSpace>;

/// The values of several results. It does without `[[no_unique_address]]`: nvcc 13 then copies 40
/// bytes of a class whose size is 32.
template <class Value, class... Rest>
struct Values {
  Value first;
  Values<Rest...> rest;
};
template <class Value>
struct Values<Value> {
  Value first;
};

/// Several reducers as one, which join value by value.
template <class... Reducers>
struct Together;
template <>
struct Together<> {};
template <class Reducer, class... Rest>
struct Together<Reducer, Rest...> {
  using reducer = Together;
  using value_type = Values<typename Reducer::value_type, typename Rest::value_type...>;
  using result_view_type =
      Kokkos::View<value_type, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  /// Reduces into `values`.
  KOKKOS_INLINE_FUNCTION explicit Together(value_type& values) : Together(values, values) {}
  KOKKOS_INLINE_FUNCTION Together(value_type& all, value_type& own)
      : first(own.first), rest(rest_of(own)), _place(&all) {}

  KOKKOS_INLINE_FUNCTION void init(value_type& values) const {
    first.init(values.first);
    if constexpr (sizeof...(Rest) > 0)
      rest.init(values.rest);
  }
  KOKKOS_INLINE_FUNCTION void join(value_type& total, const value_type& part) const {
    first.join(total.first, part.first);
    if constexpr (sizeof...(Rest) > 0)
      rest.join(total.rest, part.rest);
  }
  KOKKOS_INLINE_FUNCTION value_type& reference() const { return *_place.data(); }
  KOKKOS_INLINE_FUNCTION result_view_type view() const { return _place; }
  KOKKOS_INLINE_FUNCTION bool references_scalar() const { return true; }

  Partial<Reducer> first;
  Together<Rest...> rest;

private:
  KOKKOS_INLINE_FUNCTION static Together<Rest...> rest_of(value_type& values) {
    if constexpr (sizeof...(Rest) == 0)
      return {};
    else
      return Together<Rest...>(values.rest);
  }
  result_view_type _place;
};

/// The one reducer of these results, which Kokkos is given.
template <class... Results>
struct ReducerOfResults {
  using type = Together<reducer_type<Results>...>;
};
template <class Result>
struct ReducerOfResults<Result> {
  using type = Partial<reducer_type<Result>>;
};
template <class... Results>
using reducer_of_results = typename ReducerOfResults<Results...>::type;

// A body may count in a narrower type than its loop, as it may in C.
#ifdef __GNUC__
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#endif
/// body(arguments…, value…), with each of `values`: a value, or `Values`.
template <class Body, class Value, class... Rest, class... Arguments>
KOKKOS_INLINE_FUNCTION void call(const Body& body, Values<Value, Rest...>& values,
                                 Arguments&&... arguments) {
  if constexpr (sizeof...(Rest) > 0)
    call(body, values.rest, std::forward<Arguments>(arguments)..., values.first);
  else
    body(std::forward<Arguments>(arguments)..., values.first);
}
template <class Body, class Value, class... Arguments>
KOKKOS_INLINE_FUNCTION void call(const Body& body, Value& value, Arguments&&... arguments) {
  body(std::forward<Arguments>(arguments)..., value);
}

#ifdef __GNUC__
#pragma GCC diagnostic pop
#endif

/// Joins `value`, which `Reducer` made, into the results.
template <class Result>
KOKKOS_INLINE_FUNCTION void join_into(Result& result,
                                      const typename reducer_type<Result>::value_type& value) {
  const auto reducer = as_reducer(result);
  reducer.join(reducer.reference(), value);
}
template <class Result, class... Rest, class Value, class... Others>
KOKKOS_INLINE_FUNCTION void join_into_all(const Values<Value, Others...>& values, Result& result,
                                          Rest&... rest) {
  join_into(result, values.first);
  if constexpr (sizeof...(Rest) > 0)
    join_into_all(values.rest, rest...);
}
template <class Result, class Value>
KOKKOS_INLINE_FUNCTION void join_into_all(const Value& value, Result& result) {
  join_into(result, value);
}

} // namespace detail
} // namespace gangway
