// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/study.hpp"
#include "kernels/packs.hpp"
#include "kernels/sum.hpp"
#include "studies/search/search.hpp"

namespace gangway::search {
namespace {

/// Every element is looked at and gets a flag; the host looks for the first flag.
template <class Policy>
void flags_by(const Policy& policy, long n, const float* a, int* found, long* first) {
  Data data;
  const auto element = data.copyin(a, n);
  const auto flag = data.create(found, n);
  gangway::parallel_for(
      "search/flags", policy, KOKKOS_LAMBDA(long i) { flag(i) = element(i) >= threshold ? 1 : 0; });
  Kokkos::fence("search/flags: before the host reads them");
  update_self(found, n);
  long i = 0;
  while (i < n && found[i] == 0)
    ++i;
  *first = i < n ? i : none;
}
void flags(long n, const float* a, int* found, long* first) {
  flags_by(gang_vector(n), n, a, found, first);
}

void of_mapping(const kernels::Mapping& mapping, long n, const float* a, int* found, long* first) {
  flags_by(gang_vector(n).clauses(mapping.clauses), n, a, found, first);
}

/// The first place in a device's thread's part of a[0], …, a[n - 1] that holds the threshold or
/// more; n if there is none. The part is every `threads`-th pack of 16 bytes from number `thread`
/// on, eight of them asked for before the first is looked at, and of what are no whole packs every
/// `threads`-th element. A thread meets its packs in the array's order: it may stop at the first.
KOKKOS_FORCEINLINE_FUNCTION long first_in_packs(const float* a, long n, long thread, long threads) {
  constexpr int depth = 8;
  constexpr int size = kernels::Pack<float>::size;
  const long packs = kernels::is_pack_aligned(a) ? n / size : 0;
  const auto* const pack = reinterpret_cast<const kernels::Pack<float>*>(a);
  for (long at = thread; at < packs; at += depth * threads) {
    kernels::Pack<float> loaded[depth];
    for (int d = 0; d < depth; ++d)
      loaded[d] = pack[Kokkos::min(at + d * threads, packs - 1)];
    bool any = false; // and no largest element, because a NaN would hide those after it
    for (int d = 0; d < depth; ++d)
      for (int k = 0; k < size; ++k)
        any |= loaded[d].at[k] >= threshold;
    if (any) // in the last pack perhaps, which is another thread's
      for (int d = 0; d < depth; ++d)
        for (int k = 0; k < size; ++k)
          if (const long number = at + d * threads; number < packs && loaded[d].at[k] >= threshold)
            return number * size + k;
  }
  for (long i = packs * size + thread; i < n; i += threads)
    if (a[i] >= threshold)
      return i;
  return n;
}

/// Searches on a device: many loads in flight in every thread, no more gangs than run at a time.
[[maybe_unused]] void smallest_on_device(long n, const DeviceView<const float>& element,
                                         long& smallest) {
  const kernels::SumGangs shape;
  gangway::parallel_reduce(
      "search/reduction", team_policy(shape.gangs).clauses(shape.clauses),
      KOKKOS_LAMBDA(const Member& gang, long& found) {
        const long size = gang.team_size();
        found = Kokkos::min(found, first_in_packs(element.data(), n,
                                                  gang.league_rank() * size + gang.team_rank(),
                                                  gang.league_size() * size));
      },
      gangway::reduction::min(smallest));
}

/// Searches on a host, which compares in vectors.
[[maybe_unused]] void smallest_on_host(long n, const DeviceView<const float>& element,
                                       long& smallest) {
  gangway::parallel_reduce(
      "search/reduction", gang_vector(n),
      KOKKOS_LAMBDA(long i, long& found) {
        const long nowhere = n; // loaded without a condition, or GCC makes no vectors
        found = Kokkos::min(found, element(i) >= threshold ? i : nowhere);
      },
      gangway::reduction::min(smallest));
}

/// The smallest index of those found, as a reduction: no flags, and one number to the host.
void reduction(long n, const float* a, int* /*found*/, long* first) {
  Data data;
  const auto element = data.copyin(a, n);
  long smallest = n;
  if constexpr (has_device)
    smallest_on_device(n, element, smallest);
  else
    smallest_on_host(n, element, smallest);
  *first = smallest < n ? smallest : none;
}

/// The smallest index of those found from `begin` to before `end`, which is a multiple of a pack
/// from the array's start; n if there is none. On a host the question is first only whether, which
/// vectors answer faster than where.
KOKKOS_INLINE_FUNCTION long smallest_in_chunk(const Member& gang,
                                              const DeviceView<const float>& element, long begin,
                                              long end, long n) {
  long where = n;
  if constexpr (has_device) {
    constexpr int lanes = 256;
    Kokkos::parallel_reduce(
        Kokkos::TeamVectorRange(gang, lanes),
        [&](int lane, long& partial) {
          const long found = first_in_packs(element.data() + begin, end - begin, lane, lanes);
          partial = Kokkos::min(partial, found < end - begin ? begin + found : n);
        },
        Kokkos::Min<long>(where));
  } else {
    int any = 0;
    Kokkos::parallel_reduce(
        Kokkos::TeamVectorRange(gang, begin, end),
        [&](long i, int& partial) { partial += element(i) >= threshold ? 1 : 0; }, any);
    if (any > 0)
      Kokkos::parallel_reduce(
          Kokkos::TeamVectorRange(gang, begin, end),
          [&](long i, long& partial) {
            partial = Kokkos::min(partial, element(i) >= threshold ? i : n);
          },
          Kokkos::Min<long>(where));
  }
  return where;
}

/// Progress that gangs share: the chunk that is next, and the least index found so far.
struct Progress {
  long next;
  long found;
};

/// Gangs take chunks in the array's order from one queue, and stop when something was found before
/// the chunk they would take.
void chunked(const Kokkos::View<Progress, DeviceSpace>& progress, long n, const float* a,
             long* first) {
  Data data;
  const auto element = data.copyin(a, n);
  constexpr long block = 16384; // elements of a chunk
  Kokkos::parallel_for(
      "search/begin", Kokkos::RangePolicy<Kokkos::DefaultExecutionSpace>(0, 1),
      KOKKOS_LAMBDA(int) { progress() = {0, n}; });
  // On a device half of the threads that it can hold, so that a gang has registers for its loads.
  const long gangs = has_device ? Kokkos::DefaultExecutionSpace().concurrency() / 256 / 2
                                : Kokkos::DefaultExecutionSpace().concurrency();
  long smallest = n;
  gangway::parallel_reduce(
      "search/chunked", team_policy(Kokkos::min(gangs, (n + block - 1) / block)).vector_length(256),
      KOKKOS_LAMBDA(const Member& gang, long& least) {
        for (;;) {
          long begin = n;
          Kokkos::single(
              Kokkos::PerTeam(gang),
              [&](long& taken) {
                taken = Kokkos::atomic_fetch_add(&progress().next, 1L) * block;
                if (Kokkos::atomic_load(&progress().found) < taken)
                  taken = n;
              },
              begin);
          if (begin >= n)
            break;
          const long end = Kokkos::min(begin + block, n);
          const long where = smallest_in_chunk(gang, element, begin, end, n);
          if (where == n)
            continue;
          Kokkos::single(Kokkos::PerTeam(gang), [&] {
            Kokkos::atomic_min(&progress().found, where);
            if (where < least)
              least = where;
          });
        }
      },
      gangway::reduction::min(smallest));
  *first = smallest < n ? smallest : none;
}

/// Variant with a place for the progress that is made once, off the clock.
class Chunked {
public:
  void operator()(long n, const float* a, int* /*found*/, long* first) const {
    chunked(_progress, n, a, first);
  }

private:
  Kokkos::View<Progress, DeviceSpace> _progress{"search/progress"};
};

const harness::Study<Problem> study({
    .stages = {{"flags", flags}},
    .beyond = {{"reduction", reduction}, {"chunked", harness::run_planned<Chunked>}},
    .sweep = {.kernel = of_mapping, .own = {{1, 128}, 1}},
});

} // namespace
} // namespace gangway::search
