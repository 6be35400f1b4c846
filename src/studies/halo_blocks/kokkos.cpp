// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gangway/queues.hpp"
#include "harness/study.hpp"
#include "studies/halo_blocks/halo_blocks.hpp"

namespace gangway::halo_blocks {
namespace {

using Plate = Array<double, 2>;
using Cells = Kokkos::RangePolicy<Device>;

KOKKOS_INLINE_FUNCTION double mean_of(const Plate& plate, long i, long j) {
  return 0.25 * (plate(i + 1, j) + plate(i - 1, j) + plate(i, j + 1) + plate(i, j - 1));
}

/// Means and the largest change of a rectangle of cells: the rows over gangs, the columns over the
/// vector.
struct Sweep {
  Plate from;
  Plate to;
  long first_row;
  long end_row;
  long first_column;
  long end_column;

  KOKKOS_FUNCTION void operator()(const Member& gang, double& largest) const {
    loop_gang(gang, end_row - first_row, [&](long row) {
      const long i = first_row + row;
      double of_row = 0;
      Kokkos::parallel_reduce(
          Kokkos::TeamVectorRange(gang, first_column, end_column),
          [&](long j, double& mine) {
            const double mean = mean_of(from, i, j);
            mine = Kokkos::max(mine, Kokkos::abs(mean - from(i, j)));
            to(i, j) = mean;
          },
          Kokkos::Max<double>(of_row));
      Kokkos::single(Kokkos::PerTeam(gang), [&] { largest = Kokkos::max(largest, of_row); });
    });
  }
};

/// On a queue, with the largest change where `change` is: in the device's memory, and this returns
/// at once, or a variable of the host, and this waits.
template <class Change>
void launch(const char* label, const Device& queue, const Sweep& body, const Change& change) {
  const Loop rows{.iterations = body.end_row - body.first_row,
                  .inner = body.end_column - body.first_column,
                  .reduction = true};
  Kokkos::parallel_reduce(label, loop_policy(queue, {}, rows, body, Kokkos::ParallelReduceTag{}),
                          body, change);
}

/// What a run has on the device.
struct OnDevice {
  OnDevice(const LocalBlock& block, double* plate, double* next, double* for_sent,
           double* for_received)
      : from(data.copy(plate, block.rows + 2, block.stride())),
        to(data.copy(next, block.rows + 2, block.stride())),
        packed(data.create(for_sent, block.sent_count)),
        arrived(data.create(for_received, block.received_count)),
        sent(data.copyin(block.sent, block.sent_count)),
        received(data.copyin(block.received, block.received_count)),
        rim(data.copyin(block.rim, block.rim_count)) {}

  Data data;
  Plate from;
  Plate to;
  Array<double> packed;
  Array<double> arrived;
  Array<const int> sent;
  Array<const int> received;
  Array<const int> rim;
};

/// Rows and columns that other ranks want, one behind the other, in one kernel.
void pack(const Device& queue, const OnDevice& run) {
  double* const plate = run.to.data();
  const auto packed = run.packed;
  const auto sent = run.sent;
  Kokkos::parallel_for(
      "halo_blocks/pack", Cells(queue, 0, sent.extent_int(0)),
      KOKKOS_LAMBDA(int k) { packed(k) = plate[sent(k)]; });
}

/// The way back, into the halo.
void unpack(const Device& queue, const OnDevice& run) {
  double* const plate = run.to.data();
  const auto arrived = run.arrived;
  const auto received = run.received;
  Kokkos::parallel_for(
      "halo_blocks/unpack", Cells(queue, 0, received.extent_int(0)),
      KOKKOS_LAMBDA(int k) { plate[received(k)] = arrived(k); });
}

/// All cells of the block; returns their largest change when they are done.
double sweep(const char* label, const LocalBlock& block, const OnDevice& run) {
  double change = 0;
  launch(label, Device(), Sweep{run.from, run.to, 1, block.rows + 1, 1, block.columns + 1},
         Kokkos::Max<double>(change));
  // Without a cell Kokkos returns what is below every number.
  return Kokkos::max(change, 0.0);
}

/// What is packed goes to the host, from there to the other ranks, and what they sent back.
void staged(ranks::Exchange* ranks, LocalBlock block, int sweeps, double* plate, double* next,
            double* packed, double* arrived, double* changes) {
  OnDevice run(block, plate, next, packed, arrived);
  for (int s = 0; s < sweeps; ++s) {
    const double change = sweep("halo_blocks/staged", block, run);
    pack(Device(), run);
    if (block.sent_count > 0)
      update_self(packed, block.sent_count);
    ranks->on_host(packed, arrived);
    if (block.received_count > 0)
      update_device(arrived, block.received_count);
    unpack(Device(), run);
    changes[s] = ranks->largest(change);
    std::swap(run.from, run.to);
  }
}

/// The ranks are given pointers into the device's memory.
void device_pointers(ranks::Exchange* ranks, LocalBlock block, int sweeps, double* plate,
                     double* next, double* packed, double* arrived, double* changes) {
  OnDevice run(block, plate, next, packed, arrived);
  for (int s = 0; s < sweeps; ++s) {
    const double change = sweep("halo_blocks/device pointers", block, run);
    pack(Device(), run);
    Kokkos::fence("halo_blocks: what is sent is packed");
    ranks->start(run.packed.data(), run.arrived.data());
    ranks->finish();
    unpack(Device(), run);
    changes[s] = ranks->largest(change);
    std::swap(run.from, run.to);
  }
}

/// Means and the largest change of the cells that other ranks want.
template <class Change>
void sweep_rim(const Device& queue, const OnDevice& run, const Change& change) {
  const auto from = run.from;
  const auto to = run.to;
  const auto rim = run.rim;
  const int stride = from.extent_int(1);
  Kokkos::parallel_reduce(
      "halo_blocks/overlapped rim", Cells(queue, 0, rim.extent_int(0)),
      KOKKOS_LAMBDA(int k, double& mine) {
        const int i = rim(k) / stride;
        const int j = rim(k) % stride;
        const double mean = mean_of(from, i, j);
        mine = Kokkos::max(mine, Kokkos::abs(mean - from(i, j)));
        to(i, j) = mean;
      },
      change);
}

/// The cells that others want first; the rest is swept while these travel.
void overlapped(ranks::Exchange* ranks, LocalBlock block, int sweeps, double* plate, double* next,
                double* packed, double* arrived, double* changes) {
  OnDevice run(block, plate, next, packed, arrived);
  const Device border = queue(1);
  const Device inside = queue(2);
  const Kokkos::View<double[2], DeviceSpace> largest("halo_blocks/largest changes");
  const auto of_parts = Kokkos::create_mirror_view(Kokkos::HostSpace(), largest);
  const auto change_of = [&](int part) {
    return Kokkos::Max<double, DeviceSpace>(Kokkos::subview(largest, part));
  };
  Kokkos::fence("halo_blocks: the plates are there");
  for (int s = 0; s < sweeps; ++s) {
    sweep_rim(border, run, change_of(0));
    pack(border, run);
    launch("halo_blocks/overlapped inside", inside,
           Sweep{run.from, run.to, block.first_row, std::max(block.first_row, block.end_row),
                 block.first_column, std::max(block.first_column, block.end_column)},
           change_of(1));
    border.fence("halo_blocks: what is sent is packed");
    ranks->start(run.packed.data(), run.arrived.data());
    ranks->finish();
    unpack(border, run);
    border.fence("halo_blocks: the halo is there");
    inside.fence("halo_blocks: the inside is swept");
    Kokkos::deep_copy(of_parts, largest);
    changes[s] = ranks->largest(Kokkos::max(Kokkos::max(of_parts(0), of_parts(1)), 0.0));
    std::swap(run.from, run.to);
  }
}

const harness::Study<Problem> study({
    .stages = {{"staged", staged},
               {"device-pointers", device_pointers},
               {"overlapped", overlapped}},
});

} // namespace
} // namespace gangway::halo_blocks
