// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gangway/gangway.hpp"
#include "snippets.hpp"

namespace guide::kokkos {
namespace {

using gangway::Data;
using Range = Kokkos::RangePolicy<Kokkos::IndexType<long>>;

// [atomic_update]
void atomic_update(long n, int bins, const int* item, int* counts) {
  Data data;
  const auto items = data.copyin(item, n);
  const auto count = data.copyout(counts, bins);
  Kokkos::parallel_for("clear", Range(0, bins), KOKKOS_LAMBDA(long bin) { count(bin) = 0; });
  Kokkos::parallel_for(
      "count", Range(0, n), KOKKOS_LAMBDA(long i) { Kokkos::atomic_add(&count(items(i)), 1); });
}
// [atomic_update]

// [atomic_write]
bool atomic_write(long n, const double* x) {
  int found = 0;
  {
    Data data;
    const auto in = data.copyin(x, n);
    const auto flag = data.copy(&found, 1);
    Kokkos::parallel_for(
        "any", Range(0, n), KOKKOS_LAMBDA(long i) {
          if (in(i) < 0)
            Kokkos::atomic_store(&flag(0), 1);
        });
  } // found is copied out here
  return found != 0;
}
// [atomic_write]

// [atomic_read]
bool atomic_read(long n, const double* x) {
  int found = 0;
  {
    Data data;
    const auto in = data.copyin(x, n);
    const auto flag = data.copy(&found, 1);
    Kokkos::parallel_for(
        "any yet", Range(0, n), KOKKOS_LAMBDA(long i) {
          if (Kokkos::atomic_load(&flag(0)) == 0 && in(i) < 0)
            Kokkos::atomic_store(&flag(0), 1);
        });
  }
  return found != 0;
}
// [atomic_read]

// [atomic_capture]
long atomic_capture(long n, const double* x, long* picked) {
  long count = 0;
  {
    Data data;
    const auto in = data.copyin(x, n);
    const auto counter = data.copy(&count, 1);
    const auto out = data.copy(picked, n);
    Kokkos::parallel_for(
        "pick", Range(0, n), KOKKOS_LAMBDA(long i) {
          if (in(i) < 0) {
            const long place = Kokkos::atomic_fetch_add(&counter(0), 1L);
            out(place) = i;
          }
        });
  }
  return count;
}
// [atomic_capture]

} // namespace

const Atomics atomics{.atomic_update = atomic_update,
                      .atomic_write = atomic_write,
                      .atomic_read = atomic_read,
                      .atomic_capture = atomic_capture};

} // namespace guide::kokkos
