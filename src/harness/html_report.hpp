// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <nlohmann/json.hpp>

#include <filesystem>

/// The results as one self-contained HTML page with plots. The page is made by
/// bench/report/make_report.py, run by the Python that the environment variable PYTHON names, or
/// else by python3.
namespace gangway::harness {

/// Makes `directory` where there is none. Errors: UsageError when it cannot be written to, or when
/// Python, a package of it or the generator is missing; call before long work, so that it is not
/// lost.
void require_report(const std::filesystem::path& directory);

/// Writes results.json and index.html into `directory`, each whole or not at all; returns the path
/// of the page. Errors: UsageError.
std::filesystem::path write_report(const std::filesystem::path& directory,
                                   const nlohmann::ordered_json& results);

} // namespace gangway::harness
