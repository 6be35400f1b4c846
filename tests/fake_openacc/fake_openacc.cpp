// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Libraries that pass, or do not quite pass, for the OpenACC side: for tests of how one is loaded,
// bound to the library's device memory and checked. What CMake defines decides what is odd about
// each.
#ifdef FAKE_OF_KOKKOS
#include "fake_kokkos.hpp"
#endif
#include "mapped.hpp"
#include "openacc/runtime.h"
#include "sparse/csr.hpp"

#include <link.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#ifndef FAKE_COMPILER
#define FAKE_COMPILER "Pretend 1.0"
#endif
#ifndef FAKE_ABI
#define FAKE_ABI GANGWAY_OPENACC_ABI
#endif
#ifndef FAKE_RAN_ON
#define FAKE_RAN_ON "host"
#endif
#ifndef FAKE_REPORTED
#define FAKE_REPORTED 1
#endif
#ifndef FAKE_FLAGS
#define FAKE_FLAGS "-facc \"quoted\""
#endif
#ifndef FAKE_GANGS
#define FAKE_GANGS n
#endif
#ifndef FAKE_WORKERS
#define FAKE_WORKERS 16
#endif
#ifndef FAKE_LAUNCHES_REPORTED
#define FAKE_LAUNCHES_REPORTED 0
#endif
#ifndef FAKE_SELECT
#define FAKE_SELECT 0
#endif

namespace {

#ifdef FAKE_SHARED_RUNTIME
std::map<void*, Mapped>& mapped = shared_mapped;
#else
std::map<void*, Mapped> mapped;
#endif
gangway_openacc_transfers counted{};
gangway_openacc_launches launched{};

/// Of the variant with-plan.
int plans_made = 0;
int plans_left = 0;

/// What the clause copyin(host[0:n]) or copyout(host[0:n]) gives a kernel.
template <class T>
T* enter(T* host, int n, bool copyin) {
  void* const key = const_cast<void*>(static_cast<const void*>(host));
  if (const auto found = mapped.find(key); found != mapped.end())
    return static_cast<T*>(found->second.device);
  (copyin ? counted.to_device : counted.to_host) += 1;
  (copyin ? counted.bytes_to_device : counted.bytes_to_host) +=
      static_cast<unsigned long long>(n) * sizeof(T);
  return host; // computes in place of a copy
}

#ifdef FAKE_LONELY
/// How many libraries are in the process that are, or pass for, an OpenACC side.
int openacc_libraries() {
  int found = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* library, std::size_t, void* counter) {
        const std::string_view name = library->dlpi_name;
        if (name.find("/fake/") != name.npos || name.find("libgangway_openacc") != name.npos)
          ++*static_cast<int*>(counter);
        return 0;
      },
      &found);
  return found;
}
#endif

} // namespace

#ifdef FAKE_HAS_RUNTIME
/// As if the runtime were linked into the library: an acc_* function that libgomp has, too.
extern "C" int acc_get_num_devices(int /*type*/) {
  return 0;
}
#endif

extern "C" {

int gangway_openacc_abi(void) {
  return FAKE_ABI;
}
const char* gangway_openacc_compiler(void) {
  return FAKE_COMPILER;
}
const char* gangway_openacc_flags(void) {
  return FAKE_FLAGS;
}
int gangway_openacc_version(void) {
  return 201711;
}
const void* gangway_openacc_runtime(void) {
#if defined(FAKE_BOUND_ELSEWHERE)
  return reinterpret_cast<const void*>(&gangway_openacc_abi);
#elif defined(FAKE_HAS_RUNTIME)
  return reinterpret_cast<const void*>(&acc_get_num_devices);
#else
  return &mapped;
#endif
}
int gangway_openacc_select(int /*device*/) {
#if defined(FAKE_LONELY)
  return openacc_libraries() > 1 ? 1 : 0;
#elif defined(FAKE_OF_KOKKOS)
  return gangway::fake_openacc::Kokkos::initialized != 0 ? 0 : 1;
#else
  return FAKE_SELECT;
#endif
}
int gangway_openacc_gpu_count(void) {
  return 0;
}
const char* gangway_openacc_ran_on(void) {
  return FAKE_RAN_ON;
}
#ifndef FAKE_WITHOUT_MAP
void gangway_openacc_map(void* host, void* device, size_t bytes) {
  if (!mapped.emplace(host, Mapped{device, bytes}).second)
    std::abort(); // as libgomp does with what is mapped already
}
#endif
void gangway_openacc_unmap(void* host) {
  if (mapped.erase(host) == 0)
    std::abort();
}
int gangway_openacc_is_present(void* host, size_t bytes) {
  const auto found = mapped.find(host);
  return found != mapped.end() && bytes <= found->second.bytes;
}
void gangway_openacc_memory(size_t* total, size_t* free) {
  *total = 2000;
  *free = 1000;
}
const char* gangway_openacc_device_name(void) {
  return "Abacus";
}
int gangway_openacc_get_transfers(struct gangway_openacc_transfers* transfers) {
  *transfers = counted;
  return FAKE_REPORTED;
}

int gangway_openacc_get_launches(struct gangway_openacc_launches* launches) {
  *launches = launched;
  return FAKE_LAUNCHES_REPORTED;
}
void gangway_openacc_clear_launches(void) {
  launched.count = 0;
}

/// The kernel of tests/harness/doubling.hpp: copyin(x[0:n]) copyout(y[0:n]).
void gangway_doubling_plain(int n, const double* x, double* y) {
  launched.kept[0] = {FAKE_GANGS, FAKE_WORKERS, 32};
  launched.count = 1;
  const double* const in = enter(x, n, true);
  double* const out = enter(y, n, false);
  for (int i = 0; i < n; ++i)
    out[i] = 2 * in[i];
}

/// Right but for its last element.
void gangway_doubling_half_done(int n, const double* x, double* y) {
  gangway_doubling_plain(n - 1, x, y);
}

/// Its plan is the factor. It counts how many there were, and how many there are.
int gangway_doubling_plans_made(void) {
  return plans_made;
}
int gangway_doubling_plans_left(void) {
  return plans_left;
}
void* gangway_doubling_with_plan_plan(int /*n*/, const double* /*x*/, double* /*y*/) {
  ++plans_made;
  ++plans_left;
  return new double(2);
}
void gangway_doubling_with_plan(void* plan, int n, const double* x, double* y) {
  const double* const in = enter(x, n, true);
  double* const out = enter(y, n, false);
  for (int i = 0; i < n; ++i)
    out[i] = *static_cast<const double*>(plan) * in[i];
}
void gangway_doubling_with_plan_unplan(void* plan) {
  --plans_left;
  delete static_cast<double*>(plan);
}

/// A plan that nothing ends: a slip.
void gangway_doubling_half_planned(int n, const double* x, double* y) {
  gangway_doubling_plain(n, x, y);
}
void* gangway_doubling_half_planned_plan(int /*n*/, const double* /*x*/, double* /*y*/) {
  return nullptr;
}

/// Wrong in every row: for tests of what the command does when a check fails. Where the device is
/// lost, it ends as GCC's runtime ends a program then.
void gangway_spmv_default(gangway::sparse::Csr matrix, const double* /*x*/, double* y) {
#ifdef FAKE_LOST
  std::fputs("\nlibgomp: cuStreamSynchronize error: unspecified launch failure\n", stderr);
  FAKE_LOST;
#endif
  for (int row = 0; row < matrix.rows; ++row)
    y[row] = -1;
}

} // extern "C"
