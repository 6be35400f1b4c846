// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "harness/problem.hpp"

#include <array>
#include <cstdint>

/// Answers to the referee that studies of one array of rows and columns share.
namespace gangway::harness {

[[nodiscard]] constexpr std::array<Key, 2> rows_and_columns(std::string_view rows,
                                                            std::string_view columns) {
  return {{{"rows", rows, "rows of the array"}, {"columns", columns, "columns, side by side"}}};
}

[[nodiscard]] inline Case of_size(std::string name, std::string_view rows,
                                  std::string_view columns) {
  return {std::move(name), {{"rows", std::string(rows)}, {"columns", std::string(columns)}}};
}

/// Returns the sizes to measure of an array of four-byte elements that is only written.
[[nodiscard]] inline std::vector<Case> cases_of_written(Effort effort, double memory_bytes) {
  if (effort == Effort::full)
    return {memory_bytes > 12e9 ? of_size("large", "36000", "28000")
                                : of_size("large", "18000", "14000")};
  return {effort == Effort::quick ? of_size("large", "9000", "7000")
                                  : of_size("large", "10000", "9000")};
}

/// Returns the bytes of an array of such elements, which has at most so many rows and columns.
template <std::int64_t most>
[[nodiscard]] double bytes_of_written(const Parameters& given) {
  return 4.0 * given.integer("rows", 0, most) * given.integer("columns", 0, most);
}

} // namespace gangway::harness
