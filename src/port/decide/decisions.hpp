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

/// What the parts of `decide` share. Nobody else includes this folder.
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
  /// By the linker's name: the file, and the function in it. Without a file: several define it.
  std::map<std::string, std::pair<Decisions*, std::size_t>> functions;
};

/// What is decided so far of a source, and from what.
struct Decisions {
  const Unit& unit;
  Program& program;
  bool queues = false; ///< `async` is kept
  Plan plan;
  std::map<std::size_t, int> kernels_in; ///< by function
  /// Functions called in kernels, and what speaks against it.
  std::map<std::size_t, std::optional<Message>> checked;
  /// Arrays of regions that kernels name, as (region, variable), and whether they write them.
  std::map<std::pair<std::size_t, std::size_t>, bool> region_uses;
  /// Other files whose kernels call functions of this one, by function.
  std::map<std::size_t, std::string> called_from;

  /// The directives in a compute construct.
  [[nodiscard]] std::vector<std::size_t> within(std::size_t id) const;

  [[nodiscard]] std::string text(Span span) const;

  [[nodiscard]] const Variable& variable(std::size_t id) const;

  /// Whether `main` has the global on the device.
  [[nodiscard]] bool is_declared(std::size_t id) const;

  /// The directive, here or in what may be called from here, that has the variable on the device.
  [[nodiscard]] const Directive* holder_elsewhere(std::size_t id) const;

  /// The nearest region around that holds the variable, and where in its entries; none where there
  /// is none.
  [[nodiscard]] std::pair<std::size_t, std::size_t> region_of(std::size_t id,
                                                              std::size_t variable) const;
};

/// A refused construct takes with it what stands in it.
void refuse(Decisions& all, std::size_t id, const Message& why);

/// Says it of the directive, once.
void tell(Verdict& verdict, const Message& message);

/// Without white space.
[[nodiscard]] std::string squeezed(std::string text);

/// Whether a clause of that name names the variable.
[[nodiscard]] bool names(const Directive* directive, ClauseKind kind, std::size_t variable);

} // namespace gangway::port
