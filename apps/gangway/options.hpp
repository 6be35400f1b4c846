// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "harness/registry.hpp"

#include <CLI/CLI.hpp>

#include <optional>
#include <string>
#include <vector>

/// Options that several commands have, as they are written.
namespace gangway::apps {

constexpr int checks_passed = 0;
constexpr int check_failed = 1;
constexpr const char* no_report = "none"; ///< the folder's name that stands for no report

struct OpenAccOptions {
  std::vector<std::string> openacc_libraries; ///< each FILE or LABEL=FILE, or only "none"
};

/// Which problem, and how much time it may take.
struct ProblemOptions {
  std::vector<std::string> set;
  int rounds = 0;                 ///< what the effort gives
  std::optional<double> patience; ///< seconds; what the effort gives, or none beside `rounds`
  bool quick = false;
  bool full = false;

  [[nodiscard]] harness::Effort effort() const {
    return quick ? harness::Effort::quick : full ? harness::Effort::full : harness::Effort::normal;
  }
};

struct Outputs {
  std::string json_file;
  std::string csv_directory;
  std::optional<std::string> report_directory;

  [[nodiscard]] bool has_report() const {
    return report_directory && *report_directory != no_report;
  }
};

/// Options that say what to run, and how.
struct RunningOptions : OpenAccOptions, ProblemOptions, Outputs {
  std::string scope;               ///< empty: the natural one of each study
  double time_limit = 600;         ///< of one run across ranks, in seconds
  std::vector<std::string> models; ///< all if empty
  std::vector<std::string> variants;
  bool separate_memory = false;
};

/// The shapes of sweep and tune.
struct ShapeOptions {
  std::vector<int> workers{1, 2, 4, 8, 16, 32};
  std::vector<int> vector{1, 2, 4, 8, 16, 32};
  std::vector<int> items;
};

void add_openacc(CLI::App& command, OpenAccOptions& options);
void add_problem(CLI::App& command, ProblemOptions& options);
void add_running(CLI::App& command, RunningOptions& options);
/// Running, and the outputs of run, compare and sweep.
void add_measuring(CLI::App& command, RunningOptions& options);
void add_shapes(CLI::App& command, ShapeOptions& options);

} // namespace gangway::apps
