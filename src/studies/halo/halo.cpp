// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/halo/halo.hpp"

#include "ranks/session.hpp"
#include "ranks/strip.hpp"
#include "studies/halo/plate.hpp"

namespace gangway::halo {

constexpr long longest_side = 1000000000;

static Sweeps sweeps_of(const harness::Parameters& parameters) {
  return {parameters, longest_side};
}

/// Rows of halo: as many as are asked for, or as the smallest strip can give.
static int width_of(const harness::Parameters& parameters, int ranks) {
  const long asked = parameters.integer("wide", 1, 1000);
  return static_cast<int>(std::min(asked, std::max(sweeps_of(parameters).rows / ranks, 1L)));
}

constexpr auto keys =
    keys_with("rows of halo, and sweeps an exchange, in the variants wide and temporal");

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

/// Counts this rank's bytes: its strip in both plates, and what the reference needs for it.
static double footprint(const harness::Parameters& parameters) {
  const ranks::Communicator& world = ranks::world();
  const Sweeps of = sweeps_of(parameters);
  const ranks::Part own = ranks::part_of(of.rows, world.size(), world.rank());
  const double columns = static_cast<double>(of.columns) + 2;
  const long halo = 2L * width_of(parameters, world.size());
  const auto rows = static_cast<double>(3 * own.count() + 2 * halo +
                                        2 * (reached(own, of.rows, of.count).count() + 2));
  return rows * columns * of.element_bytes() + 24.0 * of.count +
         4.0 * static_cast<double>(halo * (own.count() + halo));
}

/// Counts a rank's load, for a strip in the middle. Each sweep, of `wide` and `temporal` each round
/// of sweeps, waits for its kernel, for the exchange and for the largest change of all. The strip
/// sends a row of each sweep to either side and receives one. The rows that are swept twice are
/// left out. `temporal` reads and writes a cell once for four sweeps.
static std::optional<harness::RankLoad> load(const harness::Parameters& parameters,
                                             std::string_view variant, int ranks) {
  const Sweeps of = sweeps_of(parameters);
  const bool by_passes = variant == "temporal";
  const double each = by_passes || variant == "wide" ? width_of(parameters, ranks) : 1;
  const auto rows = static_cast<double>(ranks::part_of(of.rows, ranks, 0).count());
  const auto columns = static_cast<double>(of.columns);
  const double size = of.element_bytes();
  const double sweeps = of.count;
  const auto sides = static_cast<double>(std::clamp(std::min<long>(ranks, of.rows) - 1, 0L, 2L));
  return harness::RankLoad{.work = sweeps / (by_passes ? 4 : 1) * 2 * rows * columns * size,
                           .waits = std::ceil(sweeps / each) *
                                    (1 + (sides > 0 ? 1 : 0) + harness::levels_of_sum(ranks)),
                           .bytes = sweeps * 2 * sides * (columns + 2) * size};
}

const harness::StudyInfo study_info{
    .id = "halo",
    .title = "A plate cut into strips, one for each rank: Jacobi sweeps and the exchange of halos "
             "by MPI",
    .source = "no document: the sweeps of the study jacobi across ranks",
    .keys = keys,
    .cases = sweep_cases,
    .edge_cases = edge_cases,
    .footprint = footprint,
    .across_ranks = true,
    .scaling = {.grows = "rows", .grown = more_rows<longest_side>, .load = load},
};

template <class T>
Problem<T>::Problem(const harness::Parameters& parameters) : _sweeps(sweeps_of(parameters)) {
  const int wide = width_of(parameters, ranks::world().size());
  const auto row = static_cast<std::size_t>(_sweeps.columns + 2) * sizeof(T);
  auto halo = std::make_unique<ranks::Strip>(
      ranks::world(), _sweeps.rows, static_cast<std::size_t>(wide) * row, ranks::halo_choice().way);
  const ranks::Part part = halo->part();
  _first = part.begin;
  _strip = {.rows = part.count(),
            .columns = _sweeps.columns,
            .wide = wide,
            .above = part.count() > 0 && part.begin > 0 ? 1 : 0,
            .below = part.count() > 0 && part.end < _sweeps.rows ? 1 : 0};
  _halo = std::move(halo);
  const auto cells = static_cast<std::size_t>(_strip.cells());
  _plate = base::HostArray<T>(cells);
  _next = base::HostArray<T>(cells);
  _largest = base::HostArray<double>(static_cast<std::size_t>(std::max(_sweeps.count, 1)));
  _of_rows = base::HostArray<double>(static_cast<std::size_t>(wide * _strip.rows_with_halo()));
  _changes.resize(static_cast<std::size_t>(_sweeps.count));

  const ranks::Block own{{_first, part.end}, {0, _sweeps.columns}};
  Reference<T> alone = swept_alone<T>(_sweeps.rows, _sweeps.columns, own, _sweeps.count);
  _reference_changes = std::move(alone.changes);
  _reference = base::HostArray<T>(static_cast<std::size_t>(_strip.rows * _strip.stride()));
  if (_strip.rows > 0) // with the edges beside them
    std::copy_n(alone.at(_first, -1), _reference.size(), _reference.data());

  const auto filled = [this, own](base::HostArray<T>& plate) {
    return [this, own, to = plate.data()] {
      fill(_sweeps.rows, _sweeps.columns, own, _strip.wide, 1, to);
    };
  };
  const harness::ArrayArgument<double> changes{
      _changes.data(), {}, [this] { std::ranges::fill(_changes, harness::poison<double>); }};
  this->kernels_take(_halo.get(), _strip, _sweeps.count,
                     this->inout("plate", _plate, filled(_plate)),
                     this->inout("next", _next, filled(_next)), this->scratch("largest", _largest),
                     this->scratch("of_rows", _of_rows), changes);
  const int strips = ranks::world().size();
  this->described_as(
      _sweeps.describe(_reference_changes) +
      (strips > 1 ? fmt::format("; {} strips, the first of {} rows", strips, _strip.rows) : ""));
}

template <class T>
Problem<T>::~Problem() = default;

template <class T>
std::unique_ptr<harness::Problem> Problem<T>::create(const harness::Parameters& parameters) {
  if (sweeps_of(parameters).single)
    return std::make_unique<Problem<float>>(parameters);
  return std::make_unique<Problem<double>>(parameters);
}

template <class T>
harness::Check Problem<T>::check() const {
  const long stride = _strip.stride();
  const T* const got = (_sweeps.count % 2 == 0 ? _plate : _next).data() + _strip.wide * stride;
  return check_of(
      harness::check_exact(
          _strip.rows, stride, [&](long i, long j) { return got[i * stride + j]; },
          [&](long i, long j) { return _reference[static_cast<std::size_t>(i * stride + j)]; }),
      fmt::format("of the rows from {}: ", _first), "strip", _changes, _reference_changes);
}

template <class T>
harness::Work Problem<T>::work() const {
  return _sweeps.work(static_cast<double>(_strip.rows) * static_cast<double>(_strip.columns),
                      "the exchange is");
}

template class Problem<float>;
template class Problem<double>;

} // namespace gangway::halo
