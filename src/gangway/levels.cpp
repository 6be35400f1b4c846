// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gangway/levels.hpp"

#include <bit>
#include <limits>
#include <utility>

namespace gangway {
namespace {

thread_local std::vector<Shape> launched;
constexpr std::size_t launches_kept = 64;

std::string clause_text(const Clauses& clauses) {
  return "num_workers(" + std::to_string(clauses.workers) + ") vector_length(" +
         std::to_string(clauses.vector) + ")";
}

void validate_vector(int vector) {
  const auto refuse = [&](const std::string& nearest) {
    throw ClauseError("vector_length(" + std::to_string(vector) +
                      "): a Kokkos vector is a power of two up to 32 lanes, or a team of whole "
                      "32-lane threads; nearest: " +
                      nearest);
  };
  if (vector <= thread_vector_limit) {
    const auto lanes = static_cast<unsigned>(vector);
    if (vector > 0 && !std::has_single_bit(lanes))
      refuse(std::to_string(std::bit_floor(lanes)) + " or " + std::to_string(std::bit_ceil(lanes)));
  } else if (vector > gang_thread_limit) {
    refuse(std::to_string(gang_thread_limit));
  } else if (vector % thread_vector_limit != 0) {
    const int below = vector / thread_vector_limit * thread_vector_limit;
    refuse(std::to_string(below) + " or " + std::to_string(below + thread_vector_limit));
  }
}

} // namespace

std::string Shape::text() const {
  const auto joined = [](const auto& numbers) {
    std::string text;
    for (const long n : numbers)
      text += (text.empty() ? "" : " x ") + (n == 0 ? std::string("auto") : std::to_string(n));
    return text;
  };
  return tile.empty() ? joined(std::array<long, 3>{gangs, team_size, vector_length})
                      : "tile " + joined(tile);
}

void validate(const Clauses& clauses, long gangs) {
  if (gangs < 0 || gangs > std::numeric_limits<int>::max())
    throw ClauseError("num_gangs(" + std::to_string(gangs) +
                      "): a league has 0 to 2147483647 members; give each gang more work");
  if (clauses.workers < 0 || clauses.vector < 0)
    throw ClauseError(clause_text(clauses) +
                      ": must not be negative; leave a clause at 0 to let the backend choose");
  validate_vector(clauses.vector);
  if (clauses.workers > 1 && clauses.vector > thread_vector_limit)
    throw ClauseError(
        clause_text(clauses) +
        ": Kokkos has no level for several workers whose vectors are longer than 32; "
        "nearest: num_workers(1) vector_length(" +
        std::to_string(clauses.vector) + "), or num_workers(" +
        std::to_string(std::min(clauses.workers * (clauses.vector / thread_vector_limit), 32)) +
        ") vector_length(32)");
  if (clauses.workers > gang_thread_limit ||
      clauses.workers * std::max(clauses.vector, 1) > gang_thread_limit)
    throw ClauseError(clause_text(clauses) + ": a gang has at most " +
                      std::to_string(gang_thread_limit) + " threads; nearest: num_workers(" +
                      std::to_string(gang_thread_limit / std::max(clauses.vector, 1)) + ")");
}

const std::vector<Shape>& launches() {
  return launched;
}

void clear_launches() {
  launched.clear();
}

void note_launch(Shape shape) {
  if (Kokkos::Tools::profileLibraryLoaded())
    Kokkos::Tools::declareMetadata("gangway.shape", shape.text());
  if (launched.size() < launches_kept)
    launched.push_back(std::move(shape));
}

} // namespace gangway
