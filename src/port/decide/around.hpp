// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "port/decide/decisions.hpp"

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

/// A compute construct while it is decided.
namespace gangway::port {

/// The state from which `decide` decides one compute construct.
struct Around {
  Around(Decisions& decisions, std::size_t compute_construct)
      : all(decisions), id(compute_construct) {}

  Decisions& all;
  std::size_t id;
  const Directive* directive = nullptr;
  Verdict* verdict = nullptr;
  Compute compute;
  std::vector<std::size_t> inner;
  std::set<std::size_t> absorbed; ///< loop directives that are part of a policy
  bool is_kernels = false;
  std::set<std::size_t> bound;
  std::set<std::size_t> owned; ///< members of what is on the device: kernels reach them there
  /// Structures whose members macros use, and the copy with the device's addresses in it.
  std::map<std::size_t, std::string> mirrors;
  std::set<ClauseKind> shapes; ///< clauses that say a kernel's shape, and are kept
};

/// Returns the directive whose clauses hold for a loop: its own, or the combined construct.
[[nodiscard]] const Directive* directive_of(const Around& around, const Loop& loop,
                                            std::size_t depth);

/// Returns whether a `reduction` clause of the directive names the variable.
[[nodiscard]] bool is_reduced(const Directive* own, std::size_t variable);

/// Returns whether a `private` clause of the loop's directive or of the construct names it.
[[nodiscard]] bool is_private(const Around& around, const Directive* own, std::size_t variable);

/// Returns the label of the next kernel, made of its function's name and of a number.
[[nodiscard]] std::string label(const Around& around);

/// Returns whether a region around the construct, or its `present`, has the variable.
[[nodiscard]] bool is_held(const Around& around, std::size_t id);

/// Returns whether a data clause of the construct or around it has the scalar on the device.
[[nodiscard]] bool is_on_device(const Around& around, std::size_t id);

/// Returns whether the variable counts a loop in a kernel's body that sets it before it reads it.
/// Each thread then has a copy of its own, whatever a data clause says. With `one_thread` this
/// holds only for a loop with a directive. `set_first`: the scalars that the body sets first.
[[nodiscard]] bool counts_in(const Around& around, Span body,
                             const std::vector<std::size_t>& set_first, bool one_thread,
                             std::size_t id);

/// Returns whether the variable counts a loop of the kernel or one in its body, as above.
[[nodiscard]] bool counts_in(const Around& around, const Kernel& kernel, std::size_t id);

/// Returns whether the use is in the body of a kernel.
[[nodiscard]] bool is_in_kernels(const Around& around, const Use& use);

/// Returns whether a directive in the construct reduces the variable.
[[nodiscard]] bool reduced_within(const Around& around, std::size_t variable);

/// Returns the variable's section in a data clause of the construct, and that clause's kind; null
/// if there is none.
[[nodiscard]] const Section* named_section(const Around& around, std::size_t variable,
                                           ClauseKind& clause_kind);

/// Returns whether the kernel writes the variable.
[[nodiscard]] bool is_written(const Around& around, const Kernel& kernel, std::size_t id);

/// Returns whether the kernel reduces the variable.
[[nodiscard]] bool is_reducer_of(const Kernel& kernel, std::size_t id);

/// Returns whether any kernel reduces the variable of that name.
[[nodiscard]] bool is_reducer(const Around& around, const std::string& name);

/// Returns whether the variable is private in the kernel, by the construct or by a loop in it.
[[nodiscard]] bool is_private_in(const Around& around, const Kernel& kernel, std::size_t id);

/// Returns whether the kernel names the variable.
[[nodiscard]] bool uses(const Around& around, const Kernel& kernel, std::size_t id);

/// Returns whether a data clause of the construct names the variable.
[[nodiscard]] bool is_named(const Around& around, std::size_t id);

/// Returns whether a macro's body names the variable.
[[nodiscard]] bool has_macro_use(const Around& around, std::size_t id);

/// Returns the mirror, for macros, of the structure that the variable is a member of, or null.
[[nodiscard]] const std::string* mirror_of(const Around& around, std::size_t id);

/// Returns whether the variable counts one of the kernel's loops.
[[nodiscard]] bool is_index(const Kernel& kernel, std::size_t id);

/// Returns whether a `firstprivate` clause of the construct names the variable.
[[nodiscard]] bool firstprivate(const Around& around, std::size_t id);

} // namespace gangway::port
