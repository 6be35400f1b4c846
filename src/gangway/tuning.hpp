// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "gangway/levels.hpp"

#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

/// Clauses by device, measured instead of guessed: the counterpart of `device_type`. Where OpenACC
/// writes the clauses of each kind of device into the directive,
///
///     #pragma acc parallel loop … vector_length(64) device_type(nvidia) vector_length(256)
///
/// a port asks a table for those of the device it runs on, and says what to take where the table
/// has none:
///
///     const Mapping mapping = tuned_mapping("spmv", {{.workers = 4, .vector = 32}, 4});
///     team_policy(mapping.clauses, gangs_for(rows, mapping))
///
/// (Clauses that are known beforehand are `for_device`'s, in levels.hpp.) The table is the user's,
/// a file that the environment variable GANGWAY_TUNING_TABLE names, over the program's, which
/// `add_tuning_table` adds; the library has none. `gangway tune` measures and writes such a file:
///
///     gangway tune spmv --output my_table.inc      on each kind of device
///
/// and keeps the lines of other kinds of device (all x86-64 hosts are one). A line says which shape
/// was faster than the kernel's own by more than the measurement's uncertainty, or, with ratio 1,
/// that none was: the kernel then takes its own. docs/tuning.md describes the format.
namespace gangway {

/// How a kernel's work is laid out: the clauses, and how many items (rows, say) each worker takes.
struct Mapping {
  Clauses clauses;
  int items_per_worker = 1;
  friend bool operator==(const Mapping&, const Mapping&) = default;
};

/// A line of the table.
struct TuningEntry {
  std::string kernel;       ///< such as "spmv"
  std::string architecture; ///< as `architecture()` says it
  Mapping mapping;
  double ratio = 0; ///< time of the kernel's own shape over this one's: above 1, this one is faster
  double low = 0;   ///< and its 95 % interval
  double high = 0;
  std::string date;   ///< of the measurement, such as 2026-11-21
  std::string commit; ///< of the program that measured
  std::string where;  ///< the problem and the device, for people: anything up to the line's end
  /// Whether `mapping` was faster; else it is the kernel's own.
  [[nodiscard]] bool gained() const { return ratio > 1; }
  friend bool operator==(const TuningEntry&, const TuningEntry&) = default;
};

/// A table that cannot be read; `what()` says in which file and line, what is wrong and what would
/// be right.
class TuningError : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// The environment variable that names a table to be used before the program's.
inline constexpr const char* tuning_table_variable = "GANGWAY_TUNING_TABLE";
/// The file that it names; empty if it is empty or not set.
[[nodiscard]] std::string tuning_table_file();
/// Of a file that is read as a table.
inline constexpr std::size_t most_tuning_bytes = std::size_t{1} << 20;
/// A worker takes no more items than this.
inline constexpr int most_tuned_items = 1 << 20;

/// Reads a table; `name` is the file's, for messages. Errors: TuningError for another version of
/// the format, a line that is not an entry, clauses that `validate` refuses, items a worker that
/// are not 1 to `most_tuned_items`, a ratio whose interval reaches below 1, and a second entry
/// for a kernel and architecture.
[[nodiscard]] std::vector<TuningEntry> parse_tuning_table(std::string_view text,
                                                          const std::string& name);
/// The same of a file. Errors also: TuningError if there is no such file, if it cannot be read, and
/// if it has more than `most_tuning_bytes`.
[[nodiscard]] std::vector<TuningEntry> read_tuning_table(const std::filesystem::path& file);
/// The table's text, ordered by kernel and architecture: what `parse_tuning_table` reads.
[[nodiscard]] std::string tuning_table_text(std::vector<TuningEntry> entries);
/// `entries` with those of this architecture for `kernels` taken out and `measured` put in.
[[nodiscard]] std::vector<TuningEntry> merge_tuning(std::vector<TuningEntry> entries,
                                                    const std::vector<std::string>& kernels,
                                                    const std::string& architecture,
                                                    const std::vector<TuningEntry>& measured);

/// The entry of a kernel on an architecture, or null.
[[nodiscard]] const TuningEntry* find_tuning(const std::vector<TuningEntry>& entries,
                                             std::string_view kernel,
                                             std::string_view architecture);

/// Gives the program a table of its own, in the format of the file; `name` is for messages. Before
/// main() or at its beginning, in one thread. A file that `gangway tune` wrote is a C++ string:
///
///     gangway::add_tuning_table(
///     #include "my_table.inc"
///         , "my_table.inc");
///
/// The text is read when it is first asked for. Errors: TuningError once it has been.
void add_tuning_table(std::string text, std::string name);

/// The lines of the file that GANGWAY_TUNING_TABLE names, and those of the program's tables that
/// are for other kernels or architectures. Made at the first call. Errors: TuningError as
/// `read_tuning_table`, and where two of the program's tables have a kernel and architecture in
/// common.
[[nodiscard]] const std::vector<TuningEntry>& tuning_table();

/// The default execution space and what it runs on: "OpenMP/x86-64", "Cuda/Hopper90", "HIP/gfx90a".
/// Kokkos must be running.
[[nodiscard]] std::string architecture();

/// The table's shape for `kernel` here, or `fallback` where it has none that is faster than the
/// kernel's own. Looked up at each call: ask outside loops. Errors: TuningError as `tuning_table`.
[[nodiscard]] Mapping tuned_mapping(std::string_view kernel, const Mapping& fallback);
/// The same for kernels whose workers take one item: a shape found with more is not theirs.
[[nodiscard]] Clauses tuned(std::string_view kernel, const Clauses& fallback);

} // namespace gangway
