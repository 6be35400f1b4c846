// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/halo/halo.hpp"

using namespace gangway;
using gangway::halo::LocalStrip;

/// Sweeps `count` rows from `first`: means and the largest change in one pass.
template <class T>
static double sweep(long first, long count, long rows, long columns, const T* from, T* to) {
  const long stride = columns + 2;
  const long cells = (rows + 2) * stride;
  T change = 0;
#pragma acc parallel loop gang reduction(max : change) present(from[0 : cells], to[0 : cells])
  for (long i = first; i < first + count; ++i) {
#pragma acc loop vector reduction(max : change)
    for (long j = 1; j <= columns; ++j) {
      const T mean = T(0.25) * (from[(i + 1) * stride + j] + from[(i - 1) * stride + j] +
                                from[i * stride + j + 1] + from[i * stride + j - 1]);
      const T difference = std::fabs(mean - from[i * stride + j]);
      change = difference > change ? difference : change;
      to[i * stride + j] = mean;
    }
  }
  return change;
}

// GCC 16 drops the body of a `host_data` in a function template, without a word.

/// Starts to exchange the border of the strip whose copy on the device is `plate`'s, by the
/// device's addresses.
static void start(ranks::Halo* ranks, const LocalStrip& strip, float* plate) {
#pragma acc host_data use_device(plate)
  {
    ranks->start(border_of(plate, strip));
  }
}
static void start(ranks::Halo* ranks, const LocalStrip& strip, double* plate) {
#pragma acc host_data use_device(plate)
  {
    ranks->start(border_of(plate, strip));
  }
}

/// Exchange of a swept strip: its border goes to other ranks, and theirs comes into its halo.
template <class T>
using Exchanged = void(ranks::Halo* ranks, const LocalStrip& strip, T* plate);

/// The strip's border goes to the host, from there to the other ranks, and what they sent back.
template <class T>
static void by_the_host(ranks::Halo* ranks, const LocalStrip& strip, T* plate) {
  const long rows = strip.rows;
  const long stride = strip.columns + 2;
#pragma acc update self(plate[stride : stride])
#pragma acc update self(plate[rows * stride : stride])
  ranks->exchange_on_host(border_of(plate, strip));
#pragma acc update device(plate[0 : stride])
#pragma acc update device(plate[(rows + 1) * stride : stride])
}

/// The ranks are given pointers into the device's memory.
template <class T>
static void by_device_pointers(ranks::Halo* ranks, const LocalStrip& strip, T* plate) {
  start(ranks, strip, plate);
  ranks->finish();
}

/// Each sweep waits for the exchange before it.
template <class T>
static void in_turn(Exchanged<T>* exchange, ranks::Halo* ranks, LocalStrip strip, int sweeps,
                    T* plate, T* next, double* changes) {
  const long before = keep_nearest(strip);
  plate += before;
  next += before;
  const long rows = strip.rows;
  const long columns = strip.columns;
  const long cells = (rows + 2) * (columns + 2);
#pragma acc data copy(plate[0 : cells], next[0 : cells])
  {
    T* from = plate;
    T* to = next;
    for (int s = 0; s < sweeps; ++s) {
      const double change = sweep(1, rows, rows, columns, from, to);
      if (rows > 0)
        exchange(ranks, strip, to);
      changes[s] = ranks->largest(change);
      std::swap(from, to);
    }
  }
}

/// The first and the last row first; the others are swept while these travel.
template <class T>
static void overlapped(ranks::Halo* ranks, LocalStrip strip, int sweeps, T* plate, T* next,
                       double* changes) {
  const long before = keep_nearest(strip);
  plate += before;
  next += before;
  const long rows = strip.rows;
  const long columns = strip.columns;
  const long stride = columns + 2;
  const long cells = (rows + 2) * stride;
  const long apart = rows > 1 ? rows - 1 : 1; // from the first row to the last
  const long borders = rows > 1 ? 2 : rows;
  T of_border = 0; // largest changes; kernels find them on the device, without a wait
  T inside = 0;
#pragma acc data copy(plate[0 : cells], next[0 : cells]) create(of_border, inside)
  {
    T* from = plate;
    T* to = next;
    for (int s = 0; s < sweeps; ++s) {
      of_border = 0;
      inside = 0;
#pragma acc update device(of_border, inside)
#pragma acc parallel loop gang reduction(max : of_border) present(from[0 : cells], to[0 : cells])  \
    async(1)
      for (long border = 0; border < borders; ++border) {
#pragma acc loop vector reduction(max : of_border)
        for (long j = 1; j <= columns; ++j) {
          const long cell = (1 + border * apart) * stride + j;
          const T mean = T(0.25) * (from[cell + stride] + from[cell - stride] + from[cell + 1] +
                                    from[cell - 1]);
          const T difference = std::fabs(mean - from[cell]);
          of_border = difference > of_border ? difference : of_border;
          to[cell] = mean;
        }
      }
#pragma acc parallel loop gang reduction(max : inside) present(from[0 : cells], to[0 : cells])     \
    async(2)
      for (long i = 2; i < rows; ++i) {
#pragma acc loop vector reduction(max : inside)
        for (long j = 1; j <= columns; ++j) {
          const long cell = i * stride + j;
          const T mean = T(0.25) * (from[cell + stride] + from[cell - stride] + from[cell + 1] +
                                    from[cell - 1]);
          const T difference = std::fabs(mean - from[cell]);
          inside = difference > inside ? difference : inside;
          to[cell] = mean;
        }
      }
#pragma acc wait(1)
      if (rows > 0)
        by_device_pointers(ranks, strip, to);
#pragma acc wait(2)
#pragma acc update self(of_border, inside)
      changes[s] = ranks->largest(of_border > inside ? of_border : inside);
      std::swap(from, to);
    }
  }
}

/// Rows [first, end) of the strip, 0 the first and its halo around them, on queue 1; the largest
/// change of each row goes into row `slot` of `of_rows`.
template <class T>
static void sweep_rows(const LocalStrip& strip, int slot, long first, long end, const T* from,
                       T* to, double* of_rows) {
  const long stride = strip.stride();
  const long columns = strip.columns;
  const long cells = strip.cells();
  const long rows = strip.rows_with_halo();
  const long changes = strip.wide * rows;
  const long offset = strip.wide;
  if (first >= end)
    return;
#pragma acc parallel loop gang present(from[0 : cells], to[0 : cells], of_rows[0 : changes])       \
    async(1)
  for (long i = offset + first; i < offset + end; ++i) {
    T change = 0;
#pragma acc loop vector reduction(max : change)
    for (long j = 1; j <= columns; ++j) {
      const T mean = T(0.25) * (from[(i + 1) * stride + j] + from[(i - 1) * stride + j] +
                                from[i * stride + j + 1] + from[i * stride + j - 1]);
      const T difference = std::fabs(mean - from[i * stride + j]);
      change = difference > change ? difference : change;
      to[i * stride + j] = mean;
    }
    of_rows[slot * rows + i] = change;
  }
}

/// The largest change of each sweep of a round, on queue 1.
static void largest_of_rows(const LocalStrip& strip, int begin, int last, int sweeps,
                            const double* of_rows, double* largest) {
  const long rows = strip.rows_with_halo();
  const long changes = strip.wide * rows;
  const long first = strip.wide;
  const long end = strip.wide + strip.rows;
  const int above = strip.above;
  const int below = strip.below;
#pragma acc parallel loop gang present(of_rows[0 : changes], largest[0 : sweeps]) async(1)
  for (int s = begin; s <= last; ++s) {
    const long beyond = last - s;
    double change = 0;
#pragma acc loop vector reduction(max : change)
    for (long i = first - beyond * above; i < end + beyond * below; ++i) {
      const double of_row = of_rows[(s - begin) * rows + i];
      change = of_row > change ? of_row : change;
    }
    largest[s] = change;
  }
}

/// Fetches the changes, of all ranks, of the sweeps from `begin` to `end`, which are done. Each
/// study has this function, because `gangway port` rewrites no headers.
static void fetch(const ranks::Halo* ranks, int begin, int end, double* largest, double* changes) {
  const int count = end - begin;
  if (count == 0)
    return;
#pragma acc update self(largest[begin : count]) async(2)
#pragma acc wait(2)
  for (int s = begin; s < end; ++s)
    changes[s] = largest[s];
  ranks->largest(changes + begin, count);
}

/// Sweeps in rounds of as many as there are rows of halo: each sweeps one row of the halo less than
/// the one before. The border of the last one travels while its inside is swept, and the changes of
/// the round before are fetched meanwhile.
template <class T>
static void wide(ranks::Halo* ranks, const LocalStrip& strip, int sweeps, T* plate, T* next,
                 double* largest, double* of_rows, double* changes) {
  const long rows = strip.rows;
  const long cells = strip.cells();
  const long of_round = strip.wide * strip.rows_with_halo();
  const long border = strip.wide < (rows + 1) / 2 ? strip.wide : (rows + 1) / 2;
  const long inside_end = rows - border > border ? rows - border : border;
  const int room = sweeps > 0 ? sweeps : 1;
#pragma acc data copy(plate[0 : cells], next[0 : cells])                                           \
    create(largest[0 : room], of_rows[0 : of_round])
  {
    T* from = plate;
    T* to = next;
    int fetched = 0;
    for (int begin = 0; begin < sweeps; begin += strip.wide) {
      const int last = (begin + strip.wide < sweeps ? begin + strip.wide : sweeps) - 1;
      for (int s = begin; s < last; ++s) {
        const long beyond = rows > 0 ? last - s : 0;
        sweep_rows(strip, s - begin, -beyond * strip.above, rows + beyond * strip.below, from, to,
                   of_rows);
        std::swap(from, to);
      }
      const bool sent = last + 1 < sweeps; // no rank waits for the border of the last round
      if (sent) {
        sweep_rows(strip, last - begin, 0, border, from, to, of_rows);
        sweep_rows(strip, last - begin, inside_end, rows, from, to, of_rows);
#pragma acc wait(1) async(2)
        sweep_rows(strip, last - begin, border, inside_end, from, to, of_rows);
      } else {
        sweep_rows(strip, last - begin, 0, rows, from, to, of_rows);
      }
      largest_of_rows(strip, begin, last, room, of_rows, largest);
      if (sent) {
#pragma acc wait(2)
        if (rows > 0)
          start(ranks, strip, to);
        fetch(ranks, fetched, begin, largest, changes);
        fetched = begin;
        if (rows > 0)
          ranks->finish();
      }
      std::swap(from, to);
    }
#pragma acc wait(1)
    fetch(ranks, fetched, sweeps, largest, changes);
  }
}

extern "C" {

void gangway_halo_staged(ranks::Halo* ranks, LocalStrip strip, int sweeps, double* plate,
                         double* next, double*, double*, double* changes) {
  in_turn(by_the_host, ranks, strip, sweeps, plate, next, changes);
}

void gangway_halo_device_pointers(ranks::Halo* ranks, LocalStrip strip, int sweeps, double* plate,
                                  double* next, double*, double*, double* changes) {
  in_turn(by_device_pointers, ranks, strip, sweeps, plate, next, changes);
}

void gangway_halo_overlapped(ranks::Halo* ranks, LocalStrip strip, int sweeps, double* plate,
                             double* next, double*, double*, double* changes) {
  overlapped(ranks, strip, sweeps, plate, next, changes);
}

void gangway_halo_wide(ranks::Halo* ranks, LocalStrip strip, int sweeps, double* plate,
                       double* next, double* largest, double* of_rows, double* changes) {
  wide(ranks, strip, sweeps, plate, next, largest, of_rows, changes);
}

void gangway_halo_staged_float(ranks::Halo* ranks, LocalStrip strip, int sweeps, float* plate,
                               float* next, double*, double*, double* changes) {
  in_turn(by_the_host, ranks, strip, sweeps, plate, next, changes);
}

void gangway_halo_device_pointers_float(ranks::Halo* ranks, LocalStrip strip, int sweeps,
                                        float* plate, float* next, double*, double*,
                                        double* changes) {
  in_turn(by_device_pointers, ranks, strip, sweeps, plate, next, changes);
}

void gangway_halo_overlapped_float(ranks::Halo* ranks, LocalStrip strip, int sweeps, float* plate,
                                   float* next, double*, double*, double* changes) {
  overlapped(ranks, strip, sweeps, plate, next, changes);
}

void gangway_halo_wide_float(ranks::Halo* ranks, LocalStrip strip, int sweeps, float* plate,
                             float* next, double* largest, double* of_rows, double* changes) {
  wide(ranks, strip, sweeps, plate, next, largest, of_rows, changes);
}

} // extern "C"
