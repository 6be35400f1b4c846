// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/spmv/spmv.hpp"

#include "base/contains.hpp"
#include "harness/check.hpp"
#include "inputs/matrices.hpp"
#include "inputs/matrix_market.hpp"

namespace gangway::spmv {

const std::vector<std::string> generators{"guide",    "grid7",      "grid27",
                                          "elements", "dense-rows", "power-law"};

static bool is_generated(const std::string& matrix) {
  return base::contains(generators, matrix);
}

static int default_size(const std::string& matrix) {
  return matrix == "power-law" || matrix == "dense-rows" ? 1500000
         : matrix == "elements"                          ? 50
                                                         : 100;
}

static int size_of(const harness::Parameters& parameters) {
  const std::string& matrix = parameters.text("matrix");
  if (parameters.text("n").empty())
    return default_size(matrix);
  const int most = matrix == "guide"      ? inputs::max_guide_size
                   : matrix == "grid27"   ? 430
                   : matrix == "elements" ? 430
                   : matrix == "grid7"    ? 674
                                          : 2000000000;
  return static_cast<int>(parameters.integer("n", 1, most));
}

constexpr harness::Key keys[]{
    {"matrix", "guide",
     "guide (the guide's own), grid7, grid27, elements, dense-rows, power-law, or a Matrix Market "
     "file"},
    {"n", "",
     "grid points a side (guide: n + 1), rows of power-law and dense-rows; default 100, of "
     "elements 50, of the last two 1500000"},
    {"mean", "16", "power-law: non-zeros a row on average; dense-rows: of each short row"},
    {"exponent", "2.1", "power-law: density of row lengths falls as length^-exponent"},
    {"unknowns", "3", "elements: unknowns at each point, and rows and columns of the dense blocks"},
    {"dense", "8", "dense-rows: how many rows have n/4 non-zeros"}};

/// Returns true if the key says something of the matrix.
static bool has_effect(std::string_view key, const std::string& matrix) {
  if (key == "mean")
    return matrix == "power-law" || matrix == "dense-rows";
  if (key == "exponent")
    return matrix == "power-law";
  if (key == "unknowns")
    return matrix == "elements";
  return key != "dense" || matrix == "dense-rows";
}

/// Refuses what would have no effect on this matrix.
static void require_its_own_keys(const harness::Parameters& parameters) {
  const std::string& matrix = parameters.text("matrix");
  if (!is_generated(matrix) && !parameters.text("n").empty())
    throw base::UsageError("spmv: n is for generated matrices; a file has its own size");
  for (const harness::Key& key : keys)
    if (!has_effect(key.name, matrix) && parameters.text(std::string(key.name)) != key.fallback) {
      std::string whose;
      for (const std::string& generator : generators)
        if (has_effect(key.name, generator))
          whose += (whose.empty() ? "" : " or ") + generator;
      throw base::UsageError(fmt::format("spmv: {} is for matrix={}, not for {}; leave it out",
                                         key.name, whose, matrix));
    }
}

static int unknowns_of(const harness::Parameters& parameters) {
  return static_cast<int>(parameters.integer("unknowns", 1, 64));
}

static inputs::CsrMatrix assemble(const harness::Parameters& parameters) {
  require_its_own_keys(parameters);
  const std::string& matrix = parameters.text("matrix");
  if (!is_generated(matrix))
    return inputs::read_matrix_market(matrix);
  const int n = size_of(parameters);
  if (matrix == "guide")
    return inputs::guide_matrix(n);
  if (matrix == "grid7")
    return inputs::grid_matrix(n, n, n, 7);
  if (matrix == "grid27")
    return inputs::grid_matrix(n, n, n, 27);
  if (matrix == "elements")
    return inputs::elements_matrix(n, n, n, unknowns_of(parameters));
  if (matrix == "dense-rows")
    return inputs::dense_rows_matrix(n, static_cast<int>(parameters.integer("mean", 0, n)),
                                     static_cast<int>(parameters.integer("dense", 0, n)), 1);
  return inputs::power_law_matrix(n, parameters.real("mean", 0, 1e9),
                                  parameters.real("exponent", 1, 100), 1);
}

/// Values that differ from column to column, so that a wrong index shows, and none of which is
/// special.
static double x_at(long column) {
  return 0.5 + static_cast<double>(column * 2654435761L % 1000003) / 1000003;
}

static std::vector<harness::Case> cases(harness::Effort effort, double memory_bytes) {
  const bool large = effort == harness::Effort::full && memory_bytes > 12e9;
  const bool quick = effort == harness::Effort::quick;
  const auto n = [&](int small, int usual, int most) {
    return std::to_string(large ? most : quick ? small : usual);
  };
  return {{"guide", {{"matrix", "guide"}, {"n", n(90, 100, 200)}}},
          {"grid7", {{"matrix", "grid7"}, {"n", n(140, 160, 256)}}},
          {"grid27", {{"matrix", "grid27"}, {"n", n(90, 100, 200)}}},
          {"power-law", {{"matrix", "power-law"}, {"n", n(1200000, 1500000, 8000000)}}}};
}

static double footprint(const harness::Parameters& parameters) {
  require_its_own_keys(parameters);
  // The matrix, x, y, and the reference with its scale.
  const auto bytes = [](double rows, double columns, double nonzeros) {
    return 12 * nonzeros + rows * (4 + 8 + 12) + columns * 8;
  };
  const std::string& matrix = parameters.text("matrix");
  if (!is_generated(matrix)) {
    const inputs::DeclaredSize size = inputs::declared_size(matrix);
    return bytes(size.rows, size.columns, static_cast<double>(size.nonzeros));
  }
  const double n = size_of(parameters);
  if (matrix == "power-law")
    return bytes(n, n, n * parameters.real("mean", 0, 1e9));
  if (matrix == "dense-rows")
    return bytes(n, n,
                 n * parameters.real("mean", 0, 1e9) + n / 4 * parameters.real("dense", 0, 1e9));
  const double unknowns = matrix == "elements" ? unknowns_of(parameters) : 1;
  const double points = matrix == "guide" ? std::pow(n + 1, 3) : n * n * n;
  return bytes(points * unknowns, points * unknowns,
               points * unknowns * unknowns * (matrix == "grid7" ? 7 : 27));
}

static std::vector<harness::Case> edge_cases() {
  return {{"one row", {{"matrix", "grid7"}, {"n", "1"}}},
          {"merged offsets", {{"matrix", "guide"}, {"n", "1"}}},
          {"guide", {{"matrix", "guide"}, {"n", "11"}}},
          {"short rows", {{"matrix", "grid7"}, {"n", "13"}}},
          {"27 a row", {{"matrix", "grid27"}, {"n", "12"}}},
          {"blocks", {{"matrix", "elements"}, {"n", "7"}, {"unknowns", "4"}}},
          {"dense rows", {{"matrix", "dense-rows"}, {"n", "3000"}, {"mean", "3"}, {"dense", "2"}}},
          {"skewed", {{"matrix", "power-law"}, {"n", "20000"}}}};
}

constinit const harness::StudyInfo Problem::info{
    .id = "spmv",
    .title = "sparse matrix-vector product, CSR, double",
    .source = "OpenACC Programming and Best Practices Guide, chapter 6 (mapping of loops)",
    .keys = keys,
    .cases = cases,
    .edge_cases = edge_cases,
    .footprint = footprint,
};

Problem::Problem(const harness::Parameters& parameters) : Problem(assemble(parameters)) {}

Problem::Problem(inputs::CsrMatrix matrix)
    : _matrix(std::move(matrix)), _rows(inputs::row_statistics(_matrix)),
      _x(base::filled<double>(_matrix.columns, x_at)), _y(static_cast<std::size_t>(_matrix.rows)),
      _reference(_y.size()), _scale(_y.size()) {
  base::parallel_ranges(_matrix.rows, [&](long begin, long end) {
    for (auto row = static_cast<std::size_t>(begin); row < static_cast<std::size_t>(end); ++row) {
      long double sum = 0;
      long double scale = 0;
      for (auto j = static_cast<std::size_t>(_matrix.row_offsets[row]);
           j < static_cast<std::size_t>(_matrix.row_offsets[row + 1]); ++j) {
        const long double product =
            static_cast<long double>(_matrix.values[j]) *
            static_cast<long double>(_x[static_cast<std::size_t>(_matrix.column_indices[j])]);
        sum += product;
        scale += std::abs(product);
      }
      _reference[row] = static_cast<double>(sum);
      _scale[row] = static_cast<float>(scale);
    }
  });
  kernels_find(in("row_offsets", _matrix.row_offsets), in("column_indices", _matrix.column_indices),
               in("values", _matrix.values));
  kernels_take(csr(), in("x", _x), out("y", _y));
  described_as(
      fmt::format("{} rows, {} columns, {} non-zeros; a row has {} to {}, {:.1f} on average "
                  "(standard deviation {:.1f}), {} rows are empty",
                  _matrix.rows, _matrix.columns, _matrix.nonzeros(), _rows.minimum, _rows.maximum,
                  _rows.mean, _rows.standard_deviation, _rows.empty));
}

harness::Check Problem::check() const {
  // A sum of m products in any order is off by at most about m units of rounding of sum |a x|.
  return harness::check_within(
      _matrix.rows, _y, _reference,
      [&](long row) {
        const auto at = static_cast<std::size_t>(row);
        const double length = _matrix.row_offsets[at + 1] - _matrix.row_offsets[at];
        return (length + 1) * std::numeric_limits<double>::epsilon() *
                   static_cast<double>(_scale[at]) +
               std::numeric_limits<double>::denorm_min();
      },
      "row sums against long double, in units of their rounding bound");
}

harness::Work Problem::work() const {
  const double rows = _matrix.rows;
  const auto nonzeros = static_cast<double>(_matrix.nonzeros());
  return {.bytes = 12 * nonzeros + 12 * rows + 8.0 * _matrix.columns,
          .flops = 2 * nonzeros,
          .single_precision = false,
          .reasoning =
              "value and column of each non-zero, offset and result of each row, each entry "
              "of x once"};
}

} // namespace gangway::spmv
