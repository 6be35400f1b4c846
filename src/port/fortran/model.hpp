// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "port/fortran/translation/model.hpp"
#include "port/plan.hpp"

#include <string>
#include <vector>

/// `gangway port` of Fortran: `read` reads sources through Flang into plain models, `decide` says
/// what stands in the way of each directive, and `translate` writes the new texts and says what
/// became of each. Only `read`, `directives`, `kernels`, `tree` and `translation/read` know Flang.
namespace gangway::port::fortran {

/// Call of a procedure in a kernel, or in a procedure that kernels call.
struct Called {
  unsigned line = 0;
  std::string name;      ///< as it is written
  std::string procedure; ///< `module::name`
};

/// Statements that would become code of the device.
struct Body {
  std::vector<Message> obstacles;
  std::vector<Called> calls;
};

struct Procedure {
  std::string name; ///< `module::name`; of one in no module `::name`
  Body body;
};

/// Facts about a directive beside those in the Unit: `body` of a compute construct, and what is
/// known by now.
struct Facts {
  Body body;
  std::vector<Message> refused;
  std::vector<Message> told;
  std::string procedure; ///< of `routine`
};

/// Source that was read.
struct Source {
  Unit unit;
  bool wanted = true;       ///< the report is about it
  std::vector<Facts> facts; ///< one for each directive
  std::vector<Procedure> procedures;
  std::vector<Remark> remarks; ///< about places that are no directive
  translation::Program program;
};

} // namespace gangway::port::fortran
