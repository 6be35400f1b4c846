// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/study.hpp"
#include "studies/search/search.hpp"

namespace gangway::search {
namespace {

/// Elements of a gang, or of a chunk.
constexpr long block = 16384;
long blocks(long n) {
  return (n + block - 1) / block;
}

/// Every element is looked at and gets a flag; the host looks for the first flag.
void flags(long n, const float* a, int* found, long* first) {
  Data data;
  const auto element = data.copyin(a, n);
  const auto flag = data.create(found, n);
  const auto body = KOKKOS_LAMBDA(const Member& gang) {
    const long begin = gang.league_rank() * block;
    const long end = Kokkos::min(begin + block, n);
    Kokkos::parallel_for(Kokkos::TeamVectorRange(gang, begin, end),
                         [&](long i) { flag(i) = element(i) >= threshold ? 1 : 0; });
  };
  Kokkos::parallel_for("search/flags", team_policy({}, blocks(n), body, Kokkos::ParallelForTag{}),
                       body);
  Kokkos::fence("search/flags: before the host reads them");
  update_self(found, n);
  long i = 0;
  while (i < n && found[i] == 0)
    ++i;
  *first = i < n ? i : none;
}

/// The smallest index of those found, as a reduction: no flags, and one number to the host.
void reduction(long n, const float* a, int* /*found*/, long* first) {
  Data data;
  const auto element = data.copyin(a, n);
  const auto body = KOKKOS_LAMBDA(const Member& gang, long& smallest) {
    const long begin = gang.league_rank() * block;
    const long end = Kokkos::min(begin + block, n);
    long of_gang = n;
    Kokkos::parallel_reduce(
        Kokkos::TeamVectorRange(gang, begin, end),
        [&](long i, long& partial) {
          partial = Kokkos::min(partial, element(i) >= threshold ? i : n);
        },
        Kokkos::Min<long>(of_gang));
    Kokkos::single(Kokkos::PerTeam(gang), [&] {
      if (of_gang < smallest)
        smallest = of_gang;
    });
  };
  long smallest = n;
  Kokkos::parallel_reduce("search/reduction", team_policy({.workers = 1, .vector = 256}, blocks(n)),
                          body, Kokkos::Min<long>(smallest));
  *first = smallest < n ? smallest : none;
}

/// What gangs share while they look: the chunk that is next, and the least index found so far.
struct Progress {
  long next;
  long found;
};

/// Gangs take chunks in the array's order from one queue, and stop when something was found before
/// the chunk they would take. Within a chunk the question is first only whether, which vectors
/// answer faster than where.
void chunked(const Kokkos::View<Progress, DeviceSpace>& progress, long n, const float* a,
             long* first) {
  Data data;
  const auto element = data.copyin(a, n);
  Kokkos::parallel_for(
      "search/begin", Kokkos::RangePolicy<Device>(0, 1),
      KOKKOS_LAMBDA(int) { progress() = {0, n}; });
  const auto body = KOKKOS_LAMBDA(const Member& gang, long& smallest) {
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
      int any = 0;
      Kokkos::parallel_reduce(
          Kokkos::TeamVectorRange(gang, begin, end),
          [&](long i, int& partial) { partial += element(i) >= threshold ? 1 : 0; }, any);
      if (any == 0)
        continue;
      long where = n;
      Kokkos::parallel_reduce(
          Kokkos::TeamVectorRange(gang, begin, end),
          [&](long i, long& partial) {
            partial = Kokkos::min(partial, element(i) >= threshold ? i : n);
          },
          Kokkos::Min<long>(where));
      Kokkos::single(Kokkos::PerTeam(gang), [&] {
        Kokkos::atomic_min(&progress().found, where);
        if (where < smallest)
          smallest = where;
      });
    }
  };
  // On a device half of the threads that it can hold, so that a gang has registers for its loads.
  const long gangs = has_device ? Device().concurrency() / 256 / 2 : Device().concurrency();
  long smallest = n;
  Kokkos::parallel_reduce("search/chunked",
                          team_policy({.workers = 1, .vector = 256}, Kokkos::min(gangs, blocks(n))),
                          body, Kokkos::Min<long>(smallest));
  *first = smallest < n ? smallest : none;
}

/// With a place for the progress that is made once, off the clock.
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
});

} // namespace
} // namespace gangway::search
