// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "commands.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace gangway::apps {

using namespace harness;

static std::vector<std::string> names_of(const std::vector<Variant>& variants) {
  std::vector<std::string> names;
  for (const Variant& variant : variants)
    names.push_back(variant.name);
  return names;
}

/// The names of what goes beyond the documents: Kokkos', then what only OpenACC has.
static std::vector<std::string> beyond_the_documents(const StudyEntry& study) {
  std::vector<std::string> names;
  for (const Variant& variant : study.kokkos)
    if (variant.beyond)
      names.push_back(variant.name);
  for (const Variant& variant : study.openacc_only)
    names.push_back(variant.name);
  return names;
}

CLI::App& add_list(CLI::App& app, ListOptions& options) {
  CLI::App& command = *app.add_subcommand("list", "The studies, their variants and keys");
  command.add_flag("--json", options.json, "As JSON");
  return command;
}

int list(const ListOptions& options) {
  if (options.json) {
    auto json = nlohmann::ordered_json::array();
    for (const StudyEntry* study : studies()) {
      nlohmann::ordered_json entry{{"id", study->id},
                                   {"title", study->title},
                                   {"source", study->source},
                                   {"stages", study->stages()},
                                   {"beyond", beyond_the_documents(*study)},
                                   {"yardsticks", names_of(study->yardsticks)},
                                   {"openacc_only", names_of(study->openacc_only)},
                                   {"openacc_cannot", nlohmann::ordered_json::object()}};
      for (const Variant& variant : study->kokkos)
        if (!variant.openacc_cannot.empty())
          entry["openacc_cannot"][variant.name] = variant.openacc_cannot;
      entry["sweep"] = static_cast<bool>(study->sweep.run);
      entry["keys"] = nlohmann::ordered_json::array();
      for (const Key& key : study->keys)
        entry["keys"].push_back(
            {{"name", key.name}, {"default", key.fallback}, {"help", key.help}});
      json.push_back(entry);
    }
    fmt::print("{}\n", json.dump(1));
    return checks_passed;
  }
  for (const StudyEntry* study : studies()) {
    fmt::print("{}: {}\n  stages:     {}\n", study->id, study->title,
               fmt::join(study->stages(), ", "));
    if (const auto beyond = beyond_the_documents(*study); !beyond.empty())
      fmt::print("  beyond:     {}\n", fmt::join(beyond, ", "));
    for (const Variant& variant : study->kokkos)
      if (!variant.openacc_cannot.empty())
        fmt::print("  OpenACC cannot {}: {}\n", variant.name, variant.openacc_cannot);
    if (!study->yardsticks.empty())
      fmt::print("  yardsticks: {}\n", fmt::join(names_of(study->yardsticks), ", "));
    for (const Key& key : study->keys)
      fmt::print("  --set {}={}  {}\n", key.name, key.fallback.empty() ? "…" : key.fallback,
                 key.help);
  }
  return checks_passed;
}

} // namespace gangway::apps
