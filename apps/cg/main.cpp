// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// cg: solves A x = b, A symmetric and positive definite, by conjugate gradients, on one process or
/// across ranks (mpirun -n N cg …). Exit status: 0 converged, 1 not, 2 bad usage or input, 130 or
/// 143 ended by a signal.

#include "../common/across_ranks.hpp"
#include "../common/command_line.hpp"
#include "restart.hpp"
#include "solver.hpp"

#include "base/errors.hpp"
#include "base/output_file.hpp"
#include "base/signals.hpp"
#include "gangway/gangway.hpp"
#include "inputs/matrix_market.hpp"
#include "ranks/pieces.hpp"
#include "ranks/session.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace gangway;
using gangway::base::UsageError;

constexpr int converged = 0;
constexpr int not_converged = 1;

struct Options {
  std::string matrix;
  std::string right_hand_side;
  std::string guess;
  std::string output;
  std::string preconditioner = "none";
  double tolerance = 1e-8;
  int iterations = 10000;
  int every = 1;
  std::string checkpoint;
  int checkpoint_every = 0;
  std::string restart;
};

inputs::CsrMatrix read_matrix(const std::string& path) {
  inputs::CsrMatrix matrix = inputs::read_matrix_market(path);
  if (const std::string fault = inputs::why_not_symmetric(matrix); !fault.empty())
    throw UsageError(fmt::format(
        "{}: the matrix is not symmetric, as conjugate gradients need it: {}", path, fault));
  return matrix;
}

/// Reads a vector from a file; without a file, all its elements are `otherwise`.
std::vector<double> read_vector(const std::string& path, const char* what,
                                const inputs::CsrMatrix& matrix, double otherwise) {
  if (path.empty())
    return std::vector<double>(static_cast<std::size_t>(matrix.rows), otherwise);
  std::vector<double> vector = inputs::read_vector_matrix_market(path);
  if (vector.size() != static_cast<std::size_t>(matrix.rows))
    throw UsageError(fmt::format("{}: the {} has {} entries, and the matrix {} rows; give one for "
                                 "each row",
                                 path, what, vector.size(), matrix.rows));
  return vector;
}

void require_memory(double needed) {
  if (const double free = ranks::memory_of_rank(); needed > 0.95 * free)
    throw UsageError(fmt::format("the solution needs {:.1f} GB of memory{}, and {:.1f} GB are free",
                                 needed / 1e9, ranks::world().size() > 1 ? " for each rank" : "",
                                 free / 1e9));
}

constexpr double bytes_of_vectors = 9.0 * sizeof(double); ///< a row

/// Checks the memory before the program reads more than the file's size line. Each of several ranks
/// reads all of the file, and then keeps its part, which may be most of it.
void require_memory_for(const std::string& path) {
  const inputs::DeclaredSize size = inputs::declared_size(path);
  const double matrix = sizeof(std::int32_t) * static_cast<double>(size.rows) +
                        static_cast<double>(sizeof(std::int32_t) + sizeof(double)) *
                            static_cast<double>(size.nonzeros);
  require_memory(bytes_of_vectors * size.rows + (ranks::world().size() > 1 ? 2 : 1) * matrix);
}

/// Once the matrix is in the host's memory: on a device it has to fit once more.
void require_memory_beside(const inputs::CsrMatrix& matrix) {
  require_memory(bytes_of_vectors * matrix.rows +
                 (memory() != Memory::shared ? static_cast<double>(matrix.bytes()) : 0.0));
}

double norm_of(const std::vector<double>& vector) {
  double square = 0;
  for (const double v : vector)
    square += v * v;
  return std::sqrt(square);
}

/// Says how far it has come, keeps checkpoints, and stops where a signal asks for it.
class Progress {
public:
  Progress(const Options& options, const apps::cg::Identity& system, double norm_of_b)
      : _options(options), _system(system), _norm(norm_of_b) {}

  void operator()(const apps::cg::State& state, double residual,
                  const std::function<void()>& fetch) {
    if (state.iteration % _options.every == 0)
      tell(state.iteration, residual);
    if (_options.checkpoint_every > 0 && state.iteration > 0 &&
        state.iteration % _options.checkpoint_every == 0)
      keep(state, fetch);
    if (state.iteration >= _next_look)
      look(state, fetch);
  }

  void tell(int iteration, double residual) {
    if (iteration == _last_told)
      return;
    _last_told = iteration;
    fmt::print("{:9}  {:.6e}   {:.6e}\n", iteration, residual, _norm > 0 ? residual / _norm : 0.0);
    std::fflush(stdout);
  }

private:
  void keep(const apps::cg::State& state, const std::function<void()>& fetch) {
    fetch();
    apps::cg::write_checkpoint(_options.checkpoint, _system, state);
  }

  /// About every fifth of a second, before the same iteration on all ranks: to ask them costs as
  /// much as a sum.
  void look(const apps::cg::State& state, const std::function<void()>& fetch) {
    ranks::begins("the solution for " + _options.matrix);
    const auto now = std::chrono::steady_clock::now();
    const double took =
        ranks::world().largest(std::chrono::duration<double>(now - _looked).count());
    const double wanted = _between * 0.2 / std::max(took, 1e-6);
    _looked = now;
    _between = static_cast<int>(std::clamp(wanted, 1.0, std::min(2.0 * _between, 1e6)));
    _next_look = state.iteration + _between;
    const int signal = apps::signal_of_any_rank();
    if (signal == 0)
      return;
    if (_options.checkpoint.empty()) {
      apps::tell("cg: interrupted; nothing was written (with --checkpoint FILE it could go on from "
                 "there)\n");
    } else {
      keep(state, fetch);
      apps::tell("cg: interrupted after {} iterations; --restart {} goes on from there\n",
                 state.iteration, _options.checkpoint);
    }
    throw base::Interrupted(signal);
  }

  const Options& _options;
  const apps::cg::Identity& _system;
  double _norm;
  int _last_told = -1;
  std::chrono::steady_clock::time_point _looked = std::chrono::steady_clock::now();
  int _between = 1; ///< iterations from one look to the next
  int _next_look = 0;
};

/// Rank 0 writes x.
void write_solution(const std::string& path, const apps::cg::System& system,
                    const apps::cg::State& state) {
  const auto rows = static_cast<std::size_t>(system.part.matrix.rows);
  std::vector<double> whole;
  ranks::gather_pieces(
      ranks::world(), std::span(state.x).first(rows), 1L << 20,
      [&](std::span<const double> some) { whole.insert(whole.end(), some.begin(), some.end()); });
  if (ranks::world().rank() == 0)
    inputs::write_vector_matrix_market(path, whole);
}

int solve(const Options& options) {
  require_memory_for(options.matrix);
  inputs::CsrMatrix matrix = read_matrix(options.matrix);
  require_memory_beside(matrix);
  const std::vector<double> b = read_vector(options.right_hand_side, "right-hand side", matrix, 1);
  const std::vector<double> guess = read_vector(options.guess, "first guess", matrix, 0);
  const std::vector<double> scale = options.preconditioner == "jacobi"
                                        ? apps::cg::inverse_diagonal(matrix)
                                        : std::vector<double>();
  const double norm = norm_of(b);
  const apps::cg::Identity identity =
      apps::cg::identity_of(options.matrix, matrix, b, options.preconditioner,
                            !options.checkpoint.empty() || !options.restart.empty());
  apps::cg::System system(std::move(matrix), b, scale);
  apps::cg::State state(system, guess);
  if (!options.restart.empty())
    apps::cg::read_checkpoint(options.restart, identity, state);
  fmt::print("{}: {} rows, {} non-zeros; preconditioner {}\n"
             "iteration  residual       relative to b\n",
             options.matrix, identity.rows, identity.nonzeros, options.preconditioner);

  ranks::begins("the solution for " + options.matrix);
  Progress progress(options, identity, norm);
  const auto start = std::chrono::steady_clock::now();
  const apps::cg::Outcome outcome = apps::cg::solve(system, state, options.iterations,
                                                    options.tolerance * norm, std::ref(progress));
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  progress.tell(outcome.iterations, outcome.residual);

  switch (outcome.end) {
  case apps::cg::End::not_positive_definite:
    throw UsageError(fmt::format("{}: the matrix is not positive definite, as conjugate gradients "
                                 "need it: iteration {} found a direction in which it is not",
                                 options.matrix, outcome.iterations));
  case apps::cg::End::not_finite:
    throw UsageError(fmt::format("{}: numbers grew beyond what double holds in iteration {}; scale "
                                 "the system",
                                 options.matrix, outcome.iterations));
  case apps::cg::End::converged:
  case apps::cg::End::out_of_iterations:
    break;
  }
  const bool done = outcome.end == apps::cg::End::converged;
  fmt::print("{} after {} iterations, {:.3f} s; norm of b - A x: {:.6e}\n",
             done ? "converged" : "not converged", outcome.iterations, took.count(),
             apps::cg::residual_norm(system, state.x));
  if (!options.checkpoint.empty())
    apps::cg::write_checkpoint(options.checkpoint, identity, state);
  if (!options.output.empty())
    write_solution(options.output, system, state);
  return done ? converged : not_converged;
}

/// Refuses an output that cannot be written, before the program solves anything.
void require_output(const std::string& path) {
  inputs::require_vector_file(path);
  base::require_writable(path);
  std::error_code ignored;
  if (std::filesystem::equivalent(path, "/dev/stdout", ignored))
    throw UsageError(fmt::format("cannot write {}: the residuals go there, to the standard output; "
                                 "name another file",
                                 path));
}

int solve_system(int argc, char** argv) {
  Options options;
  CLI::App app("Solves A x = b by conjugate gradients; A is symmetric and positive definite, in a "
               "Matrix Market file.");
  app.name("cg");
  constexpr int most = std::numeric_limits<int>::max() - 1;
  app.add_option("matrix", options.matrix, "The matrix A: Matrix Market, coordinate, or gzip of it")
      ->type_name("FILE")
      ->check(apps::file_name())
      ->required();
  app.add_option("-b,--right-hand-side", options.right_hand_side,
                 "The vector b: Matrix Market, one column (default: 1 everywhere)")
      ->type_name("FILE")
      ->check(apps::file_name());
  auto* guess = app.add_option("-g,--guess", options.guess, "The first x (default: 0 everywhere)")
                    ->type_name("FILE")
                    ->check(apps::file_name());
  app.add_option("-o,--output", options.output, "Write x here, as Matrix Market")
      ->type_name("FILE")
      ->check(apps::file_name());
  app.add_option("-p,--preconditioner", options.preconditioner, "none or jacobi")
      ->capture_default_str()
      ->check(CLI::IsMember({"none", "jacobi"}));
  app.add_option("-t,--tolerance", options.tolerance,
                 "Stop when the residual's norm is this much of b's")
      ->capture_default_str()
      ->check(apps::number())
      ->check(CLI::NonNegativeNumber);
  app.add_option("-i,--iterations", options.iterations, "At most so many")
      ->capture_default_str()
      ->check(apps::number())
      ->check(CLI::Range(0, most));
  app.add_option("--every", options.every, "Print the residual of every so many iterations")
      ->capture_default_str()
      ->check(apps::number())
      ->check(CLI::Range(1, most));
  auto* checkpoint =
      app.add_option("--checkpoint", options.checkpoint,
                     "Keep what a restart needs here: at the end, and when interrupted")
          ->type_name("FILE")
          ->check(apps::file_name());
  app.add_option("--checkpoint-every", options.checkpoint_every, "And every so many iterations")
      ->check(apps::number())
      ->check(CLI::Range(1, most))
      ->needs(checkpoint);
  app.add_option("--restart", options.restart,
                 "Go on from this checkpoint, of the same system; iterations before it count")
      ->type_name("FILE")
      ->check(apps::file_name())
      ->excludes(guess);
  app.footer(
      "Where the iterations do not suffice, x is written all the same, and the exit status says "
      "so.\n"
      "A restarted run ends with the same x, to the last bit, as one that was not interrupted, "
      "and\n"
      "so does mpirun -n N cg on any number of ranks.\n"
      "Exit status: 0 converged, 1 not converged, 2 bad usage or input,\n"
      "130 or 143 ended by a signal.\n"
      "Options that begin with --kokkos- go to Kokkos, such as --kokkos-num-threads=2.");
  apps::Arguments arguments(argc, argv);
  if (const auto status = apps::parse(app, arguments))
    return *status;
  if (ranks::world().rank() == 0) { // who writes
    if (!options.output.empty())
      require_output(options.output);
    if (!options.checkpoint.empty())
      base::require_writable(options.checkpoint);
  }

  apps::require_kokkos_settings(arguments);
  apps::choose_device(arguments);
  return apps::while_kokkos_runs(arguments.kokkos_count, arguments.for_kokkos.data(), [&] {
    base::catch_signals("cg");
    return solve(options);
  });
}

} // namespace

int main(int argc, char** argv) {
  return apps::run("cg", "", argc, argv, [](int count, char** arguments) {
    return apps::across_ranks("cg", "", [&] { return solve_system(count, arguments); });
  });
}
