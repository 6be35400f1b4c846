// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "recorder.hpp"

namespace gangway::acc_time {

/// Notes which model's runtime loaded the library.
void saw(Model model);

/// Merges the records of all threads and writes them to the place in the settings; a file is
/// written whole or not at all. Uses memory from the kernel only, and no library that a signal
/// handler must not call. Not for two threads at a time.
void write_report(const char* ended);

} // namespace gangway::acc_time
