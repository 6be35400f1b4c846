// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "gangway/device.hpp"

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <source_location>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

/// Gang, worker and vector in Kokkos.
///
/// | OpenACC                         | Kokkos                                               |
/// |---------------------------------|------------------------------------------------------|
/// | gang                            | one member of the league                             |
/// | worker                          | one thread of the team (`TeamThreadRange`)           |
/// | vector, length V <= 32          | the lanes of a thread (`ThreadVectorRange`)          |
/// | vector, length V > 32, 1 worker | the whole team, V/32 x 32 lanes (`TeamVectorRange`)  |
///
/// Gangway turns the clauses of a compute construct into a `Kokkos::TeamPolicy`, refuses those that
/// have no Kokkos counterpart with a message that names the nearest shape, and notes the shape that
/// is launched: what `-Minfo` tells an OpenACC programmer.
namespace gangway {

using Member = Kokkos::TeamPolicy<>::member_type; ///< Kokkos' handle of a team

/// A clause that cannot be honoured; `what()` says which, why, and what would be accepted.
class ClauseError : public std::invalid_argument {
public:
  using std::invalid_argument::invalid_argument;
  /// Begins with the file and line of `where`, the caller's.
  ClauseError(const std::string& what, const std::source_location& where);
};

/// num_workers and vector_length of a compute construct, for sweeps and tables. Zero means "not
/// given": the library chooses.
struct Clauses {
  /// Lanes of a worker at most, which are one Kokkos thread; longer vectors are whole teams.
  static constexpr int most_worker_lanes = 32;
  /// Threads of a gang at most, workers x vector: on CUDA and HIP, and by OpenACC compilers on
  /// them.
  static constexpr int most_gang_threads = 1024;

  int workers = 0;                                                  ///< num_workers
  int vector = 0;                                                   ///< vector_length
  friend bool operator==(const Clauses&, const Clauses&) = default; ///< equal in both
};

/// The shape of a launch: league size, threads of a team and lanes of a thread as Kokkos gets them,
/// beside the clauses that asked for it. A zero is a choice left to Kokkos (`Kokkos::AUTO`).
struct Shape {
  Clauses requested;               ///< the clauses
  long gangs = 0;                  ///< league size
  int team_size = 0;               ///< threads per team
  int vector_length = 0;           ///< lanes per thread
  std::vector<long> tile;          ///< of an MDRange, outermost first; empty for teams
  std::source_location where = {}; ///< the call that made the policy; line 0: not known
  bool flat = false;               ///< a range of `gangs` iterations, without teams

  /// "gangs x team x lanes", such as "1000 x 4 x 32", or "tile 8 x 32", or "range 1000".
  [[nodiscard]] std::string text() const;
};

/// The shapes launched by this thread since the last `clear_launches`, oldest first; at most 64 are
/// kept.
[[nodiscard]] const std::vector<Shape>& launches();
void clear_launches();

namespace detail {
/// Throws ClauseError unless the clauses have a counterpart in Kokkos, on every backend alike, so
/// that what runs on a host also runs on a device: vector a power of two up to 32 or a multiple of
/// 32 up to 1024, workers x vector <= 1024, more than one worker only with vectors up to 32, gangs
/// >= 0 and < 2^31. The message names the nearest clauses that would be accepted.
void validate(const Clauses& clauses, long gangs);

/// Adds to `launches()` and, when a Kokkos tool listens, declares the shape to it as metadata
/// "gangway.shape" just before the kernel it belongs to: its text, and behind it the clauses that
/// were given, such as "1000 x 4 x 32 requested 1 x 128" or "… requested auto x 128".
void note_launch(Shape shape);

/// Team and lanes of these clauses on a device, into `shape`.
void shape_on_device(Shape& shape, const Clauses& clauses);

/// What Kokkos is given for these clauses on `Space`. On hosts a team is one thread of one lane.
template <class Space = Kokkos::DefaultExecutionSpace>
[[nodiscard]] Shape effective_shape(const Clauses& clauses, long gangs) {
  validate(clauses, gangs);
  Shape shape{clauses, gangs, 1, 1, {}};
  if constexpr (detail::is_device<Space>)
    shape_on_device(shape, clauses);
  return shape;
}

template <class Policy>
Policy make_policy(const typename Policy::execution_space& space, const Shape& shape) {
  const int league = static_cast<int>(shape.gangs);
  return shape.team_size == 0 ? Policy(space, league, Kokkos::AUTO, shape.vector_length)
                              : Policy(space, league, shape.team_size, shape.vector_length);
}

/// Throws ClauseError unless a kernel that allows teams of at most `most` threads can have this
/// shape.
void require_team(const Shape& shape, int most);
} // namespace detail

} // namespace gangway
