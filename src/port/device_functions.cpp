// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "port/device_functions.hpp"

#include <algorithm>
#include <set>

namespace gangway::port {

std::string device_function(const Call& call) {
  if (!call.system || call.function != none)
    return "";
  static const std::set<std::string> known{
      "abs",       "acos",      "acosh",    "asin",  "asinh", "atan",   "atan2", "atanh",
      "cbrt",      "ceil",      "copysign", "cos",   "cosh",  "erf",    "erfc",  "exp",
      "exp2",      "expm1",     "fabs",     "fdim",  "floor", "fma",    "fmax",  "fmin",
      "fmod",      "hypot",     "isfinite", "isinf", "isnan", "lgamma", "log",   "logb",
      "nearbyint", "nextafter", "log10",    "log1p", "log2",  "max",    "min",   "pow",
      "printf",    "remainder", "round",    "sin",   "sinh",  "sqrt",   "tan",   "tanh",
      "tgamma",    "trunc"};
  std::string plain = call.name;
  if (plain.size() > 2 && plain.back() == 'f' && !known.contains(plain))
    plain.pop_back();
  if (plain == "labs" || plain == "llabs")
    plain = "abs";
  return known.contains(plain) ? plain : "";
}

bool is_everywhere(const Call& call) {
  return call.system && call.function == none && (call.name == "memcpy" || call.name == "memset");
}

bool fits_by_using(const Call& call) {
  return call.macro && !call.qualified &&
         std::all_of(call.casts.begin(), call.casts.end(),
                     [](const auto& cast) { return cast.second == "double"; }) &&
         device_function(call) == call.name && call.name != "abs" && call.name != "printf";
}

} // namespace gangway::port
