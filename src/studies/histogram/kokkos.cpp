// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/study.hpp"
#include "studies/histogram/histogram.hpp"

#include <Kokkos_ScatterView.hpp>

#include <bit>

namespace gangway::histogram {
namespace {

void zero(const DeviceView<int>& h) {
  Kokkos::parallel_for(
      "histogram/zero", Kokkos::RangePolicy<Kokkos::DefaultExecutionSpace>(0, h.extent_int(0)),
      KOKKOS_LAMBDA(int bin) { h(bin) = 0; });
}

/// Every item counted in the one array of counters.
void atomic_by(const Clauses& clauses, long n, int bins, const int* a, int* h) {
  Data data;
  const auto items = data.copyin(a, n);
  const auto counts = data.copyout(h, bins);
  zero(counts);
  gangway::parallel_for(
      "histogram/atomic", gang_vector(n).clauses(clauses),
      KOKKOS_LAMBDA(long i) { Kokkos::atomic_inc(&counts(items(i))); });
}
void atomic(long n, int bins, const int* a, int* h) {
  atomic_by({}, n, bins, a, h);
}

void of_mapping(const kernels::Mapping& mapping, long n, int bins, const int* a, int* h) {
  atomic_by(mapping.clauses, n, bins, a, h);
}

/// Kokkos' own answer: a copy of the counters for each thread on a host, atomics on a device.
class CountsOfThreads {
public:
  explicit CountsOfThreads(const Problem& problem)
      : _total("histogram/scatter-view total", problem.reference().size()), _scatter(_total) {}

  void operator()(long n, int bins, const int* a, int* h) const {
    Data data;
    const auto items = data.copyin(a, n);
    const auto counts = data.copyout(h, bins);
    Counts total = _total;
    Scatter copies = _scatter;
    zero(total);
    copies.reset();
    constexpr long block = 4096; // whose thread is asked for once
    gangway::parallel_for(
        "histogram/scatter-view", gang((n + block - 1) / block).inner(block),
        KOKKOS_LAMBDA(const Gang<>& gang, long b) {
          const auto mine = copies.access();
          loop_vector(gang, b * block, Kokkos::min((b + 1) * block, n),
                      [&](long i) { mine(items(i)) += 1; });
        });
    Kokkos::Experimental::contribute(total, copies);
    Kokkos::deep_copy(Kokkos::DefaultExecutionSpace(), counts, total);
  }

private:
  using Counts = Kokkos::View<int*, Kokkos::LayoutRight, DeviceSpace>;
  using Scatter =
      Kokkos::Experimental::ScatterView<int*, Kokkos::LayoutRight, Kokkos::DefaultExecutionSpace>;
  Counts _total;
  Scatter _scatter;
};

/// Four items, loaded at once.
struct alignas(16) Quad {
  int item[4];
};

/// One more in a counter in the gang's scratch. A gang on a host is one thread and needs no atomic.
/// Kokkos' atomics work on addresses of any memory; CUDA's own, when nvcc sees that the counter is
/// in shared memory, is one instruction there.
KOKKOS_INLINE_FUNCTION void count(int& counter) {
#if defined(__CUDA_ARCH__)
  atomicAdd(&counter, 1);
#else
  KOKKOS_IF_ON_DEVICE((Kokkos::atomic_inc(&counter);))
  KOKKOS_IF_ON_HOST((++counter;))
#endif
}

constexpr int fast_scratch = 32768; // bytes a gang can have of it on any device

/// Each gang counts a large share of the items in its scratch, of the given level, and adds what it
/// has to the counters of all.
///
/// The scratch holds several copies of each counter. On a device they are up to 32, side by side,
/// and lane l counts item k of its four in copy l + k: the lanes of a warp never meet in one
/// counter, nor in one bank, whatever the items are. On a host they are 4, one after the other, one
/// for each item of the four: equal items in a row do not wait for one another.
template <int level>
void count_by_gangs(long n, int bins, const int* a, int* h) {
  using Layout = std::conditional_t<has_device, Kokkos::LayoutLeft, Kokkos::LayoutRight>;
  using Counts = Kokkos::View<int**, Layout, Kokkos::DefaultExecutionSpace::scratch_memory_space,
                              Kokkos::MemoryTraits<Kokkos::Unmanaged>>; // copy, bin
  using Index =
      std::conditional_t<has_device, int, long>; // what each adds to an address without a detour
  constexpr int lanes = 512;
  constexpr int depth = has_device ? 4 : 1; // loads of four items in flight in every lane
  const int fitting = fast_scratch / (static_cast<int>(sizeof(int)) * bins);
  const int copies = static_cast<int>(
      std::bit_floor(static_cast<unsigned>(std::clamp(fitting, 1, has_device ? 32 : 4))));
  const int mask = copies - 1;

  Data data;
  const auto items = data.copyin(a, n);
  const auto counts = data.copyout(h, bins);
  zero(counts);

  // Quads lie on 16 bytes. The items before the first and after the last are the first gang's.
  const auto address = reinterpret_cast<std::uintptr_t>(items.data());
  const long before = std::min(n, static_cast<long>((16 - address % 16) % 16 / sizeof(int)));
  const long quads = (n - before) / 4;
  const long after = before + 4 * quads;
  const auto quad = deviceptr(reinterpret_cast<const Quad*>(items.data() + before), quads);

  // A few gangs for each that runs at a time: clearing and adding up cost little, and none waits
  // long.
  const long at_a_time = has_device ? Kokkos::DefaultExecutionSpace().concurrency() / lanes
                                    : Kokkos::DefaultExecutionSpace().concurrency();
  const long wanted = (quads + lanes * depth - 1) / (lanes * depth);
  const long gangs = std::clamp(wanted, 1L, 4 * at_a_time);
  const long share = (quads + gangs - 1) / gangs;

  const auto body = KOKKOS_LAMBDA(const Member& gang) {
    const Counts mine(gang.team_scratch(level), copies, bins);
    const int last_copy = mask; // a local: it cannot be one of the counters
    const auto count_quad = [&](const Quad& q, int lane) {
      for (int k = 0; k < 4; ++k)
        count(mine((has_device ? lane + k : k) & last_copy, static_cast<Index>(q.item[k])));
    };
    Kokkos::parallel_for(Kokkos::TeamVectorRange(gang, copies * bins),
                         [&](int k) { mine.data()[k] = 0; });
    gang.team_barrier();

    const long first = gang.league_rank() * share;
    const long last = Kokkos::min(first + share, quads);
    long start = first;
    for (; start + lanes * depth <= last; start += lanes * depth)
      Kokkos::parallel_for(Kokkos::TeamVectorRange(gang, lanes), [&](int lane) {
        Quad q[depth];
        for (int d = 0; d < depth; ++d)
          q[d] = quad(start + d * lanes + lane);
        for (int d = 0; d < depth; ++d)
          count_quad(q[d], lane);
      });
    Kokkos::parallel_for(Kokkos::TeamVectorRange(gang, start, last),
                         [&](long i) { count_quad(quad(i), static_cast<int>(i % lanes)); });
    if (gang.league_rank() == 0) {
      Kokkos::parallel_for(Kokkos::TeamVectorRange(gang, before),
                           [&](long i) { count(mine(0, items(i))); });
      Kokkos::parallel_for(Kokkos::TeamVectorRange(gang, after, n),
                           [&](long i) { count(mine(0, items(i))); });
    }
    gang.team_barrier();

    // Each lane begins with another copy, so that they read from different banks.
    Kokkos::parallel_for(Kokkos::TeamVectorRange(gang, bins), [&](int bin) {
      int sum = 0;
      for (int k = 0; k < copies; ++k)
        sum += mine((bin + k) & mask, bin);
      if (sum != 0)
        Kokkos::atomic_add(&counts(bin), sum);
    });
  };
  gangway::parallel_for("histogram/gang-private",
                        team_policy(gangs).num_workers(1).vector_length(lanes).scratch(
                            level, Counts::shmem_size(copies, bins)),
                        body);
}

/// Too many bins for the fast scratch have one copy in the slow.
void gang_private(long n, int bins, const int* a, int* h) {
  if (bins * static_cast<int>(sizeof(int)) <= fast_scratch)
    count_by_gangs<0>(n, bins, a, h);
  else
    count_by_gangs<1>(n, bins, a, h);
}

const harness::Study<Problem> study({
    .stages = {{.name = "atomic", .kernel = atomic}},
    .beyond = {{.name = "gang-private", .kernel = gang_private},
               {.name = "scatter-view",
                .kernel = harness::run_planned<CountsOfThreads>,
                .openacc_cannot =
                    "a library's choice: on a device it is `atomic`; a copy of the counters "
                    "a thread would be a reduction over an array, which GCC refuses"}},
    .sweep = {.kernel = of_mapping, .own = {{1, 128}, 1}},
});

} // namespace

void atomic_update(long n, int bins, const int* a, int* h) {
  Data data;
  const auto items = data.copyin(a, n);
  const auto sums = data.copyout(h, bins);
  zero(sums);
  gangway::parallel_for(
      "histogram/atomic-update", gang_vector(n),
      KOKKOS_LAMBDA(long i) { Kokkos::atomic_add(&sums(items(i)), static_cast<int>(i % 3)); });
}

void atomic_write(long n, int bins, const int* a, int* h) {
  Data data;
  const auto items = data.copyin(a, n);
  const auto some = data.copyout(h, bins);
  Kokkos::parallel_for(
      "histogram/none", Kokkos::RangePolicy<Kokkos::DefaultExecutionSpace>(0, bins),
      KOKKOS_LAMBDA(int bin) { some(bin) = -1; });
  gangway::parallel_for(
      "histogram/atomic-write", gang_vector(n),
      KOKKOS_LAMBDA(long i) { Kokkos::atomic_store(&some(items(i)), static_cast<int>(i)); });
}

void atomic_read(long n, int bins, const int* a, int* h, int* result) {
  Data data;
  const auto items = data.copyin(a, n);
  const auto counts = data.copyout(h, bins);
  const auto seen = data.copyout(result, n);
  zero(counts);
  gangway::parallel_for(
      "histogram/atomic-read", gang_vector(n), KOKKOS_LAMBDA(long i) {
        Kokkos::atomic_inc(&counts(items(i)));
        seen(i) = Kokkos::atomic_load(&counts(items(i)));
      });
}

void atomic_capture(long n, int bins, const int* a, int* h, int* result) {
  Data data;
  const auto items = data.copyin(a, n);
  const auto counts = data.copyout(h, bins);
  const auto place = data.copyout(result, n);
  zero(counts);
  gangway::parallel_for(
      "histogram/atomic-capture", gang_vector(n),
      KOKKOS_LAMBDA(long i) { place(i) = Kokkos::atomic_fetch_add(&counts(items(i)), 1); });
}

} // namespace gangway::histogram
