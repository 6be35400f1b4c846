// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "recorder.hpp"

/// Times from the device itself, through NVIDIA's CUPTI, which the running program looks for.
namespace gangway::acc_time::device_clock {

/// Tries CUPTI if CUDA is in the process, for work that this model launches. Idempotent after it
/// has succeeded or failed for good.
void start(Model model);

extern std::atomic<bool> active;

/// Returns what the header of the report says about device times.
const char* state();

/// Flag: `push` and `pop` must tie a thread's launches to its open record. If it is false, a launch
/// looks the open record up.
extern std::atomic<bool> wants_pushes;
void push(Record& record);
void pop();

/// Collects the times of what the device has finished. Not for signal handlers.
void flush();

/// Returns the kernels and copies without a record.
const DeviceWork* unattributed();

} // namespace gangway::acc_time::device_clock
