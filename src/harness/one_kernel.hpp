// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// The short way to a study: one kernel, in a single file that both compilers read. The file holds
/// the kernel in OpenACC, as a function of C. Under `#ifndef _OPENACC`, for the main compiler
/// alone, it holds the kernel in Kokkos, and the arguments of both. The OpenACC function is the
/// reference, too: compiled without OpenACC it is the plain loop, whose results are the truth.
/// `gangway new` writes such a file; docs/your-own-study.md explains it.
#ifndef _OPENACC

#include "base/contains.hpp"
#include "harness/check.hpp"
#include "harness/study.hpp"

#include <fmt/format.h>

namespace gangway::harness {

/// An array that a kernel is called with.
template <class T>
struct Described {
  std::string name; ///< in messages
  long count;
  Intent intent;
  std::function<T(long)> value; ///< before each run, of the index; empty: poison
};

/// Describes an array that kernels read: element i is value(i).
template <class Value>
[[nodiscard]] auto in(std::string name, long count, Value value) {
  using T = std::invoke_result_t<Value, long>;
  return Described<T>{std::move(name), count, Intent::in, std::move(value)};
}
/// Describes an array that kernels read and write: element i is value(i) before each run.
template <class Value>
[[nodiscard]] auto inout(std::string name, long count, Value value) {
  using T = std::invoke_result_t<Value, long>;
  return Described<T>{std::move(name), count, Intent::inout, std::move(value)};
}
/// Describes an array that kernels write. A sum that a kernel leaves in a pointer's place has one
/// element.
template <class T>
[[nodiscard]] Described<T> out(std::string name, long count) {
  return {std::move(name), count, Intent::out, {}};
}
/// Describes work space, which is not compared.
template <class T>
[[nodiscard]] Described<T> scratch(std::string name, long count) {
  return {std::move(name), count, Intent::scratch, {}};
}

/// The facts of a kernel and its study.
struct KernelInfo {
  const char* id;        ///< the study's name; the OpenACC function is gangway_ID_kernel
  const char* title;     ///< one line
  const char* n;         ///< the size that is compared unless --set n=… says another, such as "1e6"
  double flops = 0;      ///< floating-point operations of one run, for each of n
  double rounding = 1e3; ///< how far results may be off: so many times the type's epsilon, of the
                         ///< largest magnitude in the array. Integers are exact.
};

namespace detail {

/// A described array with its storage: what kernels work on, and what the reference made of it.
template <class T>
struct Held {
  Described<T> described;
  base::HostArray<T> array;
  base::HostArray<T> truth; ///< of arrays that are compared
  double largest = 0;       ///< magnitude in it

  explicit Held(Described<T> what) : described(std::move(what)), array(fresh()) {
    if (described.intent != Intent::in)
      truth = fresh();
  }
  [[nodiscard]] bool compared() const {
    return described.intent == Intent::out || described.intent == Intent::inout;
  }
  [[nodiscard]] T before(long i) const { return described.value ? described.value(i) : poison<T>; }
  [[nodiscard]] base::HostArray<T> fresh() const {
    return base::filled<T>(described.count, [this](long i) { return before(i); });
  }
  /// Returns the array for the reference.
  [[nodiscard]] T* for_reference() {
    return described.intent == Intent::in ? array.data() : truth.data();
  }
  void find_largest() {
    for (const T& value : truth)
      if (const double magnitude = std::abs(static_cast<double>(value)); std::isfinite(magnitude))
        largest = std::max(largest, magnitude);
  }
  [[nodiscard]] Check check(double rounding) const {
    Check check;
    if constexpr (std::is_floating_point_v<T>) {
      const double scale = largest > 0 ? largest : 1;
      const double bound = rounding * std::numeric_limits<T>::epsilon() * scale;
      check = check_within(
          described.count, array, truth, [bound](long) { return bound; },
          fmt::format("every element within {:.2g} of the plain loop's", bound));
    } else {
      check = check_exact(array, truth);
    }
    check.detail = fmt::format("{}: {}", described.name, check.detail);
    return check;
  }
};

template <class T>
struct HeldAs {
  using type = T; // a plain value
};
template <class T>
struct HeldAs<Described<T>> {
  using type = Held<T>;
};
template <class T>
inline constexpr bool is_array = false;
template <class T>
inline constexpr bool is_array<Held<T>> = true;

/// The problem of one kernel. `Describe` is the type of a lambda without captures, which gives the
/// arguments for a size; each study has its own, and so each has a class.
template <class Kernel, class Describe>
class KernelProblem;

template <class... Arguments, class Describe>
class KernelProblem<void(Arguments...), Describe> : public ProblemOf<void(Arguments...)> {
  using Base = ProblemOf<void(Arguments...)>;
  template <class... T>
  static std::tuple<typename HeldAs<T>::type...> held(std::tuple<T...> described) {
    return std::apply(
        [](auto&... one) {
          return std::tuple<typename HeldAs<T>::type...>(
              typename HeldAs<T>::type(std::move(one))...);
        },
        described);
  }

public:
  using Kernel = void(Arguments...);

  // Constants until the study registers: no later initialisation takes that back.
  inline static constinit StudyInfo own_info{};
  static constexpr const StudyInfo& info = own_info;
  inline static constinit KernelInfo said{};
  inline static constinit Kernel* reference = nullptr;

  explicit KernelProblem(const Parameters& parameters)
      : _n(size(parameters)), _held(held(described(_n))) {
    std::apply([](auto&... one) { reference(reference_argument(one)...); }, _held);
    std::apply([](auto&... one) { (find_largest(one), ...); }, _held);
    std::apply([this](auto&... one) { this->kernels_take(kernel_argument(one)...); }, _held);
    this->described_as(fmt::format("n = {}, {:.1f} MB of arrays", _n, bytes(parameters) / 1e6));
  }

  [[nodiscard]] Check check() const override {
    Check worst{.passed = true, .error = 0, .tolerance = 0, .detail = {}};
    const auto look = [&](const auto& one) {
      if constexpr (is_array<std::remove_cvref_t<decltype(one)>>)
        if (one.compared() && worst.passed) {
          const Check mine = one.check(said.rounding);
          if (!mine.passed || mine.error >= worst.error)
            worst = mine;
        }
    };
    std::apply([&](const auto&... one) { (look(one), ...); }, _held);
    return worst;
  }

  [[nodiscard]] Work work() const override {
    Work work{.flops = said.flops * static_cast<double>(_n),
              .reasoning = "every input read once, every output written once"};
    bool reads = false;
    bool writes_only = false;
    bool doubles = false;
    bool floats = false;
    const auto add = [&]<class T>(const T& one) {
      if constexpr (is_array<T>) {
        const Intent intent = one.described.intent;
        const auto size = static_cast<double>(one.array.size() * sizeof(one.array[0]));
        work.bytes += intent == Intent::scratch ? 0 : intent == Intent::inout ? 2 * size : size;
        reads = reads || intent == Intent::in || intent == Intent::inout;
        writes_only = writes_only || intent == Intent::out;
        using Element = std::remove_cvref_t<decltype(one.array[0])>;
        doubles = doubles || std::is_same_v<Element, double>;
        floats = floats || std::is_same_v<Element, float>;
      }
    };
    std::apply([&](const auto&... one) { (add(one), ...); }, _held);
    work.single_precision = floats && !doubles;
    work.in_place = !writes_only;
    work.write_only = !reads;
    return work;
  }

  static long size(const Parameters& parameters) { return parameters.integer("n", 1, 1L << 40); }

  /// Returns the bytes of the arrays, and of those that the reference has for itself.
  static double bytes(const Parameters& parameters) {
    double sum = 0;
    const auto add = [&]<class T>(const Described<T>& one) {
      sum += (one.intent == Intent::in ? 1.0 : 2.0) * static_cast<double>(one.count) * sizeof(T);
    };
    const auto add_array = [&](const auto& one) {
      if constexpr (requires { add(one); })
        add(one);
    };
    std::apply([&](const auto&... one) { (add_array(one), ...); }, Describe{}(size(parameters)));
    return sum;
  }

private:
  /// Returns the described arguments. Errors: UsageError for a description without an array to
  /// compare.
  static auto described(long n) {
    auto arguments = Describe{}(n);
    bool compared = false;
    std::vector<std::string> names;
    const auto look = [&]<class T>(const Described<T>& one) {
      if (base::contains(names, one.name))
        throw base::UsageError(
            fmt::format("{}: two arrays are called {}; give each its own name", said.id, one.name));
      names.push_back(one.name);
      compared = compared || one.intent == Intent::out || one.intent == Intent::inout;
      if (one.count < 0)
        throw base::UsageError(fmt::format("{}: {} has {} elements for n={}; 0 or more are meant",
                                           said.id, one.name, one.count, n));
    };
    const auto look_at_array = [&](const auto& one) {
      if constexpr (requires { look(one); })
        look(one);
    };
    std::apply([&](const auto&... one) { (look_at_array(one), ...); }, arguments);
    if (!compared)
      throw base::UsageError(
          fmt::format("{}: no array is compared; name those that the kernels write as "
                      "out<TYPE>(NAME, COUNT) or inout(NAME, COUNT, VALUE)",
                      said.id));
    return arguments;
  }

  template <class T>
  static auto reference_argument(T& one) {
    if constexpr (is_array<T>)
      return one.for_reference();
    else
      return one;
  }
  template <class T>
  static void find_largest(T& one) {
    if constexpr (is_array<T>)
      if (one.compared())
        one.find_largest();
  }
  /// Returns the argument for kernels_take.
  template <class T>
  static auto kernel_argument(T& one) {
    if constexpr (is_array<T>) {
      auto* const array = one.array.data();
      const auto& what = one.described;
      auto argument = Base::out(what.name, array, what.count);
      argument.buffer.intent = what.intent;
      if (what.intent == Intent::in)
        argument.reset = {};
      else
        argument.reset = [&one, array] {
          base::fill_each(array, one.described.count, [&one](long i) { return one.before(i); });
        };
      return argument;
    } else {
      return one;
    }
  }

  long _n;
  decltype(held(Describe{}(1L))) _held;
};

} // namespace detail

/// Registers a study of one kernel, with one stage, `kernel`, and one key, n:
///
///     static const harness::OneKernel study(
///         {.id = "scale", .title = "y = a x", .n = "1e6", .flops = 1},
///         gangway_scale_kernel, kernel, [](long n) {
///           return std::tuple(n, 3.0, harness::in("x", n, [](long i) { return 0.5 * i; }),
///                             harness::out<double>("y", n));
///         });
///
/// `reference` is the OpenACC function, `kokkos` its counterpart, of the same type. `Describe`
/// gives their arguments, in order, for a size: plain values, and `in`, `out`, `inout`, `scratch`.
class OneKernel {
public:
  template <class... Arguments, class Describe>
  OneKernel(const KernelInfo& said, void (*reference)(Arguments...), void (*kokkos)(Arguments...),
            Describe /*describe*/) {
    static_assert(std::is_empty_v<Describe> && std::is_default_constructible_v<Describe>,
                  "the arguments are described by a lambda that captures nothing: [](long n) {…}");
    using P = detail::KernelProblem<void(Arguments...), Describe>;
    static_assert(std::tuple_size_v<decltype(Describe{}(1L))> == sizeof...(Arguments),
                  "the description gives one value for each argument of the kernels");
    static Key keys[1];
    keys[0] = {"n", said.n, "size"};
    P::said = said;
    P::reference = reference;
    // Member by member: what nvcc gives g++ 12 has no braces to assign from.
    StudyInfo& info = P::own_info;
    info.id = said.id;
    info.title = said.title;
    info.keys = keys;
    info.cases = [](Effort, double) {
      return std::vector<Case>{{"n=" + std::string(P::said.n), {}}};
    };
    info.edge_cases = [] {
      return std::vector<Case>{{"one", {{"n", "1"}}}, {"a prime", {{"n", "1009"}}}};
    };
    info.footprint = P::bytes;
    const Study<P> registered({.stages = {{"kernel", kokkos}}});
  }
};

} // namespace gangway::harness

#endif // _OPENACC
