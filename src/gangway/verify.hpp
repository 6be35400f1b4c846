// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "gangway/data.hpp"

#include <cstddef>
#include <memory>
#include <source_location>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

/// Holds a port against its original, construct by construct, when GANGWAY_VERIFY asks for it.
namespace gangway {

namespace detail {

/// Returns whether GANGWAY_VERIFY asks for verification: it is set, and neither empty nor 0.
[[nodiscard]] bool is_verifying();

/// A construct's name, and where it is verified.
struct Construct {
  Construct(const char* construct,
            std::source_location place = std::source_location::current()) // NOLINT(*-explicit-*)
      : name(construct), where(place) {}
  std::string_view name;
  std::source_location where;
};

/// A variable of the host that a construct sets.
struct Result {
  std::string_view name;
  std::byte* at;
  std::size_t bytes;
  Layout layout;
};
template <class T>
Result result_of(const Named<T>& variable) {
  static_assert(std::is_trivially_copyable_v<T> && !std::is_const_v<T>,
                "a result is a variable that can be copied byte by byte");
  using Number = std::remove_all_extents_t<std::remove_volatile_t<T>>;
  std::size_t numbers = 1;
  if constexpr (std::is_array_v<T>)
    numbers = sizeof(T) / sizeof(Number);
  return {variable.name,
          reinterpret_cast<std::byte*>(const_cast<std::remove_cv_t<T>*>(variable.array)), sizeof(T),
          layout_of<Number>(numbers)};
}

/// The runs of one execution of a construct: `next` prepares the next one and says whether there is
/// one, `is_original` says which side it is of.
class Verification {
public:
  Verification(const Construct& construct, std::vector<Result> results);
  ~Verification();
  Verification(const Verification&) = delete;
  Verification& operator=(const Verification&) = delete;
  [[nodiscard]] bool next();
  [[nodiscard]] bool is_original() const;

private:
  class State;
  std::unique_ptr<State> _state;
};

} // namespace detail

/// Runs `port`; when the environment variable GANGWAY_VERIFY is set, runs `original` before it on
/// the same data and compares every array on the device, and every result.
///
///     gangway::Data data;
///     const auto u_view = data.copy(gangway::named("u", u), n);
///     double sum = 0;
///     gangway::verify(
///         "scale",
///         [&] {
///           for (int i = 0; i < n; ++i)
///             sum += u[i] *= 2;
///         },
///         [&] {
///           gangway::parallel_reduce("scale", gangway::gang_vector(n),
///                                    KOKKOS_LAMBDA(int i, double& sum) { sum += u_view(i) *= 2; },
///                                    sum);
///         },
///         gangway::named("sum", &sum));
///
/// `original` is code of the host that reads and writes the host's arrays and `results`: the loop
/// of before, or a call of a library that an OpenACC compiler made. For its time the host's arrays
/// hold the device's values; afterwards they are as before. `port` writes the device's arrays and
/// `results`, the host variables that the construct sets. Data regions are opened before. A
/// verification waits for everything on the device.
///
/// GANGWAY_VERIFY is 1, or options with commas between them:
///
/// - `trust-original`: the program goes on with the original's values, and with stale values from
///   the host, so that a second fault is seen as itself. Otherwise it goes on with the port's.
/// - `every=N`: verify each construct's first execution, and each N-th.
/// - `limit=BYTES` (or `2G`): leave constructs out while arrays on the device take more than that.
/// - `tolerance=RELATIVE`, `tolerance(u)=RELATIVE`: allowed for all floating-point numbers, or
/// those
///   of the array or result `u`. By default 256 units in the last place (ulps) of the larger of the
///   number and the array's largest, and 16 sqrt(n) more where n values may have been summed into
///   one: n is the largest array's length over this one's. A unit is larger where an input's last
///   place changes the result by more, as where terms cancel. Integers have to be equal.
/// - `allow-unstable`: see below.
/// - `report=FILE`: append a line of JSON to FILE when the program ends, one for each rank.
///
/// Standard error gets each difference with place, construct, array, index and both values, and a
/// summary when the program ends. The exit status is 1 if there was a difference. A difference that
/// comes and goes when the same side is run again is called unstable: a race, or an order that is
/// not fixed by intention, which `allow-unstable` lets pass. A value is reported as stale if the
/// construct's outcome depends on it, and no update brought it: the host set it after the device
/// got the array, or a clause created the array without a copy and no kernel set the value.
///
/// A verification takes six times the host memory of the arrays on the device, and says so before
/// it takes it. If there is less, a message says that the construct is not compared.
///
/// On a host, GANGWAY_VERIFY makes memory separate. Errors: DataError where GANGWAY_VERIFY cannot
/// be read, GANGWAY_MEMORY is `shared`, or `port` opens a data region itself.
template <class Original, class Port, class... Results>
void verify(const detail::Construct& construct, Original&& original, Port&& port,
            const detail::Named<Results>&... results) {
  if (!detail::is_verifying())
    return static_cast<void>(port());
  detail::Verification runs(construct, {detail::result_of(results)...});
  while (runs.next())
    if (runs.is_original())
      original();
    else
      port();
}

} // namespace gangway
