// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "gangway/levels.hpp"
#include "gangway/tuning.hpp"
#include "harness/problem.hpp"

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

/// The studies there are. A study's folder registers itself: its kokkos.cpp defines one `Study`
/// object, its yardstick.cpp any number of `Yardstick` objects, and the OpenACC variants are found
/// by name in the OpenACC library. Nothing else names a study.
namespace gangway::harness {

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

/// What a swept kernel is told: the clauses, and how many items (rows, say) each worker takes.
using SweepPoint = Mapping;

struct Variant {
  std::string name;
  Model model;
  bool beyond = false; ///< goes further than the source documents; has no OpenACC twin
  Prepare prepare;
  void* kernel = nullptr; ///< a plain kernel's address: tests call it on arrays of their own
};

struct StudyEntry {
  std::string id;
  std::string title;
  std::string source; ///< where the kernel comes from
  std::vector<Key> keys;
  std::vector<std::string> stages; ///< the documents' variants, in their order
  std::vector<Variant> kokkos;
  std::vector<Variant> yardsticks;
  std::function<std::vector<Case>(Effort, double memory_bytes)> cases;
  std::function<double(const Parameters&)> footprint;
  std::function<std::unique_ptr<Problem>(const Parameters&)> create;
  bool whole_by_default = false; ///< the data movement is the lesson: compared in scope `whole`
  std::vector<Case> edge_cases;  ///< small and awkward instances for the tests
  std::function<Prepare(void* symbol)> openacc; ///< wraps an address in the OpenACC library
  std::function<Run(Problem&, const SweepPoint&)> sweep; ///< empty if the study has no levels
  int most_items_per_worker = 1;
  /// Of a study with levels: the shape that a swept kernel takes where the tuning table has none,
  /// and that `gangway tune` wants beaten.
  SweepPoint own_shape{{.workers = 4, .vector = 32}, 1};
};

/// All studies, ordered by id. Errors of `study`: UsageError that lists the studies there are.
[[nodiscard]] const std::vector<StudyEntry*>& studies();
[[nodiscard]] const StudyEntry& study(std::string_view id);

namespace detail {
/// The entry of that id, made if it is new: a study and its yardsticks register in any order.
StudyEntry& entry(const std::string& id);
} // namespace detail

/// A kernel as the study's documents write it: a plain function of the study's `Kernel` type.
template <class P>
struct Stage {
  const char* name;
  typename P::Kernel* kernel;
};

/// A Kokkos variant beyond the documents: a plain kernel, or a set-up that returns the run. A
/// set-up may come with a plain kernel that does the same, for arrays other than the problem's.
template <class P>
struct Beyond {
  const char* name;
  std::function<Run(P&)> prepare;
  typename P::Kernel* kernel = nullptr;

  Beyond(const char* variant, typename P::Kernel* plain)
      : name(variant),
        prepare([plain](P& problem) -> Run { return [plain, &problem] { problem.call(plain); }; }),
        kernel(plain) {}
  Beyond(const char* variant, std::function<Run(P&)> set_up, typename P::Kernel* plain = nullptr)
      : name(variant), prepare(std::move(set_up)), kernel(plain) {}
};

/// Registers a study. `P` is its problem:
///   using Kernel = void(...);               the function type of its kernels, in both models
///   static constexpr const char* id, *title, *source;
///   static std::vector<std::string> stages();
///   static std::vector<Key> keys();
///   static std::vector<Case> cases(Effort, double memory_bytes);
///   static std::vector<Case> edge_cases();           small and awkward instances for the tests
///   static constexpr bool whole_by_default = true;   optional: scope `whole` is the natural one
///   static double footprint(const Parameters&);      bytes of host memory, before anything is
///   allocated explicit P(const Parameters&); void call(F&& kernel); calls it with the problem's
///   arguments
template <class P>
class Study {
public:
  template <class Sweep = std::nullptr_t>
  Study(std::vector<Stage<P>> stages, std::vector<Beyond<P>> beyond = {}, Sweep sweep = nullptr,
        int most_items_per_worker = 1, const SweepPoint& own_shape = StudyEntry{}.own_shape) {
    static_assert(std::is_base_of_v<Problem, P>);
    StudyEntry& entry = detail::entry(P::id);
    entry.title = P::title;
    entry.source = P::source;
    entry.keys = P::keys();
    entry.stages = P::stages();
    entry.edge_cases = P::edge_cases();
    if constexpr (requires { P::whole_by_default; })
      entry.whole_by_default = P::whole_by_default;
    entry.cases = &P::cases;
    entry.footprint = &P::footprint;
    entry.create = [](const Parameters& parameters) { return std::make_unique<P>(parameters); };
    entry.openacc = [](void* symbol) {
      return plain(reinterpret_cast<typename P::Kernel*>(symbol));
    };
    for (const Stage<P>& stage : stages)
      entry.kokkos.push_back({stage.name, Model::kokkos, false, plain(stage.kernel),
                              reinterpret_cast<void*>(stage.kernel)});
    for (const Beyond<P>& variant : beyond)
      entry.kokkos.push_back({variant.name, Model::kokkos, true, downcast(variant.prepare),
                              reinterpret_cast<void*>(variant.kernel)});
    if constexpr (!std::is_same_v<Sweep, std::nullptr_t>) {
      entry.most_items_per_worker = most_items_per_worker;
      entry.own_shape = own_shape;
      entry.sweep = [sweep](Problem& problem, const SweepPoint& point) -> Run {
        auto& typed = dynamic_cast<P&>(problem);
        return [&typed, sweep, point] {
          typed.call([&](auto... arguments) { sweep(point, arguments...); });
        };
      };
    }
  }

  static Prepare plain(typename P::Kernel* kernel) {
    return [kernel](Problem& problem) -> Run {
      auto& typed = dynamic_cast<P&>(problem);
      return [kernel, &typed] { typed.call(kernel); };
    };
  }
  static Prepare downcast(std::function<Run(P&)> prepare) {
    return [prepare = std::move(prepare)](Problem& problem) {
      return prepare(dynamic_cast<P&>(problem));
    };
  }
};

/// Registers what a user would pick instead: a vendor library or native code.
template <class P>
class Yardstick {
public:
  Yardstick(const char* name, std::function<Run(P&)> prepare) {
    detail::entry(P::id).yardsticks.push_back(
        {name, Model::yardstick, true, Study<P>::downcast(std::move(prepare))});
  }
};

} // namespace gangway::harness
