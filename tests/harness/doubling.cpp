// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "doubling.hpp"

#include "harness/study.hpp"
#include "testing/no_kernel.hpp"
#include "testing/places.hpp"

#include <stdexcept>

namespace gangway::harness {

void doubling(int n, const double* x, double* y) {
  Data data;
  const auto in = data.copyin(x, n);
  const auto out = data.copyout(y, n);
  Kokkos::parallel_for(
      "doubling/plain", Kokkos::RangePolicy<>(0, n), KOKKOS_LAMBDA(int i) { out(i) = 2 * in(i); });
}

namespace {

void doubling_in_teams(int n, const double* x, double* y) {
  Data data;
  const auto in = data.copyin(x, n);
  const auto out = data.copyout(y, n);
  gangway::parallel_for(
      "doubling/teams", team_policy(n).num_workers(1).vector_length(32),
      KOKKOS_LAMBDA(const Parallel<>& gang) {
        const int i = gang.member().league_rank();
        single(gang, [&] { out(i) = 2 * in(i); });
      });
}

void add_to_first(double amount, int n, double* y) {
  Data data;
  const auto out = data.copy(y, n);
  Kokkos::parallel_for(
      "doubling/off", Kokkos::RangePolicy<>(0, 1), KOKKOS_LAMBDA(int i) { out(i) += amount; });
}

void doubling_by(const kernels::Mapping& mapping, int n, const double* x, double* y) {
  static_cast<void>(team_policy(n).clauses(mapping.clauses).for_kernel(testing::NoKernel()));
  doubling(n, x, y);
}

constexpr Key keys[]{{"n", "100", "elements"}, {"colour", "red", "a word"}};

// The yardstick comes first: a study and its yardsticks register in any order.
const Yardstick<Doubling> library("library", doubling);
const Study<Doubling> registered({
    .stages = {{.name = "plain", .kernel = doubling},
               {.name = "half-done",
                .kernel = doubling,
                .flag = Flag::sum,
                .moves_less = "it does half"}},
    .beyond = {{.name = "teams", .kernel = doubling_in_teams, .openacc_cannot = "a test says so"}},
    .sweep = {.kernel = doubling_by, .most_items_per_worker = 4},
});

/// Another study, which has a variant of OpenACC's and else nothing but its name.
class Nothing : public Doubling {
public:
  static const StudyInfo info;
  using Doubling::Doubling;
};
constinit const StudyInfo Nothing::info{.id = "another", .whole_by_default = true};
const Study<Nothing> nothing({.stages = {}, .beyond = {{.name = "directive", .kernel = nullptr}}});

} // namespace

constinit const StudyInfo Doubling::info{
    .id = "doubling",
    .title = "twice a vector",
    .source = "harness_test",
    .keys = keys,
    .cases = [](Effort /*effort*/, double /*memory*/) -> std::vector<Case> {
      return {{"usual", {}}};
    },
    .edge_cases = []() -> std::vector<Case> { return {{"one", {{"n", "1"}}}}; },
    .footprint =
        [](const Parameters& parameters) {
          return 16 * static_cast<double>(parameters.integer("n", 0, 4'000'000'000'000'000));
        },
};

Prepare just_doubling() {
  return detail::prepared<Doubling>(doubling);
}

Prepare doubling_off_by(double amount) {
  return [amount](Problem& problem) -> Run {
    return [&problem, amount] {
      dynamic_cast<Doubling&>(problem).call([amount](int n, const double* x, double* y) {
        doubling(n, x, y);
        add_to_first(amount, n, y);
      });
    };
  };
}

CaseResult measure(const StudyEntry& study, Problem& problem, const OpenAccLibraries& openacc,
                   const Ceilings& ceilings, const Asked& asked) {
  const CasePlan plan =
      plan_case(study, {"usual", {}, asked.without}, openacc, asked, asked.wanted);
  return measure(plan, problem, openacc, ceilings, asked.progress);
}

Asked rounds(int count, Scope scope) {
  Asked options;
  options.rounds = options.fewest_rounds = count;
  options.scope = scope;
  return options;
}

StudyEntry study_of(const std::vector<Variant>& variants) {
  StudyEntry entry;
  entry.id = "made-up";
  entry.openacc = [](const OpenAccLibrary&, const std::string&) { return Prepare(); };
  for (const Variant& variant : variants)
    (variant.model == Model::yardstick ? entry.yardsticks : entry.kokkos).push_back(variant);
  return entry;
}

Variant variant(const std::string& name, const Prepare& prepare, Model model, bool beyond) {
  return {name, model, beyond, prepare};
}

const Measurement& measurement(const CaseResult& result, std::string_view name, Model model) {
  for (const Measurement& m : result.measurements)
    if (m.variant == name && m.model == model)
      return m;
  throw std::logic_error("no measurement of " + std::string(name));
}

std::string fake(const std::string& name) {
  return gangway::testing::beside_program("fake/" + name + ".so").string();
}

} // namespace gangway::harness
