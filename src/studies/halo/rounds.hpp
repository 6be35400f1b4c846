// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "gangway/queues.hpp"
#include "ranks/interop.hpp"
#include "studies/halo/block_sweep.hpp"
#include "studies/halo/strip.hpp"

#include <algorithm>
#include <utility>

namespace gangway::halo {

/// Sweeps of a strip in rounds of as many as there are rows of halo: what is swept reaches one row
/// of the halo less with each sweep, so that the strip itself stays right until the next exchange.
/// The rows that are swept twice, here and by a neighbour, change as they do there, and may count
/// for the maximum. A kernel makes `of_pass` sweeps as long as a round has so many left, then one.
template <class T, int of_pass>
class Rounds {
public:
  explicit Rounds(const LocalStrip& strip) : _strip(strip) {}

  /// Sweeps from `plates.from`, whose halo is there. Both plates have the plate's edges. Afterwards
  /// the strip is in `plates.from`, whose halo is not, and changes[s], in host memory, is the
  /// largest change of sweep s on all ranks. Collective.
  void run(ranks::Halo& ranks, Plates<T>& plates, int sweeps, double* changes) const {
    Kokkos::fence("halo: the plates are there");
    Kokkos::deep_copy(_main, plates.largest, 0.0);
    int fetched = 0;
    for (int begin = 0; begin < sweeps; begin += _strip.wide) {
      const int end = std::min(begin + _strip.wide, sweeps);
      for (int s = begin; s < end;) {
        const int count = plates.template next_of<of_pass>(end - s);
        const long beyond = end - s - count;
        const bool sent = beyond == 0 && end < sweeps; // no rank waits for the last round's border
        if (sent)
          sweep_border(plates, s, count);
        else
          sweep("halo/rounds", _main, plates, -beyond * _strip.above,
                _strip.rows + beyond * _strip.below, s, count);
        if (sent && _strip.rows > 0)
          ranks.start(border_of(plates.to.data(), _strip));
        if (sent) {
          plates.fetch(_urgent.queue(), ranks, fetched, begin, changes);
          fetched = begin;
        }
        if (sent && _strip.rows > 0)
          ranks.finish();
        std::swap(plates.from, plates.to);
        s += count;
      }
    }
    _main.fence("halo: the last round is swept");
    plates.fetch(_urgent.queue(), ranks, fetched, sweeps, changes);
  }

private:
  /// Sweeps the rows from `first` to `end`, so many sweeps from s on; row 0 is the strip's first.
  void sweep(const char* label, const Kokkos::DefaultExecutionSpace& queue, const Plates<T>& plates,
             long first, long end, int s, int count) const {
    const long wide = _strip.wide;
    if (_strip.rows > 0)
      plates.sweep(label, queue, {wide + first, wide + end, 1, _strip.columns + 1},
                   {_strip.above != 0 ? 0 : wide,
                    _strip.below != 0 ? _strip.rows_with_halo() : wide + _strip.rows, 1,
                    _strip.columns + 1},
                   s, count);
  }

  /// The strip, its border on a queue of its own. Returns when the border is done, and with it all
  /// that was launched before; the inside is swept meanwhile.
  void sweep_border(const Plates<T>& plates, int s, int count) const {
    const long wide = std::min<long>(_strip.wide, (_strip.rows + 1) / 2);
    const Kokkos::DefaultExecutionSpace& border = _urgent.queue();
    wait_async(_main, border);
    sweep("halo/rounds, border", border, plates, 0, wide, s, count);
    sweep("halo/rounds, border", border, plates, std::max(wide, _strip.rows - wide), _strip.rows, s,
          count);
    sweep("halo/rounds, inside", _main, plates, wide, _strip.rows - wide, s, count);
    border.fence("halo: the border is swept");
  }

  LocalStrip _strip;
  Kokkos::DefaultExecutionSpace _main = queue(1);
  ranks::UrgentQueue _urgent; ///< for what must not wait for the inside
};

} // namespace gangway::halo
