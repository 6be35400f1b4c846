// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "heat.hpp"

#include "../common/png.hpp"

#include "base/errors.hpp"
#include "base/output_file.hpp"
#include "base/parallel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace gangway::heat {

using base::UsageError;

namespace {

constexpr std::string_view kind = "gangway heat checkpoint ";
constexpr std::string_view version = "2";
constexpr std::string_view byte_order =
    std::endian::native == std::endian::little ? "little-endian" : "big-endian";

std::size_t cells(long rows, long columns) {
  return static_cast<std::size_t>(rows + 2) * static_cast<std::size_t>(columns + 2);
}

/// Everything of the header but the checksum. The first line says what the file is; the second all
/// but the temperatures, which follow it as they are in memory.
std::string description(const State& state) {
  return fmt::format("{}{}\n{} {} {} {} {} {:016x} ", kind, version, byte_order,
                     state.setup == jacobi::Setup::guide ? "guide" : "document", state.rows,
                     state.columns, state.sweeps, std::bit_cast<std::uint64_t>(state.change));
}

/// FNV-1a over the description's bytes and the temperatures: finds what was cut, swapped or
/// flipped, not what was forged.
std::uint64_t checksum(const State& state) {
  std::uint64_t sum = 14695981039346656037U;
  const auto add = [&](std::uint64_t word) { sum = (sum ^ word) * 1099511628211U; };
  for (const char byte : description(state))
    add(static_cast<unsigned char>(byte));
  for (const double number : state.temperatures)
    add(std::bit_cast<std::uint64_t>(number));
  return sum;
}

std::string header(const State& state) {
  return fmt::format("{}{:016x}\n", description(state), checksum(state));
}

} // namespace

State cold_plate(jacobi::Setup setup, long rows, long columns) {
  State state;
  state.setup = setup;
  state.rows = rows;
  state.columns = columns;
  state.temperatures.resize(cells(rows, columns));
  jacobi::fill(setup, rows, columns, state.temperatures.data());
  return state;
}

void write_checkpoint(const std::filesystem::path& path, const State& state) {
  const std::string head = header(state);
  const std::size_t bytes = state.temperatures.size() * sizeof(double);
  std::string content(head.size() + bytes, '\0');
  std::copy(head.begin(), head.end(), content.begin());
  std::memcpy(content.data() + head.size(), state.temperatures.data(), bytes);
  base::write_whole(path, content);
}

State read_checkpoint(const std::filesystem::path& path) {
  const auto refuse = [&](const std::string& reason) {
    throw UsageError(fmt::format("cannot go on from {}: {}", path.string(), reason));
  };
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  if (error)
    refuse(error.message());
  std::ifstream file(path, std::ios::binary);
  // A line of any other file may be as long as the file.
  const auto line = [&](std::size_t longest) {
    std::string text(longest + 1, '\0');
    file.getline(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(std::strlen(text.c_str()));
    return text;
  };
  const std::string first = line(kind.size() + 20);
  if (!first.starts_with(kind))
    refuse(
        fmt::format("it is no checkpoint of this program; one begins with '{}{}'", kind, version));
  if (first != std::string(kind) + std::string(version))
    refuse(fmt::format("it is a checkpoint of another version, and this program reads version {}; "
                       "go on from it with the Gangway that wrote it",
                       version));
  const std::string second = line(200);
  std::istringstream words(second);
  std::string order;
  std::string setup;
  State state;
  std::uint64_t change = 0;
  words >> order >> setup >> state.rows >> state.columns >> state.sweeps >> std::hex >> change;
  constexpr long longest_side = 1000000000;
  if (!file || !words || (setup != "document" && setup != "guide") || state.rows < 1 ||
      state.columns < 1 || state.rows > longest_side || state.columns > longest_side ||
      state.sweeps < 0)
    refuse("its second line is damaged");
  std::replace_if(
      order.begin(), order.end(), [](char byte) { return byte < ' ' || byte > '~'; },
      '?'); // it is shown
  if (order != byte_order)
    refuse(fmt::format("it was written on a {} machine, and this one is {}", order, byte_order));
  const auto begin = static_cast<std::uintmax_t>(file.tellg());
  const std::uintmax_t expected = begin + cells(state.rows, state.columns) * sizeof(double);
  if (size != expected)
    refuse(fmt::format("a plate of {} x {} cells takes {} bytes, and the file has {}", state.rows,
                       state.columns, expected, size));
  state.setup = setup == "guide" ? jacobi::Setup::guide : jacobi::Setup::document;
  state.change = std::bit_cast<double>(change);
  state.temperatures.resize(cells(state.rows, state.columns));
  file.read(reinterpret_cast<char*>(state.temperatures.data()),
            static_cast<std::streamsize>(state.temperatures.size() * sizeof(double)));
  if (!file)
    refuse("it could not be read to its end");
  if (header(state) != first + '\n' + second + '\n')
    refuse("it is not what was written (checksum)");
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
  std::vector<std::uint8_t> rgb(3 * static_cast<std::size_t>(width * height));
  base::parallel_ranges(width * height, [&](long begin, long end) {
    for (long pixel = begin; pixel < end; ++pixel) {
      const long top = pixel / width * shrink;
      const long left = pixel % width * shrink;
      const long bottom = std::min(top + shrink, rows);
      const long right = std::min(left + shrink, columns);
      double sum = 0;
      for (long i = top; i < bottom; ++i)
        for (long j = left; j < right; ++j)
          sum += state.temperatures[static_cast<std::size_t>(i * columns + j)];
      const double mean = sum / static_cast<double>((bottom - top) * (right - left));
      const Colour shade = colour(mean / state.hottest());
      std::copy(shade.begin(), shade.end(), rgb.begin() + 3 * pixel);
    }
  });
  apps::write_png(path, width, height, rgb);
}

} // namespace gangway::heat
