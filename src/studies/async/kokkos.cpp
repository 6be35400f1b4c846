// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/study.hpp"
#include "studies/async/async.hpp"

namespace gangway::async {
namespace {

/// y[first, last) = a x + y, on a queue.
void saxpy(const char* label, const Kokkos::DefaultExecutionSpace& queue, long first, long last,
           float a, const DeviceView<const float>& x, const DeviceView<float>& y) {
  gangway::parallel_for(
      label, gang_vector(queue, last - first), KOKKOS_LAMBDA(long k) {
        const long i = first + k;
        y(i) = a * x(i) + y(i);
      });
}

/// Each step waits for the one before it.
void sync(long n, int blocks, float a, const float* x, float* y) {
  Data data;
  const auto in = data.create(x, n);
  const auto out = data.create(y, n);
  for (int block = 0; block < blocks; ++block) {
    const long first = first_of(block, n, blocks);
    const long last = first_of(block + 1, n, blocks);
    if (first == last)
      break;
    update_device(x + first, last - first);
    update_device(y + first, last - first);
    saxpy("async/sync", Kokkos::DefaultExecutionSpace(), first, last, a, in, out);
    update_self(y + first, last - first);
  }
}

/// Returns so many queues: instances of the device that do not know each other. They are kept from
/// call to call, as an OpenACC runtime keeps its own. A host has one queue, whose kernels use every
/// core; there, instances would only share the cores out.
const std::vector<Kokkos::DefaultExecutionSpace>& queues(int number) {
  static std::vector<Kokkos::DefaultExecutionSpace> kept;
  const auto wanted = static_cast<std::size_t>(number);
  if (kept.empty())
    Kokkos::push_finalize_hook([] { kept.clear(); });
  if (kept.size() < wanted)
    kept = has_device ? Kokkos::Experimental::partition_space(Kokkos::DefaultExecutionSpace(),
                                                              std::vector<int>(wanted, 1))
                      : std::vector<Kokkos::DefaultExecutionSpace>(wanted);
  return kept;
}

/// A block's steps go on the block's queue: in order there, and beside those of other blocks.
void async(long n, int blocks, float a, const float* x, float* y) {
  const std::vector<Kokkos::DefaultExecutionSpace>& queue = queues(blocks);
  Data data;
  const auto in = data.create(x, n);
  const auto out = data.create(y, n);
  for (int block = 0; block < blocks; ++block) {
    const long first = first_of(block, n, blocks);
    const long last = first_of(block + 1, n, blocks);
    if (first == last)
      break;
    const Kokkos::DefaultExecutionSpace& own = queue[static_cast<std::size_t>(block)];
    update_device(own, x + first, last - first);
    update_device(own, y + first, last - first);
    saxpy("async/async", own, first, last, a, in, out);
    update_self(own, y + first, last - first);
  }
  Kokkos::fence("async/async wait");
}

const harness::Study<Problem> study({
    .stages = {{"sync", sync}, {"async", async}},
});

} // namespace
} // namespace gangway::async
