// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "port/emit/writer.hpp"

#include <string>
#include <vector>

/// Pieces of text that several parts write.
namespace gangway::port {

/// A bound, or the step, to be reckoned with: the difference of unsigned numbers is no less than 0,
/// and huge.
[[nodiscard]] std::string operand_of(const Loop& loop, const std::string& text);

/// How many iterations a loop has, if it has any; and each of several.
[[nodiscard]] std::string count_of(const Loop& loop);
[[nodiscard]] std::vector<std::string> counts_of(const std::vector<Loop>& loops);

/// Whether its index is the number of the iteration.
[[nodiscard]] bool counts_itself(const Loop& loop);

/// `const int i = …;` from the iteration that `number` counts from 0.
[[nodiscard]] std::string index_line(const Loop& loop, const std::string& number);
/// Writes such lines for nested loops.
[[nodiscard]] std::vector<std::string> index_lines(const std::vector<Loop>& loops,
                                                   const std::string& number);

/// What a gang's handle is called, a worker's, and the number of gangs: as in the guide, unless the
/// source has that name.
[[nodiscard]] std::string team_of(const Unit& unit);
[[nodiscard]] std::string worker_of(const Unit& unit);
[[nodiscard]] std::string gangs_of(const Unit& unit);

/// The address of what a section names on the host, as Gangway's functions take it: `a`, `a + low`,
/// `&m[0][0]`, `&x`.
[[nodiscard]] std::string host_address(const Section& section, const Variable& named);

/// A pointer, or the address of what it points to, as functions take it that know no volatile.
[[nodiscard]] std::string plain_address(const std::string& address, const Variable& named);

/// How many elements a section has, in all dimensions.
[[nodiscard]] std::string elements_of(const Section& section);

/// `double x;`, of an array with its extents.
[[nodiscard]] std::string declaration(const Variable& named);

/// `gangway::queue(n), `, or nothing.
[[nodiscard]] std::string on_queue(const Queue& queue);

/// `reduction(operation: into)` as Gangway writes it; a plain variable is a sum.
[[nodiscard]] std::string reduction_of(const Reducer& reducer, const std::string& into);

/// `Kokkos::sqrt`
[[nodiscard]] std::string kokkos_name(const Call& call);

[[nodiscard]] std::string joined_lines(const std::vector<std::string>& lines);

/// The comments of a part that goes, each on a line of its own.
[[nodiscard]] std::string comments_in(const Unit& unit, Span span);

/// A line break, unless the source has one there.
[[nodiscard]] std::string line_break(const Unit& unit, unsigned at);

} // namespace gangway::port
