// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/problem.hpp"

#include "base/contains.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace gangway::harness {
namespace {

double number(const std::string& study, const Parameters::Setting& setting, const char* what) {
  double value = 0;
  const char* const end = setting.value.data() + setting.value.size();
  const auto [stop, error] = std::from_chars(setting.value.data(), end, value);
  if (error == std::errc::result_out_of_range)
    throw base::UsageError(
        fmt::format("{}: {}={} is out of range", study, setting.key, setting.value));
  if (error != std::errc{} || stop != end || !std::isfinite(value))
    throw base::UsageError(
        fmt::format("{}: {}={} is not {}", study, setting.key, setting.value, what));
  return value;
}

} // namespace

Parameters::Parameters(const StudyInfo& study, const std::vector<Setting>& given)
    : Parameters(study.id, study.keys, given) {}

Parameters::Parameters(std::string_view study, std::span<const Key> keys,
                       const std::vector<Setting>& given)
    : _study(study) {
  for (const Key& key : keys)
    _values.push_back({std::string(key.name), std::string(key.fallback)});
  for (const Setting& setting : given) {
    const auto known = std::find_if(_values.begin(), _values.end(),
                                    [&](const Setting& s) { return s.key == setting.key; });
    if (known == _values.end()) {
      std::vector<std::string> names;
      for (const Key& key : keys)
        names.emplace_back(key.name);
      throw base::UsageError(
          keys.empty() ? fmt::format("{} has no keys to set; '{}' was given", _study, setting.key)
                       : fmt::format("{} has no key '{}'; it has: {}", _study, setting.key,
                                     fmt::join(names, ", ")));
    }
    known->value = setting.value;
  }
}

const std::string& Parameters::text(const std::string& key) const {
  const auto known =
      std::find_if(_values.begin(), _values.end(), [&](const Setting& s) { return s.key == key; });
  if (known == _values.end())
    throw std::logic_error("undeclared key " + key);
  return known->value;
}

std::int64_t Parameters::integer(const std::string& key, std::int64_t minimum,
                                 std::int64_t maximum) const {
  const Setting setting{key, text(key)};
  std::int64_t value = 0;
  const char* const end = setting.value.data() + setting.value.size();
  const auto [stop, error] = std::from_chars(setting.value.data(), end, value);
  if (error != std::errc{} || stop != end) {
    const double real = number(_study, setting, "a whole number");
    if (real != std::trunc(real))
      throw base::UsageError(
          fmt::format("{}: {}={} is not a whole number", _study, key, setting.value));
    if (std::abs(real) > 9e18)
      throw base::UsageError(fmt::format("{}: {}={} is out of range; it goes from {} to {}", _study,
                                         key, setting.value, minimum, maximum));
    value = static_cast<std::int64_t>(real);
  }
  if (value < minimum || value > maximum)
    throw base::UsageError(fmt::format("{}: {}={} is out of range; it goes from {} to {}", _study,
                                       key, setting.value, minimum, maximum));
  return value;
}

double Parameters::real(const std::string& key, double minimum, double maximum) const {
  const Setting setting{key, text(key)};
  const double value = number(_study, setting, "a number");
  if (value < minimum || value > maximum)
    throw base::UsageError(fmt::format("{}: {}={} is out of range; it goes from {} to {}", _study,
                                       key, setting.value, minimum, maximum));
  return value;
}

const std::string& Parameters::choice(const std::string& key,
                                      const std::vector<std::string>& choices) const {
  const std::string& value = text(key);
  if (!base::contains(choices, value))
    throw base::UsageError(
        fmt::format("{}: {}={} is not one of {}", _study, key, value, fmt::join(choices, ", ")));
  return value;
}

} // namespace gangway::harness
