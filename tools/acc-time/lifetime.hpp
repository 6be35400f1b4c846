// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstdint>

namespace gangway::acc_time {

/// From the environment, once.
struct Settings {
  enum class Output { text, json, none };
  /// The bits of GANGWAY_ACC_NOTIFY, as OpenACC users know them.
  enum Notify { launches = 1, transfers = 2, regions = 4, waits = 8, allocations = 16 };

  Output output = Output::text;
  int notify = 0;
  std::array<char, 4096> path{}; ///< absolute; empty: standard error
  std::array<char, 4096> program{};
  int process = 0;
  std::uint64_t started = 0; ///< `now()` when the tool was loaded
  bool fenced = true;        ///< whether Kokkos waits for the device before and after each kernel
};
extern Settings settings;

/// Whether events are to be recorded: false after GANGWAY_ACC_TIME=off and in forked children.
extern bool recording;

/// Reads the settings and sees to it that a report is written however the program ends. Idempotent.
void start();

/// Where the device keeps times, lets signal handlers wait for them. Once.
void start_helper();

/// Writes the report where the settings say. `ended` says how the program came to its end.
void report(const char* ended);

} // namespace gangway::acc_time
