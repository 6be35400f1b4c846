// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// cg: solves A x = b, A symmetric and positive definite, by conjugate gradients. Exit status: 0
/// converged, 1 not, 2 bad usage or input, 130 or 143 ended by a signal.

#include "../common/command_line.hpp"
#include "solver.hpp"

#include "base/errors.hpp"
#include "base/output_file.hpp"
#include "base/signals.hpp"
#include "gangway/gangway.hpp"
#include "inputs/matrix_market.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <string>
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
};

inputs::CsrMatrix read_matrix(const std::string& path) {
  inputs::CsrMatrix matrix = inputs::read_matrix_market(path);
  if (const std::string fault = inputs::why_not_symmetric(matrix); !fault.empty())
    throw UsageError(fmt::format(
        "{}: the matrix is not symmetric, as conjugate gradients need it: {}", path, fault));
  return matrix;
}

/// Of a file, or the same everywhere if there is none.
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
  if (const double free = usable_memory(); needed > 0.95 * free)
    throw UsageError(fmt::format("the solution needs {:.1f} GB of memory, and {:.1f} GB are free",
                                 needed / 1e9, free / 1e9));
}

constexpr double bytes_of_vectors = 7.0 * sizeof(double); ///< a row

/// Before anything is read but the file's size line.
void require_memory_for(const std::string& path) {
  const inputs::DeclaredSize size = inputs::declared_size(path);
  require_memory((sizeof(std::int32_t) + bytes_of_vectors) * size.rows +
                 static_cast<double>(sizeof(std::int32_t) + sizeof(double)) *
                     static_cast<double>(size.nonzeros));
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

int solve(const Options& options) {
  require_memory_for(options.matrix);
  const inputs::CsrMatrix matrix = read_matrix(options.matrix);
  require_memory_beside(matrix);
  const std::vector<double> b = read_vector(options.right_hand_side, "right-hand side", matrix, 1);
  std::vector<double> x = read_vector(options.guess, "first guess", matrix, 0);
  const std::vector<double> scale = options.preconditioner == "jacobi"
                                        ? apps::cg::inverse_diagonal(matrix)
                                        : std::vector<double>();
  const double norm = norm_of(b);
  fmt::print("{}: {} rows, {} non-zeros; preconditioner {}\n"
             "iteration  residual       relative to b\n",
             options.matrix, matrix.rows, matrix.nonzeros(), options.preconditioner);

  base::at_work_on("the solution for " + options.matrix);
  int last_told = -1;
  const auto tell = [&](int iteration, double residual) {
    last_told = iteration;
    fmt::print("{:9}  {:.6e}   {:.6e}\n", iteration, residual, norm > 0 ? residual / norm : 0.0);
    std::fflush(stdout);
  };
  const auto start = std::chrono::steady_clock::now();
  const apps::cg::Outcome outcome =
      apps::cg::solve(matrix, scale, b, x, options.iterations, options.tolerance * norm,
                      [&](int iteration, double residual) {
                        if (iteration % options.every == 0)
                          tell(iteration, residual);
                        base::stop_if_interrupted();
                      });
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  if (last_told != outcome.iterations)
    tell(outcome.iterations, outcome.residual);

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
             apps::cg::residual_norm(matrix, b, x));
  if (!options.output.empty())
    inputs::write_vector_matrix_market(options.output, x);
  return done ? converged : not_converged;
}

/// Before anything is solved.
void require_output(const std::string& path) {
  inputs::require_vector_file(path);
  base::require_writable(path);
  std::error_code ignored;
  if (std::filesystem::equivalent(path, "/dev/stdout", ignored))
    throw UsageError(fmt::format("cannot write {}: the residuals go there, to the standard output; "
                                 "name another file",
                                 path));
}

int dispatch(int argc, char** argv) {
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
  app.add_option("-g,--guess", options.guess, "The first x (default: 0 everywhere)")
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
  app.footer(
      "Where the iterations do not suffice, x is written all the same, and the exit status says "
      "so.\n"
      "Exit status: 0 converged, 1 not converged, 2 bad usage or input,\n"
      "130 or 143 ended by a signal.\n"
      "Options that begin with --kokkos- go to Kokkos, such as --kokkos-num-threads=2.");
  apps::Arguments arguments(argc, argv);
  try {
    app.parse(static_cast<int>(arguments.ours.size()), arguments.ours.data());
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? converged : apps::bad_usage;
  }
  if (!options.output.empty())
    require_output(options.output);

  apps::require_kokkos_settings(arguments);
  const Kokkos::ScopeGuard kokkos(arguments.kokkos_count, arguments.for_kokkos.data());
  base::catch_signals("cg");
  return solve(options);
}

} // namespace

int main(int argc, char** argv) {
  return apps::run("cg", "interrupted; nothing was written", argc, argv, dispatch);
}
