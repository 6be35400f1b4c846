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

/// What a compute construct is decided from.
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
  std::set<std::size_t> owned; ///< members of what is on the device, which kernels reach there
  /// Structures whose members macros use, and the copy with the device's addresses in it.
  std::map<std::size_t, std::string> mirrors;
  std::set<ClauseKind> shapes; ///< clauses that say a kernel's shape, and are kept
};

/// The clauses of a loop: its directive's, or the combined construct's.
[[nodiscard]] const Directive* directive_of(const Around& around, const Loop& loop,
                                            std::size_t depth);

/// Whether a clause `reduction` of it names the variable.
[[nodiscard]] bool is_reduced(const Directive* own, std::size_t variable);

/// Whether the loop's directive or the construct says so.
[[nodiscard]] bool is_private(const Around& around, const Directive* own, std::size_t variable);

/// The next kernel's, by the function.
[[nodiscard]] std::string label(const Around& around);

/// Whether the construct finds it on the device, in a region around or by `present`.
[[nodiscard]] bool is_held(const Around& around, std::size_t id);

/// Whether a data clause, here or around, has the scalar on the device.
[[nodiscard]] bool is_on_device(const Around& around, std::size_t id);

/// Whether it counts a loop in a kernel's body, which sets these scalars before it reads them, so
/// that each thread has one of its own, whatever a data clause says. One thread alone has it so
/// where a directive stands on the loop.
[[nodiscard]] bool counts_in(const Around& around, Span body,
                             const std::vector<std::size_t>& set_first, bool one_thread,
                             std::size_t id);

/// Whether it counts a loop of the kernel's, or one in its body, as above.
[[nodiscard]] bool counts_in(const Around& around, const Kernel& kernel, std::size_t id);

/// Whether it stands in one.
[[nodiscard]] bool is_in_kernels(const Around& around, const Use& use);

/// Whether a directive in the construct reduces it.
[[nodiscard]] bool reduced_within(const Around& around, std::size_t variable);

/// Its section in a data clause of the construct, and that clause; null where there is none.
[[nodiscard]] const Section* named_section(const Around& around, std::size_t variable,
                                           ClauseKind& clause_kind);

/// Whether the kernel writes it.
[[nodiscard]] bool is_written(const Around& around, const Kernel& kernel, std::size_t id);

/// Whether it is one of the kernel's reductions.
[[nodiscard]] bool is_reducer_of(const Kernel& kernel, std::size_t id);

/// Whether it is one of a reduction of any kernel.
[[nodiscard]] bool is_reducer(const Around& around, const std::string& name);

/// What an inner loop makes private is so in the kernel that it is part of.
[[nodiscard]] bool is_private_in(const Around& around, const Kernel& kernel, std::size_t id);

/// Whether the kernel names it.
[[nodiscard]] bool uses(const Around& around, const Kernel& kernel, std::size_t id);

/// Whether a data clause of the construct does.
[[nodiscard]] bool is_named(const Around& around, std::size_t id);

/// Whether a macro's body names it.
[[nodiscard]] bool has_macro_use(const Around& around, std::size_t id);

/// The mirror of the structure that it is a member of, for macros; none where there is none.
[[nodiscard]] const std::string* mirror_of(const Around& around, std::size_t id);

/// Whether it counts one of the kernel's loops.
[[nodiscard]] bool is_index(const Kernel& kernel, std::size_t id);

/// Whether a clause of the construct says so.
[[nodiscard]] bool firstprivate(const Around& around, std::size_t id);

} // namespace gangway::port
