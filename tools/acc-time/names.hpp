// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "recorder.hpp"

namespace gangway::acc_time {

/// The name of a new record as a person would write it: C++ names demangled, the function an
/// OpenACC construct lies in where its compiler gives only an address. Made once, when the record
/// is, since none of this may be done within a signal handler.
const char* readable_name(const Key& key, Arena& arena);

/// Names the OpenACC runtime by one of its functions, so that `call_site` can skip it.
void set_openacc_runtime(const void* function);

/// Where the program entered the OpenACC runtime: the first return address on the stack that is
/// neither the runtime's nor this library's. Null when there is none.
const void* call_site();

} // namespace gangway::acc_time
