// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// heat: how a plate warms up whose edges are held, as pictures, on one process or across ranks
/// (mpirun -n N heat …). Exit status: 0 done, 2 bad usage or input, 130 or 143 ended by a signal.

#include "../common/across_ranks.hpp"
#include "../common/command_line.hpp"
#include "../common/png.hpp"
#include "heat.hpp"
#include "strip_solver.hpp"

#include "base/errors.hpp"
#include "base/output_file.hpp"
#include "base/signals.hpp"
#include "gangway/gangway.hpp"
#include "ranks/session.hpp"
#include "studies/jacobi/temporal.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

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

/// The plate, on its way: of this rank its strip.
class Run {
public:
  Run(const Options& options, heat::State state)
      : _options(options), _state(std::move(state)), _next(_state.temperatures.size()),
        _solve(solver_for(_state)) {}

  /// Errors: Interrupted after a signal, when the checkpoint, if one was asked for, is written.
  void go_on() {
    using Clock = std::chrono::steady_clock;
    Data region;
    const long rows = _state.rows_with_halo();
    const long columns = _state.columns + 2;
    const auto plate =
        region.copy(named("temperatures", _state.temperatures.data()), rows, columns);
    const auto next = region.create(named("next", _next.data()), rows, columns);
    const auto start = Clock::now();
    const long sweeps_before = _state.sweeps;
    long chunk = 16;
    while (!finished()) {
      ranks::begins(fmt::format("the sweeps after number {}", _state.sweeps));
      const auto chunk_start = Clock::now();
      const auto outcome =
          _solve(plate, next, static_cast<int>(sweeps_to_do(chunk)), _options.tolerance);
      _state.sweeps += outcome.done;
      _state.change = outcome.change;
      const auto now = Clock::now();
      const double all = seconds(now - start);
      _progress.show(
          fmt::format("{} of at most {} sweeps, change {:.6g} (until {:g}), {:.0f} a second",
                      _state.sweeps, _options.sweeps, _state.change, _options.tolerance,
                      static_cast<double>(_state.sweeps - sweeps_before) / all));
      // A fifth of a second at a time, the same number on all ranks: a signal need not wait for
      // longer.
      const double took = ranks::world().largest(seconds(now - chunk_start));
      chunk = std::clamp(
          static_cast<long>(static_cast<double>(outcome.done) * 0.2 / std::max(took, 1e-6)), 1L,
          1L << 20);
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
  using Solve = std::function<jacobi::Solver::Outcome(
      const jacobi::Plate& plate, const jacobi::Plate& next, int iterations, double tolerance)>;
  /// On a device four sweeps per pass through memory are the fastest, on a host they gain nothing.
  using Ahead = std::conditional_t<has_device, jacobi::TemporalSolver, jacobi::Solver>;
  static Solve solver_for(const heat::State& state) {
    if (ranks::world().size() == 1)
      return [solver = Ahead()](const auto&... arguments) { return solver.solve(arguments...); };
    return [solver = std::make_shared<heat::StripSolver>(ranks::world(), state)](
               const auto&... arguments) { return solver->solve(arguments...); };
  }

  static double seconds(std::chrono::steady_clock::duration time) {
    return std::chrono::duration<double>(time).count();
  }

  [[nodiscard]] bool finished() const {
    return _state.sweeps >= _options.sweeps || _state.change <= _options.tolerance;
  }

  /// Returns true if something that is done every so many sweeps is due.
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

  /// All ranks together, whichever the signal came to.
  void stop_if_interrupted() {
    const int signal = apps::signal_of_any_rank();
    if (signal == 0)
      return;
    if (!_options.checkpoint.empty())
      write_checkpoint();
    _progress.clear();
    apps::tell("heat: interrupted after {} sweeps{}\n", _state.sweeps,
               _options.checkpoint.empty()
                   ? std::string("; with --checkpoint FILE it could go on from there")
                   : fmt::format("; --restart {} goes on from there", _options.checkpoint));
    throw base::Interrupted(signal);
  }

  const Options& _options;
  heat::State _state;
  base::HostArray<double> _next;
  Solve _solve;
  apps::ProgressLine _progress;
};

/// Refuses plates too large for rank 0, which needs the most, because it also has the picture.
void require_memory(long rows, long columns, const Options& options) {
  const int ranks = ranks::world().size();
  const double width = static_cast<double>(columns + 2);
  const double strip = width * static_cast<double>(ranks::part_of(rows, ranks, 0).count() +
                                                   2L * heat::rows_around(rows, ranks));
  const double pixels =
      static_cast<double>(rows + 2) * width / static_cast<double>(options.shrink * options.shrink);
  const double per_pixel = 3 * 2.2; // and the file that is made of them
  const int plates = ranks > 1 ? 3 : 2;
  const double needed = strip * plates * sizeof(double) + pixels * per_pixel;
  if (const double free = ranks::memory_of_rank(); needed > 0.95 * free)
    throw UsageError(fmt::format("{} x {} cells need {:.1f} GB of memory{}, and {:.1f} GB are free "
                                 "here",
                                 rows, columns, needed / 1e9, ranks > 1 ? " for rank 0" : "",
                                 free / 1e9));
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

int heat_plate(int argc, char** argv) {
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
      "mpirun -n N heat shares the plate among N ranks; all files are the same, to the last bit.\n"
      "Exit status: 0 done, 2 bad usage or input, 130 or 143 ended by a signal.\n"
      "Options that begin with --kokkos- go to Kokkos, such as --kokkos-num-threads=2.");
  apps::Arguments arguments(argc, argv);
  if (const auto status = apps::parse(app, arguments))
    return *status;
  if (ranks::world().rank() == 0) { // who writes
    base::require_writable(options.output + "-00000000.png");
    if (!options.checkpoint.empty())
      base::require_writable(options.checkpoint);
  }

  apps::require_kokkos_settings(arguments);
  apps::choose_device(arguments);
  return apps::while_kokkos_runs(arguments.kokkos_count, arguments.for_kokkos.data(), [&] {
    base::catch_signals("heat");
    Run run(options, first_state(options));
    run.go_on();
    return done;
  });
}

} // namespace

int main(int argc, char** argv) {
  return apps::run("heat", "", argc, argv, [](int count, char** arguments) {
    return apps::across_ranks("heat", "", [&] { return heat_plate(count, arguments); });
  });
}
