// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/reductions/reductions.hpp"

#include "base/parallel.hpp"
#include "harness/registry.hpp"

#include <fmt/format.h>

#include <mutex>

namespace gangway::reductions {
namespace {

const std::vector<std::string> types{"int", "float", "double"};

Type type_of(const harness::Parameters& parameters) {
  const std::string& type = parameters.choice("type", types);
  return type == "int" ? Type::int32 : type == "float" ? Type::float32 : Type::float64;
}

const char* name_of(Type type) {
  return types[static_cast<std::size_t>(type)].c_str();
}

double size_of(Type type) {
  return type == Type::float64 ? 8 : 4;
}

long count_of(const harness::Parameters& parameters) {
  return parameters.integer("n", 0, 1'000'000'000'000);
}

const char* name_of(Operator applied) {
  constexpr const char* names[] = {"none", "+", "*", "&&", "||", "&", "|", "^", "max", "min"};
  return names[static_cast<int>(applied)];
}

/// A number as good as random, of the index alone (the finalizer of SplitMix64).
std::uint64_t hash(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

/// Ones of both signs in random order, and a few twos and threes: neither sum nor product ever
/// rounds, even in float, so that a result is right or wrong in any order of operations. There are
/// so many more positive ones that the sum is far from zero and yet below 2^24.
template <class T>
void fill(base::HostArray<T>& values) {
  const auto n = static_cast<long>(values.size());
  const double surplus = std::min(0.1, 4e6 / static_cast<double>(std::max(n, 1L)));
  const auto positive = static_cast<std::uint64_t>((0.5 + surplus / 2) * 0x1p32);
  base::parallel_ranges(n, [&](long begin, long end) {
    for (long i = begin; i < end; ++i)
      values[static_cast<std::size_t>(i)] =
          static_cast<T>((hash(static_cast<std::uint64_t>(i)) >> 32) < positive ? 1 : -1);
  });
  constexpr int specials = 17;
  if (n < 2 * specials)
    return;
  for (int k = 0; k < specials; ++k)
    values[static_cast<std::size_t>((k + 1) * (n / (specials + 1)))] =
        static_cast<T>(k % 3 == 1 ? 3 : 2);
}

constexpr harness::Key keys[]{{"type", "double", "int, float or double"},
                              {"n", "33554432", "elements"}};

std::vector<harness::Case> cases(harness::Effort effort, double memory_bytes) {
  const harness::Case doubles{"double", {{"type", "double"}, {"n", "33554432"}}};
  if (effort == harness::Effort::quick)
    return {doubles};
  const bool large = effort == harness::Effort::full && memory_bytes > 12e9;
  if (!large)
    return {{"int", {{"type", "int"}, {"n", "67108864"}}},
            {"float", {{"type", "float"}, {"n", "67108864"}}},
            doubles};
  return {{"int", {{"type", "int"}, {"n", "536870912"}}},
          {"float", {{"type", "float"}, {"n", "536870912"}}},
          {"double", {{"type", "double"}, {"n", "268435456"}}}};
}

} // namespace

constinit const harness::StudyInfo Problem::info{
    .id = "reductions",
    .title = "every operator of the reduction clause",
    .source = "More Tips on OpenACC Acceleration (Microway), reduction operators",
    .keys = keys,
    .cases = cases,
    .edge_cases = []() -> std::vector<harness::Case> {
      const auto of = [](const char* type, const char* n) -> harness::Case {
        return {std::string(n) + " " + type, {{"type", type}, {"n", n}}};
      };
      return {of("int", "0"),         of("float", "0"),     of("double", "0"),
              of("float", "1"),       of("double", "33"),   of("int", "1023"),
              of("float", "1024"),    of("double", "1025"), of("float", "65537"),
              of("double", "300007"), of("int", "100003")};
    },
    .footprint =
        [](const harness::Parameters& given) { return count_of(given) * size_of(type_of(given)); },
};

Problem::Problem(const harness::Parameters& parameters) : _type(type_of(parameters)) {
  hold(count_of(parameters));
  if (_type == Type::int32)
    fill(_ints);
  if (_type == Type::float32)
    fill(_floats);
  if (_type == Type::float64)
    fill(_doubles);
  find_expected();
}

Problem::Problem(Type type, const std::vector<double>& values)
    : _type(type), _exact(type == Type::int32) {
  hold(static_cast<long>(values.size()));
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (type == Type::int32)
      _ints[i] = static_cast<int>(values[i]);
    if (type == Type::float32)
      _floats[i] = static_cast<float>(values[i]);
    if (type == Type::float64)
      _doubles[i] = values[i];
  }
  find_expected();
}

void Problem::hold(long n) {
  _n = n;
  const auto use = [&](auto& values) {
    values.resize(static_cast<std::size_t>(n));
    _values = values.data();
    kernels_find(in("values", values)); // as an argument they have no type, and thus no size
  };
  if (_type == Type::int32)
    use(_ints);
  if (_type == Type::float32)
    use(_floats);
  if (_type == Type::float64)
    use(_doubles);
  kernels_take(_type, n, _values, ProblemOf::result(_result, {}));
  described_as(fmt::format("{} elements of type {}", n, name_of(_type)));
}

void Problem::refuse() {
  throw harness::NotAvailable("this operator is defined on int only; use --set type=int");
}

void Problem::find_expected() {
  with_type(_type, _values, [&]<class T>(const T* values) {
    Expected start;
    start.max = static_cast<double>(least<T>);
    start.min = static_cast<double>(largest<T>);
    _expected = start;
    std::mutex guard;
    base::parallel_ranges(_n, [&, values](long begin, long end) {
      Expected mine = start;
      for (long i = begin; i < end; ++i) {
        const T v = values[i];
        mine.sum += v;
        mine.magnitude += std::abs(static_cast<long double>(v));
        mine.product *= v;
        mine.logical_and = mine.logical_and && v != 0;
        mine.logical_or = mine.logical_or || v != 0;
        if constexpr (std::is_integral_v<T>) {
          mine.bit_and &= v;
          mine.bit_or |= v;
          mine.bit_xor ^= v;
        }
        if (v > mine.max)
          mine.max = v; // a NaN is not
        if (v < mine.min)
          mine.min = v;
      }
      const std::lock_guard lock(guard);
      _expected.sum += mine.sum;
      _expected.magnitude += mine.magnitude;
      _expected.product *= mine.product;
      _expected.logical_and = _expected.logical_and && mine.logical_and;
      _expected.logical_or = _expected.logical_or || mine.logical_or;
      _expected.bit_and &= mine.bit_and;
      _expected.bit_or |= mine.bit_or;
      _expected.bit_xor ^= mine.bit_xor;
      _expected.max = std::max(_expected.max, mine.max);
      _expected.min = std::min(_expected.min, mine.min);
    });
  });
}

double Problem::expected(Operator applied) const {
  const auto rounded = [&](long double value) {
    return _type == Type::float32 ? static_cast<double>(static_cast<float>(value))
                                  : static_cast<double>(value);
  };
  switch (applied) {
  case Operator::none:
    break;
  case Operator::sum:
    return rounded(_expected.sum);
  case Operator::product:
    return rounded(_expected.product);
  case Operator::logical_and:
    return _expected.logical_and ? 1 : 0;
  case Operator::logical_or:
    return _expected.logical_or ? 1 : 0;
  case Operator::bit_and:
    return _expected.bit_and;
  case Operator::bit_or:
    return _expected.bit_or;
  case Operator::bit_xor:
    return _expected.bit_xor;
  case Operator::max:
    return _expected.max;
  case Operator::min:
    return _expected.min;
  }
  return std::numeric_limits<double>::quiet_NaN();
}

harness::Check Problem::check() const {
  harness::Check check;
  if (_result.applied == Operator::none) {
    check.error = std::numeric_limits<double>::infinity();
    check.detail = "no result was written";
    return check;
  }
  const double right = expected(_result.applied);
  // Each of n operations rounds once, in whatever order; where nothing rounds, nothing may differ.
  const double unit = _type == Type::float32 ? std::numeric_limits<float>::epsilon()
                                             : std::numeric_limits<double>::epsilon();
  if (!_exact && _result.applied == Operator::sum)
    check.tolerance = static_cast<double>(_n) * unit * static_cast<double>(_expected.magnitude);
  if (!_exact && _result.applied == Operator::product)
    check.tolerance = static_cast<double>(_n) * unit * std::abs(right);
  // Also where infinities or NaN are right.
  const bool same = _result.value == right || (std::isnan(_result.value) && std::isnan(right));
  check.error = same ? 0 : std::abs(_result.value - right);
  check.passed = same || (std::isfinite(right) && check.error <= check.tolerance);
  if (!check.passed)
    check.detail =
        fmt::format("{} gives {} instead of {}", name_of(_result.applied), _result.value, right);
  return check;
}

harness::Work Problem::work() const {
  const auto n = static_cast<double>(_n);
  return {.bytes = n * size_of(_type),
          .flops = _type == Type::int32 ? 0 : n,
          .single_precision = _type == Type::float32,
          .reasoning = "each element once, and one operation on it"};
}

} // namespace gangway::reductions
