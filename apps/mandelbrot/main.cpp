// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// mandelbrot: a PNG of any part of the set, in any size. Exit status: 0 done, 2 bad usage, 130 or
/// 143 ended by a signal.

#include "../common/command_line.hpp"
#include "../common/png.hpp"
#include "picture.hpp"

#include "base/errors.hpp"
#include "base/host_array.hpp"
#include "base/output_file.hpp"
#include "base/signals.hpp"
#include "gangway/gangway.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <new>
#include <string>
#include <vector>

namespace {

using namespace gangway;
using gangway::apps::mandelbrot::Part;
using gangway::apps::mandelbrot::Picture;
using gangway::base::UsageError;

constexpr int done = 0;

struct Options {
  std::string file;
  Picture picture;
  std::vector<double> window;
  std::vector<double> center{-0.75, 0};
  double zoom = 1;
};

/// The part of the plane that was asked for. Errors: UsageError.
void choose_window(Options& options) {
  Picture& picture = options.picture;
  const auto numbers = [](const std::vector<double>& values) {
    std::string text;
    for (const double value : values)
      text += (text.empty() ? "" : ",") + fmt::format("{}", value);
    return text;
  };
  if (!options.window.empty()) {
    picture.left = options.window[0];
    picture.right = options.window[1];
    picture.bottom = options.window[2];
    picture.top = options.window[3];
    for (const double edge : options.window)
      if (!std::isfinite(edge) || std::abs(edge) > 1e6)
        throw UsageError(fmt::format("--window {}: the edges are numbers from -1e6 to 1e6",
                                     numbers(options.window)));
    if (!(picture.left < picture.right) || !(picture.bottom < picture.top))
      throw UsageError(fmt::format("--window {}: give left,right,bottom,top, left less than right "
                                   "and bottom less than top",
                                   numbers(options.window)));
  } else {
    for (const double place : options.center)
      if (!std::isfinite(place) || std::abs(place) > 1e6)
        throw UsageError(
            fmt::format("--center {}: give two numbers from -1e6 to 1e6", numbers(options.center)));
    if (!std::isfinite(options.zoom) || !(options.zoom >= 1e-6))
      throw UsageError(fmt::format("--zoom {}: give a number from 1e-6 up", options.zoom));
    // At zoom 1 a square of 2.667 in the middle of the picture shows the whole set.
    const double half = 4.0 / 3 / options.zoom / std::min(picture.width, picture.height);
    picture.left = options.center[0] - half * picture.width;
    picture.right = options.center[0] + half * picture.width;
    picture.bottom = options.center[1] - half * picture.height;
    picture.top = options.center[1] + half * picture.height;
  }
  if (!is_resolved(picture))
    throw UsageError(fmt::format(
        "[{}, {}] x [{}, {}] in {} x {} pixels: neighbouring points would be the same numbers in "
        "double precision; take a larger window, fewer pixels, or fewer samples",
        picture.left, picture.right, picture.bottom, picture.top, picture.width, picture.height));
}

/// Errors: UsageError if the picture is larger than a PNG or the memory.
void require_room(const Picture& picture) {
  const double bytes = 3.0 * picture.width * picture.height;
  if (bytes > static_cast<double>(apps::png_byte_limit))
    throw UsageError(fmt::format("{} x {} pixels are more than a PNG can have; at most {} in all",
                                 picture.width, picture.height, apps::png_byte_limit / 3));
  const double needed = 2.2 * bytes; // and the file that is made of them
  if (const double free = usable_memory(); needed > 0.95 * free)
    throw UsageError(
        fmt::format("{} x {} pixels need {:.1f} GB of memory, and {:.1f} GB are free here",
                    picture.width, picture.height, needed / 1e9, free / 1e9));
}

/// The picture, drawn part by part.
class Drawing {
public:
  explicit Drawing(const Picture& picture)
      : _picture(picture), _rgb(3 * static_cast<std::size_t>(picture.width) *
                                static_cast<std::size_t>(picture.height)) {}

  /// Errors: Interrupted after a signal, at the end of the part that is being drawn.
  const base::HostArray<std::uint8_t>& draw() {
    using Clock = std::chrono::steady_clock;
    double pixels = 1024;
    for (Part part; next(part, static_cast<long>(pixels));) {
      base::stop_if_interrupted();
      _progress.show(fmt::format(
          "{:.1f} % of {} x {} pixels",
          100 * (part.row + static_cast<double>(part.column) * part.rows / _picture.width) /
              _picture.height,
          _picture.width, _picture.height));
      const auto start = Clock::now();
      draw(part);
      const std::chrono::duration<double> took = Clock::now() - start;
      // A fifth of a second at a time, and never very much more than before.
      pixels = static_cast<double>(part.rows) * part.columns *
               std::min(0.2 / std::max(took.count(), 1e-6), 8.0);
    }
    base::stop_if_interrupted();
    return _rgb;
  }

private:
  /// Moves `part` on by about so many pixels: whole rows if they suffice, in whole tiles.
  bool next(Part& part, long pixels) const {
    part.column += part.columns;
    if (part.column >= _picture.width) {
      part.column = 0;
      part.row += part.rows;
    }
    const int rows_left = _picture.height - part.row;
    const long whole_rows = pixels / _picture.width / 4 * 4;
    if (part.column == 0 && whole_rows > 0) {
      part.rows = static_cast<int>(std::min<long>(whole_rows, rows_left));
      part.columns = _picture.width;
    } else {
      part.rows = std::min(4, rows_left);
      part.columns = static_cast<int>(std::clamp<long>(pixels / 4 / 8 * 8, 8, 1 << 20));
      part.columns = std::min(part.columns, _picture.width - part.column);
    }
    return rows_left > 0;
  }

  void draw(const Part& part) {
    const auto at = [&](int row) {
      return _rgb.data() +
             3 * (static_cast<std::size_t>(row) * static_cast<std::size_t>(_picture.width) +
                  static_cast<std::size_t>(part.column));
    };
    if (part.columns == _picture.width) {
      apps::mandelbrot::draw(_picture, part, at(part.row));
      return;
    }
    const std::size_t row_bytes = 3 * static_cast<std::size_t>(part.columns);
    _part.resize(row_bytes * static_cast<std::size_t>(part.rows));
    apps::mandelbrot::draw(_picture, part, _part.data());
    for (int row = 0; row < part.rows; ++row)
      std::copy_n(_part.data() + static_cast<std::size_t>(row) * row_bytes, row_bytes,
                  at(part.row + row));
  }

  const Picture& _picture;
  base::HostArray<std::uint8_t> _rgb;
  base::HostArray<std::uint8_t> _part;
  apps::ProgressLine _progress;
};

int dispatch(int argc, char** argv) {
  Options options;
  Picture& picture = options.picture;
  CLI::App app("A picture of the Mandelbrot set, any part of it in any size, as PNG.");
  app.name("mandelbrot");
  app.add_option("file", options.file, "The PNG to write")
      ->required()
      ->type_name("FILE")
      ->check(apps::file_name());
  const int longest = static_cast<int>(apps::png_side_limit);
  app.add_option("--width", picture.width, "Pixels a row")
      ->capture_default_str()
      ->check(apps::number())
      ->check(CLI::Range(1, longest));
  app.add_option("--height", picture.height, "Rows")
      ->capture_default_str()
      ->check(apps::number())
      ->check(CLI::Range(1, longest));
  auto* window = app.add_option("--window", options.window,
                                "The part of the plane, whatever the picture's proportions")
                     ->delimiter(',')
                     ->expected(4)
                     ->check(apps::number("the edges are numbers from -1e6 to 1e6"))
                     ->type_name("LEFT,RIGHT,BOTTOM,TOP");
  app.add_option("--center", options.center, "The middle of the picture")
      ->delimiter(',')
      ->expected(2)
      ->check(apps::number("give two numbers from -1e6 to 1e6"))
      ->type_name("RE,IM")
      ->capture_default_str()
      ->excludes(window);
  app.add_option("--zoom", options.zoom, "1 shows the whole set, 2 half its width, …")
      ->check(apps::number())
      ->capture_default_str()
      ->excludes(window);
  app.add_option("--iterations", picture.iterations,
                 "Steps after which a point counts as one that never escapes")
      ->capture_default_str()
      ->check(apps::number())
      ->check(CLI::Range(1, 1000000000));
  app.add_option("--samples", picture.samples, "Points a side of each pixel: 3 smooths well")
      ->capture_default_str()
      ->check(apps::number())
      ->check(CLI::Range(1, 16));
  app.footer(
      "Exit status: 0 done, 2 bad usage, 130 or 143 ended by a signal, with nothing written.\n"
      "Options that begin with --kokkos- go to Kokkos, such as --kokkos-num-threads=2.");
  apps::Arguments arguments(argc, argv);
  try {
    app.parse(static_cast<int>(arguments.ours.size()), arguments.ours.data());
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? done : apps::bad_usage;
  }
  choose_window(options);
  base::require_writable(options.file);

  apps::require_kokkos_settings(arguments);
  return apps::while_kokkos_runs(arguments.kokkos_count, arguments.for_kokkos.data(), [&] {
    base::catch_signals("mandelbrot");
    require_room(picture);
    base::at_work_on("the picture " + options.file);
    const auto start = std::chrono::steady_clock::now();
    Drawing drawing(picture);
    const base::HostArray<std::uint8_t>& rgb = drawing.draw();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    apps::write_png(options.file, picture.width, picture.height, rgb);
    // Not among the picture's bytes, should it go to /dev/stdout.
    apps::tell("{}: {} x {} pixels of [{}, {}] x [{}, {}], drawn in {:.2f} s\n", options.file,
               picture.width, picture.height, picture.left, picture.right, picture.bottom,
               picture.top, took.count());
    return done;
  });
}

} // namespace

int main(int argc, char** argv) {
  return apps::run("mandelbrot", "interrupted; nothing was written", argc, argv, dispatch);
}
