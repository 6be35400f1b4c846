// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "heat.hpp"

#include "../common/checkpoint.hpp"
#include "../common/png.hpp"

#include "base/parallel.hpp"
#include "ranks/pieces.hpp"
#include "ranks/session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace gangway::heat {

namespace {

constexpr apps::CheckpointKind kind{.program = "heat", .version = "2"};
constexpr long piece = 1L << 20; ///< of a picture, in cells that are looked at together

/// Finds which of the plate's rows, edges included, `State::own` has.
ranks::Part own_rows(const State& state) {
  if (state.strip.count() == 0)
    return state.strip;
  return {state.strip.begin == 0 ? 0 : state.strip.begin + 1,
          state.strip.end == state.rows ? state.rows + 2 : state.strip.end + 1};
}

/// Returns all of a state but the temperatures, as text.
std::string facts(const State& state) {
  return fmt::format("{} {} {} {} {:016x}",
                     state.setup == jacobi::Setup::guide ? "guide" : "document", state.rows,
                     state.columns, state.sweeps, std::bit_cast<std::uint64_t>(state.change));
}

} // namespace

int rows_around(long rows, int ranks) {
  constexpr long most = 8;
  const long of_smallest_strip = std::max(rows / ranks, 1L);
  return ranks == 1 ? 1 : static_cast<int>(std::min(of_smallest_strip, most));
}

std::span<const double> State::own() const {
  const ranks::Part mine = own_rows(*this);
  const auto stride = static_cast<std::size_t>(columns + 2);
  return std::span(temperatures)
      .subspan(static_cast<std::size_t>(mine.begin - first_row()) * stride,
               static_cast<std::size_t>(mine.count()) * stride);
}

std::span<double> State::own() {
  const std::span<const double> same = std::as_const(*this).own();
  return {const_cast<double*>(same.data()), same.size()};
}

State cold_plate(jacobi::Setup setup, long rows, long columns) {
  State state;
  state.setup = setup;
  state.rows = rows;
  state.columns = columns;
  state.strip = ranks::part_of(rows, ranks::world().size(), ranks::world().rank());
  state.around = rows_around(rows, ranks::world().size());
  state.temperatures.resize(static_cast<std::size_t>(state.rows_with_halo()) *
                            static_cast<std::size_t>(columns + 2));
  // The rows of the plate that are in it.
  const long first = std::max(state.strip.begin + 1 - state.around, 0L);
  const long end = std::min(state.strip.end + 1 + state.around, rows + 2);
  jacobi::fill(setup, rows, columns, first, end - first,
               state.temperatures.data() + (first - state.first_row()) * (columns + 2));
  return state;
}

void write_checkpoint(const std::filesystem::path& path, const State& state) {
  apps::write_checkpoint(path, kind, facts(state), {state.own()});
}

State read_checkpoint(const std::filesystem::path& path) {
  const apps::Checkpoint checkpoint(path, kind);
  std::istringstream words(checkpoint.facts());
  std::string setup;
  State read;
  std::uint64_t change = 0;
  words >> setup >> read.rows >> read.columns >> read.sweeps >> std::hex >> change;
  constexpr long longest_side = 1000000000;
  if (!words || (setup != "document" && setup != "guide") || read.rows < 1 || read.columns < 1 ||
      read.rows > longest_side || read.columns > longest_side || read.sweeps < 0)
    checkpoint.refuse_damaged();
  checkpoint.require_numbers(static_cast<std::uintmax_t>(read.rows + 2) *
                                 static_cast<std::uintmax_t>(read.columns + 2),
                             fmt::format("a plate of {} x {} cells", read.rows, read.columns));
  State state = cold_plate(setup == "guide" ? jacobi::Setup::guide : jacobi::Setup::document,
                           read.rows, read.columns);
  state.sweeps = read.sweeps;
  state.change = std::bit_cast<double>(change);
  if (facts(state) != checkpoint.facts())
    checkpoint.refuse_damaged();
  checkpoint.read({state.own()});
  return state;
}

Colour colour(double heat) {
  struct Stop {
    double at;
    double red, green, blue;
  };
  // The sum of a stop's channels, weighted as the eye does, rises throughout.
  static constexpr std::array<Stop, 6> stops{{{0.0, 8, 6, 56},
                                              {0.2, 92, 16, 120},
                                              {0.45, 200, 44, 84},
                                              {0.7, 246, 128, 36},
                                              {0.9, 252, 220, 96},
                                              {1.0, 255, 255, 240}}};
  if (std::isnan(heat))
    return {0, 255, 0};
  heat = std::clamp(heat, 0.0, 1.0);
  std::size_t above = 1;
  while (above + 1 < stops.size() && heat > stops[above].at)
    ++above;
  const Stop& low = stops[above - 1];
  const Stop& high = stops[above];
  const double part = (heat - low.at) / (high.at - low.at);
  const auto mix = [&](double from, double to) {
    return static_cast<std::uint8_t>(std::lround(from + part * (to - from)));
  };
  return {mix(low.red, high.red), mix(low.green, high.green), mix(low.blue, high.blue)};
}

long pixels(long cells, long shrink) {
  return (cells + shrink - 1) / shrink;
}

void write_image(const std::filesystem::path& path, const State& state, long shrink) {
  const long rows = state.rows + 2;
  const long columns = state.columns + 2;
  const long width = pixels(columns, shrink);
  const long height = pixels(rows, shrink);
  const bool paints = ranks::world().rank() == 0;
  std::vector<std::uint8_t> rgb(paints ? 3 * static_cast<std::size_t>(width * height) : 0);
  std::vector<double> sums(paints ? static_cast<std::size_t>(width) : 0); // of a row of pixels
  long first = 0;
  const auto paint = [&](std::span<const double> some) {
    const long end_row = first + std::ssize(some) / columns;
    base::parallel_ranges(width, [&](long begin, long end) {
      for (long i = first; i < end_row; ++i) {
        const double* const row = some.data() + (i - first) * columns;
        const long top = i / shrink * shrink;
        const long bottom = std::min(top + shrink, rows);
        for (long pixel = begin; pixel < end; ++pixel) {
          const long left = pixel * shrink;
          const long right = std::min(left + shrink, columns);
          double& sum = sums[static_cast<std::size_t>(pixel)];
          for (long j = left; j < right; ++j)
            sum += row[j];
          if (i + 1 < bottom)
            continue;
          const double mean = sum / static_cast<double>((bottom - top) * (right - left));
          const Colour shade = colour(mean / state.hottest());
          std::copy(shade.begin(), shade.end(), rgb.begin() + 3 * (i / shrink * width + pixel));
          sum = 0;
        }
      }
    });
    first = end_row;
  };
  const long whole_rows = std::max(piece / columns, 1L) * columns;
  ranks::gather_pieces(ranks::world(), state.own(), whole_rows, paint);
  if (paints)
    apps::write_png(path, width, height, rgb);
}

} // namespace gangway::heat
