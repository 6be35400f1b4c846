// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "harness/referee.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

/// What the tests of studies share.
namespace gangway::testing {

/// The OpenACC side of this build, loaded once; null if there is none.
const harness::OpenAccLibrary* openacc_library();

/// One checked run of every variant of the given models on one instance of a study, in both scopes
/// (yardsticks in scope `kernel` only); each failed check is a test failure.
void expect_all_variants_right(const std::string& study,
                               const std::vector<harness::Parameters::Setting>& settings);

/// The same on a problem made by the test.
void expect_all_variants_right(const std::string& study, harness::Problem& problem);

/// Sets the library's memory mode for one scope: `separate` makes a host backend play a device with
/// its own memory, so that transfers are made and counted.
class WithMemory {
public:
  explicit WithMemory(Memory wanted) : _before(memory()) { set_memory(wanted); }
  ~WithMemory() { set_memory(_before); }
  WithMemory(const WithMemory&) = delete;
  WithMemory& operator=(const WithMemory&) = delete;

private:
  Memory _before;
};

} // namespace gangway::testing
