// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstdint>

namespace gangway::acc_time {

/// Settings from the environment, read once.
struct Settings {
  enum class Output { text, json, none };
  /// Bits of GANGWAY_ACC_NOTIFY, as OpenACC users know them.
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

/// Flag: the hooks record events. It is false after GANGWAY_ACC_TIME=off and in forked children.
extern bool recording;

/// Reads the settings and sees to it that a report is written however the program ends. Idempotent.
void start();

/// Starts the helper thread, once, through which signal handlers wait for the device's times.
void start_helper();

/// Writes the report to the place in the settings. `ended` says how the program ended.
void report(const char* ended);

} // namespace gangway::acc_time
