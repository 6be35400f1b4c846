// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/report.hpp"
#include "harness/summary.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace gangway::harness {

nlohmann::ordered_json json_of(const std::vector<Parameters::Setting>& settings) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (const auto& [key, value] : settings)
    json[key] = value;
  return json;
}

nlohmann::ordered_json json_of(const Estimate& estimate) {
  return {{"median", estimate.value},
          {"low", estimate.low},
          {"high", estimate.high},
          {"rounds", estimate.samples}};
}

namespace {

using Json = nlohmann::ordered_json;

/// Returns a number, or null for NaN and infinity, which JSON has not.
Json number_or_null(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json number_or_null(const std::optional<double>& value) {
  return value ? number_or_null(*value) : Json(nullptr);
}

Json json_of(const Noise& noise, bool busy) {
  return {{"busy", busy},
          {"seconds", noise.seconds},
          {"processors", noise.processors},
          {"threads", noise.threads},
          {"load", number_or_null(noise.load)},
          {"others", number_or_null(noise.others)},
          {"stolen", noise.stolen},
          {"waiting", number_or_null(noise.waiting)},
          {"preemptions", noise.preemptions}};
}

/// Returns how far other programs disturbed one variant, and how far its rounds scatter.
Json noise_of(const Measurement& m) {
  const double all = std::accumulate(m.seconds.begin(), m.seconds.end(), 0.0);
  const double lost = std::accumulate(m.lost.begin(), m.lost.end(), 0.0);
  const auto [least, most] = std::minmax_element(m.seconds.begin(), m.seconds.end());
  return {{"lost_share", lost / all}, {"preemptions", m.preemptions}, {"spread", *most / *least}};
}

Json json_of(const Measurement& m) {
  Json json{{"model", name_of(m.model)}, {"variant", m.variant}, {"beyond", m.beyond}};
  if (!m.library.empty())
    json["library"] = m.library;
  if (!m.result.empty())
    json["result"] = m.result;
  if (m.flag != Flag::none)
    json["flag"] = name_of(m.flag);
  if (!m.skipped.empty()) {
    json["skipped"] = m.skipped;
    return json;
  }
  json["check"] = {{"passed", m.check.passed},
                   {"error", number_or_null(m.check.error)},
                   {"tolerance", m.check.tolerance},
                   {"detail", m.check.detail},
                   {"runs", m.runs_checked}};
  Json shapes = Json::array();
  for (const Shape& shape : m.shapes) {
    Json entry{
        {"requested", {{"workers", shape.requested.workers}, {"vector", shape.requested.vector}}}};
    if (shape.flat) {
      entry["range"] = shape.gangs;
    } else if (shape.tile.empty()) {
      entry["gangs"] = shape.gangs;
      entry["team_size"] = shape.team_size;
      entry["vector_length"] = shape.vector_length;
    } else {
      entry["tile"] = shape.tile;
    }
    shapes.push_back(entry);
  }
  json["shapes"] = shapes;
  json["transfers"] = m.transfers ? Json{{"to_device", m.transfers->to_device},
                                         {"to_host", m.transfers->to_host},
                                         {"bytes_to_device", m.transfers->bytes_to_device},
                                         {"bytes_to_host", m.transfers->bytes_to_host}}
                                  : Json(nullptr);
  if (m.timed()) {
    if (m.once)
      json["timed_once"] = true;
    json["seconds"] = m.seconds;
    json["time"] = json_of(bootstrap_median(m.seconds));
    json["share"] = {{"of", m.share.ceiling},
                     {"value", m.share.value > 0 ? Json(m.share.value) : Json(nullptr)}};
    json["noise"] = noise_of(m);
  }
  return json;
}

Json json_of(const CaseResult& result) {
  Json json{{"study", result.study},
            {"case", result.name},
            {"scope", name_of(result.scope)},
            {"settings", json_of(result.settings)},
            {"description", result.description},
            {"work",
             {{"bytes", result.work.bytes},
              {"flops", result.work.flops},
              {"single_precision", result.work.single_precision},
              {"in_place", result.work.in_place},
              {"write_only", result.work.write_only},
              {"reasoning", result.work.reasoning}}},
            {"working_set_bytes", result.working_set},
            {"wall_seconds", result.wall_seconds},
            {"noise", json_of(result.noise, was_busy(result.noise))},
            {"measurements", Json::array()},
            {"comparisons", Json::array()}};
  for (const Measurement& m : result.measurements)
    json["measurements"].push_back(json_of(m));
  for (const Comparison& c : result.comparisons) {
    Json comparison{{"kind", name_of(c.kind)},
                    {"own", c.own},
                    {"other", c.other},
                    {"ratio", json_of(c.ratio)},
                    {"delay",
                     {{"own", number_or_null(c.ratio.own_delay)},
                      {"other", number_or_null(c.ratio.other_delay)}}},
                    {"verdict", name_of(verdict(c.ratio))}};
    if (!c.library.empty())
      comparison["library"] = c.library;
    json["comparisons"].push_back(comparison);
  }
  json["openacc_cannot"] = Json::object();
  for (const auto& [variant, why] : result.openacc_cannot)
    json["openacc_cannot"][variant] = why;
  return json;
}

Json json_of(const Ceilings& c) {
  return {{"copy_bytes_per_second", c.copy},
          {"triad_bytes_per_second", c.triad},
          {"read_bytes_per_second", c.read},
          {"update_bytes_per_second", c.update},
          {"fill_bytes_per_second", c.fill},
          {"flops_double_per_second", c.flops_double},
          {"flops_single_per_second", c.flops_single},
          {"launch_seconds", c.launch},
          {"link_in_bytes_per_second", c.link_in},
          {"link_out_bytes_per_second", c.link_out},
          {"link_in_pinned_bytes_per_second", c.link_in_pinned},
          {"link_out_pinned_bytes_per_second", c.link_out_pinned},
          {"array_bytes", c.array_bytes},
          {"cache_bytes", c.cache_bytes},
          {"shapes",
           {{"copy", c.shapes.copy},
            {"triad", c.shapes.triad},
            {"read", c.shapes.read},
            {"update", c.shapes.update},
            {"fill", c.shapes.fill}}}};
}

} // namespace

Json to_json(const Results& results) {
  Json json{{"schema", results_schema}, {"provenance", Json::object()}};
  for (const auto& [name, value] : results.provenance)
    json["provenance"][name] = value;
  json["ceilings"] = json_of(results.ceilings);
  json["noise"] = Json::object();
  if (results.noise_before)
    json["noise"]["before"] = json_of(*results.noise_before, looks_busy(*results.noise_before));
  if (results.noise_ceilings)
    json["noise"]["ceilings"] = json_of(*results.noise_ceilings, was_busy(*results.noise_ceilings));
  json["cases"] = Json::array();
  for (const CaseResult& result : results.cases)
    json["cases"].push_back(json_of(result));
  json["summary"] = json_of(summarize(results.cases));
  return json;
}

Json to_json(const Results& results, const std::vector<SweepTable>& sweeps) {
  Json json = to_json(results);
  json["sweeps"] = Json::array();
  for (const SweepTable& sweep : sweeps) {
    Json entry = json_of(sweep.stages);
    entry["points"] = Json::array();
    for (const SweepResult& point : sweep.points) {
      Json p{{"workers", point.mapping.clauses.workers},
             {"vector", point.mapping.clauses.vector},
             {"items_per_worker", point.mapping.items_per_worker}};
      p["measurement"] = json_of(point.measurement);
      entry["points"].push_back(p);
    }
    json["sweeps"].push_back(entry);
  }
  return json;
}

std::string text_of(const Json& json) {
  // Names of files need not be UTF-8, JSON must.
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + '\n';
}

} // namespace gangway::harness
