// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "port/report_parts.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cctype>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace gangway::port {
namespace {

using Json = nlohmann::ordered_json;

/// Returns a relative or absolute path as a reference that RFC 3986 allows.
std::string uri_of(std::string_view path) {
  std::string uri;
  for (const char letter : path) {
    const auto byte = static_cast<unsigned char>(letter);
    const bool plain = byte < 0x80 && (std::isalnum(byte) != 0 ||
                                       std::string_view("-._~/").find(letter) != std::string::npos);
    uri += plain ? std::string(1, letter) : fmt::format("%{:02X}", byte);
  }
  return path.starts_with('/') ? "file://" + uri : uri;
}

std::string_view level_of(Outcome outcome) {
  switch (outcome) {
  case Outcome::refused:
    return "error";
  case Outcome::assumed:
    return "warning";
  case Outcome::translated:
    break;
  }
  return "note";
}

/// Collects results, and the rules that they refer to.
class Run {
public:
  void add(const std::string& file, const Place& place, const Message& message) {
    const auto [rule, is_new] = _places.emplace(message.code, _rules.size());
    if (is_new)
      _rules.push_back(rule_for(message.code));
    Json location{{"artifactLocation", {{"uri", uri_of(file)}}}};
    if (place.line > 0)
      location["region"] = {{"startLine", place.line}};
    std::string text = shown(message.text);
    if (!message.by_hand.empty())
      text += ". By hand: " + shown(message.by_hand);
    _results.push_back({{"ruleId", name_of(message.code)},
                        {"ruleIndex", rule->second},
                        {"level", level_of(message.outcome())},
                        {"message", {{"text", std::move(text)}}},
                        {"locations", {{{"physicalLocation", std::move(location)}}}}});
  }
  [[nodiscard]] Json json() && {
    return {
        {"tool",
         {{"driver",
           {{"name", "gangway port"}, {"organization", "Gangway"}, {"rules", std::move(_rules)}}}}},
        {"results", std::move(_results)}};
  }

private:
  std::map<Code, std::size_t> _places;
  Json _rules = Json::array();
  Json _results = Json::array();

  static Json rule_for(Code code) {
    const std::string name = name_of(code);
    return {{"id", name},
            {"shortDescription", {{"text", title_of(code)}}},
            {"help", {{"text", explanation(name)}}},
            {"defaultConfiguration", {{"level", level_of(rule_of(code).outcome)}}}};
  }
};

} // namespace

std::string sarif_report(const std::vector<Translation>& translations) {
  Run run;
  for (const auto& [unit, plan, output, kernels] : translations) {
    for (std::size_t id = 0; id < unit.directives.size(); ++id)
      for (const Message* message : in_order(plan.verdicts[id]))
        run.add(unit.file, unit.directives[id].place, *message);
    for (const auto& [place, message] : plan.remarks)
      run.add(unit.file, place, message);
  }
  const Json report{{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                    {"version", "2.1.0"},
                    {"runs", Json::array({std::move(run).json()})}};
  return report.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace gangway::port
