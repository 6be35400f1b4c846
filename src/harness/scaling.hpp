// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "harness/registry.hpp"
#include "harness/statistics.hpp"

#include <nlohmann/json.hpp>

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/// The scaling of a study's time with the number of ranks: efficiencies of what was measured, and a
/// model fitted to it, which predicts runs on more ranks. The command makes the runs themselves.
namespace gangway::harness {

/// Strong: the same problem on more ranks. Weak: each rank keeps its share, and the problem grows.
enum class Growth { strong, weak };
[[nodiscard]] const char* name_of(Growth growth);

/// Returns the efficiency on `ranks`, in a series that begins on `base_ranks`: 1 if twice the ranks
/// take half the time (strong), or the same time (weak). The two times are of runs that were not
/// paired. So the interval goes from the smallest quotient of their ends to the largest, and is
/// rather too wide.
[[nodiscard]] Estimate efficiency(Growth growth, int base_ranks, const Estimate& base, int ranks,
                                  const Estimate& time);
/// Returns whether an efficiency is above 1 by more than noise. Then something else differs too,
/// such as a part of the problem that fits in a cache, or more processors for each rank.
[[nodiscard]] bool is_suspicious(const Estimate& efficiency);

// --- the model ------------------------------------------------------------------------------

/// The price of each unit of a RankLoad, in seconds, not negative: the time of a run is the sum.
struct Prices {
  double work = 0; ///< of a byte that kernels move: 1 / the rate of computing
  double wait = 0; ///< the latency
  double byte = 0; ///< of a byte between ranks: 1 / their bandwidth
};
inline constexpr std::size_t price_count = 3;
inline constexpr std::array<const char*, price_count> part_names{"compute", "latency", "bandwidth"};
/// Returns the seconds of each part, in the order of the names.
[[nodiscard]] std::array<double, price_count> parts_of(const Prices& price, const RankLoad& load);
[[nodiscard]] double seconds_of(const Prices& price, const RankLoad& load);
/// Returns the name of the largest part.
[[nodiscard]] const char* bound_of(const Prices& price, const RankLoad& load);

struct Sample {
  RankLoad load;
  double seconds = 0;
};

struct Fit {
  std::optional<Prices> prices;
  std::string why_not; ///< without prices
};
/// Fits the prices with the least sum of squared relative errors among those that are not negative.
/// None if the samples are fewer than the prices, or do not tell them apart.
[[nodiscard]] Fit fit(const std::vector<Sample>& samples);
/// Fits two runs, which cannot tell latency from bandwidth: with compute and latency alone, and
/// with compute and bandwidth alone. The time of a run lies between the two predictions.
[[nodiscard]] std::array<Prices, 2> fits_of_two(const std::vector<Sample>& samples);

// --- runs and what follows from them --------------------------------------------------------

/// One variant's time in one run.
struct ScalingTime {
  Model model = Model::kokkos;
  std::string library; ///< of OpenACC, its label
  std::string variant;
  Estimate time;

  /// Returns a title, such as "kokkos:staged", "openacc[gcc]:staged".
  [[nodiscard]] std::string title() const;
  [[nodiscard]] bool same_as(const ScalingTime& other) const {
    return model == other.model && library == other.library && variant == other.variant;
  }
};

/// One run of the study on so many ranks.
struct ScalingRun {
  int problem = 0; ///< its place among the problems
  std::vector<Growth> growths;
  int ranks = 1;
  std::vector<Parameters::Setting> settings;
  std::string description;
  std::vector<std::pair<std::string, std::string>> provenance;
  bool busy = false; ///< other programs disturbed it
  std::vector<ScalingTime> times;
  std::vector<std::string> failures; ///< variants that failed their check, and how
};

/// Reads the run's facts from the results of `gangway run`. Errors: UsageError where they are no
/// results, or not of that many ranks.
void read_results(const nlohmann::json& results, ScalingRun& run);

struct ScalingPoint {
  int ranks = 1;
  Estimate time;
  Estimate efficiency; ///< 1 where the series begins
  bool suspicious = false;
  std::string cause; ///< of a suspicious one, where it is known
};

/// One variant on one problem, with a point for each number of ranks.
struct ScalingSeries {
  int problem = 0;
  Growth growth = Growth::strong;
  ScalingTime of; ///< its time counts for nothing
  std::vector<ScalingPoint> points;
};

struct Prediction {
  int problem = 0;
  Growth growth = Growth::strong;
  int ranks = 1;
  double seconds = 0;
  double efficiency = 0; ///< against one rank, by the same prices
  std::array<double, price_count> parts{};
  std::string bound_by;
};

/// The model of one variant, fitted to all runs. Its test is a fit to all but the run on most
/// ranks, which has to predict that run's time. With two others it predicts a range
/// (`fits_of_two`).
struct ScalingModel {
  ScalingTime of;
  int runs = 0;
  Fit fit;
  std::optional<ScalingTime> left_out; ///< the time that was measured there; without a test none
  int left_out_ranks = 0;
  int left_out_problem = 0;
  double predicted = 0;    ///< for the run left out, by the fit to the others
  double predicted_to = 0; ///< the range's other end, or the same
  std::string why_untested;
  std::vector<Prediction> predictions;

  /// Returns the relative error of the prediction for the run left out: 0 if the measured time lies
  /// in the predicted range, otherwise the distance to the nearer end.
  [[nodiscard]] double error() const;
};

struct Scaling {
  std::string study;
  std::string title;
  std::string grows; ///< as StudyInfo says it
  std::vector<Growth> growths;
  std::vector<std::pair<std::string, std::vector<Parameters::Setting>>> problems; ///< of one rank
  std::vector<ScalingRun> runs;
  std::vector<ScalingSeries> series;
  std::vector<ScalingModel> models;
  std::vector<std::string> notices;
};

/// The numbers of ranks that the model predicts.
inline constexpr std::array<int, 3> predicted_ranks{8, 64, 1024};

/// Fills in series, models and notices from the runs.
void conclude(const StudyEntry& study, Scaling& scaling);

inline constexpr const char* scaling_schema = "gangway-scaling/1";
/// The notice beside every number of the model.
inline constexpr const char* model_notice = "a model fitted to the runs, not measured";

[[nodiscard]] nlohmann::ordered_json to_json(const Scaling& scaling);
[[nodiscard]] std::string text_of(const Scaling& scaling);

} // namespace gangway::harness
