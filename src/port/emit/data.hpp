// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "port/emit/writer.hpp"

#include <cstddef>
#include <string>
#include <vector>

/// Data on the device: regions, directives that stand alone, and names for kernels.
namespace gangway::port {

/// Returns a `gangway::Data` of that name, with its arrays; empty without any.
[[nodiscard]] std::string data_lines(const Writer& to, const std::vector<Entry>& entries,
                                     const std::string& data);

/// Returns one line per action.
[[nodiscard]] std::string action_lines(const Writer& to, const std::vector<Action>& actions);

[[nodiscard]] std::vector<std::string> name_lines(const Unit& unit, const std::vector<Name>& names);

/// Inserts lines after the brace that opens the directive's statement.
void open_block(Writer& to, const Directive& directive, const std::string& lines);

void emit_data(Writer& to, std::size_t id);
void emit_declare(Writer& to, std::size_t id);
void emit_host_data(Writer& to, std::size_t id);
/// Writes the statements of a directive that stands alone.
void emit_statement(Writer& to, std::size_t id);

} // namespace gangway::port
