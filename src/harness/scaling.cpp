// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/scaling.hpp"

#include "base/contains.hpp"
#include "base/errors.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <set>
#include <string_view>

namespace gangway::harness {
namespace {

using FitRow = std::array<double, price_count>;

/// The least part of a column of length 1 that is independent of the others: below it, runs do not
/// tell their prices apart.
constexpr double told_apart = 1e-3;

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    sum += a[i] * b[i];
  return sum;
}

/// Solves `rows` * prices = 1 by least squares with the chosen columns, by Gram and Schmidt. Empty
/// if these are not independent.
std::optional<FitRow> least_squares(const std::vector<FitRow>& rows,
                                    const std::array<bool, price_count>& chosen) {
  std::vector<std::size_t> columns;
  for (std::size_t c = 0; c < price_count; ++c)
    if (chosen[c])
      columns.push_back(c);
  std::vector<std::vector<double>> basis;
  std::array<FitRow, price_count> upper{}; // of the chosen columns in the basis
  for (std::size_t k = 0; k < columns.size(); ++k) {
    std::vector<double> column;
    for (const FitRow& row : rows)
      column.push_back(row[columns[k]]);
    const double whole = std::sqrt(dot(column, column));
    for (int again = 0; again < 2; ++again) // twice: the second removes what rounding left
      for (std::size_t b = 0; b < basis.size(); ++b) {
        const double along = dot(basis[b], column);
        upper[b][k] += along;
        for (std::size_t i = 0; i < column.size(); ++i)
          column[i] -= along * basis[b][i];
      }
    const double left = std::sqrt(dot(column, column));
    if (!(left > told_apart * whole))
      return std::nullopt;
    upper[k][k] = left;
    for (double& value : column)
      value /= left;
    basis.push_back(std::move(column));
  }
  const std::vector<double> ones(rows.size(), 1.0);
  FitRow result{};
  for (std::size_t k = columns.size(); k-- > 0;) {
    double value = dot(basis[k], ones);
    for (std::size_t l = k + 1; l < columns.size(); ++l)
      value -= upper[k][l] * result[columns[l]];
    result[columns[k]] = value / upper[k][k];
  }
  return result;
}

/// Returns samples as rows. Each is divided by its time, so that short runs count as much as long
/// ones. Each column is divided by its length, so that units do not matter.
struct Scaled {
  std::vector<FitRow> rows;
  FitRow lengths{};
};

Scaled scaled(const std::vector<Sample>& samples) {
  Scaled result;
  for (const Sample& sample : samples)
    result.rows.push_back({sample.load.work / sample.seconds, sample.load.waits / sample.seconds,
                           sample.load.bytes / sample.seconds});
  for (std::size_t c = 0; c < price_count; ++c) {
    double& length = result.lengths[c];
    for (const FitRow& row : result.rows)
      length += row[c] * row[c];
    length = std::sqrt(length);
    if (length > 0)
      for (FitRow& row : result.rows)
        row[c] /= length;
  }
  return result;
}

double error_of(const std::vector<FitRow>& rows, const FitRow& price) {
  double sum = 0;
  for (const FitRow& row : rows) {
    const double error = row[0] * price[0] + row[1] * price[1] + row[2] * price[2] - 1;
    sum += error * error;
  }
  return sum;
}

/// Returns the non-negative prices that fit best; `allowed` has a bit for each price that may
/// differ from 0. Tries every subset of them. A fit with one price is never negative, so that there
/// is a result.
Prices best_prices(const Scaled& samples, unsigned allowed) {
  FitRow best{};
  double least = std::numeric_limits<double>::infinity();
  for (unsigned choice = 1; choice < 1U << price_count; ++choice) {
    if ((choice & ~allowed) != 0)
      continue;
    const auto found =
        least_squares(samples.rows, {(choice & 1U) != 0, (choice & 2U) != 0, (choice & 4U) != 0});
    if (!found || *std::min_element(found->begin(), found->end()) < 0)
      continue;
    if (const double error = error_of(samples.rows, *found); error < least) {
      least = error;
      best = *found;
    }
  }
  for (std::size_t c = 0; c < price_count; ++c)
    best[c] = samples.lengths[c] > 0 ? best[c] / samples.lengths[c] : 0;
  return {best[0], best[1], best[2]};
}

} // namespace

std::string ScalingTime::title() const {
  return library.empty() ? fmt::format("{}:{}", name_of(model), variant)
                         : fmt::format("{}[{}]:{}", name_of(model), library, variant);
}

double ScalingModel::error() const {
  const double measured = left_out->time.value;
  return std::clamp(measured, predicted, predicted_to) / measured - 1;
}

const char* name_of(Growth growth) {
  return growth == Growth::strong ? "strong" : "weak";
}

Estimate efficiency(Growth growth, int base_ranks, const Estimate& base, int ranks,
                    const Estimate& time) {
  const double ideal =
      growth == Growth::strong ? static_cast<double>(base_ranks) / static_cast<double>(ranks) : 1;
  Estimate result;
  result.value = ideal * base.value / time.value;
  result.low = ideal * base.low / time.high;
  result.high = ideal * base.high / time.low;
  result.samples = std::min(base.samples, time.samples);
  return result;
}

bool is_suspicious(const Estimate& efficiency) {
  return efficiency.samples >= fewest_samples && efficiency.low > 1;
}

std::array<double, price_count> parts_of(const Prices& price, const RankLoad& load) {
  return {price.work * load.work, price.wait * load.waits, price.byte * load.bytes};
}

double seconds_of(const Prices& price, const RankLoad& load) {
  const auto parts = parts_of(price, load);
  return parts[0] + parts[1] + parts[2];
}

const char* bound_of(const Prices& price, const RankLoad& load) {
  const auto parts = parts_of(price, load);
  return part_names.at(
      static_cast<std::size_t>(std::max_element(parts.begin(), parts.end()) - parts.begin()));
}

Fit fit(const std::vector<Sample>& samples) {
  if (samples.size() < price_count)
    return {{},
            fmt::format("{} {} too few to tell compute, latency and bandwidth: {} are the least, "
                        "such as of three numbers of ranks (--ranks 1,2,4), of two with --strong "
                        "and --weak, or of several sizes (--vary)",
                        samples.size(), samples.size() == 1 ? "run is" : "runs are", price_count)};
  const Scaled rows = scaled(samples);
  if (!least_squares(rows.rows, {true, true, true}))
    return {
        {},
        "these runs do not tell compute, latency and bandwidth apart; more numbers of ranks do, or "
        "problems of other shapes (--vary)"};
  return {best_prices(rows, 7), ""};
}

std::array<Prices, 2> fits_of_two(const std::vector<Sample>& samples) {
  const Scaled rows = scaled(samples);
  return {best_prices(rows, 1U | 2U), best_prices(rows, 1U | 4U)};
}

void read_results(const nlohmann::json& results, ScalingRun& run) {
  try {
    for (const auto& [name, text] : results.at("provenance").items())
      run.provenance.emplace_back(name, text.get<std::string>());
    if (run.ranks > 1) {
      const std::string told = results.at("provenance").value("ranks", "");
      if (!told.starts_with(std::to_string(run.ranks) + " "))
        throw base::UsageError(fmt::format("a run on {} ranks says of itself that it had {}; are "
                                           "the launcher and the program of one MPI?",
                                           run.ranks, told.empty() ? "one" : told));
    }
    const auto& measured = results.at("cases").at(0);
    run.description = measured.at("description").get<std::string>();
    run.busy = measured.contains("noise") && measured.at("noise").value("busy", false);
    for (const auto& m : measured.at("measurements")) {
      if (m.contains("skipped") || m.at("model") == "yardstick")
        continue;
      ScalingTime one;
      one.model = m.at("model") == "kokkos" ? Model::kokkos : Model::openacc;
      one.library = m.value("library", "");
      one.variant = m.at("variant").get<std::string>();
      if (const auto& check = m.at("check"); !check.at("passed").get<bool>()) {
        run.failures.push_back(fmt::format("{} on {} {}: {}", one.title(), run.ranks,
                                           run.ranks == 1 ? "rank" : "ranks",
                                           check.value("detail", "")));
        continue;
      }
      const auto& time = m.at("time");
      one.time.value = time.at("median").get<double>();
      one.time.low = time.at("low").get<double>();
      one.time.high = time.at("high").get<double>();
      one.time.samples = time.at("rounds").get<int>();
      run.times.push_back(std::move(one));
    }
  } catch (const nlohmann::json::exception& error) {
    throw base::UsageError(fmt::format("the results of a run on {} ranks cannot be read: {}",
                                       run.ranks, error.what()));
  }
}

namespace {

const ScalingTime* find(const ScalingRun& run, const ScalingTime& of) {
  const auto found = std::find_if(run.times.begin(), run.times.end(),
                                  [&](const ScalingTime& time) { return time.same_as(of); });
  return found == run.times.end() ? nullptr : &*found;
}

/// Returns all variants that any run measured, in the order in which they first were.
std::vector<ScalingTime> all_variants(const Scaling& scaling) {
  std::vector<ScalingTime> all;
  for (const ScalingRun& run : scaling.runs)
    for (const ScalingTime& time : run.times)
      if (std::none_of(all.begin(), all.end(),
                       [&](const ScalingTime& other) { return other.same_as(time); }))
        all.push_back(time);
  return all;
}

/// Returns a run of the series that belongs to the problem and the growth, on so many ranks.
const ScalingRun& run_of(const Scaling& scaling, const ScalingSeries& series, int ranks) {
  return *std::find_if(scaling.runs.begin(), scaling.runs.end(), [&](const ScalingRun& run) {
    return run.ranks == ranks && run.problem == series.problem &&
           base::contains(run.growths, series.growth);
  });
}

/// Returns the number at the beginning of a fact's text; 0 if the run has no such fact.
int number_in(const ScalingRun& run, std::string_view name) {
  for (const auto& [fact, text] : run.provenance)
    if (fact == name)
      return std::atoi(text.c_str());
  return 0;
}

bool has_device_fact(const ScalingRun& run) {
  return std::any_of(run.provenance.begin(), run.provenance.end(),
                     [](const auto& fact) { return fact.first == "device"; });
}

/// Returns why a point is above 1 by more than noise, as far as runs show it; empty if they do not.
std::string cause_of(const Scaling& scaling, const ScalingSeries& series,
                     const ScalingPoint& point) {
  const ScalingPoint& base = series.points.front();
  const ScalingRun& first = run_of(scaling, series, base.ranks);
  const ScalingRun& run = run_of(scaling, series, point.ranks);
  const std::string base_ranks =
      fmt::format("{} {}", base.ranks, base.ranks == 1 ? "rank" : "ranks");
  if (first.busy)
    return "other programs disturbed the run on " + base_ranks;
  const int before = number_in(first, "host threads");
  const int after = number_in(run, "host threads");
  if (!has_device_fact(run) && before > 0 && after > before)
    return fmt::format("a rank has {} threads here, and {} on {}", after, before, base_ranks);
  // Find the variant of this model that is fastest on the first number of ranks, unless it is
  // suspicious itself: what this one loses against it there it does not lose on more ranks.
  const ScalingSeries* fastest = nullptr;
  for (const ScalingSeries& other : scaling.series)
    if (other.problem == series.problem && other.growth == series.growth &&
        other.of.model == series.of.model && other.of.library == series.of.library &&
        other.points.front().ranks == base.ranks &&
        (fastest == nullptr ||
         other.points.front().time.value < fastest->points.front().time.value))
      fastest = &other;
  if (fastest == nullptr || fastest->of.same_as(series.of))
    return "";
  const auto same = std::find_if(fastest->points.begin(), fastest->points.end(),
                                 [&](const auto& other) { return other.ranks == point.ranks; });
  if (same == fastest->points.end() || same->suspicious)
    return "";
  return fmt::format("on {} it takes {:.3g} times as long as {}, and here {:.3g} times: it is "
                     "slow there, not fast here",
                     base_ranks, base.time.value / fastest->points.front().time.value,
                     fastest->of.title(), point.time.value / same->time.value);
}

void make_series(Scaling& scaling) {
  const std::vector<ScalingTime> variants = all_variants(scaling);
  for (int problem = 0; problem < std::ssize(scaling.problems); ++problem)
    for (const Growth growth : scaling.growths)
      for (const ScalingTime& of : variants) {
        ScalingSeries series{problem, growth, of, {}};
        for (const ScalingRun& run : scaling.runs) {
          const ScalingTime* const time = find(run, of);
          if (run.problem != problem || !base::contains(run.growths, growth) || time == nullptr)
            continue;
          ScalingPoint point{run.ranks, time->time, {1, 1, 1, time->time.samples}, false, ""};
          if (!series.points.empty()) {
            const ScalingPoint& base = series.points.front();
            point.efficiency = efficiency(growth, base.ranks, base.time, run.ranks, time->time);
            point.suspicious = is_suspicious(point.efficiency);
          }
          series.points.push_back(point);
        }
        if (!series.points.empty())
          scaling.series.push_back(std::move(series));
      }
  for (ScalingSeries& series : scaling.series)
    for (ScalingPoint& point : series.points)
      if (point.suspicious)
        point.cause = cause_of(scaling, series, point);
}

std::vector<Parameters::Setting> settings_on(const StudyEntry& study, const Scaling& scaling,
                                             int problem, Growth growth, int ranks) {
  const auto& of_one = scaling.problems[static_cast<std::size_t>(problem)].second;
  return growth == Growth::weak ? study.scaling.grown(Parameters(study, of_one), ranks) : of_one;
}

void predict(const StudyEntry& study, const Scaling& scaling, ScalingModel& model) {
  for (int problem = 0; problem < std::ssize(scaling.problems); ++problem)
    for (const Growth growth : scaling.growths)
      for (const int ranks : predicted_ranks) {
        const auto load = [&](int of_ranks) {
          const Parameters parameters(study,
                                      settings_on(study, scaling, problem, growth, of_ranks));
          return study.scaling.load(parameters, model.of.variant, of_ranks).value_or(RankLoad{});
        };
        const Prices& price = *model.fit.prices;
        Prediction one;
        one.problem = problem;
        one.growth = growth;
        one.ranks = ranks;
        one.seconds = seconds_of(price, load(ranks));
        one.parts = parts_of(price, load(ranks));
        one.bound_by = bound_of(price, load(ranks));
        const Estimate alone{.value = seconds_of(price, load(1))};
        one.efficiency = efficiency(growth, 1, alone, ranks, {.value = one.seconds}).value;
        model.predictions.push_back(std::move(one));
      }
}

ScalingModel make_model(const StudyEntry& study, const Scaling& scaling, const ScalingTime& of) {
  ScalingModel model;
  model.of = of;
  std::vector<Sample> samples;
  std::vector<const ScalingRun*> runs;
  for (const ScalingRun& run : scaling.runs) {
    const ScalingTime* const time = find(run, of);
    if (time == nullptr)
      continue;
    const auto load = study.scaling.load(Parameters(study, run.settings), of.variant, run.ranks);
    if (!load) {
      model.fit.why_not = "what ranks exchange of this problem is not known";
      model.why_untested = model.fit.why_not;
      return model;
    }
    samples.push_back({*load, time->time.value});
    runs.push_back(&run);
  }
  model.runs = static_cast<int>(samples.size());
  model.fit = fit(samples);
  if (!model.fit.prices) {
    model.why_untested = model.fit.why_not;
    return model;
  }
  predict(study, scaling, model);

  std::size_t most = 0; // of several the last
  for (std::size_t i = 0; i < runs.size(); ++i)
    if (runs[i]->ranks >= runs[most]->ranks)
      most = i;
  std::vector<Sample> others = samples;
  others.erase(others.begin() + static_cast<std::ptrdiff_t>(most));
  std::array<double, 2> said{};
  if (const Fit without = fit(others); without.prices) {
    said.fill(seconds_of(*without.prices, samples[most].load));
  } else if (others.size() == 2) {
    for (std::size_t i = 0; const Prices& prices : fits_of_two(others))
      said.at(i++) = seconds_of(prices, samples[most].load);
  } else {
    model.why_untested = "without the run on most ranks, " + without.why_not;
    return model;
  }
  model.left_out = *find(*runs[most], of);
  model.left_out_ranks = runs[most]->ranks;
  model.left_out_problem = runs[most]->problem;
  model.predicted = std::min(said[0], said[1]);
  model.predicted_to = std::max(said[0], said[1]);
  return model;
}

/// Returns whether two ranks name the same in "0 on HOST: DEVICE; 1 on HOST: DEVICE".
bool share_devices(const ScalingRun& run) {
  for (const auto& [name, text] : run.provenance) {
    if (name != "rank devices")
      continue;
    std::set<std::string_view> seen;
    std::string_view rest = text;
    while (!rest.empty()) {
      const std::string_view one = rest.substr(0, rest.find("; "));
      rest.remove_prefix(std::min(rest.size(), one.size() + 2));
      if (!seen.insert(one.substr(std::min(one.find(" on "), one.size()))).second)
        return true;
    }
  }
  return false;
}

void make_notices(Scaling& scaling) {
  const auto on_ranks = [&](const auto& condition) {
    std::set<int> ranks;
    for (const ScalingRun& run : scaling.runs)
      if (condition(run))
        ranks.insert(run.ranks);
    return fmt::format("{}", fmt::join(ranks, ", "));
  };
  if (const std::string ranks = on_ranks(share_devices); !ranks.empty())
    scaling.notices.push_back(fmt::format("on {} ranks several share a device or a host's memory: "
                                          "this is not how that many GPUs scale",
                                          ranks));
  if (const std::string ranks = on_ranks([](const ScalingRun& run) { return run.busy; });
      !ranks.empty())
    scaling.notices.push_back(fmt::format("other programs disturbed runs on {} ranks", ranks));
  const auto few = [](const ScalingRun& run) {
    return std::any_of(run.times.begin(), run.times.end(),
                       [](const ScalingTime& time) { return time.time.samples < fewest_samples; });
  };
  if (!on_ranks(few).empty())
    scaling.notices.push_back(fmt::format(
        "fewer than {} rounds: the intervals are ranges, and nothing is said to be suspicious",
        fewest_samples));
  for (const ScalingSeries& series : scaling.series)
    for (const ScalingPoint& point : series.points)
      if (point.suspicious)
        scaling.notices.push_back(fmt::format(
            "suspicious: {} on {} ranks, {}, {}: an efficiency of {:.3g} [{:.3g}, {:.3g}] is above "
            "1 by more than noise: {}",
            series.of.title(), point.ranks,
            scaling.problems[static_cast<std::size_t>(series.problem)].first,
            name_of(series.growth), point.efficiency.value, point.efficiency.low,
            point.efficiency.high,
            point.cause.empty() ? "the runs do not tell why; does a part of the problem fit in a "
                                  "cache where the whole did not?"
                                : point.cause));
}

} // namespace

void conclude(const StudyEntry& study, Scaling& scaling) {
  std::stable_sort(scaling.runs.begin(), scaling.runs.end(),
                   [](const ScalingRun& a, const ScalingRun& b) { return a.ranks < b.ranks; });
  make_series(scaling);
  for (const ScalingTime& of : all_variants(scaling))
    scaling.models.push_back(make_model(study, scaling, of));
  make_notices(scaling);
}

} // namespace gangway::harness
