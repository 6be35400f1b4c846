// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "gangway/device.hpp"

#include <Kokkos_Core.hpp>

/// OpenACC's queues by their numbers, for ports that keep them. A program that begins in Kokkos
/// makes its instances itself, and names them.
namespace gangway {

/// What `async` without a number means, and what makes a construct wait after all:
/// acc_async_noval, acc_async_sync.
inline constexpr long async_noval = -1;
inline constexpr long async_sync = -2;

/// acc_get_default_async, acc_set_default_async: the queue that `async` without a number means on
/// this thread of the host; at first 0.
[[nodiscard]] int default_queue();
void set_default_queue(long number);

/// The instance that stands for queue `number`, made when it is first asked for and kept until
/// Kokkos ends; numbers that are 16 apart share one, which orders more than OpenACC does.
/// Everything that is on the default instance has ended when it returns, as constructs without
/// `async` have in OpenACC. On hosts, where a kernel has ended when its launch returns, it is the
/// default instance, as for `async_sync` everywhere. Errors: RuntimeError when Kokkos is not
/// running.
[[nodiscard]] Kokkos::DefaultExecutionSpace queue(long number = async_noval);

} // namespace gangway
