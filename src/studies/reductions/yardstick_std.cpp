// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/study.hpp"
#include "studies/reductions/reductions.hpp"

#include <numeric>

namespace gangway::reductions {

/// The sum in any order, on one thread, as the standard library has it.
static bool reduce(Type type, long n, const void* values, Result* result) {
  return with_type(type, values, [&](const auto* typed) {
    *result = {Operator::sum, static_cast<double>(std::reduce(typed, typed + n))};
  });
}

const harness::Yardstick<Problem> standard("std-reduce", reduce);

} // namespace gangway::reductions
