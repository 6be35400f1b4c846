// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "solver.hpp"

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

/// Checkpoints of the program `cg`, as ../common/checkpoint.hpp has them: x, r and p of an
/// iteration, and of which system they are.
namespace gangway::apps::cg {

/// Facts by which a checkpoint knows its system.
struct Identity {
  std::string name; ///< of the matrix, for messages
  int rows = 0;
  long nonzeros = 0;
  std::uint64_t matrix = 0; ///< checksums
  std::uint64_t b = 0;
  std::string preconditioner;
};
/// Identifies the whole system; without checkpoints it saves the time that checksums take.
[[nodiscard]] Identity identity_of(const std::string& name, const inputs::CsrMatrix& matrix,
                                   std::span<const double> b, const std::string& preconditioner,
                                   bool with_checksums);

/// Writes a checkpoint, whole or not at all. All ranks call it. Errors: UsageError.
void write_checkpoint(const std::filesystem::path& path, const Identity& system,
                      const State& state);
/// Reads into a state that has not begun. All ranks call it. Errors: UsageError that says what is
/// wrong with the file: missing, not a checkpoint of this program and version, cut off, changed
/// since it was written, or of another system.
void read_checkpoint(const std::filesystem::path& path, const Identity& system, State& state);

} // namespace gangway::apps::cg
