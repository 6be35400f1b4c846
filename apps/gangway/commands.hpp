// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "options.hpp"

/// The commands: `add_…` makes one with its options; the other function does it, and returns the
/// exit status. Errors: UsageError, Interrupted, and what is thrown by what they run.
namespace gangway::apps {

struct ListOptions {
  bool json = false;
};
[[nodiscard]] CLI::App& add_list(CLI::App& app, ListOptions& options);
[[nodiscard]] int list(const ListOptions& options);

struct InfoOptions : OpenAccOptions {
  bool json = false;
};
[[nodiscard]] CLI::App& add_info(CLI::App& app, InfoOptions& options);
[[nodiscard]] int info(const InfoOptions& options);

struct RunOptions : RunningOptions {
  std::string study;
};
[[nodiscard]] CLI::App& add_run(CLI::App& app, RunOptions& options);
[[nodiscard]] int run(const RunOptions& options);

struct CompareOptions : RunningOptions {
  std::vector<std::string> studies; ///< all if empty
  bool verbose = false;
  std::vector<std::string> given; ///< all arguments, as they were
};
[[nodiscard]] CLI::App& add_compare(CLI::App& app, CompareOptions& options);
[[nodiscard]] int compare(const CompareOptions& options);

struct ScaleOptions : RunningOptions {
  std::string study;
  std::vector<int> ranks;
  bool strong = false;
  bool weak = false;
  std::vector<std::string> vary;   ///< empty, or KEY=VALUE,VALUE,…
  std::string launcher = "mpirun"; ///< a program and its options, with spaces between them
  std::vector<std::string> kokkos; ///< arguments for Kokkos
};
[[nodiscard]] CLI::App& add_scale(CLI::App& app, ScaleOptions& options);
/// Launches runs on several numbers of ranks. This process itself has no part in them, and no
/// Kokkos.
[[nodiscard]] int scale(const ScaleOptions& options);

struct SweepOptions : RunningOptions, ShapeOptions {
  std::string study;
};
[[nodiscard]] CLI::App& add_sweep(CLI::App& app, SweepOptions& options);
[[nodiscard]] int sweep(const SweepOptions& options);

struct TuneOptions : ShapeOptions, ProblemOptions {
  std::vector<std::string> studies; ///< all that have levels if empty
};
[[nodiscard]] CLI::App& add_tune(CLI::App& app, TuneOptions& options);
[[nodiscard]] int tune(const TuneOptions& options);

struct NewOptions {
  std::string name;
  std::string directory = ".";
};
[[nodiscard]] CLI::App& add_new(CLI::App& app, NewOptions& options);
[[nodiscard]] int new_study(const NewOptions& options);

} // namespace gangway::apps
