// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/halo_blocks/halo_blocks.hpp"

using namespace gangway;
using gangway::halo_blocks::Border;
using gangway::halo_blocks::Cells;
using gangway::halo_blocks::LocalBlock;

/// Some cells: means and the largest change in one pass.
template <class T>
static double sweep(const LocalBlock& block, const Cells& of, const T* from, T* to) {
  const long stride = block.stride();
  const long cells = block.cells();
  const long first_row = of.first_row;
  const long end_row = of.end_row;
  const long first_column = of.first_column;
  const long end_column = of.end_column;
  T change = 0;
#pragma acc parallel loop gang reduction(max : change) present(from[0 : cells], to[0 : cells])
  for (long i = first_row; i < end_row; ++i) {
#pragma acc loop vector reduction(max : change)
    for (long j = first_column; j < end_column; ++j) {
      const long cell = i * stride + j;
      const T mean =
          T(0.25) * (from[cell + stride] + from[cell - stride] + from[cell + 1] + from[cell - 1]);
      const T difference = std::fabs(mean - from[cell]);
      change = difference > change ? difference : change;
      to[cell] = mean;
    }
  }
  return change;
}

/// Packs the cells that other ranks want, one after the other, in one kernel, on queue 1.
template <class T>
static void pack(const LocalBlock& block, const Border& border, const T* plate, T* packed) {
  const long cells = block.cells();
  const int count = border.sent_count;
  const int* sent = border.sent;
  if (count == 0)
    return;
#pragma acc parallel loop gang vector present(sent[0 : count], plate[0 : cells],                   \
                                              packed[0 : count]) async(1)
  for (int k = 0; k < count; ++k)
    packed[k] = plate[sent[k]];
}

/// The way back, into the halo.
template <class T>
static void unpack(const LocalBlock& block, const Border& border, const T* arrived, T* plate) {
  const long cells = block.cells();
  const int count = border.received_count;
  const int* received = border.received;
  if (count == 0)
    return;
#pragma acc parallel loop gang vector present(received[0 : count], plate[0 : cells],               \
                                              arrived[0 : count]) async(1)
  for (int k = 0; k < count; ++k)
    plate[received[k]] = arrived[k];
}

// GCC 16 drops the body of a `host_data` in a function template, without a word.

/// Starts to exchange the packed cells, by the device's addresses.
static void start(ranks::Exchange* ranks, float* packed, float* arrived) {
#pragma acc host_data use_device(packed, arrived)
  {
    ranks->start(packed, arrived);
  }
}
static void start(ranks::Exchange* ranks, double* packed, double* arrived) {
#pragma acc host_data use_device(packed, arrived)
  {
    ranks->start(packed, arrived);
  }
}

/// Exchange of packed cells: they go to other ranks, and what those sent arrives.
template <class T>
using Exchanged = void(const Border& border, T* packed, T* arrived);

/// Exchanges by the host: packed cells go to it, then to the other ranks, and theirs come back.
template <class T>
static void by_the_host(const Border& border, T* packed, T* arrived) {
  const int sent_count = border.sent_count;
  const int received_count = border.received_count;
#pragma acc update self(packed[0 : sent_count]) if (sent_count > 0)
  border.ranks->on_host(packed, arrived);
#pragma acc update device(arrived[0 : received_count]) if (received_count > 0)
}

/// The ranks are given the device's addresses.
template <class T>
static void by_device_pointers(const Border& border, T* packed, T* arrived) {
  start(border.ranks, packed, arrived);
  border.ranks->finish();
}

/// Each sweep waits for the exchange before it.
template <class T>
static void in_turn(Exchanged<T>* exchange, const LocalBlock& block, int sweeps, T* plate, T* next,
                    T* packed, T* arrived, double* changes) {
  const Border& border = block.nearest;
  const long cells = block.cells();
  const int sent_count = border.sent_count;
  const int received_count = border.received_count;
  const int sent_room = sent_count > 0 ? sent_count : 1;
  const int received_room = received_count > 0 ? received_count : 1;
  // Only clauses use these variables; a compiler for hosts may leave the clauses out.
  [[maybe_unused]] const int* sent = border.sent;
  [[maybe_unused]] const int* received = border.received;
#pragma acc data copyin(sent[0 : sent_count], received[0 : received_count])                        \
    copy(plate[0 : cells], next[0 : cells])                                                        \
        create(packed[0 : sent_room], arrived[0 : received_room])
  {
    T* from = plate;
    T* to = next;
    for (int s = 0; s < sweeps; ++s) {
      const double change = sweep(block, block.own_and(0), from, to);
      pack(block, border, to, packed);
#pragma acc wait(1)
      exchange(border, packed, arrived);
      unpack(block, border, arrived, to);
#pragma acc wait(1)
      changes[s] = border.ranks->largest(change);
      std::swap(from, to);
    }
  }
}

/// The cells that others want first; the rest is swept while these travel.
template <class T>
static void overlapped(const LocalBlock& block, int sweeps, T* plate, T* next, T* packed,
                       T* arrived, double* changes) {
  const Border& border = block.nearest;
  const Cells inner = block.inside(1);
  const long stride = block.stride();
  const long cells = block.cells();
  const int sent_count = border.sent_count;
  const int received_count = border.received_count;
  const int rim_count = block.rim_count;
  const int sent_room = sent_count > 0 ? sent_count : 1;
  const int received_room = received_count > 0 ? received_count : 1;
  const long first_row = inner.first_row;
  const long end_row = inner.end_row;
  const long first_column = inner.first_column;
  const long end_column = inner.end_column;
  const int* rim = block.rim;
  [[maybe_unused]] const int* sent = border.sent;
  [[maybe_unused]] const int* received = border.received;
  T of_rim = 0; // largest changes; kernels find them on the device, without a wait
  T inside = 0;
#pragma acc data copyin(sent[0 : sent_count], received[0 : received_count], rim[0 : rim_count])    \
    copy(plate[0 : cells], next[0 : cells])                                                        \
        create(packed[0 : sent_room], arrived[0 : received_room], of_rim, inside)
  {
    T* from = plate;
    T* to = next;
    for (int s = 0; s < sweeps; ++s) {
      of_rim = 0;
      inside = 0;
#pragma acc update device(of_rim, inside)
      if (rim_count > 0) {
#pragma acc parallel loop gang vector reduction(max : of_rim)                                      \
    present(from[0 : cells], to[0 : cells], rim[0 : rim_count]) async(1)
        for (int k = 0; k < rim_count; ++k) {
          const long cell = rim[k];
          const T mean = T(0.25) * (from[cell + stride] + from[cell - stride] + from[cell + 1] +
                                    from[cell - 1]);
          const T difference = std::fabs(mean - from[cell]);
          of_rim = difference > of_rim ? difference : of_rim;
          to[cell] = mean;
        }
      }
      pack(block, border, to, packed);
#pragma acc parallel loop gang reduction(max : inside) present(from[0 : cells], to[0 : cells])     \
    async(2)
      for (long i = first_row; i < end_row; ++i) {
#pragma acc loop vector reduction(max : inside)
        for (long j = first_column; j < end_column; ++j) {
          const long cell = i * stride + j;
          const T mean = T(0.25) * (from[cell + stride] + from[cell - stride] + from[cell + 1] +
                                    from[cell - 1]);
          const T difference = std::fabs(mean - from[cell]);
          inside = difference > inside ? difference : inside;
          to[cell] = mean;
        }
      }
#pragma acc wait(1)
      by_device_pointers(border, packed, arrived);
      unpack(block, border, arrived, to);
#pragma acc wait(1, 2)
#pragma acc update self(of_rim, inside)
      changes[s] = border.ranks->largest(of_rim > inside ? of_rim : inside);
      std::swap(from, to);
    }
  }
}

/// Sweeps some cells on queue 1, and raises row `slot` of `of_rows` to their largest change in each
/// row. There is no race: one gang has a row, and a queue's kernels follow one another.
template <class T>
static void sweep_cells(const LocalBlock& block, int slot, const Cells& of, const T* from, T* to,
                        double* of_rows) {
  const long stride = block.stride();
  const long cells = block.cells();
  const long rows = block.rows_with_halo();
  const long changes = block.wide * rows;
  const long first_row = of.first_row;
  const long end_row = of.end_row;
  const long first_column = of.first_column;
  const long end_column = of.end_column;
  if (of.empty())
    return;
#pragma acc parallel loop gang present(from[0 : cells], to[0 : cells], of_rows[0 : changes])       \
    async(1)
  for (long i = first_row; i < end_row; ++i) {
    T change = 0;
#pragma acc loop vector reduction(max : change)
    for (long j = first_column; j < end_column; ++j) {
      const long cell = i * stride + j;
      const T mean =
          T(0.25) * (from[cell + stride] + from[cell - stride] + from[cell + 1] + from[cell - 1]);
      const T difference = std::fabs(mean - from[cell]);
      change = difference > change ? difference : change;
      to[cell] = mean;
    }
    const double before = of_rows[slot * rows + i];
    of_rows[slot * rows + i] = change > before ? change : before;
  }
}

/// The largest change of each sweep of a round, on queue 1. Leaves zeros for the next round.
static void largest_of_rows(const LocalBlock& block, int begin, int last, int sweeps,
                            double* of_rows, double* largest) {
  const long rows = block.rows_with_halo();
  const long changes = block.wide * rows;
#pragma acc parallel loop gang present(of_rows[0 : changes], largest[0 : sweeps]) async(1)
  for (int s = begin; s <= last; ++s) {
    double change = 0;
#pragma acc loop vector reduction(max : change)
    for (long i = 0; i < rows; ++i) {
      const double of_row = of_rows[(s - begin) * rows + i];
      change = of_row > change ? of_row : change;
      of_rows[(s - begin) * rows + i] = 0;
    }
    largest[s] = change;
  }
}

/// Fetches the changes, of all ranks, of the sweeps from `begin` to `end`, which are done. Each
/// study has this function, because `gangway port` rewrites no headers.
static void fetch(const ranks::Exchange* ranks, int begin, int end, double* largest,
                  double* changes) {
  const int count = end - begin;
  if (count == 0)
    return;
#pragma acc update self(largest[begin : count]) async(2)
#pragma acc wait(2)
  for (int s = begin; s < end; ++s)
    changes[s] = largest[s];
  ranks->largest(changes + begin, count);
}

/// Sweeps in rounds of as many as the halo is wide. Each sweeps one row or column less of the halo
/// on every side than the one before. The border of the last one travels to others while its inside
/// is swept, and the changes of the round before are fetched meanwhile.
template <class T>
static void wide(const LocalBlock& block, int sweeps, T* plate, T* next, T* packed, T* arrived,
                 double* largest, double* of_rows, double* changes) {
  const Border& border = block.widest;
  const Cells inside = block.inside(block.wide);
  const long cells = block.cells();
  const long of_round = block.wide * block.rows_with_halo();
  const int sent_count = border.sent_count;
  const int received_count = border.received_count;
  const int sent_room = sent_count > 0 ? sent_count : 1;
  const int received_room = received_count > 0 ? received_count : 1;
  const int room = sweeps > 0 ? sweeps : 1;
  [[maybe_unused]] const int* sent = border.sent;
  [[maybe_unused]] const int* received = border.received;
#pragma acc data copyin(sent[0 : sent_count], received[0 : received_count])                        \
    copy(plate[0 : cells], next[0 : cells])                                                        \
        create(packed[0 : sent_room], arrived[0 : received_room], largest[0 : room],               \
               of_rows[0 : of_round])
  {
    T* from = plate;
    T* to = next;
    int fetched = 0;
#pragma acc parallel loop gang vector present(of_rows[0 : of_round]) async(1)
    for (long row = 0; row < of_round; ++row)
      of_rows[row] = 0;
    for (int begin = 0; begin < sweeps; begin += block.wide) {
      const int last = (begin + block.wide < sweeps ? begin + block.wide : sweeps) - 1;
      for (int s = begin; s < last; ++s) {
        sweep_cells(block, s - begin, block.own_and(last - s), from, to, of_rows);
        std::swap(from, to);
      }
      const bool sent = last + 1 < sweeps; // no rank waits for the border of the last round
      if (sent) {
        for (const Cells& side : block.own_and(0).around(inside))
          sweep_cells(block, last - begin, side, from, to, of_rows);
        pack(block, border, to, packed);
#pragma acc wait(1) async(2)
        sweep_cells(block, last - begin, inside, from, to, of_rows);
      } else {
        sweep_cells(block, last - begin, block.own_and(0), from, to, of_rows);
      }
      largest_of_rows(block, begin, last, room, of_rows, largest);
      if (sent) {
#pragma acc wait(2)
        start(border.ranks, packed, arrived);
        fetch(border.ranks, fetched, begin, largest, changes);
        fetched = begin;
        border.ranks->finish();
        unpack(block, border, arrived, to);
      }
      std::swap(from, to);
    }
#pragma acc wait(1)
    fetch(border.ranks, fetched, sweeps, largest, changes);
  }
}

extern "C" {

void gangway_halo_blocks_staged(LocalBlock block, int sweeps, double* plate, double* next,
                                double* packed, double* arrived, double*, double*,
                                double* changes) {
  in_turn(by_the_host, block, sweeps, plate, next, packed, arrived, changes);
}

void gangway_halo_blocks_device_pointers(LocalBlock block, int sweeps, double* plate, double* next,
                                         double* packed, double* arrived, double*, double*,
                                         double* changes) {
  in_turn(by_device_pointers, block, sweeps, plate, next, packed, arrived, changes);
}

void gangway_halo_blocks_overlapped(LocalBlock block, int sweeps, double* plate, double* next,
                                    double* packed, double* arrived, double*, double*,
                                    double* changes) {
  overlapped(block, sweeps, plate, next, packed, arrived, changes);
}

void gangway_halo_blocks_wide(LocalBlock block, int sweeps, double* plate, double* next,
                              double* packed, double* arrived, double* largest, double* of_rows,
                              double* changes) {
  wide(block, sweeps, plate, next, packed, arrived, largest, of_rows, changes);
}

void gangway_halo_blocks_staged_float(LocalBlock block, int sweeps, float* plate, float* next,
                                      float* packed, float* arrived, double*, double*,
                                      double* changes) {
  in_turn(by_the_host, block, sweeps, plate, next, packed, arrived, changes);
}

void gangway_halo_blocks_device_pointers_float(LocalBlock block, int sweeps, float* plate,
                                               float* next, float* packed, float* arrived, double*,
                                               double*, double* changes) {
  in_turn(by_device_pointers, block, sweeps, plate, next, packed, arrived, changes);
}

void gangway_halo_blocks_overlapped_float(LocalBlock block, int sweeps, float* plate, float* next,
                                          float* packed, float* arrived, double*, double*,
                                          double* changes) {
  overlapped(block, sweeps, plate, next, packed, arrived, changes);
}

void gangway_halo_blocks_wide_float(LocalBlock block, int sweeps, float* plate, float* next,
                                    float* packed, float* arrived, double* largest, double* of_rows,
                                    double* changes) {
  wide(block, sweeps, plate, next, packed, arrived, largest, of_rows, changes);
}

} // extern "C"
