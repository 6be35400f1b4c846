// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "restart.hpp"

#include "../common/checkpoint.hpp"

#include <fmt/format.h>

#include <bit>
#include <sstream>
#include <vector>

namespace gangway::apps::cg {
namespace {

constexpr CheckpointKind kind{.program = "cg", .version = "1"};

std::uint64_t checksum_of(const inputs::CsrMatrix& matrix) {
  std::uint64_t sum = empty_checksum;
  for (const auto* indices : {&matrix.row_offsets, &matrix.column_indices})
    for (const std::int32_t index : *indices)
      sum = checksum(sum, static_cast<std::uint64_t>(index));
  return checksum(sum, matrix.values);
}

/// Returns all of a checkpoint but the vectors, as text.
std::string facts(const Identity& system, const State& state) {
  return fmt::format("{} {} {:016x} {:016x} {} {} {:016x} {:016x}", system.rows, system.nonzeros,
                     system.matrix, system.b, system.preconditioner, state.iteration,
                     std::bit_cast<std::uint64_t>(state.square),
                     std::bit_cast<std::uint64_t>(state.scaled));
}

/// Returns this rank's elements of x, r and p, without its halo.
template <class T, class SomeState>
std::vector<std::span<T>> vectors(SomeState& state) {
  const std::size_t rows = state.r.size();
  return {std::span(state.x).first(rows), state.r, std::span(state.p).first(rows)};
}

} // namespace

Identity identity_of(const std::string& name, const inputs::CsrMatrix& matrix,
                     std::span<const double> b, const std::string& preconditioner,
                     bool with_checksums) {
  return {.name = name,
          .rows = matrix.rows,
          .nonzeros = matrix.nonzeros(),
          .matrix = with_checksums ? checksum_of(matrix) : 0,
          .b = with_checksums ? checksum(empty_checksum, b) : 0,
          .preconditioner = preconditioner};
}

void write_checkpoint(const std::filesystem::path& path, const Identity& system,
                      const State& state) {
  apps::write_checkpoint(path, kind, facts(system, state), vectors<const double>(state));
}

void read_checkpoint(const std::filesystem::path& path, const Identity& system, State& state) {
  const Checkpoint checkpoint(path, kind);
  std::istringstream words(checkpoint.facts());
  Identity written;
  std::uint64_t square = 0;
  std::uint64_t scaled = 0;
  words >> written.rows >> written.nonzeros >> std::hex >> written.matrix >> written.b >>
      std::dec >> written.preconditioner >> state.iteration >> std::hex >> square >> scaled;
  state.square = std::bit_cast<double>(square);
  state.scaled = std::bit_cast<double>(scaled);
  if (!words || written.rows < 1 || written.nonzeros < 0 || state.iteration < 0 ||
      (written.preconditioner != "none" && written.preconditioner != "jacobi") ||
      facts(written, state) != checkpoint.facts())
    checkpoint.refuse_damaged();
  if (written.rows != system.rows || written.nonzeros != system.nonzeros)
    checkpoint.refuse(fmt::format("it is of a matrix with {} rows and {} non-zeros, and {} has {} "
                                  "and {}; give the matrix that it was written for",
                                  written.rows, written.nonzeros, system.name, system.rows,
                                  system.nonzeros));
  if (written.matrix != system.matrix)
    checkpoint.refuse(fmt::format("it is of a matrix with other entries than {} (checksum); give "
                                  "the matrix that it was written for",
                                  system.name));
  if (written.b != system.b)
    checkpoint.refuse("it is of another right-hand side (checksum); give the one that it was "
                      "written for with --right-hand-side");
  if (written.preconditioner != system.preconditioner)
    checkpoint.refuse(fmt::format("it is of a run with --preconditioner {}, and this one has {}",
                                  written.preconditioner, system.preconditioner));
  checkpoint.require_numbers(3 * static_cast<std::uintmax_t>(system.rows),
                             fmt::format("an iteration on {} rows", system.rows));
  checkpoint.read(vectors<double>(state));
  state.has_begun = true;
}

} // namespace gangway::apps::cg
