// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/halo_blocks/halo_blocks.hpp"

#include "harness/check.hpp"
#include "ranks/halo_way.hpp"
#include "ranks/session.hpp"
#include "ranks/vector_halo.hpp"
#include "studies/halo/plate.hpp"

#include <utility>

namespace gangway::halo_blocks {

constexpr long longest_side = 46340; // cells are numbered by int

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

constexpr harness::Key keys[]{
    {"n", "4096", "rows and columns inside the edges, of all ranks together"},
    {"columns", "", "columns, where they are not n"},
    {"sweeps", "100", "sweeps, each with one exchange"}};

static std::vector<harness::Case> cases(harness::Effort effort, double) {
  const bool quick = effort == harness::Effort::quick;
  const std::string n = quick ? "1024" : effort == harness::Effort::full ? "16384" : "4096";
  const std::string sweeps = quick ? "10" : effort == harness::Effort::full ? "100" : "20";
  return {{"double", {{"n", n}, {"sweeps", sweeps}}}};
}

static std::vector<harness::Case> edge_cases() {
  return {{"no cell", {{"n", "0"}, {"sweeps", "3"}}},
          {"one cell", {{"n", "1"}, {"sweeps", "7"}}},
          {"no sweep", {{"n", "9"}, {"sweeps", "0"}}},
          {"no rows", {{"n", "0"}, {"columns", "40"}, {"sweeps", "3"}}},
          {"no columns", {{"n", "40"}, {"columns", "0"}, {"sweeps", "3"}}},
          {"one row", {{"n", "1"}, {"columns", "1025"}, {"sweeps", "20"}}},
          {"one column", {{"n", "257"}, {"columns", "1"}, {"sweeps", "20"}}},
          {"uneven", {{"n", "61"}, {"columns", "200"}, {"sweeps", "14"}}}};
}

/// Of this rank: its block in both plates, and what the reference needs for it.
static double footprint(const harness::Parameters& parameters) {
  const ranks::Communicator& world = ranks::world();
  const long rows = rows_of(parameters);
  const long columns = columns_of(parameters);
  const ranks::Block own = ranks::block_of(rows, columns, world.size(), world.rank());
  const long sweeps = sweeps_of(parameters);
  const auto with_edges = [](const ranks::Part& part) {
    return static_cast<double>(part.count() + 2);
  };
  return 8 * (3 * with_edges(own.rows) * with_edges(own.columns) +
              2 * with_edges(halo::reached(own.rows, rows, sweeps)) *
                  with_edges(halo::reached(own.columns, columns, sweeps))) +
         64 * (with_edges(own.rows) + with_edges(own.columns)) + 16.0 * static_cast<double>(sweeps);
}

/// Rows are multiplied, columns stay.
static std::vector<harness::Parameters::Setting> grown(const harness::Parameters& of_one,
                                                       int ranks) {
  return {{"n", std::to_string(rows_of(of_one) * ranks)},
          {"columns", std::to_string(columns_of(of_one))},
          {"sweeps", of_one.text("sweeps")}};
}

/// Each sweep waits for its kernel, for the exchange and for the largest change of all; a block
/// in the middle exchanges two rows and two columns.
static std::optional<harness::RankLoad> load(const harness::Parameters& parameters,
                                             std::string_view, int ranks) {
  const ranks::Grid grid = ranks::grid_of(ranks);
  const ranks::Block first = ranks::block_of(rows_of(parameters), columns_of(parameters), ranks, 0);
  const auto sweeps = static_cast<double>(sweeps_of(parameters));
  const auto cells = static_cast<double>(std::min(grid.down - 1, 2) * first.columns.count() +
                                         std::min(grid.across - 1, 2) * first.rows.count());
  return harness::RankLoad{.work = sweeps * 16 * static_cast<double>(first.cells()),
                           .waits =
                               sweeps * (1 + (cells > 0 ? 1 : 0) + harness::levels_of_sum(ranks)),
                           .bytes = sweeps * 2 * cells * sizeof(double)};
}

const harness::StudyInfo Problem::info{
    .id = "halo_blocks",
    .title = "A plate cut into blocks, one for each rank: Jacobi sweeps, columns packed, and the "
             "exchange of halos",
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
    : _all_rows(rows_of(parameters)), _all_columns(columns_of(parameters)),
      _sweeps(sweeps_of(parameters)),
      _own(ranks::block_of(_all_rows, _all_columns, ranks::world().size(), ranks::world().rank())) {
  if (_own.cells() == 0) // rows without columns are nothing, and the other way round
    _own = {{_own.rows.begin, _own.rows.begin}, {_own.columns.begin, _own.columns.begin}};
  find_neighbours();
  const auto cells = static_cast<std::size_t>(_block.cells());
  _plate = base::HostArray<double>(cells);
  _next = base::HostArray<double>(cells);
  _packed = base::HostArray<double>(std::max<std::size_t>(_sent.size(), 1));
  _arrived = base::HostArray<double>(std::max<std::size_t>(_received.size(), 1));
  _changes.resize(static_cast<std::size_t>(_sweeps));
  solve_reference();
  const auto filled = [this](base::HostArray<double>& plate) {
    return [this, &plate] { halo::fill(_all_rows, _all_columns, _own, plate.data()); };
  };
  const harness::ArrayArgument<double> changes{
      _changes.data(), {}, [this] { std::ranges::fill(_changes, harness::poison<double>); }};
  kernels_find(in("sent", _sent), in("received", _received), in("rim", _rim));
  kernels_take(_ranks.get(), _block, _sweeps, inout("plate", _plate, filled(_plate)),
               inout("next", _next, filled(_next)), scratch("packed", _packed),
               scratch("arrived", _arrived), changes);
  const int ranks = ranks::world().size();
  const ranks::Grid grid = ranks::grid_of(ranks);
  described_as(fmt::format(
      "{} x {} cells inside the edges, double, {} sweeps{}{}", _all_rows, _all_columns, _sweeps,
      _sweeps > 0
          ? fmt::format(", the last of which changes a cell by {:.6f}", _reference_changes.back())
          : "",
      ranks > 1 ? fmt::format("; {} x {} blocks, the first of {} x {}", grid.down, grid.across,
                              _own.rows.count(), _own.columns.count())
                : ""));
}

Problem::~Problem() = default;

/// The plate as a vector, one block after the other, of which each rank wants what lies around its
/// own: the last row of the block above, the last column of the left one, and so on, which is the
/// order of the ranks.
void Problem::find_neighbours() {
  const int ranks = ranks::world().size();
  const int rank = ranks::world().rank();
  std::vector<ranks::Block> blocks;
  std::vector<int> cut{0};
  for (int other = 0; other < ranks; ++other) {
    blocks.push_back(ranks::block_of(_all_rows, _all_columns, ranks, other));
    cut.push_back(cut.back() + static_cast<int>(blocks.back().cells()));
  }
  const long rows = _own.rows.count();
  const long columns = _own.columns.count();
  const long stride = columns + 2;
  const bool any = rows > 0;
  const bool above = any && _own.rows.begin > 0;
  const bool left = any && _own.columns.begin > 0;
  const bool right = any && _own.columns.end < _all_columns;
  const bool below = any && _own.rows.end < _all_rows;
  const int across = ranks::grid_of(ranks).across;

  std::vector<int> wanted;
  std::vector<int> received;
  // The cell (i, j) of another's block, for that place of the own arrays.
  const auto want = [&](int other, long i, long j, long place) {
    const long of_other = i * blocks[static_cast<std::size_t>(other)].columns.count() + j;
    wanted.push_back(cut[static_cast<std::size_t>(other)] + static_cast<int>(of_other));
    received.push_back(static_cast<int>(place));
  };
  const auto last_of = [](const ranks::Part& part) { return part.count() - 1; };
  for (long j = 0; above && j < columns; ++j)
    want(rank - across, last_of(blocks[static_cast<std::size_t>(rank - across)].rows), j, j + 1);
  for (long i = 0; left && i < rows; ++i)
    want(rank - 1, i, last_of(blocks[static_cast<std::size_t>(rank) - 1].columns),
         (i + 1) * stride);
  for (long i = 0; right && i < rows; ++i)
    want(rank + 1, i, 0, (i + 1) * stride + columns + 1);
  for (long j = 0; below && j < columns; ++j)
    want(rank + across, 0, j, (rows + 1) * stride + j + 1);

  auto halo =
      std::make_unique<ranks::VectorHalo>(ranks::world(), cut, wanted, ranks::halo_choice().way);
  std::vector<int> sent = halo->sent();
  for (int& cell : sent)
    cell = static_cast<int>((cell / columns + 1) * stride + cell % columns + 1);
  std::vector<int> rim = sent;
  std::ranges::sort(rim);
  rim.erase(std::unique(rim.begin(), rim.end()), rim.end());
  _ranks = std::move(halo);
  _sent = base::HostArray<int>(sent.begin(), sent.end());
  _received = base::HostArray<int>(received.begin(), received.end());
  _rim = base::HostArray<int>(rim.begin(), rim.end());
  _block = {.rows = rows,
            .columns = columns,
            .sent_count = static_cast<int>(_sent.size()),
            .sent = _sent.data(),
            .received_count = static_cast<int>(_received.size()),
            .received = _received.data(),
            .rim_count = static_cast<int>(_rim.size()),
            .rim = _rim.data(),
            .first_row = above ? 2 : 1,
            .end_row = below ? rows : rows + 1,
            .first_column = left ? 2 : 1,
            .end_column = right ? columns : columns + 1};
}

void Problem::solve_reference() {
  halo::Reference<double> alone = halo::swept_alone<double>(_all_rows, _all_columns, _own, _sweeps);
  _reference_changes = std::move(alone.changes);
  const long columns = _own.columns.count();
  _reference = base::HostArray<double>(static_cast<std::size_t>(_own.cells()));
  for (long row = 0; row < _own.rows.count(); ++row)
    std::copy_n(alone.at(_own.rows.begin + row, _own.columns.begin), columns,
                _reference.data() + row * columns);
}

harness::Check Problem::check() const {
  const double* const got = (_sweeps % 2 == 0 ? _plate : _next).data();
  const long columns = _block.columns;
  harness::Check plate = harness::check_exact(
      _block.rows, columns, [&](long i, long j) { return got[(i + 1) * _block.stride() + j + 1]; },
      [&](long i, long j) { return _reference.data()[i * columns + j]; });
  if (!plate.passed) {
    plate.detail = fmt::format("of the block from row {} and column {}: {}", _own.rows.begin,
                               _own.columns.begin, plate.detail);
    return plate;
  }
  harness::Check changes = harness::check_exact(_changes, _reference_changes);
  changes.detail = changes.passed
                       ? "every cell of the block and every change exactly, without an exchange"
                       : "of the changes: " + changes.detail;
  return changes;
}

harness::Work Problem::work() const {
  const double updates = static_cast<double>(_own.cells()) * _sweeps;
  return {.bytes = 16 * updates,
          .flops = 6 * updates,
          .reasoning = "each sweep reads each cell once and writes it once; four operations for "
                       "the mean, two for the change; packing and exchange are not counted"};
}

} // namespace gangway::halo_blocks
