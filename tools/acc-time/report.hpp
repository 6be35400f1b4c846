// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "recorder.hpp"

namespace gangway::acc_time {

/// Notes which model's runtime loaded the library.
void saw(Model model);

/// Puts together what all threads recorded and writes it where the settings say; a file is written
/// whole or not at all. Uses no memory but the kernel's and no library that a signal handler must
/// not call. Not for two threads at a time.
void write_report(const char* ended);

} // namespace gangway::acc_time
