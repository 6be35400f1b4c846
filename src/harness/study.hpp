// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "gangway/gangway.hpp"
#include "harness/registry.hpp"

#include <algorithm>
#include <array>
#include <concepts>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

/// The registration of a study by its own folder; no other source names a study.
///
///     ID.hpp           class Problem : public harness::ProblemOf<Kernel>   (problem.hpp)
///     ID.cpp           const harness::StudyInfo Problem::info{…}           and the problem itself
///     kokkos.cpp       const harness::Study<Problem> study({…})            the Kokkos variants
///     openacc.cpp      extern "C" gangway_ID_VARIANT                       found by these names
///     openacc_private.cpp  some of them, in a library of its own (CONTRIBUTING.md)
///     yardstick_*.cpp  const harness::Yardstick<Problem> NAME("…", …)
///
/// This header brings the whole library (gangway.hpp), and problem.hpp the headers of the standard
/// library that most studies use: a study's sources do not include those again.
namespace gangway::harness {

namespace detail {
template <class Kernel>
struct WithMapping;
template <class Result, class... Arguments>
struct WithMapping<Result(Arguments...)> {
  using type = Result(const kernels::Mapping&, Arguments...);
};

template <class P>
Prepare prepared(typename P::Kernel* kernel) {
  return [kernel](Problem& problem) -> Run {
    return [kernel, &typed = dynamic_cast<P&>(problem)] { typed.call(kernel); };
  };
}
template <class P>
Prepare prepared(Run (*set_up)(P&)) {
  return [set_up](Problem& problem) { return set_up(dynamic_cast<P&>(problem)); };
}
template <class P>
Prepare prepared(const OpenAccFunctions& functions) {
  using Kernel = typename P::Kernel;
  if (functions.plan == nullptr)
    return prepared<P>(reinterpret_cast<Kernel*>(functions.kernel));
  return [plan = reinterpret_cast<MakesPlan<Kernel>*>(functions.plan),
          planned = reinterpret_cast<TakesPlan<Kernel>*>(functions.kernel),
          unplan = reinterpret_cast<EndsPlan*>(functions.unplan)](Problem& problem) -> Run {
    auto& typed = dynamic_cast<P&>(problem);
    // The base's call: a study's own may take what a kernel returns, which a plan is not.
    void* const made_by_plan = typed.ProblemOf<Kernel>::call(plan);
    return [planned, &typed, made = std::shared_ptr<void>(made_by_plan, unplan)] {
      typed.call([&](auto... arguments) { return planned(made.get(), arguments...); });
    };
  };
}
/// Prepares by the one of `P` that is the problem's type.
template <class... P>
Prepare by_type(const std::array<Prepare, sizeof...(P)>& prepares) {
  if (std::any_of(prepares.begin(), prepares.end(), [](const Prepare& one) { return !one; }))
    return {};
  if constexpr (sizeof...(P) == 1)
    return prepares.front();
  return [prepares](Problem& problem) -> Run {
    std::size_t type = 0;
    static_cast<void>(((dynamic_cast<P*>(&problem) != nullptr || (++type, false)) || ...));
    return prepares.at(type)(problem);
  };
}
template <class P>
Prepare from_library(const OpenAccLibrary& library, const std::string& variant) {
  std::string name = variant;
  if constexpr (requires { P::openacc_suffix; })
    name += P::openacc_suffix;
  const OpenAccFunctions found = functions_in(library, P::info.id, name);
  return found.kernel != nullptr ? prepared<P>(found) : Prepare();
}
template <class P>
Run mapped(Problem& problem, typename WithMapping<typename P::Kernel>::type* kernel,
           const kernels::Mapping& mapping) {
  return [kernel, mapping, &typed = dynamic_cast<P&>(problem)] {
    typed.call([&](auto... arguments) { return kernel(mapping, arguments...); });
  };
}
} // namespace detail

/// A kernel that takes its clauses, the number of items (rows, say) for each worker, and then the
/// arguments of the study's kernels.
template <class P>
using MappedKernel = typename detail::WithMapping<typename P::Kernel>::type;

/// The way in which Kokkos runs a variant.
template <class P>
struct Implementation {
  Prepare prepare;
  void* kernel = nullptr; ///< a plain kernel's address, for tests

  /// None: OpenACC alone has the variant.
  Implementation(std::nullptr_t) {}
  /// A plain kernel, as the study's documents write it.
  Implementation(typename P::Kernel* plain)
      : prepare(detail::prepared<P>(plain)), kernel(reinterpret_cast<void*>(plain)) {}
  /// A kernel with one mapping.
  Implementation(MappedKernel<P>* kernel_of, const kernels::Mapping& mapping)
      : prepare([kernel_of, mapping](Problem& problem) {
          return detail::mapped<P>(problem, kernel_of, mapping);
        }) {}
  /// A set-up that returns the run; with, where there is one, a plain kernel that does the same,
  /// for arrays other than the problem's.
  Implementation(Run (*set_up)(P&), typename P::Kernel* plain = nullptr)
      : prepare(detail::prepared<P>(set_up)), kernel(reinterpret_cast<void*>(plain)) {}
};

/// An Implementation for problems of several types: a plain kernel for each.
template <class... P>
struct TypedImplementation {
  Prepare prepare;
  void* kernel = nullptr;

  TypedImplementation(typename P::Kernel*... plain)
      : prepare(detail::by_type<P...>({detail::prepared<P>(plain)...})) {}
};

/// A row of a study's table: one variant with its properties. Its OpenACC twin is the library's
/// function of that name; a variant beyond the documents has one, or says why not.
template <class P, class... More>
struct Row {
  const char* name;
  std::conditional_t<sizeof...(More) == 0, Implementation<P>, TypedImplementation<P, More...>>
      kernel;
  Flag flag = Flag::none;
  const char* moves_less = "";     ///< why it moves fewer bytes than Work says: it has no share
  const char* openacc_cannot = ""; ///< why OpenACC cannot say it
};

/// Makes a `Plan` once, from the problem or, if its constructor takes none, without it, and runs
/// the plan with the kernels' arguments. A study names only the plan:
///
///     {.name = "graph", .kernel = harness::run_planned<SweepGraph>}
template <class Plan, class P>
[[nodiscard]] Run run_planned(P& problem) {
  std::shared_ptr<const Plan> plan;
  if constexpr (std::constructible_from<Plan, P&>)
    plan = std::make_shared<const Plan>(problem);
  else
    plan = std::make_shared<const Plan>();
  return [&problem, plan] { problem.call(*plan); };
}
/// Runs a plan that a set-up has made.
template <class Plan, class P>
[[nodiscard]] Run run_planned(P& problem, Plan made) {
  return [&problem, plan = std::make_shared<const Plan>(std::move(made))] { problem.call(*plan); };
}

/// A kernel whose mapping `gangway sweep` and `gangway tune` vary.
template <class P>
struct Sweep {
  MappedKernel<P>* kernel = nullptr;
  kernels::Mapping own = SweepEntry{}.own; ///< the mapping that was chosen by hand
  int most_items_per_worker = 1;
};

/// The variants of a study.
template <class P, class... More>
struct Variants {
  std::vector<Row<P, More...>> stages; ///< the documents' variants, in their order
  std::vector<Row<P, More...>> beyond = {};
  Sweep<P> sweep = {};
  bool each_stage_another_result = false; ///< as in StudyEntry
};

/// The registration of a study; `P` is its problem. If problems are of several types, one for each
/// that its arrays may have, `P` has `create`, which makes one of them. All types but the first
/// have a suffix for OpenACC's functions: `openacc_suffix = "-float"` is of
/// gangway_ID_VARIANT_float.
template <class P, class... More>
class Study {
public:
  explicit Study(Variants<P, More...> variants) {
    require_study_problem<P>();
    (require_study_problem<More>(), ...);
    StudyEntry& entry = detail::entry(P::info.id);
    static_cast<StudyInfo&>(entry) = P::info;
    entry.create = [](const Parameters& parameters) -> std::unique_ptr<Problem> {
      if constexpr (sizeof...(More) == 0)
        return std::make_unique<P>(parameters);
      else
        return P::create(parameters);
    };
    entry.openacc = [](const OpenAccLibrary& library, const std::string& variant) {
      return detail::by_type<P, More...>({detail::from_library<P>(library, variant),
                                          detail::from_library<More>(library, variant)...});
    };
    entry.each_stage_another_result = variants.each_stage_another_result;
    for (Row<P, More...>& stage : variants.stages)
      add(entry, stage, false);
    for (Row<P, More...>& variant : variants.beyond)
      add(entry, variant, true);
    if (const Sweep<P> sweep = variants.sweep; sweep.kernel != nullptr) {
      entry.sweep = {[kernel = sweep.kernel](Problem& problem, const kernels::Mapping& mapping) {
                       return detail::mapped<P>(problem, kernel, mapping);
                     },
                     sweep.own, sweep.most_items_per_worker};
    }
  }

private:
  static void add(StudyEntry& entry, Row<P, More...>& row, bool beyond) {
    const bool in_kokkos = static_cast<bool>(row.kernel.prepare);
    (in_kokkos ? entry.kokkos : entry.openacc_only)
        .push_back({.name = row.name,
                    .model = in_kokkos ? Model::kokkos : Model::openacc,
                    .beyond = beyond,
                    .prepare = std::move(row.kernel.prepare),
                    .kernel = row.kernel.kernel,
                    .flag = row.flag,
                    .moves_less = row.moves_less,
                    .openacc_cannot = row.openacc_cannot});
  }
};

/// The registration of what a user would pick instead: a vendor library or native code.
template <class P>
class Yardstick {
public:
  Yardstick(const char* name, typename P::Kernel* native) {
    add({name, Model::yardstick, true, detail::prepared<P>(native)});
  }
  Yardstick(const char* name, Run (*set_up)(P&)) {
    add({name, Model::yardstick, true, detail::prepared<P>(set_up)});
  }

private:
  static void add(Variant variant) {
    detail::entry(P::info.id).yardsticks.push_back(std::move(variant));
  }
};

} // namespace gangway::harness
