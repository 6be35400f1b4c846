// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "commands.hpp"
#include "harness/program.hpp"
#include "harness/provenance.hpp"
#include "measuring.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace gangway::apps {

using namespace harness;

/// The names of what goes beyond the documents: Kokkos', then what only OpenACC has.
static std::vector<std::string> beyond_the_documents(const StudyEntry& study) {
  std::vector<std::string> names;
  for (const Variant& variant : study.kokkos)
    if (variant.beyond)
      names.push_back(variant.name);
  names.insert(names.end(), study.openacc_variants.only.begin(), study.openacc_variants.only.end());
  return names;
}

int list(const Options& options) {
  if (options.json) {
    auto json = nlohmann::ordered_json::array();
    for (const StudyEntry* study : studies()) {
      nlohmann::ordered_json entry{{"id", study->id},
                                   {"title", study->title},
                                   {"source", study->source},
                                   {"stages", study->stages}};
      for (const char* kind : {"beyond", "yardsticks"})
        entry[kind] = nlohmann::ordered_json::array();
      for (const std::string& variant : beyond_the_documents(*study))
        entry["beyond"].push_back(variant);
      entry["openacc_only"] = study->openacc_variants.only;
      entry["openacc_cannot"] = nlohmann::ordered_json::object();
      for (const auto& [variant, why] : study->openacc_variants.cannot)
        entry["openacc_cannot"][variant] = why;
      for (const Variant& variant : study->yardsticks)
        entry["yardsticks"].push_back(variant.name);
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
               fmt::join(study->stages, ", "));
    if (const auto beyond = beyond_the_documents(*study); !beyond.empty())
      fmt::print("  beyond:     {}\n", fmt::join(beyond, ", "));
    for (const auto& [variant, why] : study->openacc_variants.cannot)
      fmt::print("  OpenACC cannot {}: {}\n", variant, why);
    std::vector<std::string> yardsticks;
    for (const Variant& variant : study->yardsticks)
      yardsticks.push_back(variant.name);
    if (!yardsticks.empty())
      fmt::print("  yardsticks: {}\n", fmt::join(yardsticks, ", "));
    for (const Key& key : study->keys)
      fmt::print("  --set {}={}  {}\n", key.name, key.fallback.empty() ? "…" : key.fallback,
                 key.help);
  }
  return checks_passed;
}

int info(const Options& options) {
  const OpenAccSide openacc = load_openacc(options);
  const Provenance facts = environment(openacc.libraries());
  if (options.json) {
    nlohmann::ordered_json json;
    for (const auto& [name, value] : facts)
      json[name] = value;
    fmt::print("{}\n", json.dump(1));
  } else {
    fmt::print("{}", text_of(facts));
  }
  return openacc.missing ? bad_usage : checks_passed;
}

} // namespace gangway::apps
