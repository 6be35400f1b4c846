// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/halo/halo.hpp"

using namespace gangway;

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

/// What the strip in `plate` gives and takes, wherever that is.
template <class T>
static ranks::Border border_of(T* plate, long rows, long columns) {
  const long stride = columns + 2;
  return {plate + stride, plate + rows * stride, plate, plate + (rows + 1) * stride,
          static_cast<std::size_t>(stride) * sizeof(T)};
}

// GCC 16 drops the body of a `host_data` in a function template, without a word.

/// The border of the strip whose copy on the device is `plate`'s, by the device's addresses.
static void exchange(ranks::Halo* ranks, long rows, long columns, float* plate) {
#pragma acc host_data use_device(plate)
  {
    ranks->start(border_of(plate, rows, columns));
    ranks->finish();
  }
}
static void exchange(ranks::Halo* ranks, long rows, long columns, double* plate) {
#pragma acc host_data use_device(plate)
  {
    ranks->start(border_of(plate, rows, columns));
    ranks->finish();
  }
}

/// The strip's border goes to the host, from there to the other ranks, and what they sent back.
template <class T>
static void staged(ranks::Halo* ranks, long rows, long columns, int sweeps, T* plate, T* next,
                   double* changes) {
  const long stride = columns + 2;
  const long cells = (rows + 2) * stride;
#pragma acc data copy(plate[0 : cells], next[0 : cells])
  {
    T* from = plate;
    T* to = next;
    for (int s = 0; s < sweeps; ++s) {
      const double change = sweep(1, rows, rows, columns, from, to);
      if (rows > 0) {
#pragma acc update self(to[stride : stride])
#pragma acc update self(to[rows * stride : stride])
        ranks->exchange_on_host(border_of(to, rows, columns));
#pragma acc update device(to[0 : stride])
#pragma acc update device(to[(rows + 1) * stride : stride])
      }
      changes[s] = ranks->largest(change);
      std::swap(from, to);
    }
  }
}

/// The ranks are given pointers into the device's memory.
template <class T>
static void device_pointers(ranks::Halo* ranks, long rows, long columns, int sweeps, T* plate,
                            T* next, double* changes) {
  const long cells = (rows + 2) * (columns + 2);
#pragma acc data copy(plate[0 : cells], next[0 : cells])
  {
    T* from = plate;
    T* to = next;
    for (int s = 0; s < sweeps; ++s) {
      const double change = sweep(1, rows, rows, columns, from, to);
      if (rows > 0)
        exchange(ranks, rows, columns, to);
      changes[s] = ranks->largest(change);
      std::swap(from, to);
    }
  }
}

/// The first and the last row first; the others are swept while these travel.
template <class T>
static void overlapped(ranks::Halo* ranks, long rows, long columns, int sweeps, T* plate, T* next,
                       double* changes) {
  const long stride = columns + 2;
  const long cells = (rows + 2) * stride;
  const long apart = rows > 1 ? rows - 1 : 1; // from the first row to the last
  const long borders = rows > 1 ? 2 : rows;
  T of_border = 0; // largest changes; kernels find them on the device, and wait for nobody
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
        exchange(ranks, rows, columns, to);
#pragma acc wait(2)
#pragma acc update self(of_border, inside)
      changes[s] = ranks->largest(of_border > inside ? of_border : inside);
      std::swap(from, to);
    }
  }
}

extern "C" {

void gangway_halo_staged(ranks::Halo* ranks, long rows, long columns, int sweeps, int single,
                         void* plate, void* next, double* changes) {
  if (single != 0)
    staged(ranks, rows, columns, sweeps, static_cast<float*>(plate), static_cast<float*>(next),
           changes);
  else
    staged(ranks, rows, columns, sweeps, static_cast<double*>(plate), static_cast<double*>(next),
           changes);
}

void gangway_halo_device_pointers(ranks::Halo* ranks, long rows, long columns, int sweeps,
                                  int single, void* plate, void* next, double* changes) {
  if (single != 0)
    device_pointers(ranks, rows, columns, sweeps, static_cast<float*>(plate),
                    static_cast<float*>(next), changes);
  else
    device_pointers(ranks, rows, columns, sweeps, static_cast<double*>(plate),
                    static_cast<double*>(next), changes);
}

void gangway_halo_overlapped(ranks::Halo* ranks, long rows, long columns, int sweeps, int single,
                             void* plate, void* next, double* changes) {
  if (single != 0)
    overlapped(ranks, rows, columns, sweeps, static_cast<float*>(plate), static_cast<float*>(next),
               changes);
  else
    overlapped(ranks, rows, columns, sweeps, static_cast<double*>(plate),
               static_cast<double*>(next), changes);
}

} // extern "C"
