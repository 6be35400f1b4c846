// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/halo_blocks/halo_blocks.hpp"

#include "ranks/halo_way.hpp"
#include "ranks/session.hpp"
#include "ranks/vector_halo.hpp"
#include "studies/halo/plate.hpp"

#include <utility>

namespace gangway::halo_blocks {

constexpr long longest_side = 46340; // cells are numbered by int

static halo::Sweeps sweeps_of(const harness::Parameters& parameters) {
  return {parameters, longest_side};
}

/// Rows and columns of halo, as many as are asked for: where blocks have fewer, it reaches beyond
/// the next block.
static int width_of(const harness::Parameters& parameters) {
  return static_cast<int>(parameters.integer("wide", 1, 1000));
}

constexpr auto keys = halo::keys_with(
    "rows and columns of halo, and sweeps an exchange, in the variants wide and temporal");

static std::vector<harness::Case> edge_cases() {
  return {{"no cell", {{"n", "0"}, {"sweeps", "3"}}},
          {"one cell", {{"n", "1"}, {"sweeps", "7"}}},
          {"no sweep", {{"n", "9"}, {"sweeps", "0"}}},
          {"one sweep", {{"n", "33"}, {"sweeps", "1"}, {"type", "float"}}},
          {"no rows", {{"n", "0"}, {"columns", "40"}, {"sweeps", "3"}}},
          {"no columns", {{"n", "40"}, {"columns", "0"}, {"sweeps", "3"}}},
          {"one row", {{"n", "1"}, {"columns", "1025"}, {"sweeps", "20"}}},
          {"one column", {{"n", "257"}, {"columns", "1"}, {"sweeps", "20"}, {"type", "float"}}},
          {"uneven", {{"n", "61"}, {"columns", "200"}, {"sweeps", "14"}, {"type", "float"}}},
          {"one row of halo", {{"n", "50"}, {"sweeps", "5"}, {"wide", "1"}}},
          {"a round cut short", {{"n", "70"}, {"sweeps", "11"}, {"wide", "3"}, {"type", "float"}}},
          {"wider than the plate", {{"n", "6"}, {"sweeps", "20"}, {"wide", "9"}}}};
}

/// Counts this rank's bytes: its block in both plates, its exchange, and the reference's needs.
static double footprint(const harness::Parameters& parameters) {
  const ranks::Communicator& world = ranks::world();
  const halo::Sweeps of = sweeps_of(parameters);
  const ranks::Block own = ranks::block_of(of.rows, of.columns, world.size(), world.rank());
  const double size = of.element_bytes();
  const auto cells = [](const ranks::Part& of_rows, const ranks::Part& of_columns, int around) {
    return static_cast<double>(of_rows.count() + 2 * around) *
           static_cast<double>(of_columns.count() + 2 * around);
  };
  const int wide = width_of(parameters);
  const double plate = cells(own.rows, own.columns, wide);
  const double halo = world.size() > 1 ? plate - static_cast<double>(own.cells()) : 0;
  const double reference = cells(halo::reached(own.rows, of.rows, of.count),
                                 halo::reached(own.columns, of.columns, of.count), 1);
  // The halo, and what others want: the elements, and where they are.
  return size * (2 * plate + static_cast<double>(own.cells()) + 2 * reference) +
         2 * halo * (size + 4 * sizeof(int)) +
         8.0 * wide * static_cast<double>(own.rows.count() + 2 * wide) + 24.0 * of.count;
}

/// Counts the load of a rank. Each sweep, of `wide` and `temporal` each round of sweeps, waits for
/// its kernel, for the exchange and for the largest change of all. A block in the middle exchanges
/// rows with two others and columns with two, and in rounds also the corners between these. Cells
/// that are swept twice are left out. `temporal` reads and writes a cell once for four sweeps.
static std::optional<harness::RankLoad> load(const harness::Parameters& parameters,
                                             std::string_view variant, int ranks) {
  const ranks::Grid grid = ranks::grid_of(ranks);
  const halo::Sweeps of = sweeps_of(parameters);
  const ranks::Block first = ranks::block_of(of.rows, of.columns, ranks, 0);
  const double size = of.element_bytes();
  const double sweeps = of.count;
  const bool by_passes = variant == "temporal";
  const bool in_rounds = by_passes || variant == "wide";
  const long each = in_rounds ? width_of(parameters) : 1;
  const double rounds = std::ceil(sweeps / static_cast<double>(each));
  const long down = each * std::min(grid.down - 1, 2);
  const long across = each * std::min(grid.across - 1, 2);
  const long corners = in_rounds ? down * across : 0;
  const auto cells =
      static_cast<double>(down * first.columns.count() + across * first.rows.count() + corners);
  return harness::RankLoad{
      .work = sweeps / (by_passes ? 4 : 1) * 2 * size * static_cast<double>(first.cells()),
      .waits = rounds * (1 + (cells > 0 ? 1 : 0) + harness::levels_of_sum(ranks)),
      .bytes = rounds * 2 * cells * size};
}

const harness::StudyInfo study_info{
    .id = "halo_blocks",
    .title = "A plate cut into blocks, one for each rank: Jacobi sweeps, columns packed, and the "
             "exchange of halos",
    .source = "no document: the sweeps of the study jacobi across ranks",
    .keys = keys,
    .cases = halo::sweep_cases,
    .edge_cases = edge_cases,
    .footprint = footprint,
    .across_ranks = true,
    .scaling = {.grows = "rows", .grown = halo::more_rows<longest_side>, .load = load},
};

template <class T>
Problem<T>::Problem(const harness::Parameters& parameters)
    : _sweeps(sweeps_of(parameters)),
      _own(ranks::block_of(_sweeps.rows, _sweeps.columns, ranks::world().size(),
                           ranks::world().rank())) {
  if (_own.cells() == 0) // rows without columns are nothing, and the other way round
    _own = {{_own.rows.begin, _own.rows.begin}, {_own.columns.begin, _own.columns.begin}};
  const bool any = _own.cells() > 0;
  const long wide = width_of(parameters);
  const auto others = [=](long cells) { return any ? std::min(cells, wide) : 0; };
  _block = {.rows = _own.rows.count(),
            .columns = _own.columns.count(),
            .wide = static_cast<int>(wide),
            .above = others(_own.rows.begin),
            .below = others(_sweeps.rows - _own.rows.end),
            .left = others(_own.columns.begin),
            .right = others(_sweeps.columns - _own.columns.end),
            .nearest = {},
            .widest = {},
            .rim_count = 0,
            .rim = nullptr};
  _nearest = border_of(1, false);
  _widest = border_of(_block.wide, true);
  std::vector<int> rim(_nearest.sent.begin(), _nearest.sent.end());
  std::ranges::sort(rim);
  rim.erase(std::unique(rim.begin(), rim.end()), rim.end());
  _rim = base::HostArray<int>(rim.begin(), rim.end());
  _block.nearest = _nearest.plain();
  _block.widest = _widest.plain();
  _block.rim_count = static_cast<int>(_rim.size());
  _block.rim = _rim.data();

  const auto cells = static_cast<std::size_t>(_block.cells());
  const auto room_for = [](const base::HostArray<int>& some) {
    return base::HostArray<T>(std::max<std::size_t>(some.size(), 1));
  };
  _plate = base::HostArray<T>(cells);
  _next = base::HostArray<T>(cells);
  _packed = room_for(_widest.sent);
  _arrived = room_for(_widest.received);
  _largest = base::HostArray<double>(static_cast<std::size_t>(std::max(_sweeps.count, 1)));
  _of_rows = base::HostArray<double>(static_cast<std::size_t>(wide * _block.rows_with_halo()));
  _changes.resize(static_cast<std::size_t>(_sweeps.count));

  halo::Reference<T> alone =
      halo::swept_alone<T>(_sweeps.rows, _sweeps.columns, _own, _sweeps.count);
  _reference_changes = std::move(alone.changes);
  const long columns = _own.columns.count();
  _reference = base::HostArray<T>(static_cast<std::size_t>(_own.cells()));
  for (long row = 0; row < _own.rows.count(); ++row)
    std::copy_n(alone.at(_own.rows.begin + row, _own.columns.begin), columns,
                _reference.data() + row * columns);

  const auto filled = [this](base::HostArray<T>& plate) {
    return [this, to = plate.data()] {
      halo::fill(_sweeps.rows, _sweeps.columns, _own, _block.wide, _block.wide, to);
    };
  };
  const harness::ArrayArgument<double> changes{
      _changes.data(), {}, [this] { std::ranges::fill(_changes, harness::poison<double>); }};
  this->kernels_find(this->in("sent", _nearest.sent), this->in("received", _nearest.received),
                     this->in("rim", _rim), this->in("wide sent", _widest.sent),
                     this->in("wide received", _widest.received));
  this->kernels_take(_block, _sweeps.count, this->inout("plate", _plate, filled(_plate)),
                     this->inout("next", _next, filled(_next)), this->scratch("packed", _packed),
                     this->scratch("arrived", _arrived), this->scratch("largest", _largest),
                     this->scratch("of_rows", _of_rows), changes);
  const int ranks = ranks::world().size();
  const ranks::Grid grid = ranks::grid_of(ranks);
  this->described_as(_sweeps.describe(_reference_changes) +
                     (ranks > 1 ? fmt::format("; {} x {} blocks, the first of {} x {}", grid.down,
                                              grid.across, _own.rows.count(), _own.columns.count())
                                : ""));
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
Border Problem<T>::OwnBorder::plain() const {
  return {.ranks = ranks.get(),
          .sent_count = static_cast<int>(sent.size()),
          .sent = sent.data(),
          .received_count = static_cast<int>(received.size()),
          .received = received.data()};
}

/// Finds this rank's border for the exchange, to which the plate is a vector: one block after the
/// other in the order of the ranks. Each rank wants what lies up to `width` around its own block.
/// All ranks call it.
template <class T>
typename Problem<T>::OwnBorder Problem<T>::border_of(int width, bool with_corners) const {
  const int ranks = ranks::world().size();
  const auto common = [](const ranks::Part& one, const ranks::Part& other) {
    return ranks::Part{std::max(one.begin, other.begin), std::min(one.end, other.end)};
  };
  const auto widened = [=](const ranks::Part& part) {
    return ranks::Part{part.begin - width, part.end + width};
  };
  const auto has = [](const ranks::Part& part, long number) {
    return number >= part.begin && number < part.end;
  };
  const long stride = _block.stride();
  std::vector<int> cut{0};
  std::vector<int> wanted;
  OwnBorder border;
  for (int other = 0; other < ranks; ++other) {
    const ranks::Block theirs = ranks::block_of(_sweeps.rows, _sweeps.columns, ranks, other);
    const int first = cut.back();
    cut.push_back(first + static_cast<int>(theirs.cells()));
    if (other == ranks::world().rank() || _own.cells() == 0)
      continue;
    const ranks::Part rows = common(widened(_own.rows), theirs.rows);
    const ranks::Part columns = common(widened(_own.columns), theirs.columns);
    for (long i = rows.begin; i < rows.end; ++i)
      for (long j = columns.begin; j < columns.end; ++j) {
        if (!with_corners && !has(_own.rows, i) && !has(_own.columns, j))
          continue;
        wanted.push_back(first + static_cast<int>((i - theirs.rows.begin) * theirs.columns.count() +
                                                  j - theirs.columns.begin));
        border.received.push_back(static_cast<int>((i - _own.rows.begin + _block.wide) * stride +
                                                   j - _own.columns.begin + _block.wide));
      }
  }
  auto halo = std::make_unique<ranks::VectorHalo>(ranks::world(), cut, wanted, sizeof(T),
                                                  ranks::halo_choice().way);
  for (const int cell : halo->sent())
    border.sent.push_back(static_cast<int>((cell / _block.columns + _block.wide) * stride +
                                           cell % _block.columns + _block.wide));
  border.ranks = std::move(halo);
  return border;
}

template <class T>
harness::Check Problem<T>::check() const {
  const long stride = _block.stride();
  const long columns = _block.columns;
  const T* const got =
      (_sweeps.count % 2 == 0 ? _plate : _next).data() + _block.wide * stride + _block.wide;
  return halo::check_of(
      harness::check_exact(
          _block.rows, columns, [&](long i, long j) { return got[i * stride + j]; },
          [&](long i, long j) { return _reference[static_cast<std::size_t>(i * columns + j)]; }),
      fmt::format("of the block from row {} and column {}: ", _own.rows.begin, _own.columns.begin),
      "block", _changes, _reference_changes);
}

template <class T>
harness::Work Problem<T>::work() const {
  return _sweeps.work(static_cast<double>(_own.cells()), "packing and exchange are");
}

template class Problem<float>;
template class Problem<double>;

} // namespace gangway::halo_blocks
