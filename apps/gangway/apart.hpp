// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "harness/openacc_library.hpp"

#include <string>
#include <vector>

/// Comparisons of OpenACC libraries that do not live together in one process: each in one of its
/// own, one after another. A ratio is paired within its process, with Kokkos on the same arrays,
/// and holds as it does otherwise; libraries are not compared with each other.
namespace gangway::apps {

/// Gives each library a label: those without one are called by their files.
[[nodiscard]] std::vector<harness::OpenAccChoice>
labelled(std::vector<harness::OpenAccChoice> choices);

/// Turns `given` (the arguments after the program's name) into those for one library alone. Files
/// get names of the library's own: results.json becomes results.LABEL.json, a folder becomes
/// FOLDER-LABEL. `report`, unless it is empty, is the folder that is written without being asked
/// for.
[[nodiscard]] std::vector<std::string> arguments_for(const std::vector<std::string>& given,
                                                     const harness::OpenAccChoice& library,
                                                     const std::string& report);

/// Runs this program with these arguments and returns its status; that of a signal is 128 + its
/// number. If this process is asked to stop, so is the other. Errors: UsageError if it cannot be
/// started; Interrupted.
[[nodiscard]] int run_again(const std::vector<std::string>& arguments);

} // namespace gangway::apps
