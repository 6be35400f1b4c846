// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/transfer/transfer.hpp"

#include <thread>

using gangway::transfer::Input;
using gangway::transfer::Output;

namespace {

/// c = a + b, with the transfers of its clauses: two in, one out.
void add(long all, const float* a, const float* b, float* c) {
#pragma acc parallel loop gang vector vector_length(256) copyin(a[0 : all], b[0 : all])            \
    copyout(c[0 : all])
  for (long i = 0; i < all; ++i)
    c[i] = a[i] + b[i];
}

/// Calls copy(i) for every row, by all threads of the host. (By threads of C++, because GCC
/// compiles either OpenACC or OpenMP for a GPU.)
template <class Copy>
void each_row(int n, const Copy& copy) {
  constexpr long worth_a_thread = 1L << 18; // elements: starting one takes as long as copying some
  const long cores = std::max(1U, std::thread::hardware_concurrency());
  const long count = std::clamp(static_cast<long>(n) * n / worth_a_thread, 1L, cores);
  const auto share = [=, &copy](long first) {
    for (long i = first; i < n; i += count)
      copy(i);
  };
  std::vector<std::jthread> others; // waited for at the end of the scope
  for (long first = 1; first < count; ++first)
    others.emplace_back(share, first);
  share(0);
}

} // namespace

extern "C" {

/// One block per matrix: two transfers in, one out.
void gangway_transfer_contiguous(int n, Input a, Input b, Output c) {
  add(static_cast<long>(n) * n, a.block, b.block, c.block);
}

/// Adds by one allocation per row: two transfers in and one out for each, and a kernel too. (One
/// kernel could find all rows by pointers that are attached on the device; their transfers would be
/// as many.) The kernels are queued; only the copies wait.
void gangway_transfer_rows(int n, Input a_forms, Input b_forms, Output c_forms) {
  for (int i = 0; i < n; ++i) {
    [[maybe_unused]] const float* a =
        a_forms.rows[i]; // GCC takes no note of uses in a data directive
    [[maybe_unused]] const float* b = b_forms.rows[i];
    [[maybe_unused]] float* c = c_forms.rows[i];
#pragma acc enter data copyin(a[0 : n], b[0 : n]) create(c[0 : n])
  }
  for (int i = 0; i < n; ++i) {
    const float* a = a_forms.rows[i];
    const float* b = b_forms.rows[i];
    float* c = c_forms.rows[i];
#pragma acc parallel loop gang vector vector_length(256) present(a[0 : n], b[0 : n], c[0 : n])     \
    async(1)
    for (int j = 0; j < n; ++j)
      c[j] = a[j] + b[j];
  }
#pragma acc wait(1)
  for (int i = 0; i < n; ++i) {
    [[maybe_unused]] const float* a =
        a_forms.rows[i]; // GCC takes no note of uses in a data directive
    [[maybe_unused]] const float* b = b_forms.rows[i];
    [[maybe_unused]] float* c = c_forms.rows[i];
#pragma acc exit data copyout(c[0 : n]) delete (a[0 : n], b[0 : n])
  }
}

/// Adds the matrices as `contiguous`, but in pinned memory, which the device copies from and to by
/// itself: the same clauses on other addresses. Any allocator of pinned memory will do.
void gangway_transfer_pinned(int n, Input a, Input b, Output c) {
  add(static_cast<long>(n) * n, a.pinned, b.pinned, c.pinned);
}

/// Adds rows that must stay rows on the host: packed into one pinned block per matrix, which
/// crosses as one.
void gangway_transfer_packed(int n, Input a, Input b, Output c) {
  each_row(n, [=](long i) {
    std::copy_n(a.rows[i], n, a.staged + i * n);
    std::copy_n(b.rows[i], n, b.staged + i * n);
  });
  add(static_cast<long>(n) * n, a.staged, b.staged, c.pinned);
  each_row(n, [=](long i) { std::copy_n(c.pinned + i * n, n, c.rows[i]); });
}

} // extern "C"
