// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "harness/problem.hpp"

/// An array reduced to one value by each operator of the reduction clause: + * && || & | ^ max min,
/// on int, float and double where the operator is defined.
///
///     T total = 0;
///     for (long i = 0; i < n; ++i) total += values[i];      // or *=, &&, …, from that operator's
///     identity
///
/// gang: blocks of the array, whose partial results are combined last;
/// worker: none, one for each gang;
/// vector: the elements of a block.
namespace gangway::reductions {

enum class Type { int32, float32, float64 };

enum class Operator {
  none,
  sum,
  product,
  logical_and,
  logical_or,
  bit_and,
  bit_or,
  bit_xor,
  max,
  min
};

/// Result of a kernel. A double holds every int and every float.
struct Result {
  Operator applied = Operator::none;
  double value = 0;
};

/// values: n elements of `type`. Returns false, and does nothing, if the operator is not defined on
/// it.
using Kernel = bool(Type type, long n, const void* values, Result* result);

/// The identities of max and min. Of floating-point types they are infinities: with the lowest
/// finite value, as a limit that looks right, the maximum of nothing but -infinity would be wrong.
template <class T>
constexpr T least = std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity()
                                                         : std::numeric_limits<T>::lowest();
template <class T>
constexpr T largest = std::numeric_limits<T>::has_infinity ? std::numeric_limits<T>::infinity()
                                                           : std::numeric_limits<T>::max();

/// Calls reduce(values) with their true type; false if it does not take that type.
template <class Reduce>
bool with_type(Type type, const void* values, const Reduce& reduce) {
  const auto call = [&](const auto* typed) {
    constexpr bool defined = std::is_invocable_v<Reduce, decltype(typed)>;
    if constexpr (defined)
      reduce(typed);
    return defined;
  };
  switch (type) {
  case Type::int32:
    return call(static_cast<const int*>(values));
  case Type::float32:
    return call(static_cast<const float*>(values));
  case Type::float64:
    return call(static_cast<const double*>(values));
  }
  return false;
}

class Problem : public harness::ProblemOf<Kernel> {
public:
  static const harness::StudyInfo info;
  explicit Problem(const harness::Parameters& parameters);
  /// Takes these values, converted to the type, for tests.
  Problem(Type type, const std::vector<double>& values);

  /// Errors: NotAvailable if the kernel's operator is not defined on this type.
  template <class F>
  void call(F&& kernel) {
    if (!ProblemOf::call(std::forward<F>(kernel)))
      refuse();
  }

  [[nodiscard]] harness::Check check() const override;
  [[nodiscard]] harness::Work work() const override;

  [[nodiscard]] const Result& result() const { return _result; }
  /// What `applied` gives on these values, in long double or in integers.
  [[nodiscard]] double expected(Operator applied) const;

private:
  void hold(long n);
  void find_expected();
  [[noreturn]] static void refuse();

  Type _type;
  long _n = 0;
  bool _exact = true;         ///< no operator rounds, in whatever order it takes the values
  base::HostArray<int> _ints; ///< of the three arrays, the one of the type is used
  base::HostArray<float> _floats;
  base::HostArray<double> _doubles;
  const void* _values = nullptr;
  Result _result;

  struct Expected {
    long double sum = 0;
    long double magnitude = 0; ///< sum of |v|: what the rounding error of a sum scales with
    long double product = 1;
    bool logical_and = true;
    bool logical_or = false;
    int bit_and = ~0;
    int bit_or = 0;
    int bit_xor = 0;
    double max = 0; ///< set with the type's identity
    double min = 0;
  };
  Expected _expected;
};

} // namespace gangway::reductions
