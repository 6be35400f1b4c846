// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/study.hpp"
#include "studies/transfer/transfer.hpp"

namespace gangway::transfer {
namespace {

/// c = a + b on the device.
void add(const char* label, long all, const DeviceView<const float>& a,
         const DeviceView<const float>& b, const DeviceView<float>& c) {
  gangway::parallel_for(
      label, gang_vector(all).vector_length(256), KOKKOS_LAMBDA(long i) { c(i) = a(i) + b(i); });
}

/// One block per matrix: two transfers in, one out.
void contiguous(int n, Input a, Input b, Output c) {
  const long all = static_cast<long>(n) * n;
  Data data;
  add("transfer/contiguous", all, data.copyin(a.block, all), data.copyin(b.block, all),
      data.copyout(c.block, all));
}

/// Adds by one allocation per row: two transfers in and one out for each, and a kernel too, because
/// no two rows lie at a known distance. The kernels are queued; only the copies wait.
void rows(int n, Input a, Input b, Output c) {
  for (int i = 0; i < n; ++i) {
    enter_data_copyin(a.rows[i], n);
    enter_data_copyin(b.rows[i], n);
    enter_data_create(c.rows[i], n);
  }
  for (int i = 0; i < n; ++i) {
    Data data;
    add("transfer/rows", n, data.present(a.rows[i], n), data.present(b.rows[i], n),
        data.present(c.rows[i], n));
  }
  for (int i = 0; i < n; ++i) {
    exit_data_copyout(c.rows[i], n);
    exit_data_delete(a.rows[i], n);
    exit_data_delete(b.rows[i], n);
  }
}

/// The matrices as `contiguous`, but in pinned memory, which the device copies from and to by
/// itself. (Where they lie was decided when the problem was made: pinning costs more than it saves
/// once.)
void pinned(int n, Input a, Input b, Output c) {
  const long all = static_cast<long>(n) * n;
  Data data;
  add("transfer/pinned", all, data.copyin(a.pinned, all), data.copyin(b.pinned, all),
      data.copyout(c.pinned, all));
}

/// Row by row, to or from its place in one block, by all threads of the host.
template <class Copy>
void each_row(const char* label, int n, const Copy& copy) {
  using Host = Kokkos::DefaultHostExecutionSpace;
  const HostKernels own; // also where the host plays the device
  Kokkos::parallel_for(label, Kokkos::RangePolicy<Host>(0, n), copy);
  Host().fence(label);
}

/// Rows that must stay rows on the host: packed into one pinned block per matrix, which crosses as
/// one.
void packed(int n, Input a, Input b, Output c) {
  const long all = static_cast<long>(n) * n;
  each_row("transfer/pack", n, [=](long i) {
    std::copy_n(a.rows[i], n, a.staged + i * n);
    std::copy_n(b.rows[i], n, b.staged + i * n);
  });
  {
    Data data;
    add("transfer/packed", all, data.copyin(a.staged, all), data.copyin(b.staged, all),
        data.copyout(c.pinned, all));
  }
  each_row("transfer/unpack", n, [=](long i) { std::copy_n(c.pinned + i * n, n, c.rows[i]); });
}

const harness::Study<Problem> study({
    .stages = {{"contiguous", contiguous}, {"rows", rows}},
    .beyond = {{"pinned", pinned}, {"packed", packed}},
});

} // namespace
} // namespace gangway::transfer
