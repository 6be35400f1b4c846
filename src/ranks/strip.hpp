// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ranks/communicator.hpp"
#include "ranks/halo.hpp"
#include "ranks/halo_way.hpp"
#include "ranks/host_buffers.hpp"

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <vector>

namespace gangway::ranks {

class Nccl;

/// Rows of a plate cut into strips, one for each rank, from the top to the bottom.
class Strip : public Halo {
public:
  /// Cuts a plate of `rows` into strips. Collective. `largest_border` is in bytes, of one side.
  Strip(const Communicator& ranks, long rows, std::size_t largest_border, Way way);

  /// This rank's rows.
  [[nodiscard]] Part part() const { return _part; }

  void exchange_on_host(const Border& border) override;
  void start(const Border& border) override;
  void finish() override;
  [[nodiscard]] double largest(double value) const override;
  void largest(double* values, int count) const override;

private:
  [[nodiscard]] std::vector<Message> received(const Border& border) const;
  [[nodiscard]] std::vector<Message> sent(const Border& border) const;
  [[nodiscard]] char* buffer(int side) const;

  Communicator _ranks;
  Part _part;
  int _above = -1; ///< the rank that has the rows above; -1: the plate's edge
  int _below = -1;
  Way _way;
  Nccl* _nccl = nullptr; ///< of `nccl`, where there are several ranks
  Border _started{};
  std::size_t _largest_border;
  Kokkos::View<char*, BufferSpace> _buffers; ///< of `staged`: first, last, above, below
  Kokkos::DefaultExecutionSpace _queue;      ///< whose copies wait for no kernel
};

} // namespace gangway::ranks
