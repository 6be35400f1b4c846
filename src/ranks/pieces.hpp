// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ranks/communicator.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <string>

/// Arrays that are cut into consecutive parts, one for each rank, and pass through rank 0 a piece
/// at a time: it alone reads and writes files, and holds no more than a piece of what is others'.
/// All functions are of all ranks; an exception on rank 0 has to end the others, which wait for it.
namespace gangway::ranks {

/// Shows rank 0 the elements of all ranks, one rank's after the other's, `piece` at a time; the
/// last ones of a rank may be fewer.
void gather_pieces(Communicator& ranks, std::span<const double> own, long piece,
                   const std::function<void(std::span<const double>)>& show);

/// The way back: has rank 0 fill the elements of all ranks, in the same order.
void scatter_pieces(Communicator& ranks, std::span<double> own, long piece,
                    const std::function<void(std::span<double>)>& fill);

/// A fold over the elements of all ranks in that order, such as a checksum: `own` goes on over this
/// rank's from what those before have come to. The result is the same on each.
[[nodiscard]] std::uint64_t
fold_in_order(Communicator& ranks, std::uint64_t first,
              const std::function<std::uint64_t(std::uint64_t before)>& own);

/// Rank 0's text, on each.
[[nodiscard]] std::string text_of_first(const Communicator& ranks, const std::string& text);

} // namespace gangway::ranks
