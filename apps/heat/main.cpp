// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// heat: how a plate warms up whose edges are held, as pictures. Exit status: 0 done, 2 bad usage
/// or input, 130 or 143 ended by a signal.

#include "../common/command_line.hpp"
#include "../common/png.hpp"
#include "heat.hpp"

#include "base/errors.hpp"
#include "base/output_file.hpp"
#include "base/signals.hpp"
#include "gangway/gangway.hpp"
#include "studies/jacobi/solver.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>

namespace {

using namespace gangway;
using gangway::base::UsageError;

constexpr int done = 0;

struct Options {
  std::string setup = "document";
  long rows = 1000;
  long columns = 1000;
  long sweeps = 100000;
  double tolerance = 0.01;
  long every = 0;
  long shrink = 1;
  std::string output = "heat";
  std::string checkpoint;
  long checkpoint_every = 0;
  std::string restart;
};

/// The plate, on its way.
class Run {
public:
  Run(const Options& options, heat::State state)
      : _options(options), _state(std::move(state)), _next(_state.temperatures.size()) {}

  /// Errors: Interrupted after a signal, when the checkpoint, if one was asked for, is written.
  void go_on() {
    using Clock = std::chrono::steady_clock;
    Data region;
    const auto plate = region.copy(named("temperatures", _state.temperatures.data()),
                                   _state.rows + 2, _state.columns + 2);
    const auto next =
        region.create(named("next", _next.data()), _state.rows + 2, _state.columns + 2);
    jacobi::Solver solver;
    const auto start = Clock::now();
    const long sweeps_before = _state.sweeps;
    long chunk = 16;
    while (!finished()) {
      base::at_work_on(fmt::format("the sweeps after number {}", _state.sweeps));
      const auto chunk_start = Clock::now();
      const auto outcome =
          solver.solve(plate, next, static_cast<int>(sweeps_to_do(chunk)), _options.tolerance);
      _state.sweeps += outcome.done;
      _state.change = outcome.change;
      const auto now = Clock::now();
      const double all = seconds(now - start);
      _progress.show(
          fmt::format("{} of at most {} sweeps, change {:.6g} (until {:g}), {:.0f} a second",
                      _state.sweeps, _options.sweeps, _state.change, _options.tolerance,
                      static_cast<double>(_state.sweeps - sweeps_before) / all));
      // A fifth of a second at a time: a signal need not wait for longer.
      chunk = std::clamp(static_cast<long>(static_cast<double>(outcome.done) * 0.2 /
                                           std::max(seconds(now - chunk_start), 1e-6)),
                         1L, 1L << 20);
      if (due(_options.every))
        write_image();
      if (!_options.checkpoint.empty() && due(_options.checkpoint_every) && !finished())
        write_checkpoint();
      stop_if_interrupted();
    }
    _progress.clear();
    const double took = seconds(Clock::now() - start);
    if (!due(_options.every) || _state.sweeps == sweeps_before)
      write_image();
    if (!_options.checkpoint.empty())
      write_checkpoint();
    fmt::print(
        "{} after {} sweeps{}\n", _state.change <= _options.tolerance ? "converged" : "stopped",
        _state.sweeps,
        _state.sweeps > 0
            ? fmt::format(", the last of which changed a cell by {:.6f} at most", _state.change)
            : std::string());
    if (_state.sweeps > sweeps_before)
      fmt::print("{} sweeps in {:.2f} s\n", _state.sweeps - sweeps_before, took);
  }

private:
  static double seconds(std::chrono::steady_clock::duration time) {
    return std::chrono::duration<double>(time).count();
  }

  [[nodiscard]] bool finished() const {
    return _state.sweeps >= _options.sweeps || _state.change <= _options.tolerance;
  }

  /// Whether something that is done every so many sweeps is to be done now.
  [[nodiscard]] bool due(long every) const { return every > 0 && _state.sweeps % every == 0; }

  /// A chunk, or less where something is to be written before.
  [[nodiscard]] long sweeps_to_do(long chunk) const {
    long sweeps = std::min(chunk, _options.sweeps - _state.sweeps);
    for (const long every : {_options.every, _options.checkpoint_every})
      if (every > 0)
        sweeps = std::min(sweeps, every - _state.sweeps % every);
    return sweeps;
  }

  void fetch() { update_self(_state.temperatures.data(), _state.temperatures.size()); }

  void write_image() {
    fetch();
    const std::string path = fmt::format("{}-{:08}.png", _options.output, _state.sweeps);
    heat::write_image(path, _state, _options.shrink);
    _progress.clear();
    fmt::print("{}: change {:.6f}\n", path, _state.change);
    std::fflush(stdout);
  }

  void write_checkpoint() {
    fetch();
    heat::write_checkpoint(_options.checkpoint, _state);
  }

  void stop_if_interrupted() {
    try {
      base::stop_if_interrupted();
    } catch (const base::Interrupted&) {
      if (!_options.checkpoint.empty())
        write_checkpoint();
      _progress.clear();
      apps::tell("heat: interrupted after {} sweeps{}\n", _state.sweeps,
                 _options.checkpoint.empty()
                     ? std::string("; with --checkpoint FILE it could go on from there")
                     : fmt::format("; --restart {} goes on from there", _options.checkpoint));
      throw;
    }
  }

  const Options& _options;
  heat::State _state;
  base::HostArray<double> _next;
  apps::ProgressLine _progress;
};

void require_memory(long rows, long columns, const Options& options) {
  const double cells = static_cast<double>(rows + 2) * static_cast<double>(columns + 2);
  const double per_pixel = 3 * 2.2; // and the file that is made of them
  const double needed =
      cells * (2 * sizeof(double) + (options.checkpoint.empty() ? 0 : sizeof(double)) +
               per_pixel / static_cast<double>(options.shrink * options.shrink));
  if (const double free = usable_memory(); needed > 0.95 * free)
    throw UsageError(
        fmt::format("{} x {} cells need {:.1f} GB of memory, and {:.1f} GB are free here", rows,
                    columns, needed / 1e9, free / 1e9));
}

void require_image(long rows, long columns, long shrink) {
  const long width = heat::pixels(columns + 2, shrink);
  const long height = heat::pixels(rows + 2, shrink);
  if (std::max(width, height) > apps::png_side_limit ||
      3.0 * static_cast<double>(width) * static_cast<double>(height) >
          static_cast<double>(apps::png_byte_limit))
    throw UsageError(fmt::format(
        "a picture of {} x {} pixels is larger than a PNG can be; --shrink makes it smaller", width,
        height));
}

heat::State first_state(const Options& options) {
  if (!options.restart.empty()) {
    heat::State state = heat::read_checkpoint(options.restart);
    require_image(state.rows, state.columns, options.shrink);
    require_memory(state.rows, state.columns, options);
    return state;
  }
  require_image(options.rows, options.columns, options.shrink);
  require_memory(options.rows, options.columns, options);
  return heat::cold_plate(options.setup == "guide" ? jacobi::Setup::guide : jacobi::Setup::document,
                          options.rows, options.columns);
}

int dispatch(int argc, char** argv) {
  Options options;
  CLI::App app("How a plate warms up whose edges are held at their temperatures, as PNG pictures.");
  app.name("heat");
  const long most = 1000000000;
  auto* restart = app.add_option("--restart", options.restart, "Go on from this checkpoint")
                      ->type_name("FILE")
                      ->check(apps::file_name());
  app.add_option("--setup", options.setup,
                 "The edges: document (right and bottom rise to 100) or guide (top is 1)")
      ->capture_default_str()
      ->check(CLI::IsMember({"document", "guide"}))
      ->excludes(restart);
  app.add_option("--rows", options.rows, "Rows inside the edges")
      ->capture_default_str()
      ->check(apps::number())
      ->check(CLI::Range(1L, most))
      ->excludes(restart);
  app.add_option("--columns", options.columns, "Columns inside the edges")
      ->capture_default_str()
      ->check(apps::number())
      ->check(CLI::Range(1L, most))
      ->excludes(restart);
  app.add_option("--sweeps", options.sweeps, "Stop after so many, those before a restart included")
      ->capture_default_str()
      ->check(apps::number())
      ->check(CLI::Range(0L, most));
  app.add_option("--tolerance", options.tolerance, "Stop when a sweep changes no cell by more")
      ->capture_default_str()
      ->check(apps::number())
      ->check(CLI::NonNegativeNumber);
  app.add_option("-o,--output", options.output, "Pictures are PREFIX-<sweeps>.png")
      ->type_name("PREFIX")
      ->check(apps::file_name())
      ->capture_default_str();
  app.add_option("--every", options.every, "A picture every so many sweeps; 0: only of the end")
      ->capture_default_str()
      ->check(apps::number())
      ->check(CLI::Range(0L, most));
  app.add_option("--shrink", options.shrink, "So many rows and columns are one pixel")
      ->capture_default_str()
      ->check(apps::number())
      ->check(CLI::Range(1L, most));
  auto* checkpoint =
      app.add_option("--checkpoint", options.checkpoint,
                     "Keep what a restart needs here: at the end, and when interrupted")
          ->type_name("FILE")
          ->check(apps::file_name());
  app.add_option("--checkpoint-every", options.checkpoint_every, "And every so many sweeps")
      ->check(apps::number())
      ->check(CLI::Range(1L, most))
      ->needs(checkpoint);
  app.footer(
      "A restarted run ends with the same temperatures, to the last bit, as one that was not "
      "interrupted.\n"
      "Exit status: 0 done, 2 bad usage or input, 130 or 143 ended by a signal.\n"
      "Options that begin with --kokkos- go to Kokkos, such as --kokkos-num-threads=2.");
  apps::Arguments arguments(argc, argv);
  try {
    app.parse(static_cast<int>(arguments.ours.size()), arguments.ours.data());
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? done : apps::bad_usage;
  }
  base::require_writable(options.output + "-00000000.png");
  if (!options.checkpoint.empty())
    base::require_writable(options.checkpoint);

  apps::require_kokkos_settings(arguments);
  const Kokkos::ScopeGuard kokkos(arguments.kokkos_count, arguments.for_kokkos.data());
  base::catch_signals("heat");
  Run run(options, first_state(options));
  run.go_on();
  return done;
}

} // namespace

int main(int argc, char** argv) {
  return apps::run("heat", "", argc, argv, dispatch);
}
