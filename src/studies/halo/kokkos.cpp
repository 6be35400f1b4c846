// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gangway/queues.hpp"
#include "harness/study.hpp"
#include "studies/halo/halo.hpp"
#include "studies/halo/rounds.hpp"

#include <algorithm>
#include <utility>

namespace gangway::halo {
namespace {

template <class T>
using Plate = DeviceView<T, 2>;
/// Rows of the arrays: `count` of them, every `step`-th from `first`.
struct Rows {
  long first;
  long count;
  long step = 1;
};

/// Sweeps some rows on a queue: means and the largest change in one pass. It raises `change` to
/// that. If `change` is a View in the device's memory, it returns at once; if it is a variable of
/// the host, it waits.
template <class T, class Change>
void sweep(const char* label, const Kokkos::DefaultExecutionSpace& queue, const Plate<T>& from,
           const Plate<T>& to, const Rows& rows, Change& change) {
  const long columns = static_cast<long>(from.extent(1)) - 2;
  // A multiprocessor holds all of its threads if they have 32 registers. Without the bound sweeps
  // took 1.07 to 1.21 times as long on an H200.
  using Bounds = Kokkos::LaunchBounds<1024, 2>;
  gangway::parallel_reduce(
      label, gang(queue, rows.count).inner(columns).launch_bounds(Bounds()),
      KOKKOS_LAMBDA(const Gang<>& gang, long row, T& largest) {
        const long i = rows.first + row * rows.step;
        loop_vector(
            gang, 1, columns + 1,
            [&](long j, T& mine) {
              const T mean =
                  T(0.25) * (from(i + 1, j) + from(i - 1, j) + from(i, j + 1) + from(i, j - 1));
              mine = Kokkos::max(mine, Kokkos::abs(mean - from(i, j)));
              to(i, j) = mean;
            },
            reduction::max(largest));
      },
      reduction::max(change));
}

/// All rows of the strip; returns their largest change when they are done.
template <class T>
double sweep(const char* label, const Plate<T>& from, const Plate<T>& to, long rows) {
  T change = 0;
  sweep<T>(label, Kokkos::DefaultExecutionSpace(), from, to, {.first = 1, .count = rows}, change);
  return change;
}

/// A stage, with the rows of halo that are next to the strip.
template <template <class> class Stage, class T>
void run(ranks::Halo* ranks, LocalStrip strip, int sweeps, T* plate, T* next, double*, double*,
         double* changes) {
  const long before = keep_nearest(strip);
  Stage<T>{}(*ranks, strip, sweeps, plate + before, next + before, changes);
}

/// The strip's border goes to the host, from there to the other ranks, and what they sent back.
template <class T>
struct Staged {
  void operator()(ranks::Halo& ranks, const LocalStrip& strip, int sweeps, T* plate, T* next,
                  double* changes) const {
    const long rows = strip.rows;
    const long stride = strip.stride();
    Data data;
    Plate<T> from = data.copy(plate, rows + 2, stride);
    Plate<T> to = data.copy(next, rows + 2, stride);
    for (int s = 0; s < sweeps; ++s) {
      const double change = sweep<T>("halo/staged", from, to, rows);
      T* const host = s % 2 == 0 ? next : plate;
      if (rows > 0) {
        update_self(host + stride, stride);
        update_self(host + rows * stride, stride);
        ranks.exchange_on_host(border_of(host, strip));
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
  void operator()(ranks::Halo& ranks, const LocalStrip& strip, int sweeps, T* plate, T* next,
                  double* changes) const {
    const long rows = strip.rows;
    Data data;
    Plate<T> from = data.copy(plate, rows + 2, strip.stride());
    Plate<T> to = data.copy(next, rows + 2, strip.stride());
    for (int s = 0; s < sweeps; ++s) {
      const double change = sweep<T>("halo/device pointers", from, to, rows);
      if (rows > 0) {
        ranks.start(border_of(to.data(), strip));
        ranks.finish();
      }
      changes[s] = ranks.largest(change);
      std::swap(from, to);
    }
  }
};

/// The first and the last row first; the others are swept while these travel.
template <class T>
struct Overlapped {
  void operator()(ranks::Halo& ranks, const LocalStrip& strip, int sweeps, T* plate, T* next,
                  double* changes) const {
    const long rows = strip.rows;
    Data data;
    Plate<T> from = data.copy(plate, rows + 2, strip.stride());
    Plate<T> to = data.copy(next, rows + 2, strip.stride());
    const Kokkos::DefaultExecutionSpace border = queue(1);
    const Kokkos::DefaultExecutionSpace inside = queue(2);
    // Largest changes of each sweep: of the border, of the inside. At first 0.
    const Kokkos::View<T* [2], Kokkos::LayoutRight, DeviceSpace> largest("halo/largest changes",
                                                                         sweeps);
    const Kokkos::View<T[2], Kokkos::HostSpace> of_parts("halo/largest changes of a sweep");
    const long apart = std::max(rows - 1, 1L); // from the first row to the last
    Kokkos::fence("halo: the plates are there");
    for (int s = 0; s < sweeps; ++s) {
      const auto of_border = Kokkos::subview(largest, s, 0);
      const auto of_inside = Kokkos::subview(largest, s, 1);
      sweep<T>("halo/overlapped border", border, from, to, {1, std::min(rows, 2L), apart},
               of_border);
      sweep<T>("halo/overlapped inside", inside, from, to, {2, std::max(rows - 2, 0L)}, of_inside);
      if (rows > 0) {
        border.fence("halo: the border is swept");
        ranks.start(border_of(to.data(), strip));
        ranks.finish();
      }
      inside.fence("halo: the inside is swept");
      Kokkos::deep_copy(of_parts, Kokkos::subview(largest, s, Kokkos::ALL));
      changes[s] = ranks.largest(Kokkos::max(of_parts(0), of_parts(1)));
      std::swap(from, to);
    }
  }
};

/// Runs with so many sweeps per kernel.
template <int of_pass, class T>
void rounds(ranks::Halo* ranks, LocalStrip strip, int sweeps, T* plate, T* next, double* largest,
            double*, double* changes) {
  Data data;
  Plates<T> plates{data.copy(plate, strip.rows_with_halo(), strip.stride()),
                   data.copy(next, strip.rows_with_halo(), strip.stride()),
                   data.create(largest, sweeps)};
  const Plate<T> result = sweeps % 2 == 0 ? plates.from : plates.to;
  RoundsOfStrip<T, of_pass>("halo/rounds", strip, {ranks, strip}).run(plates, sweeps, changes);
  plates.put_result(result);
}

const harness::Study<Problem<double>, Problem<float>> study({
    .stages = {{.name = "staged", .kernel = {run<Staged, double>, run<Staged, float>}},
               {.name = "device-pointers",
                .kernel = {run<DevicePointers, double>, run<DevicePointers, float>}},
               {.name = "overlapped", .kernel = {run<Overlapped, double>, run<Overlapped, float>}}},
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
} // namespace gangway::halo
