// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "harness/problem.hpp"
#include "kernels/mapping.hpp"

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

/// The studies as the referee sees them: by name, without their types. How a study's folder
/// registers itself is in study.hpp.
namespace gangway::harness {

class OpenAccLibrary;

enum class Model { kokkos, openacc, yardstick };
[[nodiscard]] const char* name_of(Model model);

/// One run of a kernel, blocking or not; the referee fences.
using Run = std::function<void()>;
/// Sets a kernel up on a problem: what happens here is outside the clock in scope `kernel` and
/// inside it in scope `whole`. May throw ClauseError or NotAvailable: the variant is then reported
/// as skipped.
using Prepare = std::function<Run(Problem&)>;

/// An error that says why a variant cannot run here, such as a library the build lacks.
class NotAvailable : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// The effect by which GCC rather than OpenACC may have set a variant's time. `kernels` launches
/// one gang of one worker, a `sum` is serialised across the default number of gangs, `tile` is
/// emulated. The `frame`, a gang's private array, is copied whenever workers start.
enum class Flag { none, kernels, sum, tile, frame };
/// Returns the flag's name; empty for `none`.
[[nodiscard]] const char* name_of(Flag flag);

struct Variant {
  std::string name = {};
  Model model = Model::kokkos;
  bool beyond = false; ///< goes further than the source documents
  Prepare prepare = {};
  void* kernel = nullptr; ///< a plain kernel's address: tests call it on arrays of their own
  const OpenAccLibrary* library = nullptr; ///< the one it is from, of OpenACC
  // The members of Row of these names, the same in both models:
  Flag flag = Flag::none;
  std::string moves_less = {};
  std::string openacc_cannot = {};
};

/// The kernel of a study with levels, for `gangway sweep` and `gangway tune`.
struct SweepEntry {
  /// Runs the kernel with these clauses and items per worker. Empty if the study has no levels.
  std::function<Run(Problem&, const kernels::Mapping&)> run;
  /// The kernel's own mapping, which `gangway tune` tries to beat.
  kernels::Mapping own{{.workers = 4, .vector = 32}, 1};
  int most_items_per_worker = 1;
};

struct StudyEntry : StudyInfo {
  /// True if each stage computes something else, and all variants beyond them what the first stage
  /// does.
  bool each_stage_another_result = false;
  std::vector<Variant> kokkos;       ///< the stages, the documents' variants, first
  std::vector<Variant> openacc_only; ///< they have no `prepare`
  std::vector<Variant> yardsticks;
  std::function<std::unique_ptr<Problem>(const Parameters&)> create;
  /// Returns a variant of that library; empty if it lacks it. Errors: as OpenAccLibrary::functions.
  std::function<Prepare(const OpenAccLibrary&, const std::string& variant)> openacc;
  SweepEntry sweep;

  /// Returns the names of the documents' variants, in their order.
  [[nodiscard]] std::vector<std::string> stages() const;
  /// Names the result of a variant: only variants with the same result are compared. Empty in a
  /// study whose variants all have one result.
  [[nodiscard]] std::string result_of(std::string_view variant) const;
};

/// Returns all studies, ordered by id. Errors of `study`: UsageError that lists the studies there
/// are.
[[nodiscard]] const std::vector<StudyEntry*>& studies();
[[nodiscard]] const StudyEntry& study(std::string_view id);

/// Requires that a study says what is needed to run it. Errors: UsageError.
void require_described(const StudyEntry& study);

namespace detail {
/// Returns the entry of that id, made if it is new: a study and its yardsticks register in any
/// order.
StudyEntry& entry(std::string_view id);
/// Calls OpenAccLibrary::functions for a study's sources, which do not know that class.
OpenAccFunctions functions_in(const OpenAccLibrary& library, std::string_view study,
                              std::string_view variant);
} // namespace detail

} // namespace gangway::harness
