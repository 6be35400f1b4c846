// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/halo_blocks/halo_blocks.hpp"

using gangway::halo_blocks::LocalBlock;
namespace ranks = gangway::ranks;

/// All cells of the block: means and the largest change in one pass.
static double sweep_block(const LocalBlock& block, const double* from, double* to) {
  const long rows = block.rows;
  const long columns = block.columns;
  const long stride = block.stride();
  const long cells = block.cells();
  double change = 0;
#pragma acc parallel loop gang reduction(max : change) present(from[0 : cells], to[0 : cells])
  for (long i = 1; i <= rows; ++i) {
#pragma acc loop vector reduction(max : change)
    for (long j = 1; j <= columns; ++j) {
      const long cell = i * stride + j;
      const double mean =
          0.25 * (from[cell + stride] + from[cell - stride] + from[cell + 1] + from[cell - 1]);
      const double difference = std::fabs(mean - from[cell]);
      change = difference > change ? difference : change;
      to[cell] = mean;
    }
  }
  return change;
}

/// Rows and columns that other ranks want, one behind the other, in one kernel, on queue 1.
static void pack_block(const LocalBlock& block, const double* plate, double* packed) {
  const long cells = block.cells();
  const int count = block.sent_count;
  const int* sent = block.sent;
  if (count == 0)
    return;
#pragma acc parallel loop gang vector present(sent[0 : count], plate[0 : cells],                   \
                                              packed[0 : count]) async(1)
  for (int k = 0; k < count; ++k)
    packed[k] = plate[sent[k]];
}

/// The way back, into the halo.
static void unpack_block(const LocalBlock& block, const double* arrived, double* plate) {
  const long cells = block.cells();
  const int count = block.received_count;
  const int* received = block.received;
  if (count == 0)
    return;
#pragma acc parallel loop gang vector present(received[0 : count], plate[0 : cells],               \
                                              arrived[0 : count]) async(1)
  for (int k = 0; k < count; ++k)
    plate[received[k]] = arrived[k];
}

/// Starts to exchange what is packed, by the device's addresses.
static void start_blocks(ranks::Exchange* ranks, double* packed, double* arrived) {
#pragma acc host_data use_device(packed, arrived)
  {
    ranks->start(packed, arrived);
  }
}

extern "C" {

/// What is packed goes to the host, from there to the other ranks, and what they sent back.
void gangway_halo_blocks_staged(ranks::Exchange* ranks, LocalBlock block, int sweeps, double* plate,
                                double* next, double* packed, double* arrived, double* changes) {
  const long cells = block.cells();
  const int sent_count = block.sent_count;
  const int received_count = block.received_count;
  const int sent_room = sent_count > 0 ? sent_count : 1;
  const int received_room = received_count > 0 ? received_count : 1;
  // Of these only the clauses speak; a compiler for hosts may leave them out.
  [[maybe_unused]] const int* sent = block.sent;
  [[maybe_unused]] const int* received = block.received;
#pragma acc data copyin(sent[0 : sent_count], received[0 : received_count])                        \
    copy(plate[0 : cells], next[0 : cells])                                                        \
        create(packed[0 : sent_room], arrived[0 : received_room])
  {
    double* from = plate;
    double* to = next;
    for (int s = 0; s < sweeps; ++s) {
      const double change = sweep_block(block, from, to);
      pack_block(block, to, packed);
#pragma acc wait(1)
#pragma acc update self(packed[0 : sent_count]) if (sent_count > 0)
      ranks->on_host(packed, arrived);
#pragma acc update device(arrived[0 : received_count]) if (received_count > 0)
      unpack_block(block, arrived, to);
#pragma acc wait(1)
      changes[s] = ranks->largest(change);
      std::swap(from, to);
    }
  }
}

/// The ranks are given the device's addresses.
void gangway_halo_blocks_device_pointers(ranks::Exchange* ranks, LocalBlock block, int sweeps,
                                         double* plate, double* next, double* packed,
                                         double* arrived, double* changes) {
  const long cells = block.cells();
  const int sent_count = block.sent_count;
  const int received_count = block.received_count;
  const int sent_room = sent_count > 0 ? sent_count : 1;
  const int received_room = received_count > 0 ? received_count : 1;
  [[maybe_unused]] const int* sent = block.sent;
  [[maybe_unused]] const int* received = block.received;
#pragma acc data copyin(sent[0 : sent_count], received[0 : received_count])                        \
    copy(plate[0 : cells], next[0 : cells])                                                        \
        create(packed[0 : sent_room], arrived[0 : received_room])
  {
    double* from = plate;
    double* to = next;
    for (int s = 0; s < sweeps; ++s) {
      const double change = sweep_block(block, from, to);
      pack_block(block, to, packed);
#pragma acc wait(1)
      start_blocks(ranks, packed, arrived);
      ranks->finish();
      unpack_block(block, arrived, to);
#pragma acc wait(1)
      changes[s] = ranks->largest(change);
      std::swap(from, to);
    }
  }
}

/// The cells that others want first; the rest is swept while these travel.
void gangway_halo_blocks_overlapped(ranks::Exchange* ranks, LocalBlock block, int sweeps,
                                    double* plate, double* next, double* packed, double* arrived,
                                    double* changes) {
  const long stride = block.stride();
  const long cells = block.cells();
  const int sent_count = block.sent_count;
  const int received_count = block.received_count;
  const int rim_count = block.rim_count;
  const int sent_room = sent_count > 0 ? sent_count : 1;
  const int received_room = received_count > 0 ? received_count : 1;
  const long first_row = block.first_row;
  const long end_row = block.end_row;
  const long first_column = block.first_column;
  const long end_column = block.end_column;
  const int* rim = block.rim;
  [[maybe_unused]] const int* sent = block.sent;
  [[maybe_unused]] const int* received = block.received;
  double of_rim = 0; // largest changes; kernels find them on the device, and wait for nobody
  double inside = 0;
#pragma acc data copyin(sent[0 : sent_count], received[0 : received_count], rim[0 : rim_count])    \
    copy(plate[0 : cells], next[0 : cells])                                                        \
        create(packed[0 : sent_room], arrived[0 : received_room], of_rim, inside)
  {
    double* from = plate;
    double* to = next;
    for (int s = 0; s < sweeps; ++s) {
      of_rim = 0;
      inside = 0;
#pragma acc update device(of_rim, inside)
      if (rim_count > 0) {
#pragma acc parallel loop gang vector reduction(max : of_rim)                                      \
    present(from[0 : cells], to[0 : cells], rim[0 : rim_count]) async(1)
        for (int k = 0; k < rim_count; ++k) {
          const long cell = rim[k];
          const double mean =
              0.25 * (from[cell + stride] + from[cell - stride] + from[cell + 1] + from[cell - 1]);
          const double difference = std::fabs(mean - from[cell]);
          of_rim = difference > of_rim ? difference : of_rim;
          to[cell] = mean;
        }
      }
      pack_block(block, to, packed);
#pragma acc parallel loop gang reduction(max : inside) present(from[0 : cells], to[0 : cells])     \
    async(2)
      for (long i = first_row; i < end_row; ++i) {
#pragma acc loop vector reduction(max : inside)
        for (long j = first_column; j < end_column; ++j) {
          const long cell = i * stride + j;
          const double mean =
              0.25 * (from[cell + stride] + from[cell - stride] + from[cell + 1] + from[cell - 1]);
          const double difference = std::fabs(mean - from[cell]);
          inside = difference > inside ? difference : inside;
          to[cell] = mean;
        }
      }
#pragma acc wait(1)
      start_blocks(ranks, packed, arrived);
      ranks->finish();
      unpack_block(block, arrived, to);
#pragma acc wait(1, 2)
#pragma acc update self(of_rim, inside)
      changes[s] = ranks->largest(of_rim > inside ? of_rim : inside);
      std::swap(from, to);
    }
  }
}

} // extern "C"
