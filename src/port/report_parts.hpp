// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "port/report.hpp"

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

/// Parts that the reports share, whatever their form.
namespace gangway::port {

/// Numbers of directives translated, assumed and refused, in this order.
using Counts = std::array<std::size_t, 3>;
[[nodiscard]] Counts counts_of(const Plan& plan);
[[nodiscard]] Counts counts_of(const std::vector<Translation>& translations);

/// Makes one line of text that is safe to show, because messages quote the source. Control
/// characters, which would steer a terminal, and what is no UTF-8 become `?`.
[[nodiscard]] std::string shown(std::string_view text);

/// Returns the messages about a directive, sorted: refused, assumed, then notes.
[[nodiscard]] std::vector<const Message*> in_order(const Verdict& verdict);
/// Returns `refused`, `assumed` or `note`.
[[nodiscard]] std::string_view kind_of(const Message& message);

/// Returns the place of a row of the guide: `docs/guide/data.md#update`.
[[nodiscard]] std::string place_in_guide(const std::string& row);

} // namespace gangway::port
