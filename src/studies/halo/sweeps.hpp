// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "harness/check.hpp"
#include "harness/problem.hpp"

#include <fmt/format.h>

/// Parameters of halo and halo_blocks, and their statements about the plate.
namespace gangway::halo {

/// The plate of all ranks together, and the sweeps of it.
struct Sweeps {
  long rows; ///< inside the edges
  long columns;
  int count;
  bool single; ///< float, not double

  Sweeps(const harness::Parameters& parameters, long longest_side)
      : rows(parameters.integer("n", 0, longest_side)),
        columns(parameters.text("columns").empty()
                    ? rows
                    : parameters.integer("columns", 0, longest_side)),
        count(static_cast<int>(parameters.integer("sweeps", 0, 1000000))),
        single(parameters.choice("type", {"double", "float"}) == "float") {}

  [[nodiscard]] double element_bytes() const { return single ? sizeof(float) : sizeof(double); }
  /// `changes` are those of the sweeps.
  [[nodiscard]] std::string describe(const std::vector<double>& changes) const {
    return fmt::format(
        "{} x {} cells inside the edges, {}, {} sweeps{}", rows, columns,
        single ? "float" : "double", count,
        count > 0 ? fmt::format(", the last of which changes a cell by {:.6f}", changes.back())
                  : "");
  }
  /// Counts the work of a rank with so many cells; `left_out` is not counted.
  [[nodiscard]] harness::Work work(double cells, const char* left_out) const {
    const double updates = cells * count;
    return {.bytes = 2 * updates * element_bytes(),
            .flops = 6 * updates,
            .single_precision = single,
            .reasoning = fmt::format("each sweep reads each cell once and writes it once; four "
                                     "operations for the mean, two for the change; {} not counted",
                                     left_out)};
  }
};

/// The keys that both have, and what `wide` says.
[[nodiscard]] constexpr std::array<harness::Key, 5> keys_with(std::string_view wide) {
  return {{{"n", "4096", "rows and columns inside the edges, of all ranks together"},
           {"columns", "", "columns, where they are not n"},
           {"sweeps", "100", "sweeps, each with one exchange"},
           {"wide", "8", wide},
           {"type", "double", "double or float"}}};
}

[[nodiscard]] inline std::vector<harness::Case> sweep_cases(harness::Effort effort, double) {
  const bool quick = effort == harness::Effort::quick;
  const std::string n = quick ? "1024" : effort == harness::Effort::full ? "16384" : "4096";
  // Even numbers of sweeps, as a port has them that swaps its two plates.
  const std::string sweeps = quick ? "10" : effort == harness::Effort::full ? "100" : "20";
  return {{"float", {{"n", n}, {"sweeps", sweeps}, {"type", "float"}}},
          {"double", {{"n", n}, {"sweeps", sweeps}}}};
}

/// Rows are multiplied, columns stay: each rank keeps what it has.
template <long longest_side>
[[nodiscard]] std::vector<harness::Parameters::Setting> more_rows(const harness::Parameters& of_one,
                                                                  int ranks) {
  const Sweeps one(of_one, longest_side);
  return {{"n", std::to_string(one.rows * ranks)},
          {"columns", std::to_string(one.columns)},
          {"sweeps", of_one.text("sweeps")},
          {"wide", of_one.text("wide")},
          {"type", of_one.text("type")}};
}

/// Adds the check of all sweeps' changes to that of the cells of a rank's `part`.
[[nodiscard]] inline harness::Check check_of(harness::Check cells, const std::string& where,
                                             const char* part, const std::vector<double>& changes,
                                             const std::vector<double>& expected) {
  if (!cells.passed) {
    cells.detail = where + cells.detail;
    return cells;
  }
  harness::Check check = harness::check_exact(changes, expected);
  check.detail =
      check.passed
          ? fmt::format("every cell of the {} and every change exactly, without an exchange", part)
          : "of the changes: " + check.detail;
  return check;
}

} // namespace gangway::halo
