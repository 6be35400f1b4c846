// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

namespace gangway::port {

/// Parts of a kernel's text.
struct Parts {
  std::string call;
  std::string policy;
  std::vector<std::string> before; ///< what makes the policy
  std::string parameters;
  std::vector<std::string> head; ///< what makes the indices
};

} // namespace gangway::port
