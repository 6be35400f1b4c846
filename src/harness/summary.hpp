// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "harness/report.hpp"

#include <optional>
#include <string>
#include <vector>

/// The summary of many cases: the few lines worth reading at the end of a comparison. Only this
/// part of the code counts them.
namespace gangway::harness {

/// A ratio other/own with the case it is from.
struct PlacedRatio {
  std::string place; ///< study, case, and the scope if it is `whole`
  std::string own;   ///< as in Comparison
  std::string other;
  Estimate ratio;
};

/// The counts of ratios about 1: above it Kokkos is faster. A ratio is below or above if `verdict`
/// says so.
struct Tally {
  int below = 0;
  int even = 0; ///< no difference shown
  int above = 0;
  int undecided = 0; ///< too few rounds for a verdict
  int busy = 0;      ///< none, because the machine was busy
  /// The smallest and the largest ratio. One that lies below 1 is smaller than one that may be 1,
  /// whatever their medians: the median of a wide interval says little.
  std::optional<PlacedRatio> lowest;
  std::optional<PlacedRatio> highest;

  [[nodiscard]] int all() const { return below + even + above + undecided + busy; }
};

/// The counts of one OpenACC library against Kokkos.
struct LibraryTally {
  std::string library; ///< its label
  Tally port;          ///< each stage in both models: what a mechanical port gives
  Tally beyond;        ///< each variant beyond the documents that both models have
  Tally tuned;         ///< of each case and result the fastest variant of each model
};

/// The counts of all libraries. The base is of the first OpenACC library, and all there is if it is
/// alone.
struct Summary : LibraryTally {
  int studies = 0;
  int cases = 0;
  std::vector<LibraryTally> others; ///< of the other libraries, in their order
  Tally yardstick; ///< of each case and result the fastest yardstick over the fastest of Kokkos
  int failed = 0;  ///< variants whose results were wrong
};

[[nodiscard]] Summary summarize(const std::vector<CaseResult>& cases);

/// Returns whose OpenACC it was and where it ran, since no ratio is true of others: such as "GCC
/// 16.2.0, nvidia NVIDIA H100 80GB HBM3", of several libraries "gcc is GCC 16.2.0, …; decompose is
/// …". Empty if OpenACC was not loaded.
[[nodiscard]] std::string openacc_of(const Provenance& provenance);

/// Writes for people the counts, and of several studies also the lowest and the highest ratios.
/// `openacc` as `openacc_of` gives it.
[[nodiscard]] std::string text_of(const Summary& summary, const std::string& openacc);
/// Returns the counts as JSON.
[[nodiscard]] nlohmann::ordered_json json_of(const Summary& summary);

} // namespace gangway::harness
