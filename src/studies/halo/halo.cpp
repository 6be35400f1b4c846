// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/halo/halo.hpp"

#include "harness/check.hpp"
#include "ranks/session.hpp"
#include "ranks/strip.hpp"
#include "studies/halo/plate.hpp"

#include <cstring>

namespace gangway::halo {

constexpr long longest_side = 1000000000;

static long rows_of(const harness::Parameters& parameters) {
  return parameters.integer("n", 0, longest_side);
}

static long columns_of(const harness::Parameters& parameters) {
  return parameters.text("columns").empty() ? rows_of(parameters)
                                            : parameters.integer("columns", 0, longest_side);
}

static int sweeps_of(const harness::Parameters& parameters) {
  return static_cast<int>(parameters.integer("sweeps", 0, 1000000));
}

static bool is_single(const harness::Parameters& parameters) {
  return parameters.choice("type", {"double", "float"}) == "float";
}

/// Rows of halo: as many as are asked for, or as the smallest strip can give.
static int width_of(const harness::Parameters& parameters, int ranks) {
  const long asked = parameters.integer("wide", 1, 1000);
  return static_cast<int>(std::min(asked, std::max(rows_of(parameters) / ranks, 1L)));
}

constexpr harness::Key keys[]{
    {"n", "4096", "rows and columns inside the edges, of all ranks together"},
    {"columns", "", "columns, where they are not n"},
    {"sweeps", "100", "sweeps, each with one exchange"},
    {"wide", "8", "rows of halo, and sweeps an exchange, in the variants wide and temporal"},
    {"type", "double", "double or float"}};

static std::vector<harness::Case> cases(harness::Effort effort, double) {
  const bool quick = effort == harness::Effort::quick;
  const std::string n = quick ? "1024" : effort == harness::Effort::full ? "16384" : "4096";
  // Even numbers of sweeps, as a port has them that swaps its two plates.
  const std::string sweeps = quick ? "10" : effort == harness::Effort::full ? "100" : "20";
  return {{"float", {{"n", n}, {"sweeps", sweeps}, {"type", "float"}}},
          {"double", {{"n", n}, {"sweeps", sweeps}}}};
}

static std::vector<harness::Case> edge_cases() {
  return {{"no cell", {{"n", "0"}, {"sweeps", "3"}}},
          {"one cell", {{"n", "1"}, {"sweeps", "7"}}},
          {"no sweep", {{"n", "9"}, {"sweeps", "0"}}},
          {"one sweep", {{"n", "33"}, {"sweeps", "1"}, {"type", "float"}}},
          {"no rows", {{"n", "0"}, {"columns", "40"}, {"sweeps", "3"}}},
          {"no columns", {{"n", "40"}, {"columns", "0"}, {"sweeps", "3"}}},
          {"one row", {{"n", "1"}, {"columns", "1025"}, {"sweeps", "20"}}},
          {"two rows", {{"n", "2"}, {"columns", "300"}, {"sweeps", "20"}, {"type", "float"}}},
          {"three rows", {{"n", "3"}, {"columns", "513"}, {"sweeps", "21"}}},
          {"one column", {{"n", "257"}, {"columns", "1"}, {"sweeps", "20"}}},
          {"uneven", {{"n", "61"}, {"columns", "200"}, {"sweeps", "14"}, {"type", "float"}}},
          {"more sweeps than rows", {{"n", "12"}, {"columns", "30"}, {"sweeps", "50"}}},
          {"one row of halo", {{"n", "50"}, {"sweeps", "5"}, {"wide", "1"}}},
          {"a round cut short", {{"n", "70"}, {"sweeps", "11"}, {"wide", "3"}, {"type", "float"}}},
          {"wider than the sweeps", {{"n", "40"}, {"sweeps", "4"}, {"wide", "9"}}}};
}

/// Of this rank: its strip in both plates, and what the reference needs for it.
static double footprint(const harness::Parameters& parameters) {
  const ranks::Communicator& world = ranks::world();
  const long all_rows = rows_of(parameters);
  const ranks::Part own = ranks::part_of(all_rows, world.size(), world.rank());
  const long sweeps = sweeps_of(parameters);
  const double columns = static_cast<double>(columns_of(parameters)) + 2;
  const double size = is_single(parameters) ? sizeof(float) : sizeof(double);
  const long halo = 2L * width_of(parameters, world.size());
  const auto rows = static_cast<double>(3 * own.count() + 2 * halo +
                                        2 * (reached(own, all_rows, sweeps).count() + 2));
  return rows * columns * size + 24.0 * static_cast<double>(sweeps) +
         4.0 * static_cast<double>(halo * (own.count() + halo));
}

/// Rows are multiplied, columns stay: each strip keeps what it has.
static std::vector<harness::Parameters::Setting> grown(const harness::Parameters& of_one,
                                                       int ranks) {
  return {{"n", std::to_string(rows_of(of_one) * ranks)},
          {"columns", std::to_string(columns_of(of_one))},
          {"sweeps", of_one.text("sweeps")},
          {"wide", of_one.text("wide")},
          {"type", of_one.text("type")}};
}

/// Each sweep, of `wide` and `temporal` each round of sweeps, waits for its kernel, for the
/// exchange and for the largest change of all; a strip in the middle sends a row of each sweep to
/// either side and receives one. The rows that are swept twice are left out. `temporal` reads and
/// writes a cell once for four sweeps.
static std::optional<harness::RankLoad> load(const harness::Parameters& parameters,
                                             std::string_view variant, int ranks) {
  const long all_rows = rows_of(parameters);
  const bool by_passes = variant == "temporal";
  const double each = by_passes || variant == "wide" ? width_of(parameters, ranks) : 1;
  const auto rows = static_cast<double>(ranks::part_of(all_rows, ranks, 0).count());
  const auto columns = static_cast<double>(columns_of(parameters));
  const double size = is_single(parameters) ? sizeof(float) : sizeof(double);
  const auto sweeps = static_cast<double>(sweeps_of(parameters));
  const auto sides = static_cast<double>(std::clamp(std::min<long>(ranks, all_rows) - 1, 0L, 2L));
  return harness::RankLoad{.work = sweeps / (by_passes ? 4 : 1) * 2 * rows * columns * size,
                           .waits = std::ceil(sweeps / each) *
                                    (1 + (sides > 0 ? 1 : 0) + harness::levels_of_sum(ranks)),
                           .bytes = sweeps * 2 * sides * (columns + 2) * size};
}

const harness::StudyInfo Problem::info{
    .id = "halo",
    .title = "A plate cut into strips, one for each rank: Jacobi sweeps and the exchange of halos "
             "by MPI",
    .source = "the sweeps are those of the study jacobi; the stages are those of OpenACC codes "
              "with MPI: update, host_data use_device, and the boundary first",
    .keys = keys,
    .cases = cases,
    .edge_cases = edge_cases,
    .footprint = footprint,
    .across_ranks = true,
    .scaling = {.grows = "rows", .grown = grown, .load = load},
};

Problem::Problem(const harness::Parameters& parameters)
    : _all_rows(rows_of(parameters)), _columns(columns_of(parameters)),
      _sweeps(sweeps_of(parameters)), _single(is_single(parameters)) {
  const std::size_t size = _single ? sizeof(float) : sizeof(double);
  const int wide = width_of(parameters, ranks::world().size());
  const auto row = static_cast<std::size_t>(_columns + 2) * size;
  auto halo = std::make_unique<ranks::Strip>(
      ranks::world(), _all_rows, static_cast<std::size_t>(wide) * row, ranks::halo_choice().way);
  const ranks::Part part = halo->part();
  _first = part.begin;
  _strip = {.rows = part.count(),
            .columns = _columns,
            .wide = wide,
            .above = part.count() > 0 && part.begin > 0 ? 1 : 0,
            .below = part.count() > 0 && part.end < _all_rows ? 1 : 0};
  _halo = std::move(halo);
  const auto bytes = static_cast<std::size_t>(_strip.cells()) * size;
  _plate = base::HostArray<std::byte>(bytes);
  _next = base::HostArray<std::byte>(bytes);
  _largest = base::HostArray<double>(static_cast<std::size_t>(std::max(_sweeps, 1)));
  _of_rows = base::HostArray<double>(static_cast<std::size_t>(wide * _strip.rows_with_halo()));
  _changes.resize(static_cast<std::size_t>(_sweeps));
  if (_single) {
    solve_reference<float>();
    take_plates<float>();
  } else {
    solve_reference<double>();
    take_plates<double>();
  }
  const int strips = ranks::world().size();
  described_as(fmt::format(
      "{} x {} cells inside the edges, {}, {} sweeps{}{}", _all_rows, _columns,
      _single ? "float" : "double", _sweeps,
      _sweeps > 0
          ? fmt::format(", the last of which changes a cell by {:.6f}", _reference_changes.back())
          : "",
      strips > 1 ? fmt::format("; {} strips, the first of {} rows", strips, _strip.rows) : ""));
}

Problem::~Problem() = default;

template <class T>
void Problem::take_plates() {
  const auto filled = [this](base::HostArray<std::byte>& plate) {
    return [this, &plate] {
      const ranks::Block own{{_first, _first + _strip.rows}, {0, _columns}};
      fill(_all_rows, _columns, own, _strip.wide, 1, reinterpret_cast<T*>(plate.data()));
    };
  };
  const harness::ArrayArgument<double> changes{_changes.data(), {}, [this] {
                                                 std::fill(_changes.begin(), _changes.end(),
                                                           harness::poison<double>);
                                               }};
  kernels_take(_halo.get(), _strip, _sweeps, _single ? 1 : 0,
               inout("plate", _plate, filled(_plate)), inout("next", _next, filled(_next)),
               scratch("largest", _largest), scratch("of_rows", _of_rows), changes);
}

template <class T>
void Problem::solve_reference() {
  const ranks::Block own{{_first, _first + _strip.rows}, {0, _columns}};
  Reference<T> alone = swept_alone<T>(_all_rows, _columns, own, _sweeps);
  _reference_changes = std::move(alone.changes);
  _reference = base::HostArray<std::byte>(static_cast<std::size_t>(_strip.rows * _strip.stride()) *
                                          sizeof(T));
  if (_strip.rows > 0) // with the edges beside them
    std::memcpy(_reference.data(), alone.at(_first, -1), _reference.size());
}

template <class T>
harness::Check Problem::check_plate() const {
  const long stride = _columns + 2;
  const T* const got =
      reinterpret_cast<const T*>((_sweeps % 2 == 0 ? _plate : _next).data()) + _strip.wide * stride;
  const T* const expected = reinterpret_cast<const T*>(_reference.data());
  return harness::check_exact(
      _strip.rows, stride, [&](long i, long j) { return got[i * stride + j]; },
      [&](long i, long j) { return expected[i * stride + j]; });
}

harness::Check Problem::check() const {
  harness::Check plate = _single ? check_plate<float>() : check_plate<double>();
  if (!plate.passed) {
    plate.detail = fmt::format("of the rows from {}: {}", _first, plate.detail);
    return plate;
  }
  harness::Check changes = harness::check_exact(_changes, _reference_changes);
  changes.detail = changes.passed
                       ? "every cell of the strip and every change exactly, without an exchange"
                       : "of the changes: " + changes.detail;
  return changes;
}

harness::Work Problem::work() const {
  const double updates = static_cast<double>(_strip.rows) * static_cast<double>(_columns) * _sweeps;
  return {.bytes = 2 * updates * static_cast<double>(_single ? sizeof(float) : sizeof(double)),
          .flops = 6 * updates,
          .single_precision = _single,
          .reasoning =
              "each sweep reads each cell once and writes it once; four operations for the "
              "mean, two for the change; the exchange is not counted"};
}

} // namespace gangway::halo
