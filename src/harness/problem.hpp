// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/errors.hpp"
#include "base/host_array.hpp"

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

/// The description of a study and its problem for the referee. Standard C++ only: this header is
/// also read by the OpenACC compiler.
///
/// A study's sources get all headers above from this one, and do not include them again.
namespace gangway::harness {

/// The use that a kernel makes of an array; it decides what each run restores before, and fetches
/// after.
enum class Intent { in, out, inout, scratch };

/// A host array that kernels name in their data clauses.
struct Buffer {
  std::string name;
  void* host;
  std::size_t bytes;
  Intent intent;
};

/// The least work one run must do, whatever the variant: every input read once, every output
/// written once, every floating-point operation of the mathematics. `reasoning` says so in one
/// line.
struct Work {
  double bytes = 0;
  double flops = 0;
  bool single_precision = false;
  std::string reasoning;
  /// True if the kernel reads every element before it writes it. A host's cache fetches a line
  /// before it is written: a third transfer where a kernel writes what it has not read, and none
  /// here.
  bool in_place = false;
  /// True if the kernel only writes; on a host, every byte then costs that fetch.
  bool write_only = false;
  /// Bytes that must cross to the device and back if memories are separate. Negative: every buffer
  /// once, as its intent says. Given where variants hold the same data in different arrays.
  double bytes_in = -1;
  double bytes_out = -1;
};

/// The verdict on one run.
struct Check {
  bool passed = false;
  double error = 0;     ///< largest error found, in the units of `tolerance`
  double tolerance = 0; ///< 0 for exact results
  std::string detail;   ///< what was wrong, or what was compared
};

/// One instance of a study: its arrays on the host, held once for both models, and the truth about
/// them. (Studies derive from ProblemOf, below.)
class Problem {
public:
  virtual ~Problem() = default;

  /// Returns the arrays that kernels name in data clauses. Pointers stay valid for the life of the
  /// problem.
  [[nodiscard]] virtual std::vector<Buffer> buffers() = 0;
  /// Poisons outputs and restores what the last run changed, before each run. Host arrays only.
  virtual void reset() = 0;
  /// Compares the host arrays with the reference, after each run.
  [[nodiscard]] virtual Check check() const = 0;
  [[nodiscard]] virtual Work work() const = 0;
  /// Describes the problem, such as "1 030 301 rows, 27 325 801 non-zeros, 3 to 27 a row".
  [[nodiscard]] virtual std::string describe() const = 0;
};

/// The value of outputs before each run, which is no result.
template <class T>
inline constexpr T poison = [] {
  if constexpr (std::is_floating_point_v<T>)
    return std::numeric_limits<T>::quiet_NaN();
  else
    return static_cast<T>(-1);
}();

/// An argument of kernels that is an array, and how to make it ready for the next run. (Of size 1
/// and without a buffer it is a place for a result in host memory.)
template <class T>
struct ArrayArgument {
  T* host;
  Buffer buffer;               ///< without a name: not for data clauses
  std::function<void()> reset; ///< may be empty
};

/// A problem whose kernels are functions of one type, `Kernel`, in both models. Its constructor
/// says once, with `kernels_take`, what they are called with; buffers and reset follow from that:
///
///     kernels_take(std::ssize(_c), in("a", _a), in("b", _b), out("c", _c));
template <class Kernel>
class ProblemOf;

template <class Result, class... Arguments>
class ProblemOf<Result(Arguments...)> : public Problem {
public:
  using Kernel = Result(Arguments...);

  /// Calls anything that takes a kernel's arguments with those of this problem.
  template <class F>
  decltype(auto) call(F&& kernel) {
    return std::apply(std::forward<F>(kernel), _arguments);
  }

  [[nodiscard]] std::vector<Buffer> buffers() override { return _buffers; }
  void reset() override {
    for (const auto& reset_one : _resets)
      reset_one();
  }
  [[nodiscard]] std::string describe() const override { return _description; }

protected:
  /// Takes the arguments, in order: plain values, and what the functions below return. It also
  /// resets, so that the first run finds what every run finds. The arrays may not move afterwards.
  template <class... Given>
  void kernels_take(Given... given) {
    static_assert(sizeof...(Given) == sizeof...(Arguments),
                  "kernels_take: one value for each argument of the study's Kernel");
    _arguments = std::tuple<Arguments...>{take<Arguments>(std::move(given))...}; // left to right
    reset();
  }
  /// Takes arrays that variants name in data clauses but that are no arguments.
  template <class... T>
  void kernels_find(ArrayArgument<T>... arrays) {
    (static_cast<void>(take<T*>(std::move(arrays))), ...);
  }
  void described_as(std::string text) { _description = std::move(text); }

  /// Describes an array that kernels read.
  template <class T>
  [[nodiscard]] static ArrayArgument<const T> in(std::string name, const T* array, long count) {
    return {array, buffer_of(std::move(name), array, count, Intent::in), {}};
  }
  /// Describes an array that kernels write; it is poisoned before each run.
  template <class T>
  [[nodiscard]] static ArrayArgument<T> out(std::string name, T* array, long count,
                                            T before = poison<T>) {
    return {array, buffer_of(std::move(name), array, count, Intent::out), [array, count, before] {
              base::fill_each(array, count, [=](long) { return before; });
            }};
  }
  /// Describes work space of kernels, which is poisoned before each run.
  template <class T>
  [[nodiscard]] static ArrayArgument<T> scratch(std::string name, T* array, long count,
                                                T before = poison<T>) {
    ArrayArgument<T> argument = out(std::move(name), array, count, before);
    argument.buffer.intent = Intent::scratch;
    return argument;
  }
  /// Describes an array that kernels read and change. `restore` restores it: a function of the
  /// index that gives the element, or one without arguments that does it all.
  template <class T, class Restore>
  [[nodiscard]] static ArrayArgument<T> inout(std::string name, T* array, long count,
                                              Restore restore) {
    ArrayArgument<T> argument{array, buffer_of(std::move(name), array, count, Intent::inout), {}};
    if constexpr (std::is_invocable_v<Restore>)
      argument.reset = restore;
    else
      argument.reset = [array, count, restore] { base::fill_each(array, count, restore); };
    return argument;
  }
  /// Overloads for whole containers, such as a HostArray.
  template <class Array>
  [[nodiscard]] static auto in(std::string name, const Array& array) {
    return in(std::move(name), array.data(), std::ssize(array));
  }
  template <class Array>
  [[nodiscard]] static auto
  out(std::string name, Array& array,
      typename Array::value_type before = poison<typename Array::value_type>) {
    return out(std::move(name), array.data(), std::ssize(array), before);
  }
  template <class Array>
  [[nodiscard]] static auto
  scratch(std::string name, Array& array,
          typename Array::value_type before = poison<typename Array::value_type>) {
    return scratch(std::move(name), array.data(), std::ssize(array), before);
  }
  template <class Array, class Restore>
  [[nodiscard]] static auto inout(std::string name, Array& array, Restore restore) {
    return inout(std::move(name), array.data(), std::ssize(array), std::move(restore));
  }
  /// Describes host memory for a result that no data clause names; it is poisoned before each run.
  template <class T>
  [[nodiscard]] static ArrayArgument<T> result(T& place, T before = poison<T>) {
    return {&place, {}, [=, to = &place] { *to = before; }};
  }

private:
  template <class T>
  [[nodiscard]] static Buffer buffer_of(std::string name, const T* array, long count,
                                        Intent intent) {
    return {std::move(name), const_cast<T*>(array), static_cast<std::size_t>(count) * sizeof(T),
            intent};
  }

  template <class Argument, class T>
  Argument take(ArrayArgument<T> array) {
    if (!array.buffer.name.empty())
      _buffers.push_back(std::move(array.buffer));
    if (array.reset)
      _resets.push_back(std::move(array.reset));
    return array.host;
  }
  template <class Argument, class T>
  Argument take(T value) {
    return value;
  }

  std::tuple<Arguments...> _arguments;
  std::vector<Buffer> _buffers;
  std::vector<std::function<void()>> _resets;
  std::string _description;
};

/// The functions of an OpenACC variant, by their addresses in its library: the kernel, and two more
/// if it works something out for its problem first (src/openacc/runtime.h).
struct OpenAccFunctions {
  void* kernel = nullptr;
  void* plan = nullptr;
  void* unplan = nullptr;
};

// The types of a plan's functions; TakesPlan is the kernel's.
namespace detail {
template <class Kernel>
struct WithPlan;
template <class Result, class... Arguments>
struct WithPlan<Result(Arguments...)> {
  using Made = void*(Arguments...);
  using Taken = Result(void* plan, Arguments...);
};
} // namespace detail
template <class Kernel>
using MakesPlan = typename detail::WithPlan<Kernel>::Made;
template <class Kernel>
using TakesPlan = typename detail::WithPlan<Kernel>::Taken;
using EndsPlan = void(void* plan);

/// The time that a comparison may take.
enum class Effort { quick, normal, full };

/// A key that `--set key=value` accepts.
struct Key {
  std::string_view name;
  std::string_view fallback;
  std::string_view help;
};

struct StudyInfo;

/// The values of a study's keys.
class Parameters {
public:
  struct Setting {
    std::string key;
    std::string value;
  };

  /// Errors: UsageError for a key the study does not have, naming those it has.
  Parameters(std::string_view study, std::span<const Key> keys, const std::vector<Setting>& given);
  Parameters(const StudyInfo& study, const std::vector<Setting>& given);

  [[nodiscard]] const std::string& text(const std::string& key) const;
  /// Returns a whole number, which may be written 1e9 or 4096. Errors: UsageError unless minimum <=
  /// value <= maximum.
  [[nodiscard]] std::int64_t integer(const std::string& key, std::int64_t minimum,
                                     std::int64_t maximum) const;
  [[nodiscard]] double real(const std::string& key, double minimum, double maximum) const;
  /// Returns one of a few words. Errors: UsageError that lists them.
  [[nodiscard]] const std::string& choice(const std::string& key,
                                          const std::vector<std::string>& choices) const;
  [[nodiscard]] const std::string& study() const { return _study; }
  /// Returns every key with the value in force, in the study's order.
  [[nodiscard]] const std::vector<Setting>& all() const { return _values; }

private:
  std::string _study;
  std::vector<Setting> _values;
};

/// A named instance that `compare` runs by default.
struct Case {
  std::string name;
  std::vector<Parameters::Setting> settings;
  /// Variants to leave out of this case in both models: those that would take hours at this size.
  /// They are reported as skipped; `--set` runs them.
  std::vector<std::string> without = {};
};

/// The units of a run's time across ranks, on the rank that has most of them. `gangway scale` fits
/// a price to each unit; the time of a run is the sum.
struct RankLoad {
  double work = 0;  ///< bytes that its kernels move
  double waits = 0; ///< waits, one after another: kernels, exchanges, levels of sums
  double bytes = 0; ///< that it sends and receives
};

/// The way that a study's problem is spread over ranks.
struct StudyScaling {
  std::string_view grows = {}; ///< what each rank keeps as there are more, such as "rows"
  /// Returns the settings of a problem that gives each of so many ranks what the given one gives to
  /// one. Errors: UsageError where the problem cannot grow.
  std::vector<Parameters::Setting> (*grown)(const Parameters& of_one, int ranks) = nullptr;
  /// Returns the units of one run of a variant; empty if it is not known what ranks exchange.
  std::optional<RankLoad> (*load)(const Parameters& parameters, std::string_view variant,
                                  int ranks) = nullptr;
};
/// Returns how many messages a sum over so many ranks takes, one after another.
[[nodiscard]] constexpr int levels_of_sum(long ranks) {
  int levels = 0;
  while ((1L << levels) < ranks)
    ++levels;
  return levels;
}

/// The description of a study. It is made of constants and functions, so that it is there before
/// any object that registers something is constructed.
struct StudyInfo {
  std::string_view id;
  std::string_view title = {};
  std::string_view source = {};   ///< where the kernel comes from
  bool whole_by_default = false;  ///< the data movement is the lesson: compared in scope `whole`
  std::span<const Key> keys = {}; ///< of a constexpr array
  std::vector<Case> (*cases)(Effort effort, double memory_bytes) = nullptr;
  std::vector<Case> (*edge_cases)() = nullptr; ///< small and awkward instances for the tests
  /// Returns the bytes of host memory that a problem takes; called before anything is allocated or
  /// measured. Errors: UsageError for a value of any key that the study cannot take, InputError for
  /// a file.
  double (*footprint)(const Parameters& parameters) = nullptr;
  /// True if each rank has its part of the problem; otherwise each rank has a whole one.
  bool across_ranks = false;
  StudyScaling scaling = {}; ///< of those across ranks
};

// The conditions on a study's class, one each, so that a message can name the one that fails.
template <class P>
concept HasKernelType = std::derived_from<P, Problem> && requires(P& problem) {
  requires std::is_function_v<typename P::Kernel>;
  problem.call(static_cast<typename P::Kernel*>(nullptr));
};
template <class P>
concept HasInfo = requires {
  { P::info } -> std::same_as<const StudyInfo&>;
};
template <class P>
concept MadeFromParameters = std::constructible_from<P, const Parameters&>;

/// A study's problem.
template <class P>
concept StudyProblem = HasKernelType<P> && HasInfo<P> && MadeFromParameters<P>;

/// Requires a StudyProblem, with a message of its own for each condition.
template <class P>
constexpr void require_study_problem() {
  static_assert(
      HasKernelType<P>,
      "a study's Problem derives from gangway::harness::ProblemOf<Kernel>, where Kernel is "
      "the function type of its kernels in both models");
  static_assert(HasInfo<P>, "a study's Problem says what it is: static const "
                            "gangway::harness::StudyInfo info;");
  static_assert(std::is_abstract_v<P> || MadeFromParameters<P>,
                "a study's Problem is made from the values of its keys: explicit Problem(const "
                "gangway::harness::Parameters&)");
  static_assert(!std::is_abstract_v<P>, "a study's Problem overrides check() and work()");
}

} // namespace gangway::harness
