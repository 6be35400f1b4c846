// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "harness/referee.hpp"
#include "harness/registry.hpp"
#include "scale.hpp"

#include <CLI/CLI.hpp>

#include <optional>
#include <string>
#include <vector>

/// The command's arguments.
namespace gangway::apps {

constexpr int checks_passed = 0;
constexpr int check_failed = 1;
constexpr const char* no_report = "none"; ///< the folder's name that stands for no report

struct Options {
  std::vector<std::string> studies;
  bool one_case = false;     ///< the first case only, and no ceilings
  bool may_be_apart = false; ///< libraries that clash may be compared in processes of their own
  std::vector<std::string> models; ///< all if empty
  std::vector<std::string> variants;
  std::string scope; ///< empty: the natural one of each study
  std::vector<std::string> set;
  bool quick = false;
  bool full = false;
  int rounds = 0;
  std::string json_file;
  std::string csv_file;
  std::optional<std::string> report_directory;
  std::vector<std::string> openacc_libraries; ///< each FILE or LABEL=FILE, or only "none"
  bool json = false;
  bool separate_memory = false;
  double time_limit = 600; ///< of one run across ranks, in seconds
  std::vector<int> workers;
  std::vector<int> vector;
  std::vector<int> items;
  std::vector<std::string> given; ///< all arguments, as they were
  ScaleOptions scale;

  [[nodiscard]] harness::Effort effort() const {
    return quick ? harness::Effort::quick : full ? harness::Effort::full : harness::Effort::normal;
  }
};

/// Of --set. Errors: UsageError where they are not key=value, or a key comes twice.
[[nodiscard]] std::vector<harness::Parameters::Setting>
settings_of(const std::vector<std::string>& given);

/// Options of the OpenACC side.
void add_common(CLI::App& command, Options& options);
/// Which problem, and how much time it may take.
void add_problem(CLI::App& command, Options& options);
/// Of run, compare and sweep.
void add_measuring(CLI::App& command, Options& options);
/// The shapes of sweep and tune.
void add_shapes(CLI::App& command, Options& options);
/// Of scale.
void add_scaling(CLI::App& command, Options& options);

} // namespace gangway::apps
