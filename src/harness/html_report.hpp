// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <nlohmann/json.hpp>

#include <filesystem>

/// The results as one self-contained HTML page with plots. A script of tools/pages makes the page,
/// run by the Python that the environment variable PYTHON names, or else by python3.
namespace gangway::harness {

/// The scripts that make the page: of results, and of those of `gangway scale`.
inline constexpr const char* report_of_results = "make_report.py";
inline constexpr const char* report_of_scaling = "make_scaling.py";

/// Makes `directory` where there is none; called before long work, so that it is not lost. Errors:
/// UsageError when it cannot be written to, or when Python, a package of it or the generator is
/// missing.
void require_report(const std::filesystem::path& directory, const char* script = report_of_results);

/// Writes results.json and index.html into `directory`, each whole or not at all; returns the path
/// of the page. Errors: UsageError.
std::filesystem::path write_report(const std::filesystem::path& directory,
                                   const nlohmann::ordered_json& results,
                                   const char* script = report_of_results);

} // namespace gangway::harness
