// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/host_array.hpp"
#include "studies/jacobi/plate.hpp"

#include <array>
#include <cstdint>
#include <filesystem>
#include <limits>

/// What the program `heat` is made of: a plate, its checkpoints and its pictures.
namespace gangway::heat {

/// A plate and how far it has come.
struct State {
  jacobi::Setup setup = jacobi::Setup::document;
  long rows = 0; ///< inside the edges, as columns
  long columns = 0;
  long sweeps = 0;
  double change = std::numeric_limits<double>::infinity(); ///< of the last sweep
  base::HostArray<double> temperatures;                    ///< (rows + 2) x (columns + 2)

  [[nodiscard]] double hottest() const { return setup == jacobi::Setup::document ? 100 : 1; }
};

/// A plate before its first sweep.
[[nodiscard]] State cold_plate(jacobi::Setup setup, long rows, long columns);

/// Writes the state to the last bit, whole or not at all. Errors: UsageError.
void write_checkpoint(const std::filesystem::path& path, const State& state);
/// Errors: UsageError that says what is wrong with the file: missing, not a checkpoint, of another
/// byte order, cut off, or changed since it was written.
[[nodiscard]] State read_checkpoint(const std::filesystem::path& path);

using Colour = std::array<std::uint8_t, 3>; ///< red, green, blue
/// From 0 (dark blue) over red to 1 (nearly white), brighter throughout; what is outside has the
/// colour of the nearer end, NaN is green.
[[nodiscard]] Colour colour(double heat);

/// Pixels of a side of so many cells, edges included, where `shrink` x `shrink` cells are a pixel.
[[nodiscard]] long pixels(long cells, long shrink);
/// Writes the plate as PNG, edges included. A pixel is the mean of its cells. Errors: UsageError.
void write_image(const std::filesystem::path& path, const State& state, long shrink);

} // namespace gangway::heat
