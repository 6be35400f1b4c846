// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/study.hpp"
#include "studies/halo/halo.hpp"

namespace gangway::halo {
namespace {

template <class T>
using Plate = Array<T, 2>;
template <class T>
using Changes = Kokkos::View<T, DeviceSpace>;

/// Sweeps the rows from `first`, a gang each: means and the largest change in one pass.
template <class T>
struct Sweep {
  Plate<T> from;
  Plate<T> to;
  long first;

  KOKKOS_FUNCTION void operator()(const Member& gang, T& largest) const {
    const long i = first + gang.league_rank();
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
  }
};

/// All rows of the strip; returns their largest change when they are done.
template <class T>
double sweep(const char* label, const Plate<T>& from, const Plate<T>& to, long rows) {
  if (rows == 0)
    return 0;
  const Sweep<T> body{from, to, 1};
  T change = 0;
  Kokkos::parallel_reduce(label, team_policy({}, rows, body, Kokkos::ParallelReduceTag{}), body,
                          Kokkos::Max<T>(change));
  // Without a column Kokkos returns what is below every number.
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

/// `count` rows from `first` on a queue; returns at once.
template <class T>
void launch(const char* label, const Device& queue, const Sweep<T>& body, long count,
            const Changes<T>& change) {
  Kokkos::parallel_reduce(label, team_policy(queue, {.workers = 8, .vector = 32}, count), body,
                          Kokkos::Max<T, DeviceSpace>(change));
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
    const Changes<T> largest[3]{Changes<T>("halo/change of the first row"),
                                Changes<T>("halo/change of the last row"),
                                Changes<T>("halo/change inside")};
    Kokkos::fence("halo: the plates are there");
    for (int s = 0; s < sweeps; ++s) {
      if (rows > 0)
        launch("halo/overlapped first", border, Sweep<T>{from, to, 1}, 1, largest[0]);
      if (rows > 1)
        launch("halo/overlapped last", border, Sweep<T>{from, to, rows}, 1, largest[1]);
      if (rows > 2)
        launch("halo/overlapped inside", inside, Sweep<T>{from, to, 2}, rows - 2, largest[2]);
      if (rows > 0) {
        border.fence("halo: the border is swept");
        ranks.start(border_of(to.data(), rows, columns));
        ranks.finish();
        inside.fence("halo: the inside is swept");
      }
      double change = 0;
      for (long part = 0; part < std::min(rows, 3L); ++part) {
        T of_part = 0;
        Kokkos::deep_copy(of_part, largest[part]);
        change = std::max(change, static_cast<double>(of_part));
      }
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
