// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "recorder.hpp"

/// Times from the device itself, through NVIDIA's CUPTI, which is looked for when the program runs.
namespace gangway::acc_time::device_clock {

/// Tries CUPTI if CUDA is in the process, for work that this model launches. Idempotent once it has
/// succeeded or failed for good.
void start(Model model);

extern std::atomic<bool> active;

/// What the header of the report says of device times.
const char* state();

/// All that this thread launches until `pop` belongs to `record`.
void push(Record& record);
void pop();

/// Brings in what the device has finished. Not for signal handlers.
void flush();

/// Kernels and copies that no record could be found for.
const DeviceWork* unattributed();

} // namespace gangway::acc_time::device_clock
