// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gangway/queues.hpp"
#include "harness/study.hpp"
#include "studies/halo/rounds.hpp"
#include "studies/halo_blocks/halo_blocks.hpp"

namespace gangway::halo_blocks {
namespace {

template <class T>
using Plate = DeviceView<T, 2>;
using Numbers = Kokkos::RangePolicy<Kokkos::DefaultExecutionSpace>;

template <class T>
KOKKOS_INLINE_FUNCTION T mean_of(const Plate<T>& plate, long i, long j) {
  return T(0.25) * (plate(i + 1, j) + plate(i - 1, j) + plate(i, j + 1) + plate(i, j - 1));
}

/// Sweeps some cells on a queue: means and the largest change, the rows over gangs, the columns
/// over the vector. It raises `change` to that. If `change` is a View in the device's memory, it
/// returns at once; if it is a variable of the host, it waits.
template <class T, class Change>
void sweep(const char* label, const Kokkos::DefaultExecutionSpace& queue, const Plate<T>& from,
           const Plate<T>& to, const Cells& cells, Change& change) {
  // A multiprocessor holds all of its threads if they have 32 registers. Without the bound sweeps
  // took 1.07 to 1.21 times as long on an H200.
  using Bounds = Kokkos::LaunchBounds<1024, 2>;
  gangway::parallel_reduce(
      label,
      gang(queue, cells.rows())
          .inner(cells.end_column - cells.first_column)
          .launch_bounds(Bounds()),
      KOKKOS_LAMBDA(const Gang<>& gang, long row, T& largest) {
        const long i = cells.first_row + row;
        loop_vector(
            gang, cells.first_column, cells.end_column,
            [&](long j, T& mine) {
              const T mean = mean_of<T>(from, i, j);
              mine = Kokkos::max(mine, Kokkos::abs(mean - from(i, j)));
              to(i, j) = mean;
            },
            reduction::max(largest));
      },
      reduction::max(change));
}

/// Data of a run on the device.
template <class T>
struct OnDevice {
  OnDevice(const LocalBlock& block, const Border& border, T* plate, T* next, T* for_packed,
           T* for_arrived)
      : from(data.copy(plate, block.rows_with_halo(), block.stride())),
        to(data.copy(next, block.rows_with_halo(), block.stride())),
        packed(data.create(for_packed, border.sent_count)),
        arrived(data.create(for_arrived, border.received_count)),
        sent(data.copyin(border.sent, border.sent_count)),
        received(data.copyin(border.received, border.received_count)) {}

  Data data;
  Plate<T> from;
  Plate<T> to;
  DeviceView<T> packed;
  DeviceView<T> arrived;
  DeviceView<const int> sent;
  DeviceView<const int> received;
};

/// Packs the cells that other ranks want, one after the other, in one kernel.
template <class T>
void pack(const Kokkos::DefaultExecutionSpace& queue, const OnDevice<T>& run,
          const Plate<T>& from) {
  const T* const plate = from.data();
  const auto packed = run.packed;
  const auto sent = run.sent;
  Kokkos::parallel_for(
      "halo_blocks/pack", Numbers(queue, 0, sent.extent_int(0)),
      KOKKOS_LAMBDA(int k) { packed(k) = plate[sent(k)]; });
}

/// The way back, into the halo.
template <class T>
void unpack(const Kokkos::DefaultExecutionSpace& queue, const OnDevice<T>& run,
            const Plate<T>& to) {
  T* const plate = to.data();
  const auto arrived = run.arrived;
  const auto received = run.received;
  Kokkos::parallel_for(
      "halo_blocks/unpack", Numbers(queue, 0, received.extent_int(0)),
      KOKKOS_LAMBDA(int k) { plate[received(k)] = arrived(k); });
}

/// All cells of the block; returns their largest change when they are done.
template <class T>
double sweep(const char* label, const LocalBlock& block, const OnDevice<T>& run) {
  T change = 0;
  sweep<T>(label, Kokkos::DefaultExecutionSpace(), run.from, run.to, block.own_and(0), change);
  return change;
}

/// A stage: it exchanges what is next to the block.
template <template <class> class Stage, class T>
void run(LocalBlock block, int sweeps, T* plate, T* next, T* packed, T* arrived, double*, double*,
         double* changes) {
  Stage<T>{}(block, sweeps, plate, next, packed, arrived, changes);
}

/// Variant with packed cells that go to the host, then to the other ranks, while theirs come back.
template <class T>
struct Staged {
  void operator()(const LocalBlock& block, int sweeps, T* plate, T* next, T* packed, T* arrived,
                  double* changes) const {
    const Border& border = block.nearest;
    OnDevice<T> run(block, border, plate, next, packed, arrived);
    for (int s = 0; s < sweeps; ++s) {
      const double change = sweep("halo_blocks/staged", block, run);
      pack(Kokkos::DefaultExecutionSpace(), run, run.to);
      if (border.sent_count > 0)
        update_self(packed, border.sent_count);
      border.ranks->on_host(packed, arrived);
      if (border.received_count > 0)
        update_device(arrived, border.received_count);
      unpack(Kokkos::DefaultExecutionSpace(), run, run.to);
      changes[s] = border.ranks->largest(change);
      std::swap(run.from, run.to);
    }
  }
};

/// The ranks are given pointers into the device's memory.
template <class T>
struct DevicePointers {
  void operator()(const LocalBlock& block, int sweeps, T* plate, T* next, T* packed, T* arrived,
                  double* changes) const {
    ranks::Exchange& ranks = *block.nearest.ranks;
    OnDevice<T> run(block, block.nearest, plate, next, packed, arrived);
    for (int s = 0; s < sweeps; ++s) {
      const double change = sweep("halo_blocks/device pointers", block, run);
      pack(Kokkos::DefaultExecutionSpace(), run, run.to);
      Kokkos::fence("halo_blocks: what is sent is packed");
      ranks.start(run.packed.data(), run.arrived.data());
      ranks.finish();
      unpack(Kokkos::DefaultExecutionSpace(), run, run.to);
      changes[s] = ranks.largest(change);
      std::swap(run.from, run.to);
    }
  }
};

/// Means and the largest change of the cells that other ranks want.
template <class T, class Change>
void sweep_rim(const Kokkos::DefaultExecutionSpace& queue, const OnDevice<T>& run,
               const DeviceView<const int>& rim, const Change& change) {
  const auto from = run.from;
  const auto to = run.to;
  const int stride = from.extent_int(1);
  Kokkos::parallel_reduce(
      "halo_blocks/overlapped rim", Numbers(queue, 0, rim.extent_int(0)),
      KOKKOS_LAMBDA(int k, T& mine) {
        const int i = rim(k) / stride;
        const int j = rim(k) % stride;
        const T mean = mean_of<T>(from, i, j);
        mine = Kokkos::max(mine, Kokkos::abs(mean - from(i, j)));
        to(i, j) = mean;
      },
      change);
}

/// The cells that others want first; the rest is swept while these travel.
template <class T>
struct Overlapped {
  void operator()(const LocalBlock& block, int sweeps, T* plate, T* next, T* packed, T* arrived,
                  double* changes) const {
    ranks::Exchange& ranks = *block.nearest.ranks;
    OnDevice<T> run(block, block.nearest, plate, next, packed, arrived);
    const DeviceView<const int> rim = run.data.copyin(block.rim, block.rim_count);
    const Kokkos::DefaultExecutionSpace border = queue(1);
    const Kokkos::DefaultExecutionSpace inside = queue(2);
    // Largest changes of each sweep: of the rim, of the inside. At first 0.
    const Kokkos::View<T* [2], Kokkos::LayoutRight, DeviceSpace> largest(
        "halo_blocks/largest changes", sweeps);
    const Kokkos::View<T[2], Kokkos::HostSpace> of_parts("halo_blocks/largest changes of a sweep");
    Kokkos::fence("halo_blocks: the plates are there");
    for (int s = 0; s < sweeps; ++s) {
      const auto of_inside = Kokkos::subview(largest, s, 1);
      sweep_rim(border, run, rim, Kokkos::Max<T, DeviceSpace>(Kokkos::subview(largest, s, 0)));
      pack(border, run, run.to);
      sweep<T>("halo_blocks/overlapped inside", inside, run.from, run.to, block.inside(1),
               of_inside);
      border.fence("halo_blocks: what is sent is packed");
      ranks.start(run.packed.data(), run.arrived.data());
      ranks.finish();
      unpack(border, run, run.to);
      border.fence("halo_blocks: the halo is there");
      inside.fence("halo_blocks: the inside is swept");
      Kokkos::deep_copy(of_parts, Kokkos::subview(largest, s, Kokkos::ALL));
      changes[s] = ranks.largest(Kokkos::max(of_parts(0), of_parts(1)));
      std::swap(run.from, run.to);
    }
  }
};

/// The exchange of all of a block's halo.
template <class T>
struct OfBlock {
  ranks::Exchange* ranks;
  const OnDevice<T>* run;

  void pack(const Kokkos::DefaultExecutionSpace& queue, const Plate<T>& plate) const {
    halo_blocks::pack(queue, *run, plate);
  }
  void start(const Plate<T>& /*plate*/) const {
    ranks->start(run->packed.data(), run->arrived.data());
  }
  void finish(const Kokkos::DefaultExecutionSpace& queue, const Plate<T>& plate) const {
    ranks->finish();
    unpack(queue, *run, plate);
  }
};

/// Sweeps in rounds, with so many sweeps per kernel.
template <int of_pass, class T>
void rounds(LocalBlock block, int sweeps, T* plate, T* next, T* packed, T* arrived, double* largest,
            double*, double* changes) {
  OnDevice<T> run(block, block.widest, plate, next, packed, arrived);
  halo::Plates<T> plates{run.from, run.to, run.data.create(largest, sweeps)};
  halo::Rounds<T, of_pass, LocalBlock, OfBlock<T>>("halo_blocks/rounds", block,
                                                   {block.widest.ranks, &run})
      .run(plates, sweeps, changes);
  plates.put_result(sweeps % 2 == 0 ? run.from : run.to);
}

const harness::Study<Problem<double>, Problem<float>> study({
    .stages = {{"staged", {run<Staged, double>, run<Staged, float>}},
               {"device-pointers", {run<DevicePointers, double>, run<DevicePointers, float>}},
               {"overlapped", {run<Overlapped, double>, run<Overlapped, float>}}},
    .beyond = {{.name = "wide", .kernel = {rounds<1, double>, rounds<1, float>}},
               {.name = "temporal",
                .kernel = {rounds<jacobi::temporal_sweeps, double>,
                           rounds<jacobi::temporal_sweeps, float>},
                .moves_less = "it makes four sweeps of each pass through memory",
                .openacc_cannot =
                    "no directive gives a lane what its neighbour has in registers; with "
                    "tiles in private arrays it is jacobi's temporal, on one rank"}},
});

} // namespace
} // namespace gangway::halo_blocks
