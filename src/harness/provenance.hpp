// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "harness/openacc_library.hpp"

#include <nlohmann/json_fwd.hpp>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace gangway::harness {

/// Returns where a number comes from: commit, compilers and flags of both sides, libraries and
/// their versions, device, driver, threads and binding, floating-point contraction. They are name
/// and value, in the order to print. Names for the first OpenACC library begin "openacc ", for each
/// other one "openacc[LABEL] "; "openacc libraries" has all labels.
[[nodiscard]] std::vector<std::pair<std::string, std::string>>
provenance(const OpenAccLibraries& openacc);

/// Returns the provenance, and what `gangway info` shows besides: the backends of Kokkos, and the
/// devices and the memory of both models.
[[nodiscard]] std::vector<std::pair<std::string, std::string>>
environment(const OpenAccLibraries& openacc);

/// Says in a line that the host is measured although the machine below that folder has a GPU; empty
/// if it has none that Linux shows.
[[nodiscard]] std::string unused_gpu(const std::filesystem::path& root);

/// Returns this program's number and commit, such as "0.2.0 3b45f99c1b2a".
[[nodiscard]] const char* version();

/// Returns date and time, such as "2026-11-21T09:30:00Z".
[[nodiscard]] std::string utc_now();

} // namespace gangway::harness
