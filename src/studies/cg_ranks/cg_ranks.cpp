// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/cg_ranks/cg_ranks.hpp"

#include "base/contains.hpp"
#include "harness/check.hpp"
#include "inputs/matrices.hpp"
#include "inputs/matrix_market.hpp"
#include "ranks/session.hpp"
#include "ranks/vector_halo.hpp"
#include "sparse/row_part.hpp"

#include <fmt/ranges.h>

namespace gangway::cg_ranks {

static const std::vector<std::string> generators{"guide", "grid7", "grid27"};

static bool is_generated(const std::string& matrix) {
  return base::contains(generators, matrix);
}

static int size_of(const harness::Parameters& parameters) {
  if (parameters.text("n").empty())
    return 100;
  const std::string& matrix = parameters.text("matrix");
  const int most = matrix == "guide" ? inputs::max_guide_size : matrix == "grid27" ? 430 : 674;
  return static_cast<int>(parameters.integer("n", 1, most));
}

/// Counts the planes of points along the last axis.
static int planes_of(const harness::Parameters& parameters) {
  if (!parameters.text("planes").empty())
    return static_cast<int>(parameters.integer("planes", 1, 1000000000));
  return size_of(parameters) + (parameters.text("matrix") == "guide" ? 1 : 0);
}

static double tolerance_of(const harness::Parameters& parameters) {
  return parameters.real("tolerance", 0, std::numeric_limits<double>::max());
}

static int most_of(const harness::Parameters& parameters) {
  return static_cast<int>(parameters.integer("iterations", 0, 100000));
}

/// Refuses what would have no effect on this matrix.
static void require_its_own_keys(const harness::Parameters& parameters) {
  for (const char* key : {"n", "planes"})
    if (!is_generated(parameters.text("matrix")) && !parameters.text(key).empty())
      throw base::UsageError(
          fmt::format("cg_ranks: {} is for generated matrices; a file has its own size", key));
}

static inputs::CsrMatrix assemble(const harness::Parameters& parameters) {
  require_its_own_keys(parameters);
  const std::string& matrix = parameters.text("matrix");
  const int n = size_of(parameters);
  if (matrix == "guide")
    return inputs::guide_matrix(n, planes_of(parameters));
  if (is_generated(matrix))
    return inputs::grid_matrix(n, n, planes_of(parameters), matrix == "grid7" ? 7 : 27);
  inputs::CsrMatrix read = inputs::read_matrix_market(matrix);
  if (const std::string fault = inputs::why_not_symmetric(read); !fault.empty())
    throw base::UsageError(fmt::format("{}: the matrix is not symmetric, as conjugate gradients "
                                       "need it: {}",
                                       matrix, fault));
  return read;
}

constexpr harness::Key keys[]{
    {"matrix", "guide", "guide (the guide's own), grid7, grid27, or a Matrix Market file"},
    {"n", "", "grid points a side (guide: n + 1), of all ranks together; default 100"},
    {"planes", "", "planes of so many points squared, of all ranks together, where they are not n"},
    {"iterations", "100", "at most so many"},
    {"tolerance", "1e-12", "stop when the norm of the residual is this small"}};

static std::vector<harness::Case> cases(harness::Effort effort, double memory_bytes) {
  const bool large = effort == harness::Effort::full && memory_bytes > 24e9;
  const char* const iterations = effort == harness::Effort::quick    ? "3"
                                 : effort == harness::Effort::normal ? "10"
                                                                     : "100";
  return {
      {"guide", {{"n", large ? "200" : "100"}, {"iterations", iterations}}},
      {"grid7", {{"matrix", "grid7"}, {"n", large ? "256" : "100"}, {"iterations", iterations}}}};
}

static std::vector<harness::Case> edge_cases() {
  return {
      {"no iteration", {{"n", "3"}, {"iterations", "0"}}},
      {"one row", {{"matrix", "grid7"}, {"n", "1"}, {"iterations", "5"}}},
      {"8 rows, merged offsets", {{"n", "1"}, {"iterations", "3"}}},
      {"converges", {{"n", "5"}, {"iterations", "1000"}, {"tolerance", "1e-4"}}},
      {"starts converged", {{"n", "5"}, {"iterations", "10"}, {"tolerance", "1e9"}}},
      {"short rows", {{"matrix", "grid7"}, {"n", "13"}, {"iterations", "25"}}},
      {"guide", {{"n", "17"}, {"iterations", "25"}}},
      {"one plane", {{"n", "9"}, {"planes", "1"}, {"iterations", "9"}}},
      {"many planes", {{"matrix", "grid27"}, {"n", "4"}, {"planes", "33"}, {"iterations", "12"}}}};
}

/// Rows and non-zeros of the matrix, to within its faces.
struct Size {
  double rows = 0;
  double nonzeros = 0;
};
static Size matrix_size(const harness::Parameters& parameters) {
  const std::string& matrix = parameters.text("matrix");
  if (!is_generated(matrix)) {
    const inputs::DeclaredSize size = inputs::declared_size(matrix);
    return {static_cast<double>(size.rows), static_cast<double>(size.nonzeros)};
  }
  const double rows =
      std::pow(size_of(parameters) + (matrix == "guide" ? 1.0 : 0.0), 2) * planes_of(parameters);
  return {rows, rows * (matrix == "grid7" ? 7 : 27)};
}

/// Counts a rank's bytes. Each makes the whole matrix and solves the whole system once, for the
/// truth.
static double footprint(const harness::Parameters& parameters) {
  require_its_own_keys(parameters);
  static_cast<void>(tolerance_of(parameters));
  const auto [rows, nonzeros] = matrix_size(parameters);
  return 2 * (nonzeros * 12 + rows * 4) + rows * (8 * 8 + 4 * 16) + most_of(parameters) * 16.0;
}

/// Planes are multiplied: each rank keeps those that it has, of the same size.
static std::vector<harness::Parameters::Setting> grown(const harness::Parameters& of_one,
                                                       int ranks) {
  if (!is_generated(of_one.text("matrix")))
    throw base::UsageError(fmt::format("cg_ranks: {} is a file, and does not grow with the ranks; "
                                       "generated matrices do: {}",
                                       of_one.text("matrix"), fmt::join(generators, ", ")));
  return {{"matrix", of_one.text("matrix")},
          {"n", std::to_string(size_of(of_one))},
          {"planes", std::to_string(static_cast<long>(planes_of(of_one)) * ranks)},
          {"iterations", of_one.text("iterations")},
          {"tolerance", of_one.text("tolerance")}};
}

/// Each iteration waits for one exchange and for its sums, one after another: for the kernel, and
/// for those of all ranks. A part in the middle of planes exchanges one with either side, or all
/// that it has, if that is less. Of a file it is not known who needs what of whom.
static std::optional<harness::RankLoad> load(const harness::Parameters& parameters,
                                             std::string_view variant, int ranks) {
  if (!is_generated(parameters.text("matrix")))
    return std::nullopt;
  const auto [all_rows, nonzeros] = matrix_size(parameters);
  const double rows = std::ceil(all_rows / ranks);
  const double products = most_of(parameters) + 1;
  const double sums = variant == "one-sum" || variant == "auto" ? 1 : 2;
  const double plane = all_rows / planes_of(parameters);
  return harness::RankLoad{
      .work = products * (12 * nonzeros / ranks + 4 * rows),
      .waits = products * (sums * (1 + harness::levels_of_sum(ranks)) + (ranks > 1 ? 1 : 0)),
      .bytes = products * 2 * std::min(ranks - 1, 2) * std::min(plane, rows) * sizeof(double)};
}

constinit const harness::StudyInfo Problem::info{
    .id = "cg_ranks",
    .title = "Conjugate gradients across ranks: rows cut by non-zeros, halos by MPI, CSR, double",
    .source = "no document: the solver of the study cg across ranks; one global sum an "
              "iteration as in Chronopoulos and Gear, 1989",
    .keys = keys,
    .cases = cases,
    .edge_cases = edge_cases,
    .footprint = footprint,
    .across_ranks = true,
    .scaling = {.grows = "planes of points", .grown = grown, .load = load},
};

Problem::Problem(const harness::Parameters& parameters)
    : Problem(assemble(parameters), most_of(parameters), tolerance_of(parameters)) {}

Problem::Problem(const inputs::CsrMatrix& matrix, int most, double tolerance)
    : _history(static_cast<std::size_t>(most) + 1),
      _reference(cg::solve_serially(matrix, most, tolerance)) {
  if (!std::isfinite(_reference.residuals.back()))
    throw base::UsageError("cg_ranks: the residual is no number after some iterations: the matrix "
                           "is not positive definite, as conjugate gradients need it");
  const ranks::Communicator& world = ranks::world();
  const std::vector<int> cut = sparse::cut_by_nonzeros(matrix, world.size());
  sparse::RowPart part = sparse::row_part(matrix, cut, world.rank());
  auto halo = std::make_unique<ranks::VectorHalo>(world, cut, part.halo, sizeof(double),
                                                  ranks::halo_choice().way);
  _sent = base::HostArray<int>(halo->sent().begin(), halo->sent().end());
  _ranks = std::move(halo);
  _matrix = std::move(part.matrix);
  _first_row = part.first_row;
  _order = std::move(part.order);
  _inner = part.inner;
  const auto rows = static_cast<std::size_t>(_matrix.rows);
  const auto columns = static_cast<std::size_t>(_matrix.columns);
  _b = base::filled<double>(_matrix.rows, [](long) { return 1.0; });
  for (base::HostArray<double>* const vector : {&_x, &_r, &_p})
    *vector = base::HostArray<double>(columns);
  for (base::HostArray<double>* const vector : {&_q, &_s})
    *vector = base::HostArray<double>(rows);
  _packed = base::HostArray<double>(std::max<std::size_t>(_sent.size(), 1));

  kernels_find(in("row_offsets", _matrix.row_offsets), in("column_indices", _matrix.column_indices),
               in("values", _matrix.values), in("sent", _sent), in("order", _order));
  kernels_take(LocalSystem{sparse::csr_of(_matrix), static_cast<int>(_sent.size()), _sent.data(),
                           _order.data(), _inner},
               _ranks.get(), in("b", _b), inout("x", _x, [](long) { return cg::first_guess; }),
               scratch("r", _r), scratch("p", _p), scratch("q", _q), scratch("s", _s),
               scratch("packed", _packed), most, tolerance, _history.data(), result(_iterations));
  described_as(fmt::format("{} rows, {} non-zeros; {} iterations, residual {:.4e} to {:.4e}{}",
                           matrix.rows, matrix.nonzeros(), _reference.residuals.size() - 1,
                           _reference.residuals.front(), _reference.residuals.back(),
                           world.size() > 1
                               ? fmt::format("; {} parts, the first of {} rows with a halo of {}",
                                             world.size(), _matrix.rows, part.halo.size())
                               : ""));
}

Problem::~Problem() = default;

std::pair<int, int> Problem::middle() const {
  std::pair<int, int> rows(0, _matrix.rows);
  for (auto place = static_cast<std::size_t>(_inner); place < _order.size(); ++place)
    if (const int row = _order[place]; row < _matrix.rows / 2)
      rows.first = std::max(rows.first, row + 1);
    else
      rows.second = std::min(rows.second, row);
  return rows;
}

void Problem::reset() {
  ProblemOf::reset();
  std::ranges::fill(_history, harness::poison<double>);
}

harness::Check Problem::check() const {
  return cg::compare(_reference, _history, _iterations, _x.data(), _first_row, _matrix.rows);
}

harness::Work Problem::work() const {
  const double rows = _matrix.rows;
  const auto nonzeros = static_cast<double>(_matrix.nonzeros());
  const auto iterations = static_cast<double>(_reference.residuals.size() - 1);
  return {.bytes = (iterations + 1) * (12 * nonzeros + 4 * rows) + 5 * 8 * rows,
          .flops = (iterations + 1) * 2 * nonzeros + iterations * 10 * rows,
          .reasoning =
              "each iteration: value and column of each of the rank's non-zeros, offset of "
              "each row; the vectors once, for they may stay in a cache; the exchange is "
              "not counted"};
}

} // namespace gangway::cg_ranks
