// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/study.hpp"
#include "studies/halo/halo.hpp"

#include <algorithm>

namespace gangway::halo {
namespace {

template <class T>
using Plate = Array<T, 2>;
template <class T>
using Changes = Kokkos::View<T[2], DeviceSpace>;

/// Sweeps `count` rows, every `step`-th from `first`: means and the largest change in one pass.
template <class T>
struct Sweep {
  Plate<T> from;
  Plate<T> to;
  long first;
  long count;
  long step = 1;

  KOKKOS_FUNCTION void operator()(const Member& gang, T& largest) const {
    loop_gang(gang, count, [&](long row) {
      const long i = first + row * step;
      T of_row = 0;
      Kokkos::parallel_reduce(
          Kokkos::TeamVectorRange(gang, 1, static_cast<long>(from.extent(1)) - 1),
          [&](long j, T& mine) {
            const T mean =
                T(0.25) * (from(i + 1, j) + from(i - 1, j) + from(i, j + 1) + from(i, j - 1));
            mine = Kokkos::max(mine, Kokkos::abs(mean - from(i, j)));
            to(i, j) = mean;
          },
          Kokkos::Max<T>(of_row));
      Kokkos::single(Kokkos::PerTeam(gang), [&] { largest = Kokkos::max(largest, of_row); });
    });
  }
};

/// On a queue, with the largest change where `change` is: in the device's memory, and this returns
/// at once, or a variable of the host, and this waits.
template <class T, class Change>
void launch(const char* label, const Device& queue, const Sweep<T>& body, const Change& change) {
  const Loop rows{.iterations = body.count,
                  .inner = static_cast<long>(body.from.extent(1)) - 2,
                  .reduction = true};
  Kokkos::parallel_reduce(label, loop_policy(queue, {}, rows, body, Kokkos::ParallelReduceTag{}),
                          body, change);
}

/// All rows of the strip; returns their largest change when they are done.
template <class T>
double sweep(const char* label, const Plate<T>& from, const Plate<T>& to, long rows) {
  T change = 0;
  launch(label, Device(), Sweep<T>{from, to, 1, rows}, Kokkos::Max<T>(change));
  // Without a cell Kokkos returns what is below every number.
  return Kokkos::max(change, T(0));
}

/// What the strip in `plate` gives and takes, wherever that is.
template <class T>
ranks::Border border_of(T* plate, long rows, long columns) {
  const long stride = columns + 2;
  return {plate + stride, plate + rows * stride, plate, plate + (rows + 1) * stride,
          static_cast<std::size_t>(stride) * sizeof(T)};
}

/// The type that a run is of.
template <template <class> class Stage>
void run(ranks::Halo* ranks, long rows, long columns, int sweeps, int single, void* plate,
         void* next, double* changes) {
  if (single != 0)
    Stage<float>{}(*ranks, rows, columns, sweeps, static_cast<float*>(plate),
                   static_cast<float*>(next), changes);
  else
    Stage<double>{}(*ranks, rows, columns, sweeps, static_cast<double*>(plate),
                    static_cast<double*>(next), changes);
}

/// The strip's border goes to the host, from there to the other ranks, and what they sent back.
template <class T>
struct Staged {
  void operator()(ranks::Halo& ranks, long rows, long columns, int sweeps, T* plate, T* next,
                  double* changes) const {
    const long stride = columns + 2;
    Data data;
    Plate<T> from = data.copy(plate, rows + 2, stride);
    Plate<T> to = data.copy(next, rows + 2, stride);
    for (int s = 0; s < sweeps; ++s) {
      const double change = sweep<T>("halo/staged", from, to, rows);
      T* const host = s % 2 == 0 ? next : plate;
      if (rows > 0) {
        update_self(host + stride, stride);
        update_self(host + rows * stride, stride);
        ranks.exchange_on_host(border_of(host, rows, columns));
        update_device(host, stride);
        update_device(host + (rows + 1) * stride, stride);
      }
      changes[s] = ranks.largest(change);
      std::swap(from, to);
    }
  }
};

/// The ranks are given pointers into the device's memory.
template <class T>
struct DevicePointers {
  void operator()(ranks::Halo& ranks, long rows, long columns, int sweeps, T* plate, T* next,
                  double* changes) const {
    Data data;
    Plate<T> from = data.copy(plate, rows + 2, columns + 2);
    Plate<T> to = data.copy(next, rows + 2, columns + 2);
    for (int s = 0; s < sweeps; ++s) {
      const double change = sweep<T>("halo/device pointers", from, to, rows);
      if (rows > 0) {
        ranks.start(border_of(to.data(), rows, columns));
        ranks.finish();
      }
      changes[s] = ranks.largest(change);
      std::swap(from, to);
    }
  }
};

/// Two queues that know nothing of each other, kept from run to run. A host has one.
const std::vector<Device>& queues() {
  static std::vector<Device> kept;
  if (kept.empty()) {
    Kokkos::push_finalize_hook([] { kept.clear(); });
    kept = has_device ? Kokkos::Experimental::partition_space(Device(), std::vector<int>{1, 1})
                      : std::vector<Device>(2);
  }
  return kept;
}

/// The first and the last row first; the others are swept while these travel.
template <class T>
struct Overlapped {
  void operator()(ranks::Halo& ranks, long rows, long columns, int sweeps, T* plate, T* next,
                  double* changes) const {
    Data data;
    Plate<T> from = data.copy(plate, rows + 2, columns + 2);
    Plate<T> to = data.copy(next, rows + 2, columns + 2);
    const Device& border = queues()[0];
    const Device& inside = queues()[1];
    const Changes<T> largest("halo/largest changes"); // of the border, of the inside
    const auto launch_on = [&](const Device& queue, const char* label, const Sweep<T>& body,
                               std::size_t part) {
      launch(label, queue, body, Kokkos::Max<T, DeviceSpace>(Kokkos::subview(largest, part)));
    };
    const long apart = std::max(rows - 1, 1L); // from the first row to the last
    Kokkos::fence("halo: the plates are there");
    for (int s = 0; s < sweeps; ++s) {
      launch_on(border, "halo/overlapped border", {from, to, 1, std::min(rows, 2L), apart}, 0);
      launch_on(inside, "halo/overlapped inside", {from, to, 2, std::max(rows - 2, 0L)}, 1);
      if (rows > 0) {
        border.fence("halo: the border is swept");
        ranks.start(border_of(to.data(), rows, columns));
        ranks.finish();
      }
      inside.fence("halo: the inside is swept");
      const auto of_parts = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), largest);
      const T change = Kokkos::max(Kokkos::max(of_parts(0), of_parts(1)), T(0));
      changes[s] = ranks.largest(change);
      std::swap(from, to);
    }
  }
};

const harness::Study<Problem> study({
    .stages = {{"staged", run<Staged>},
               {"device-pointers", run<DevicePointers>},
               {"overlapped", run<Overlapped>}},
});

} // namespace
} // namespace gangway::halo
