// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "port/report.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

/// Command line and reports that the translator of C and C++ and the reader of Fortran share.
namespace gangway::port {

inline constexpr int all_translated = 0;
inline constexpr int something_assumed = 3;
inline constexpr int refused_or_bad = 2;

struct Options {
  std::vector<std::string> files;
  std::string commands;
  std::vector<std::string> flags; ///< behind `--`
  std::string output;
  bool check = false;
  bool in_place = false;
  std::string json;  ///< a file, or - for standard output
  std::string html;  ///< likewise
  std::string sarif; ///< likewise
  bool queues = false;
  bool verify = false;
  bool fortran = false; ///< only Fortran sources are meant
  bool rules = false;
  bool codes = false;
  std::string explain; ///< a code
};

/// Reads the command line. Returns the exit status where the program is to end, as for --help.
[[nodiscard]] std::optional<int> read_options(Options& options, int argc, char** argv);
/// Answers --rules, with that table, --codes and --explain. Returns whether one of them was given.
/// Errors: UsageError, also if no source is given.
[[nodiscard]] bool answer(const Options& options, const std::string& rules);
/// Errors: UsageError unless one of --check, --output and --in-place is given.
void require_one_way(const Options& options);
/// Checks the files of the reports. Errors: UsageError if one cannot be written, or would replace a
/// source or another output.
void require_places_for_reports(const Options& options,
                                const std::vector<std::filesystem::path>& sources,
                                const std::vector<std::filesystem::path>& places);
/// Remarks that no source has a `main` to begin Kokkos in, once, on the first source that needs it.
void tell_of_missing_main(std::vector<Translation>& translations);
/// Writes the reports, and `left_out` after the text. Returns the exit status. Errors: UsageError.
[[nodiscard]] int write_reports(const Options& options,
                                const std::vector<Translation>& translations,
                                const std::string& left_out);
/// Runs `dispatch` as a program's `main`. An exception ends it with its message.
[[nodiscard]] int run(int (*dispatch)(int, char**), int argc, char** argv);

} // namespace gangway::port
