// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "port/report.hpp"

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

/// What the reports share, whatever their form.
namespace gangway::port {

/// How many directives were translated, assumed and refused.
using Counts = std::array<std::size_t, 3>;
[[nodiscard]] Counts counts_of(const Plan& plan);
[[nodiscard]] Counts counts_of(const std::vector<Translation>& translations);

/// On one line, and nothing that would steer a terminal: what is told quotes the source. What is no
/// text becomes `?`.
[[nodiscard]] std::string shown(std::string_view text);

/// What is said of a directive: what is assumed first.
[[nodiscard]] std::vector<const Message*> in_order(const Verdict& verdict);
/// `refused`, `assumed` or `note`.
[[nodiscard]] std::string_view kind_of(const Message& message);

/// Where a row is: `docs/guide/data.md#update`.
[[nodiscard]] std::string place_in_guide(const std::string& row);

} // namespace gangway::port
