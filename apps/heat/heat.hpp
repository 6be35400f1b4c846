// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/host_array.hpp"
#include "ranks/communicator.hpp"
#include "studies/jacobi/plate.hpp"

#include <array>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <span>

/// Parts of the program `heat`: a plate, its checkpoints and its pictures. All ranks
/// (ranks::world()) call all of it, and each has a strip of the plate's rows. Files are the same
/// whatever the number of ranks; rank 0 reads and writes them. An exception on rank 0 ends the
/// others.
namespace gangway::heat {

/// Returns the rows that a rank keeps above its strip, and below it: one on one rank, on several so
/// many that they exchange them only after as many sweeps.
[[nodiscard]] int rows_around(long rows, int ranks);

/// A plate and how far it has come.
struct State {
  jacobi::Setup setup = jacobi::Setup::document;
  long rows = 0; ///< inside the edges, as columns; of all ranks together
  long columns = 0;
  long sweeps = 0;
  double change = std::numeric_limits<double>::infinity(); ///< of the last sweep, on any rank
  ranks::Part strip;                                       ///< this rank's rows, inside the edges
  int around = 1;                                          ///< as `rows_around`
  /// rows_with_halo() x (columns + 2), the strip in the middle. Of what is around it, the plate's
  /// edges have values, and rows of other ranks come from these.
  base::HostArray<double> temperatures;

  [[nodiscard]] long rows_with_halo() const { return strip.count() + 2L * around; }
  /// The plate's row that is the first of `temperatures`; row 0 is the edge. Negative where rows
  /// above the edge are no part of the plate.
  [[nodiscard]] long first_row() const { return strip.begin + 1 - around; }

  [[nodiscard]] double hottest() const { return setup == jacobi::Setup::document ? 100 : 1; }
  /// The plate's rows, edges included, that no other rank has: the strip, and the plate's edge
  /// above or below it.
  [[nodiscard]] std::span<double> own();
  [[nodiscard]] std::span<const double> own() const;
};

/// A plate before its first sweep.
[[nodiscard]] State cold_plate(jacobi::Setup setup, long rows, long columns);

/// Writes the state to the last bit, whole or not at all. Errors: UsageError.
void write_checkpoint(const std::filesystem::path& path, const State& state);
/// Reads a checkpoint, without the rows that are other ranks'. Errors: UsageError that says what is
/// wrong with the file: missing, not a checkpoint, of another byte order, cut off, or changed since
/// it was written.
[[nodiscard]] State read_checkpoint(const std::filesystem::path& path);

using Colour = std::array<std::uint8_t, 3>; ///< red, green, blue
/// Returns a colour from 0 (dark blue) over red to 1 (nearly white), brighter throughout. A value
/// outside has the colour of the nearer end; NaN is green.
[[nodiscard]] Colour colour(double heat);

/// Pixels of a side of so many cells, edges included, where `shrink` x `shrink` cells are a pixel.
[[nodiscard]] long pixels(long cells, long shrink);
/// Writes the plate as PNG, edges included. A pixel is the mean of its cells. Errors: UsageError.
void write_image(const std::filesystem::path& path, const State& state, long shrink);

} // namespace gangway::heat
