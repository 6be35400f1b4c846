// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The output of `gangway scale`, for programs and for people.
#include "harness/report.hpp"
#include "harness/scaling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>

namespace gangway::harness {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const ScalingTime& of) {
  Json json{{"model", name_of(of.model)}, {"variant", of.variant}};
  if (!of.library.empty())
    json["library"] = of.library;
  return json;
}

Json json_of(const ScalingRun& run) {
  Json json{{"problem", run.problem}, {"scaling", Json::array()}, {"ranks", run.ranks}};
  for (const Growth growth : run.growths)
    json["scaling"].push_back(name_of(growth));
  json["settings"] = json_of(run.settings);
  json["description"] = run.description;
  json["busy"] = run.busy;
  json["provenance"] = Json::object();
  for (const auto& [name, text] : run.provenance)
    json["provenance"][name] = text;
  json["measurements"] = Json::array();
  for (const ScalingTime& time : run.times) {
    json["measurements"].push_back(json_of(time));
    json["measurements"].back()["time"] = json_of(time.time);
  }
  return json;
}

Json json_of(const ScalingSeries& series) {
  Json json = json_of(series.of);
  json["problem"] = series.problem;
  json["scaling"] = name_of(series.growth);
  json["points"] = Json::array();
  for (const ScalingPoint& point : series.points) {
    json["points"].push_back({{"ranks", point.ranks},
                              {"time", json_of(point.time)},
                              {"efficiency", json_of(point.efficiency)},
                              {"suspicious", point.suspicious}});
    if (!point.cause.empty())
      json["points"].back()["cause"] = point.cause;
  }
  return json;
}

/// Returns 1 / price; null if the runs showed no cost.
Json rate(double price) {
  return price > 0 ? Json(1 / price) : Json(nullptr);
}

Json json_of(const ScalingModel& model) {
  Json json = json_of(model.of);
  json["what"] = model_notice;
  json["runs"] = model.runs;
  if (!model.fit.prices) {
    json["why_not"] = model.fit.why_not;
    return json;
  }
  const Prices& price = *model.fit.prices;
  json["prices"] = {{"work_bytes_per_second", rate(price.work)},
                    {"seconds_per_wait", price.wait},
                    {"exchanged_bytes_per_second", rate(price.byte)}};
  if (model.left_out)
    json["test"] = {{"problem", model.left_out_problem},
                    {"ranks", model.left_out_ranks},
                    {"predicted_seconds", model.predicted},
                    {"predicted_to_seconds", model.predicted_to},
                    {"measured_seconds", model.left_out->time.value},
                    {"relative_error", model.error()}};
  else
    json["why_untested"] = model.why_untested;
  json["predictions"] = Json::array();
  for (const Prediction& one : model.predictions)
    json["predictions"].push_back({{"what", model_notice},
                                   {"problem", one.problem},
                                   {"scaling", name_of(one.growth)},
                                   {"ranks", one.ranks},
                                   {"seconds", one.seconds},
                                   {"efficiency", one.efficiency},
                                   {"parts",
                                    {{part_names[0], one.parts[0]},
                                     {part_names[1], one.parts[1]},
                                     {part_names[2], one.parts[2]}}},
                                   {"bound_by", one.bound_by}});
  return json;
}

} // namespace

nlohmann::ordered_json to_json(const Scaling& scaling) {
  Json json{{"schema", scaling_schema},  {"study", scaling.study},
            {"title", scaling.title},    {"kept_by_each_rank", scaling.grows},
            {"scaling", Json::array()},  {"notices", scaling.notices},
            {"problems", Json::array()}, {"runs", Json::array()},
            {"series", Json::array()},   {"models", Json::array()}};
  for (const Growth growth : scaling.growths)
    json["scaling"].push_back(name_of(growth));
  for (const auto& [name, settings] : scaling.problems)
    json["problems"].push_back({{"name", name}, {"settings", json_of(settings)}});
  for (const ScalingRun& run : scaling.runs)
    json["runs"].push_back(json_of(run));
  for (const ScalingSeries& series : scaling.series)
    json["series"].push_back(json_of(series));
  for (const ScalingModel& model : scaling.models)
    json["models"].push_back(json_of(model));
  return json;
}

// --- for people ------------------------------------------------------------------------------

namespace {

/// The text of a part without a cost in these runs: the others took all of the time.
constexpr const char* not_seen = "not seen";

std::string rate_text(double price) {
  return price > 0 ? fmt::format("{:.3g} GB/s", 1e-9 / price) : not_seen;
}

std::string text_of(const ScalingSeries& series) {
  std::string text = fmt::format("  {}\n", series.of.title());
  for (const ScalingPoint& point : series.points)
    text += fmt::format("    {:>5} {:<5}  {:>9}  {}{}\n", point.ranks,
                        point.ranks == 1 ? "rank" : "ranks", seconds_text(point.time.value),
                        &point == series.points.data()
                            ? "1"
                            : fmt::format("{:.3g} [{:.3g}, {:.3g}]", point.efficiency.value,
                                          point.efficiency.low, point.efficiency.high),
                        point.suspicious ? "  suspicious" : "");
  return text;
}

std::string text_of(const Scaling& scaling, const ScalingModel& model) {
  std::string text = fmt::format("  {}: ", model.of.title());
  if (!model.fit.prices)
    return text + fmt::format("no model: {}\n", model.fit.why_not);
  const Prices& price = *model.fit.prices;
  text += fmt::format("compute {}, latency {}, bandwidth between ranks {}; fitted to {} runs\n",
                      rate_text(price.work), price.wait > 0 ? seconds_text(price.wait) : not_seen,
                      rate_text(price.byte), model.runs);
  if (model.left_out)
    text += fmt::format(
        "    fitted without the run on {} ranks it says {}{} for that, where {} were measured: "
        "{:+.1f} "
        "%{}\n",
        model.left_out_ranks, seconds_text(model.predicted),
        model.predicted_to > model.predicted ? " to " + seconds_text(model.predicted_to) : "",
        seconds_text(model.left_out->time.value), 100 * model.error(),
        model.runs == 3 ? " (two runs do not tell latency from bandwidth: with either alone)" : "");
  else
    text += fmt::format("    not tested on a run that was left out: {}\n", model.why_untested);
  for (const Prediction& one : model.predictions) {
    const double all = one.parts[0] + one.parts[1] + one.parts[2];
    text += fmt::format(
        "    model: {:>5} ranks, {}, {}: {}, efficiency {:.3g}, bound by {} ({:.0f} %)\n",
        one.ranks, name_of(one.growth),
        scaling.problems[static_cast<std::size_t>(one.problem)].first, seconds_text(one.seconds),
        one.efficiency, one.bound_by,
        100 * *std::max_element(one.parts.begin(), one.parts.end()) / all);
  }
  return text;
}

} // namespace

std::string text_of(const Scaling& scaling) {
  std::string text;
  for (const std::string& notice : scaling.notices)
    text += fmt::format("{}\n", notice);
  for (int problem = 0; problem < std::ssize(scaling.problems); ++problem)
    for (const Growth growth : scaling.growths) {
      const auto& [name, settings] = scaling.problems[static_cast<std::size_t>(problem)];
      text += fmt::format("\n{} {}, {} scaling: {}{}\n  time and efficiency [95 %]\n",
                          scaling.study, name, name_of(growth), settings_text(settings),
                          growth == Growth::weak
                              ? fmt::format(" on one rank, and as many {} for each", scaling.grows)
                              : "");
      for (const ScalingSeries& series : scaling.series)
        if (series.problem == problem && series.growth == growth)
          text += text_of(series);
    }
  text += fmt::format("\nmodel: what follows is {}\n", model_notice);
  for (const ScalingModel& model : scaling.models)
    text += text_of(scaling, model);
  return text;
}

} // namespace gangway::harness
