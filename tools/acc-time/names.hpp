// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "recorder.hpp"

namespace gangway::acc_time {

/// Returns the name of a new record as a person would write it: C++ names are demangled, and an
/// address of an OpenACC construct becomes its function. A record gets its name when it is made,
/// because a signal handler must not do any of this.
const char* readable_name(const Key& key, Arena& arena);

/// Names the OpenACC runtime by one of its functions, so that `call_site` can skip it.
void set_openacc_runtime(const void* function);

/// Returns where the program entered the OpenACC runtime: the first return address on the stack
/// that is neither the runtime's nor this library's. Null if there is none.
const void* call_site();

} // namespace gangway::acc_time
