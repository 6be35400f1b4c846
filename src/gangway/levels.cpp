// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gangway/levels.hpp"

#include "gangway/policy.hpp"
#include "gangway/tile.hpp"

#include <array>
#include <bit>
#include <limits>
#include <span>
#include <string>
#include <utility>

namespace gangway {
namespace {

thread_local std::vector<Shape> launched;
constexpr std::size_t launches_kept = 64;

/// The clauses that were given, as they are written.
std::string text_of(const Clauses& clauses) {
  std::string text;
  if (clauses.workers != 0 || clauses.vector == 0)
    text = "num_workers(" + std::to_string(clauses.workers) + ")";
  if (clauses.vector != 0)
    text += (text.empty() ? "vector_length(" : " vector_length(") + std::to_string(clauses.vector) +
            ")";
  return text;
}

/// A legal vector with as many of the workers as fit beside it.
std::string nearest_with(int workers, int vector) {
  const int most =
      vector > Clauses::most_worker_lanes ? 1 : Clauses::most_gang_threads / std::max(vector, 1);
  return text_of({std::clamp(workers, 0, most), vector});
}

void validate_vector(const Clauses& clauses) {
  const auto refuse = [&](int below, int above) {
    throw ClauseError(text_of(clauses) +
                      ": a Kokkos vector is a power of two up to 32 lanes, or a team of 1 to 32 "
                      "whole threads of 32 lanes; nearest: " +
                      nearest_with(clauses.workers, below) +
                      (above == below ? "" : " or " + nearest_with(clauses.workers, above)));
  };
  const int vector = clauses.vector;
  if (vector <= Clauses::most_worker_lanes) {
    const auto lanes = static_cast<unsigned>(vector);
    if (vector > 0 && !std::has_single_bit(lanes))
      refuse(static_cast<int>(std::bit_floor(lanes)), static_cast<int>(std::bit_ceil(lanes)));
  } else if (vector > Clauses::most_gang_threads) {
    refuse(Clauses::most_gang_threads, Clauses::most_gang_threads);
  } else if (vector % Clauses::most_worker_lanes != 0) {
    const int below = vector / Clauses::most_worker_lanes * Clauses::most_worker_lanes;
    refuse(below, below + Clauses::most_worker_lanes);
  }
}

/// "1000 x 4 x 32", with "auto" for a number that is left to somebody else.
std::string joined(std::span<const long> numbers) {
  std::string text;
  for (const long n : numbers)
    text += (text.empty() ? "" : " x ") + (n == 0 ? std::string("auto") : std::to_string(n));
  return text;
}

/// Returns the shape as text for tools.
std::string declared(const Shape& shape) {
  if (shape.requested == Clauses{})
    return shape.text();
  return shape.text() + " requested " +
         joined(std::array<long, 2>{shape.requested.workers, shape.requested.vector});
}

} // namespace

ClauseError::ClauseError(const std::string& what, const std::source_location& where)
    : std::invalid_argument(std::string(where.file_name()) + ":" + std::to_string(where.line()) +
                            ": " + what) {}

void detail::refuse_at(const std::source_location& where, const ClauseError& error) {
  throw ClauseError(error.what(), where);
}

std::string Shape::text() const {
  if (flat)
    return "range " + std::to_string(gangs);
  return tile.empty() ? joined(std::array<long, 3>{gangs, team_size, vector_length})
                      : "tile " + joined(tile);
}

void detail::validate(const Clauses& clauses, long gangs) {
  if (gangs < 0 || gangs > std::numeric_limits<int>::max())
    throw ClauseError("num_gangs(" + std::to_string(gangs) +
                      "): a league has 0 to 2147483647 members; give each gang more work");
  if (clauses.workers < 0 || clauses.vector < 0)
    throw ClauseError(text_of(clauses) +
                      ": must not be negative; leave a clause at 0 to let the backend choose");
  validate_vector(clauses);
  const long workers = std::max(clauses.workers, 1);
  if (workers > 1 && clauses.vector > Clauses::most_worker_lanes)
    throw ClauseError(text_of(clauses) +
                      ": Kokkos has no level for several workers whose vectors are longer than 32; "
                      "nearest: " +
                      text_of({1, clauses.vector}) + " or " +
                      nearest_with(static_cast<int>(std::min<long>(
                                       workers * (clauses.vector / Clauses::most_worker_lanes),
                                       Clauses::most_gang_threads)),
                                   Clauses::most_worker_lanes));
  if (workers * std::max(clauses.vector, 1) > Clauses::most_gang_threads)
    throw ClauseError(text_of(clauses) + ": a gang has at most " +
                      std::to_string(Clauses::most_gang_threads) +
                      " threads; nearest: " + nearest_with(clauses.workers, clauses.vector));
}

void detail::shape_on_device(Shape& shape, const Clauses& clauses) {
  const bool team_is_vector = clauses.vector > Clauses::most_worker_lanes;
  shape.vector_length = team_is_vector ? Clauses::most_worker_lanes : std::max(clauses.vector, 1);
  shape.team_size = team_is_vector ? clauses.vector / Clauses::most_worker_lanes : clauses.workers;
  // A vector was asked for and no workers: one worker, as OpenACC has it.
  if (shape.team_size == 0 && clauses.vector != 0)
    shape.team_size = 1;
}

void detail::require_team(const Shape& shape, int most) {
  if (shape.team_size > most)
    throw ClauseError("this kernel allows teams of at most " + std::to_string(most) +
                      " threads of " + std::to_string(shape.vector_length) +
                      " lanes on this device; " + std::to_string(shape.team_size) +
                      " were asked for");
}

void detail::validate_tile(const long* extents, const long* tile, int rank,
                           const std::source_location& where) {
  const auto text = [rank](const auto& numbers) {
    std::string joined;
    for (int r = 0; r < rank; ++r)
      joined += (r == 0 ? "" : ", ") + std::to_string(numbers[r]);
    return "tile(" + joined + ")";
  };
  for (int r = 0; r < rank; ++r)
    if (extents[r] < 0 || tile[r] < 1)
      throw ClauseError(text(tile) + ": loop " + std::to_string(r) + " has extent " +
                            std::to_string(extents[r]) + " and tile " + std::to_string(tile[r]) +
                            "; extents must be >= 0 and tiles >= 1",
                        where);
  // Halve what is too long, outermost first: the innermost loop is the one that likes long tiles.
  constexpr long outermost_limit = 64; // of the third dimension of a block of threads
  std::vector<long> nearest(tile, tile + rank);
  for (long& n : nearest)
    n = std::min<long>(n, Clauses::most_gang_threads);
  if (rank > 2)
    nearest[0] = std::min(nearest[0], outermost_limit);
  const auto iterations = [&] {
    long product = 1;
    for (const long n : nearest)
      product = std::min<long>(product * n, Clauses::most_gang_threads + 1); // no overflow
    return product;
  };
  for (std::size_t r = 0; iterations() > Clauses::most_gang_threads;)
    nearest[r] > 1 ? nearest[r] /= 2 : ++r;
  if (!std::equal(nearest.begin(), nearest.end(), tile))
    throw ClauseError(text(tile) +
                          ": the iterations of a tile are the threads of a gang, at most " +
                          std::to_string(Clauses::most_gang_threads) +
                          ", and of the outermost of three or more "
                          "loops at most " +
                          std::to_string(outermost_limit) + "; nearest: " + text(nearest),
                      where);
}

const std::vector<Shape>& launches() {
  return launched;
}

void clear_launches() {
  launched.clear();
}

void detail::note_launch(Shape shape) {
  if (!shape.flat && Kokkos::Tools::profileLibraryLoaded()) // a range has no shape to declare
    Kokkos::Tools::declareMetadata("gangway.shape", declared(shape));
  if (launched.size() < launches_kept)
    launched.push_back(std::move(shape));
}

} // namespace gangway
