// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/study.hpp"
#include "studies/search/search.hpp"

namespace gangway::search {

/// The library's own search, on one thread, which stops where it finds.
static void native(long n, const float* a, int* /*found*/, long* first) {
  const float* const place = std::find_if(a, a + n, [](float x) { return x >= threshold; });
  *first = place != a + n ? place - a : none;
}

const harness::Yardstick<Problem> find_if("std::find_if", native);

} // namespace gangway::search
