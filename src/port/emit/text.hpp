// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "port/emit/writer.hpp"

#include <string>
#include <vector>

/// Text that several parts of `emit` write.
namespace gangway::port {

/// Returns a bound, or the step, as an operand; unsigned ones become signed, because a difference
/// of unsigned numbers is huge instead of negative.
[[nodiscard]] std::string operand_of(const Loop& loop, const std::string& text);

/// Returns how many iterations a loop has, if it has any; `counts_of` does so for several.
[[nodiscard]] std::string count_of(const Loop& loop);
[[nodiscard]] std::vector<std::string> counts_of(const std::vector<Loop>& loops);

/// Returns whether the loop's index is the number of the iteration.
[[nodiscard]] bool counts_itself(const Loop& loop);

/// Writes `const int i = …;` for the iteration that `number` counts from 0.
[[nodiscard]] std::string index_line(const Loop& loop, const std::string& number);
/// Writes such lines for nested loops.
[[nodiscard]] std::vector<std::string> index_lines(const std::vector<Loop>& loops,
                                                   const std::string& number);

/// Returns the name of a gang's handle, of a worker's, or of the number of gangs: as in the guide,
/// unless the source has that name.
[[nodiscard]] std::string team_of(const Unit& unit);
[[nodiscard]] std::string worker_of(const Unit& unit);
[[nodiscard]] std::string gangs_of(const Unit& unit);

/// Returns the host address of a section, as Gangway's functions take it: `a`, `a + low`,
/// `&m[0][0]`, `&x`.
[[nodiscard]] std::string host_address(const Section& section, const Variable& named);

/// Returns a pointer or an address without volatile, for functions that take none.
[[nodiscard]] std::string plain_address(const std::string& address, const Variable& named);

/// Returns how many elements a section has, in all dimensions.
[[nodiscard]] std::string elements_of(const Section& section);

/// Writes `double x;`, for an array with its extents.
[[nodiscard]] std::string declaration(const Variable& named);

/// Writes `gangway::queue(n), `, or nothing without a queue.
[[nodiscard]] std::string on_queue(const Queue& queue);

/// Writes `reduction(operation: into)` as Gangway does; a plain variable is a sum.
[[nodiscard]] std::string reduction_of(const Reducer& reducer, const std::string& into);

/// Returns the called function's name in Kokkos, such as `Kokkos::sqrt`; empty if there is none.
[[nodiscard]] std::string kokkos_name(const Call& call);

[[nodiscard]] std::string joined_lines(const std::vector<std::string>& lines);

/// Returns the comments of a removed part, each on a line of its own.
[[nodiscard]] std::string comments_in(const Unit& unit, Span span);

/// Returns a line break, unless the source has one there.
[[nodiscard]] std::string line_break(const Unit& unit, unsigned at);

} // namespace gangway::port
