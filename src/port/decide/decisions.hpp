// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "port/decide.hpp"

#include <cstddef>
#include <list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Declarations that the parts of `decide` share. Only they include this folder.
namespace gangway::port {

/// Ends the decision on a directive.
struct Refusal {
  explicit Refusal(Message why) : message(std::move(why)) {}
  Message message;
};

struct Decisions;

/// The sources that are translated together.
struct Program {
  std::list<Decisions> files;
  /// By the linker's name: the file, and the function in it. No file means that several define it.
  std::map<std::string, std::pair<Decisions*, std::size_t>> functions;
};

/// Decisions on one source so far, and what they are made from.
struct Decisions {
  const Unit& unit;
  Program& program;
  bool queues = false; ///< `async` is kept
  Plan plan;
  std::map<std::size_t, int> kernels_in; ///< by function
  /// Functions called in kernels, and the reason why a kernel cannot call them.
  std::map<std::size_t, std::optional<Message>> checked;
  /// Arrays of regions that kernels name, as (region, variable), and whether they write them.
  std::map<std::pair<std::size_t, std::size_t>, bool> region_uses;
  /// Other files whose kernels call functions of this one, by function.
  std::map<std::size_t, std::string> called_from;

  /// Returns the directives in a compute construct.
  [[nodiscard]] std::vector<std::size_t> within(std::size_t id) const;

  [[nodiscard]] std::string text(Span span) const;

  [[nodiscard]] const Variable& variable(std::size_t id) const;

  /// Returns whether the global is on the device as long as `main` runs.
  [[nodiscard]] bool is_declared(std::size_t id) const;

  /// Returns a directive of the file, in any function, that may hold the variable on the device.
  [[nodiscard]] const Directive* holder_elsewhere(std::size_t id) const;

  /// Returns the nearest region around that holds the variable, and the index of its entry; none if
  /// there is no such region.
  [[nodiscard]] std::pair<std::size_t, std::size_t> region_of(std::size_t id,
                                                              std::size_t variable) const;
};

/// Refuses a directive, and with a compute construct all directives in it.
void refuse(Decisions& all, std::size_t id, const Message& why);

/// Adds the message to the verdict, once.
void tell(Verdict& verdict, const Message& message);

/// Removes white space.
[[nodiscard]] std::string squeezed(std::string text);

/// Returns whether a clause of that kind names the variable.
[[nodiscard]] bool names(const Directive* directive, ClauseKind kind, std::size_t variable);

} // namespace gangway::port
