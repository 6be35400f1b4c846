// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "studies/histogram/histogram.hpp"

namespace gangway::histogram {

/// Counters of a gang of `gang-private`: 2 KiB of its memory. They take as much of each lane's if a
/// compiler hands such an array to workers as it hands them variables. GCC does, once for each loop
/// over workers.
constexpr int counters = 512;

/// `gang-private` of at most `counters` bins.
void count_in_gangs(long n, int bins, const int* a, int* h);

} // namespace gangway::histogram
