// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "port/report.hpp"

#include "port/report_parts.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace gangway::port {

Counts counts_of(const Plan& plan) {
  Counts counts{};
  for (const Verdict& verdict : plan.verdicts)
    ++counts[static_cast<std::size_t>(verdict.outcome)];
  return counts;
}

Counts counts_of(const std::vector<Translation>& translations) {
  Counts all{};
  for (const Translation& translation : translations) {
    const Counts counts = counts_of(translation.plan);
    for (std::size_t i = 0; i < all.size(); ++i)
      all[i] += counts[i];
  }
  return all;
}

std::string shown(std::string_view text) {
  std::string cleaned;
  for (std::size_t at = 0; at < text.size();) {
    const auto byte = [&](std::size_t i) {
      return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
    };
    const unsigned first = byte(at);
    std::size_t length = first < 0x80   ? 1
                         : first < 0xc2 ? 0
                         : first < 0xe0 ? 2
                         : first < 0xf0 ? 3
                                        : 4;
    for (std::size_t i = 1; i < length; ++i)
      if ((byte(at + i) & 0xc0U) != 0x80)
        length = 0;
    const bool control = first < ' ' || first == 0x7f || (first == 0xc2 && byte(at + 1) < 0xa0);
    if (length == 0 || control)
      cleaned += '?';
    else
      cleaned += text.substr(at, length);
    at += std::max<std::size_t>(length, 1);
  }
  return cleaned;
}

std::string place_in_guide(const std::string& row) {
  return "docs/guide/" + place_of(row);
}

std::vector<const Message*> in_order(const Verdict& verdict) {
  std::vector<const Message*> messages;
  for (const Outcome outcome : {Outcome::refused, Outcome::assumed, Outcome::translated})
    for (const Message& message : verdict.said)
      if (message.outcome() == outcome)
        messages.push_back(&message);
  return messages;
}

std::string_view kind_of(const Message& message) {
  return message.outcome() == Outcome::translated ? "note" : name_of(message.outcome());
}

namespace {

using Json = nlohmann::ordered_json;

std::string where(const std::string& file, const Place& place) {
  return place.line == 0 ? shown(file)
                         : fmt::format("{}:{}:{}", shown(file), place.line, place.column);
}

} // namespace

std::string text_report(const std::vector<Translation>& translations) {
  std::string text;
  for (const Translation& translation : translations) {
    const auto& [unit, plan, output, kernels] = translation;
    std::map<std::string_view, std::size_t> repeated; ///< how often it is said; 0 once it was
    for (const Verdict& verdict : plan.verdicts)
      for (const Message& message : verdict.said)
        ++repeated[message.text];
    for (std::size_t id = 0; id < unit.directives.size(); ++id) {
      const Directive& directive = unit.directives[id];
      const Verdict& verdict = plan.verdicts[id];
      text += fmt::format("{}: {}: {}", where(unit.file, directive.place), directive.construct,
                          name_of(verdict.outcome));
      if (verdict.outcome == Outcome::refused) {
        const Message& why = verdict.said.front();
        text += fmt::format(": {} [{}]\n", shown(why.text), name_of(why.code));
        if (!why.by_hand.empty())
          text += fmt::format(
              "    by hand: {}{}\n", shown(why.by_hand),
              verdict.row.empty() ? "" : fmt::format(" ({})", place_in_guide(verdict.row)));
        continue;
      }
      text += '\n';
      if (unit.is_fortran)
        text += fmt::format("    becomes {}\n", shown(verdict.becomes));
      for (const ClauseTold& clause : verdict.clauses)
        text += fmt::format("    {}:{}: {} becomes {}\n", clause.place.line, clause.place.column,
                            shown(clause.clause), shown(clause.becomes));
      for (const Message* message : in_order(verdict))
        if (const std::size_t times = repeated[message->text]; times != 0) {
          text += fmt::format("    {}: {} [{}]{}\n", kind_of(*message), shown(message->text),
                              name_of(message->code),
                              times > 1 ? fmt::format(", {} times in this file", times) : "");
          repeated[message->text] = 0;
        }
    }
    for (const auto& [place, message] : plan.remarks) {
      text += fmt::format("{}: {}: {} [{}]\n", where(unit.file, place),
                          unit.is_fortran ? kind_of(message) : name_of(message.outcome()),
                          shown(message.text), name_of(message.code));
      if (!message.by_hand.empty())
        text += fmt::format("    by hand: {}\n", shown(message.by_hand));
    }
    if (!output.empty())
      text += fmt::format("{}: written to {}{}\n", shown(unit.file), shown(output),
                          kernels.empty() ? "" : " and " + shown(kernels));
  }
  const auto [translated, assumed, refused] = counts_of(translations);
  text +=
      fmt::format("{} {}: {} translated, {} assumed, {} refused\n", translated + assumed + refused,
                  translated + assumed + refused == 1 ? "directive" : "directives", translated,
                  assumed, refused);
  return text;
}

std::string json_report(const std::vector<Translation>& translations) {
  Json files = Json::array();
  for (const Translation& translation : translations) {
    const auto& [unit, plan, output, kernels] = translation;
    Json directives = Json::array();
    for (std::size_t id = 0; id < unit.directives.size(); ++id) {
      const Directive& directive = unit.directives[id];
      const Verdict& verdict = plan.verdicts[id];
      Json one{{"line", directive.place.line},
               {"column", directive.place.column},
               {"construct", name_of(directive.construct)},
               {"directive", directive.text},
               {"outcome", name_of(verdict.outcome)},
               {"row", verdict.row}};
      if (verdict.outcome == Outcome::refused) {
        const Message& why = verdict.said.front();
        one["code"] = name_of(why.code);
        one["refusal"] = why.text;
        one["by_hand"] = why.by_hand;
      } else {
        one["becomes"] = verdict.becomes;
        one["assumptions"] = one["notes"] = Json::array();
        for (const Message& message : verdict.said)
          one[message.outcome() == Outcome::assumed ? "assumptions" : "notes"].push_back(
              {{"code", name_of(message.code)}, {"text", message.text}});
      }
      for (const ClauseTold& clause : verdict.clauses)
        one["clauses"].push_back({{"line", clause.place.line},
                                  {"column", clause.place.column},
                                  {"clause", clause.clause},
                                  {"becomes", clause.becomes}});
      directives.push_back(std::move(one));
    }
    Json remarks = Json::array();
    for (const auto& [place, message] : plan.remarks)
      remarks.push_back({{"line", place.line},
                         {"code", name_of(message.code)},
                         {"outcome", name_of(message.outcome())},
                         {"what", message.text},
                         {"by_hand", message.by_hand}});
    Json file{{"file", unit.file}, {"output", output.empty() ? Json() : Json(output)}};
    if (!kernels.empty())
      file["kernels"] = kernels;
    file["directives"] = std::move(directives);
    file["remarks"] = std::move(remarks);
    files.push_back(std::move(file));
  }
  const auto [translated, assumed, refused] = counts_of(translations);
  const Json report{
      {"schema", 2},
      {"files", std::move(files)},
      {"counts", {{"translated", translated}, {"assumed", assumed}, {"refused", refused}}}};
  return report.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace gangway::port
