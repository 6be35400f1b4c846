// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Checkpoints of programs: the state of a run, to the last bit. A file is the same whatever the
/// number of ranks that wrote it, and any number reads it. Rank 0 alone touches it, and passes the
/// others their parts piece by piece. An exception on one rank has to end all.
///
/// A file is two lines of text and numbers as they are in memory, doubles, one array after the
/// other, of each the parts of all ranks in their order:
///
///     gangway PROGRAM checkpoint VERSION
///     BYTE-ORDER FACTS... CHECKSUM
///
/// FACTS are the program's. CHECKSUM is FNV-1a in hexadecimal, over each byte before it as a word
/// of its own and then over the numbers as 64-bit words: it finds what was cut, swapped or flipped,
/// not what was forged.
namespace gangway::apps {

/// Program whose checkpoints they are, and their version.
struct CheckpointKind {
  std::string_view program;
  std::string_view version;
};

/// Goes on with FNV-1a from `sum`: over one word, and over numbers.
[[nodiscard]] constexpr std::uint64_t checksum(std::uint64_t sum, std::uint64_t word) {
  return (sum ^ word) * 1099511628211U;
}
[[nodiscard]] std::uint64_t checksum(std::uint64_t sum, std::span<const double> numbers);
/// Checksum of no bytes, from which FNV-1a begins.
inline constexpr std::uint64_t empty_checksum = 14695981039346656037U;

/// Writes a checkpoint, whole or not at all. `arrays` are this rank's parts. All ranks call it.
/// Errors: UsageError, on rank 0.
void write_checkpoint(const std::filesystem::path& path, const CheckpointKind& kind,
                      const std::string& facts, const std::vector<std::span<const double>>& arrays);

/// Checkpoint to go on from. All ranks call its functions and get the same errors: UsageError that
/// says which file, what is wrong with it and what would be right.
class Checkpoint {
public:
  /// Reads the two lines. Errors: the file is missing, no checkpoint of this kind, of another
  /// version or of another byte order.
  Checkpoint(const std::filesystem::path& path, const CheckpointKind& kind);

  [[nodiscard]] const std::string& facts() const { return _facts; }
  [[noreturn]] void refuse(const std::string& reason) const;
  [[noreturn]] void refuse_damaged() const { refuse("its second line is damaged"); }

  /// Checks the file's size before the program takes memory. `what` has so many numbers, in all
  /// arrays of all ranks.
  void require_numbers(std::uintmax_t numbers, const std::string& what) const;
  /// Fills this rank's parts. Errors: the file is not what was written.
  void read(const std::vector<std::span<double>>& arrays) const;

private:
  std::filesystem::path _path;
  std::uintmax_t _bytes = 0; ///< of the file
  std::string _before;       ///< of its lines what the checksum is over
  std::string _facts;
  std::string _checksum;
};

} // namespace gangway::apps
