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

/// The studies there are, as the referee sees them: by name, without their types. How a study's
/// folder registers itself is in study.hpp.
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

/// Why a variant cannot run here, such as a library the build lacks.
class NotAvailable : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// What GCC rather than OpenACC may have set a variant's time by: `kernels` launches one gang of
/// one worker, a `sum` is serialised across the default number of gangs, `tile` is emulated, and
/// the `frame`, a gang's private array, is copied whenever workers start.
enum class Flag { none, kernels, sum, tile, frame };
/// Empty for `none`.
[[nodiscard]] const char* name_of(Flag flag);

struct Variant {
  std::string name = {};
  Model model = Model::kokkos;
  bool beyond = false; ///< goes further than the source documents
  Prepare prepare = {};
  void* kernel = nullptr; ///< a plain kernel's address: tests call it on arrays of their own
  const OpenAccLibrary* library = nullptr; ///< the one it is from, of OpenACC
  // As in Row, and the same in both models:
  Flag flag = Flag::none;
  std::string moves_less = {};
  std::string openacc_cannot = {};
};

/// What `gangway sweep` and `gangway tune` ask of a study with levels.
struct SweepEntry {
  /// Runs the kernel with these clauses and items a worker. Empty if the study has no levels.
  std::function<Run(Problem&, const kernels::Mapping&)> run;
  /// The kernel's own, which `gangway tune` wants beaten.
  kernels::Mapping own{{.workers = 4, .vector = 32}, 1};
  int most_items_per_worker = 1;
};

struct StudyEntry : StudyInfo {
  /// Each stage computes something else, and everything beyond them what the first stage does.
  bool each_stage_another_result = false;
  std::vector<Variant> kokkos;       ///< the stages, the documents' variants, first
  std::vector<Variant> openacc_only; ///< they have no `prepare`
  std::vector<Variant> yardsticks;
  std::function<std::unique_ptr<Problem>(const Parameters&)> create;
  /// A variant of that library; empty if it lacks it. Errors: as OpenAccLibrary::functions.
  std::function<Prepare(const OpenAccLibrary&, const std::string& variant)> openacc;
  SweepEntry sweep;

  /// The names of the documents' variants, in their order.
  [[nodiscard]] std::vector<std::string> stages() const;
  /// Names what a variant computes: variants are compared only where this is the same. Empty in a
  /// study whose variants all have one result.
  [[nodiscard]] std::string result_of(std::string_view variant) const;
};

/// All studies, ordered by id. Errors of `study`: UsageError that lists the studies there are.
[[nodiscard]] const std::vector<StudyEntry*>& studies();
[[nodiscard]] const StudyEntry& study(std::string_view id);

/// Errors: UsageError for a study that does not say what is needed to run it.
void require_described(const StudyEntry& study);

namespace detail {
/// The entry of that id, made if it is new: a study and its yardsticks register in any order.
StudyEntry& entry(std::string_view id);
/// OpenAccLibrary::functions, for a study's sources, which do not know that class.
OpenAccFunctions functions_in(const OpenAccLibrary& library, std::string_view study,
                              std::string_view variant);
} // namespace detail

} // namespace gangway::harness
