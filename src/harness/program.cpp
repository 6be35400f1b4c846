// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/program.hpp"

namespace gangway::harness {

Program& program() {
  static Program program;
  return program;
}

} // namespace gangway::harness
