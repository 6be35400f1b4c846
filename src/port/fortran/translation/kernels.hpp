// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "port/fortran/translation/expressions.hpp"
#include "port/fortran/translation/model.hpp"

#include <set>
#include <string>
#include <vector>

namespace gangway::port::fortran::translation {

/// Clause of a region on the host: `call region%copyin(a, "a", GANGWAY_HERE)`.
struct RegionClause {
  std::string way;    ///< copyin, copyout, copy, create, present
  std::string object; ///< as Fortran writes it
  std::string name;   ///< for messages
};

/// Parameter of a kernel's function.
struct Parameter {
  std::string actual;      ///< on the host
  std::string cpp;         ///< its declaration in C++
  std::string name;        ///< in the interface
  std::string declaration; ///< in the interface
  std::string kind;        ///< that the declaration takes from iso_c_binding, or empty
};

/// Function of the source that kernels call, in C++.
struct DeviceFunction {
  std::string name;
  std::string cpp;
};

/// A compute construct, translated.
struct Kernel {
  std::string name;
  std::vector<Parameter> parameters;
  std::string cpp;                       ///< the whole function
  std::vector<DeviceFunction> functions; ///< in the order that they need
  std::vector<RegionClause> region;
  std::vector<Message> notes; ///< about what it assumes, or leaves out
};

/// Surroundings of a construct.
struct Surroundings {
  const Program& program;
  const Unit& unit;
  std::set<int> on_device; ///< scalars that a data region around it names
  std::set<int>
      read_on_host; ///< scalars whose values may be read after the construct, outside of constructs
  std::string prefix; ///< of the kernels' names
};

/// Translates a compute construct. Errors: Refusal.
[[nodiscard]] Kernel write_kernel(const Surroundings& around, const Statement& construct);

/// Returns whether a directive begins a compute construct.
[[nodiscard]] bool is_compute(const std::string& directive);

} // namespace gangway::port::fortran::translation
