// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <exception>
#include <mutex>

#ifdef _OPENMP
#include <omp.h>
#endif

namespace gangway::base {

/// Calls body(begin, end) with contiguous parts of [0, count), one per OpenMP thread; once, with
/// the whole, where the file is compiled without OpenMP. The parts are those of a static schedule,
/// so pages that are first touched here lie near the threads that later read them. An exception
/// leaves the parallel region only after all parts are done; the first one is rethrown.
template <class Body>
void parallel_ranges(long count, const Body& body) {
#ifdef _OPENMP
  std::exception_ptr failure;
  std::mutex guard;
  // Waking the threads costs more than a small loop, much more where cores are shared.
#pragma omp parallel if (count > 4096)
  {
    const long parts = omp_get_num_threads();
    const long part = omp_get_thread_num();
    const long begin = count / parts * part + count % parts * part / parts;
    const long end = count / parts * (part + 1) + count % parts * (part + 1) / parts;
    try {
      if (begin < end)
        body(begin, end);
    } catch (...) {
      const std::lock_guard lock(guard);
      if (!failure)
        failure = std::current_exception();
    }
  }
  if (failure)
    std::rethrow_exception(failure);
#else
  if (count > 0)
    body(0L, count);
#endif
}

} // namespace gangway::base
