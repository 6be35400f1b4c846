// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/parallel.hpp"
#include "gangway/device.hpp"
#include "ranks/host_buffers.hpp"

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <utility>

namespace gangway::harness {

/// Copies between arrays of the host and memory of the device, by two pieces of pinned memory in
/// turns: the host's threads copy one while the other crosses. Pageable arrays cross at 6 to 15
/// GB/s between an H200 and its host, pinned ones at 55 (the ceilings in bench/results/h200).
class PinnedCopy {
public:
  /// `piece`: bytes of a piece, positive. There are two.
  explicit PinnedCopy(std::size_t piece = default_piece) : _piece(piece) {}

  static constexpr std::size_t default_piece = std::size_t{16} << 20;

  /// Both wait for all kernels, and return when the bytes are there.
  void to_device(std::byte* device, const std::byte* host, std::size_t bytes) const {
    Kokkos::fence("referee: before a copy");
    for (std::size_t from = 0; from < bytes; from += _piece) {
      const Half& half = half_of(from);
      half.queue.fence("referee: the half's last piece is there");
      copy(half.bytes.data(), host + from, size_at(from, bytes));
      Kokkos::deep_copy(half.queue, on_device(device, from, bytes), in_half(from, bytes));
    }
    Kokkos::fence("referee: the copy is there");
  }
  void to_host(std::byte* host, const std::byte* device, std::size_t bytes) const {
    Kokkos::fence("referee: before a copy");
    const auto begin = [this, device, bytes](std::size_t from) {
      if (from < bytes)
        Kokkos::deep_copy(half_of(from).queue, in_half(from, bytes),
                          on_device(const_cast<std::byte*>(device), from, bytes));
    };
    begin(0);
    begin(_piece);
    for (std::size_t from = 0; from < bytes; from += _piece) {
      const Half& half = half_of(from);
      half.queue.fence("referee: the piece is there");
      copy(host + from, half.bytes.data(), size_at(from, bytes));
      begin(from + 2 * _piece);
    }
  }

private:
  using Pinned = Kokkos::View<std::byte*, ranks::BufferSpace>;
  using OnDevice = Kokkos::View<std::byte*, DeviceSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  struct Half {
    Pinned bytes;
    Kokkos::DefaultExecutionSpace queue = ranks::own_queue();
  };

  [[nodiscard]] Half new_half() const {
    return {Pinned(Kokkos::view_alloc("referee: pinned", Kokkos::WithoutInitializing), _piece)};
  }
  [[nodiscard]] const Half& half_of(std::size_t from) const { return _halves[from / _piece % 2]; }
  [[nodiscard]] std::size_t size_at(std::size_t from, std::size_t bytes) const {
    return std::min(_piece, bytes - from);
  }
  [[nodiscard]] Pinned in_half(std::size_t from, std::size_t bytes) const {
    return Kokkos::subview(half_of(from).bytes,
                           std::pair<std::size_t, std::size_t>(0, size_at(from, bytes)));
  }
  [[nodiscard]] OnDevice on_device(std::byte* device, std::size_t from, std::size_t bytes) const {
    return OnDevice(device + from, size_at(from, bytes));
  }
  static void copy(std::byte* to, const std::byte* from, std::size_t bytes) {
    base::parallel_ranges(static_cast<long>(bytes), [to, from](long begin, long end) {
      std::memcpy(to + begin, from + begin, static_cast<std::size_t>(end - begin));
    });
  }

  std::size_t _piece;
  std::array<Half, 2> _halves{new_half(), new_half()};
};

} // namespace gangway::harness
