// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ranks/communicator.hpp"
#include "ranks/exchange.hpp"
#include "ranks/halo_way.hpp"
#include "ranks/host_buffers.hpp"

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace gangway::ranks {

class Nccl;

/// A vector cut into parts of consecutive elements, one for each rank, each of which wants some of
/// the others' elements again and again: its halo.
class VectorHalo : public Exchange {
public:
  /// Makes the exchange. Collective. Rank r has the elements cut[r] to cut[r + 1], of
  /// `element_bytes` each. `wanted` are elements of others, ascending, in the order in which they
  /// are received. Errors: std::invalid_argument where `cut` is not of as many parts as ranks, or
  /// `wanted` not ascending or not of others.
  VectorHalo(const Communicator& ranks, std::span<const int> cut, std::span<const int> wanted,
             std::size_t element_bytes, Way way);

  /// Returns its own elements that others want, counted from its first, in the order in which to
  /// pack them. An element that several ranks want is there for each of them.
  [[nodiscard]] const std::vector<int>& sent() const { return _sent; }

  void on_host(const void* sent, void* received) override;
  void start(const void* sent, void* received) override;
  void finish() override;
  void sum(double* values, int count) const override;
  [[nodiscard]] double largest(double value) const override;
  void largest(double* values, int count) const override;

private:
  /// A message to another rank, or from it: `count` elements from the `first`.
  struct Share {
    int partner;
    long first;
    long count;
  };

  void learn_what_is_sent(std::span<const int> cut, std::span<const int> wanted);
  [[nodiscard]] Message message(const Share& share, const void* array) const;
  [[nodiscard]] std::vector<Message> to_receive(void* received) const;
  [[nodiscard]] std::vector<Message> to_send(const void* sent) const;

  Communicator _ranks;
  std::size_t _element_bytes;
  Way _way;
  Nccl* _nccl = nullptr; ///< of `nccl`, where there are several ranks
  std::vector<Share> _receive;
  std::vector<Share> _send;
  std::vector<int> _sent;
  std::size_t _sent_bytes = 0; ///< of all that is sent
  std::size_t _received_bytes;
  void* _started = nullptr;                 ///< where to put what is received
  Kokkos::View<char*, BufferSpace> _buffer; ///< of `staged`: what is sent, what is received
  Kokkos::DefaultExecutionSpace _queue;     ///< whose copies wait for no kernel
};

} // namespace gangway::ranks
