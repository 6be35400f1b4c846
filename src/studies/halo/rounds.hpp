// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "gangway/queues.hpp"
#include "ranks/interop.hpp"
#include "studies/halo/block_sweep.hpp"
#include "studies/halo/strip.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

namespace gangway::halo {

/// The urgent queue of all rounds, for the thread that runs them. It is kept until Kokkos ends,
/// because a GPU makes several sweeps of a small plate in the time that a new one takes.
inline const Kokkos::DefaultExecutionSpace& urgent_queue() {
  static std::optional<ranks::UrgentQueue> kept;
  if (!kept) {
    kept.emplace();
    Kokkos::push_finalize_hook([] { kept.reset(); });
  }
  return kept->queue();
}

/// Sweeps of a rank's part of a plate in rounds of as many as its halo is wide: what is swept
/// reaches one row or column of the halo less with each sweep, so that the part itself stays right
/// until the next exchange. A cell reaches another only step by step along rows and columns, and so
/// around the corners of a part: the halo has its corners. The cells that are swept twice, here and
/// by a neighbour, change as they do there, and may count for the maximum. A kernel makes `of_pass`
/// sweeps as long as a round has so many left, then one.
///
/// `Part` is a LocalStrip or LocalBlock. `Exchange` is as OfStrip below.
template <class T, int of_pass, class Part, class Exchange>
class Rounds {
public:
  /// `label` begins the labels of the kernels.
  Rounds(const std::string& label, const Part& part, const Exchange& exchange)
      : _whole(label), _border(label + ", border"), _inside(label + ", inside"), _part(part),
        _exchange(exchange) {}

  /// Sweeps from `plates.from`, whose halo is there. Both plates have the plate's edges. Afterwards
  /// the part is in `plates.from`, whose halo is not, and changes[s], in host memory, is the
  /// largest change of sweep s on all ranks. Collective.
  void run(Plates<T>& plates, int sweeps, double* changes) const {
    Kokkos::fence("halo: the plates are there");
    Kokkos::deep_copy(_main, plates.largest, 0.0);
    int fetched = 0;
    for (int begin = 0; begin < sweeps; begin += _part.wide) {
      const int end = std::min(begin + _part.wide, sweeps);
      for (int s = begin; s < end;) {
        const int count = plates.template next_of<of_pass>(end - s);
        const long beyond = end - s - count;
        if (beyond > 0 || end == sweeps) { // no rank waits for the last round's border
          sweep(_whole, _main, plates, _part.own_and(beyond), s, count);
        } else {
          sweep_border_first(plates, s, count);
          _exchange.start(plates.to);
          plates.fetch(_urgent, *_exchange.ranks, fetched, begin, changes);
          fetched = begin;
          _exchange.finish(_main, plates.to);
        }
        std::swap(plates.from, plates.to);
        s += count;
      }
    }
    _main.fence("halo: the last round is swept");
    plates.fetch(_urgent, *_exchange.ranks, fetched, sweeps, changes);
  }

private:
  void sweep(const std::string& label, const Kokkos::DefaultExecutionSpace& queue,
             const Plates<T>& plates, const Cells& cells, int s, int count) const {
    plates.sweep(label.c_str(), queue, cells, _part.own_and(_part.wide), s, count);
  }

  /// Sweeps what others want on a queue of its own. Returns when that can be sent, and all is done
  /// that was launched before; the inside is swept meanwhile.
  void sweep_border_first(const Plates<T>& plates, int s, int count) const {
    const Cells inside = _part.inside(_part.wide);
    wait_async(_main, _urgent);
    for (const Cells& cells : _part.own_and(0).around(inside))
      sweep(_border, _urgent, plates, cells, s, count);
    _exchange.pack(_urgent, plates.to);
    sweep(_inside, _main, plates, inside, s, count);
    _urgent.fence("halo: the border can be sent");
  }

  std::string _whole;
  std::string _border;
  std::string _inside;
  Part _part;
  Exchange _exchange;
  Kokkos::DefaultExecutionSpace _main = queue(1);
  Kokkos::DefaultExecutionSpace _urgent = urgent_queue(); ///< for what must not wait for the inside
};

/// The exchange of a strip's halo, whose rows need no packing.
template <class T>
struct OfStrip {
  ranks::Halo* ranks;
  LocalStrip strip;

  /// Packs on a queue what others want of a plate. Returns at once.
  void pack(const Kokkos::DefaultExecutionSpace& /*queue*/,
            const DeviceView<T, 2>& /*plate*/) const {}
  /// Starts the exchange of a plate whose border is done.
  void start(const DeviceView<T, 2>& plate) const {
    if (strip.rows > 0)
      ranks->start(border_of(plate.data(), strip));
  }
  /// Waits until the halo is there for kernels on a queue.
  void finish(const Kokkos::DefaultExecutionSpace& /*queue*/,
              const DeviceView<T, 2>& /*plate*/) const {
    if (strip.rows > 0)
      ranks->finish();
  }
};

template <class T, int of_pass>
using RoundsOfStrip = Rounds<T, of_pass, LocalStrip, OfStrip<T>>;

} // namespace gangway::halo
