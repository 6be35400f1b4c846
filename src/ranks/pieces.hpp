// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ranks/communicator.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <string>

/// Arrays that are cut into consecutive parts, one for each rank, and pass through rank 0 a piece
/// at a time. It alone reads and writes files, and holds at most one piece of the other ranks. All
/// functions are collective; an exception on rank 0 has to end the others, which wait for it.
namespace gangway::ranks {

/// Shows rank 0 the elements of all ranks, one rank's after the other's, `piece` at a time; the
/// last ones of a rank may be fewer.
void gather_pieces(Communicator& ranks, std::span<const double> own, long piece,
                   const std::function<void(std::span<const double>)>& show);

/// Has rank 0 fill the elements of all ranks, in the same order.
void scatter_pieces(Communicator& ranks, std::span<double> own, long piece,
                    const std::function<void(std::span<double>)>& fill);

/// Folds the elements of all ranks in that order, to a checksum for instance. `own` continues over
/// this rank's elements from the value of the ranks before. The result is the same on each.
[[nodiscard]] std::uint64_t
fold_in_order(Communicator& ranks, std::uint64_t first,
              const std::function<std::uint64_t(std::uint64_t before)>& own);

/// Returns rank 0's text, on each rank.
[[nodiscard]] std::string text_of_first(const Communicator& ranks, const std::string& text);

} // namespace gangway::ranks
