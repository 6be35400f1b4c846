// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/registry.hpp"

#include "base/contains.hpp"
#include "harness/openacc_library.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>

namespace gangway::harness {
namespace {

std::vector<StudyEntry*>& all() {
  static std::vector<StudyEntry*> entries; // ordered by id
  return entries;
}

} // namespace

const char* name_of(Model model) {
  switch (model) {
  case Model::kokkos:
    return "kokkos";
  case Model::openacc:
    return "openacc";
  case Model::yardstick:
    return "yardstick";
  }
  return "";
}

const char* name_of(Flag flag) {
  switch (flag) {
  case Flag::none:
    break;
  case Flag::kernels:
    return "kernels";
  case Flag::sum:
    return "sum";
  case Flag::tile:
    return "tile";
  case Flag::frame:
    return "frame";
  }
  return "";
}

std::vector<std::string> StudyEntry::stages() const {
  std::vector<std::string> names;
  for (const Variant& variant : kokkos)
    if (!variant.beyond)
      names.push_back(variant.name);
  return names;
}

std::string StudyEntry::result_of(std::string_view variant) const {
  if (!each_stage_another_result)
    return {};
  const std::vector<std::string> names = stages();
  return base::contains(names, variant) ? std::string(variant) : names.front();
}

namespace detail {

StudyEntry& entry(std::string_view id) {
  static std::vector<std::unique_ptr<StudyEntry>> owned;
  auto& entries = all();
  const auto place = std::lower_bound(
      entries.begin(), entries.end(), id,
      [](const StudyEntry* known, std::string_view wanted) { return known->id < wanted; });
  if (place != entries.end() && (*place)->id == id)
    return **place;
  owned.push_back(std::make_unique<StudyEntry>());
  owned.back()->id = id;
  return **entries.insert(place, owned.back().get());
}

OpenAccFunctions functions_in(const OpenAccLibrary& library, std::string_view study,
                              std::string_view variant) {
  return library.functions(study, variant);
}

} // namespace detail

const std::vector<StudyEntry*>& studies() {
  return all();
}

void require_described(const StudyEntry& study) {
  const char* const missing = !study.create                ? "stages (harness::Study)"
                              : study.cases == nullptr     ? "cases (StudyInfo::cases)"
                              : study.footprint == nullptr ? "footprint (StudyInfo::footprint)"
                                                           : nullptr;
  if (missing != nullptr)
    throw base::UsageError(fmt::format("{}: the study has no {}; docs/your-own-study.md shows one",
                                       study.id, missing));
}

const StudyEntry& study(std::string_view id) {
  std::vector<std::string> names;
  for (const StudyEntry* entry : studies()) {
    if (entry->id == id)
      return *entry;
    names.emplace_back(entry->id);
  }
  throw base::UsageError(
      fmt::format("there is no study '{}'; there are: {}", id, fmt::join(names, ", ")));
}

} // namespace gangway::harness
