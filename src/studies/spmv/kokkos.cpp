// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/study.hpp"
#include "sparse/pattern_slices.hpp"
#include "sparse/product.hpp"
#include "sparse/row_patterns.hpp"
#include "studies/spmv/spmv.hpp"

#include <functional>
#include <limits>

namespace gangway::spmv {

/// A gang or a worker, as the policy says, takes a row; its lanes the row's non-zeros.
template <class Handle, class Policy>
static void rows_by(const char* label, const Policy& policy, const Csr& matrix, const double* x,
                    double* y) {
  Data data;
  const auto a = sparse::copyin(data, matrix);
  const auto in = data.copyin(x, matrix.columns);
  const auto out = data.copyout(y, matrix.rows);
  gangway::parallel_for(
      label, policy, KOKKOS_LAMBDA(const Handle& handle, int row) {
        double sum = 0;
        loop_vector(
            handle, a.row_offsets(row), a.row_offsets(row + 1),
            [&](int j, double& partial) { partial += a.values(j) * in(a.column_indices(j)); }, sum);
        single(handle, [&] { out(row) = sum; });
      });
}

/// Non-zeros that 32 lanes are soon through with.
constexpr long longest_of_warp = 1024;

template <int length, class Bounds>
static void vector_within(const Bounds& bounds, const Csr& matrix, const double* x, double* y) {
  const auto policy =
      gang(matrix.rows).num_workers(1).vector_length(lanes<length>).launch_bounds(bounds);
  rows_by<Gang<length>>("spmv/vector", policy, matrix, x, y);
}

/// vector_length(length): a gang takes a row. If a few rows are long, they decide how long the loop
/// takes: with 64 registers a lane has more of their loads in flight, and a warp takes half of the
/// time. Without the bound nvcc uses 32, and short rows take a little less time.
template <int length>
static void vector(long longest, const Csr& matrix, const double* x, double* y) {
  if (longest > longest_of_warp)
    vector_within<length>(Kokkos::LaunchBounds<1024, 1>(), matrix, x, y);
  else
    vector_within<length>(Kokkos::LaunchBounds<>(), matrix, x, y);
}

/// num_workers(number) vector_length(32): a worker takes a row.
template <int number>
static void workers(Csr matrix, const double* x, double* y) {
  const auto policy = gang_worker(matrix.rows).num_workers(number).vector_length(lanes<32>);
  rows_by<Worker<32>>("spmv/workers", policy, matrix, x, y);
}

/// The shape is the library's choice, which it makes from the rows' mean length: a worker takes a
/// row, or a gang. If a few rows are long beside many short ones, a warp takes each.
static void of_lengths(long mean, long longest, const Csr& matrix, const double* x, double* y) {
  if (longest <= longest_of_warp)
    rows_by<Worker<>>("spmv/default", gang_worker(matrix.rows).inner(mean), matrix, x, y);
  else if (mean > longest_of_warp)
    rows_by<Gang<>>("spmv/default", gang(matrix.rows).inner(mean), matrix, x, y);
  else
    vector<32>(longest, matrix, x, y);
}

/// Plans a run with what a port knows of its matrix: the mean and the greatest length of its rows.
static harness::Run compilers_choice(Problem& problem) {
  const auto& rows = problem.rows();
  return harness::run_planned(
      problem, std::bind_front(of_lengths, std::lround(std::ceil(rows.mean)), rows.maximum));
}
template <int length>
static harness::Run planned(Problem& problem) {
  return harness::run_planned(problem, std::bind_front(vector<length>, problem.rows().maximum));
}
/// Multiplies without a plan: rows of any matrix may be long.
template <int length>
static void unplanned(Csr matrix, const double* x, double* y) {
  vector<length>(std::numeric_limits<long>::max(), matrix, x, y);
}

// Variants that go further share rows out as other programs do, too: src/sparse.

/// y = A x by `product`, which was planned for this matrix.
static auto by(sparse::Product product) {
  return [product = std::move(product)](const Csr& matrix, const double* x, double* y) {
    Data data;
    const auto a = sparse::copyin(data, matrix);
    const auto in = data.copyin(x, matrix.columns);
    const auto out = data.copyout(y, matrix.rows);
    product(a, in, out);
  };
}

/// Multiplies with so many rows per worker, so many workers per gang.
static void of_mapping(const kernels::Mapping& mapping, Csr matrix, const double* x, double* y) {
  const auto product = by([&](const auto&... arguments) {
    sparse::rows_per_worker("spmv/of-mapping", mapping, arguments...);
  });
  product(matrix, x, y);
}

/// One row an iteration of a flat range.
static void row_per_thread(Csr matrix, const double* x, double* y) {
  const auto product = by([](const auto&... arguments) {
    sparse::row_per_thread("spmv/row-per-thread", arguments...);
  });
  product(matrix, x, y);
}

static harness::Run merge_path(Problem& problem) {
  return harness::run_planned(problem, by(sparse::MergePath("spmv/merge-path", problem.csr())));
}

static harness::Run row_blocks(Problem& problem) {
  if (!has_device)
    throw harness::NotAvailable("staging products is for teams of many threads; a host's have one");
  if (const auto reason = sparse::RowBlocks::why_not(problem.rows()); !reason.empty())
    throw harness::NotAvailable(reason);
  return harness::run_planned(
      problem, by(sparse::RowBlocks("spmv/row-blocks", problem.csr(), problem.rows())));
}

/// Plans without column indices: what a row's pattern takes is read once, during planning.
static harness::Run row_patterns(Problem& problem) {
  try {
    return harness::run_planned(
        problem, by(sparse::RowPatterns("spmv/row-patterns", problem.csr(), problem.rows())));
  } catch (const std::invalid_argument& reason) {
    throw harness::NotAvailable(reason.what());
  }
}

/// Plans without column indices, and with values that the plan has put so that neighbouring rows'
/// lie side by side.
static harness::Run pattern_slices(Problem& problem) {
  try {
    return harness::run_planned(problem,
                                by(sparse::PatternSlices("spmv/pattern-slices", problem.csr())));
  } catch (const std::invalid_argument& reason) {
    throw harness::NotAvailable(reason.what());
  }
}

/// The mapping from the row-length statistics, decided once per matrix.
static harness::Run automatic(Problem& problem) {
  return harness::run_planned(problem,
                              by(sparse::product_for("spmv/auto", problem.csr(), problem.rows())));
}

constexpr kernels::Mapping four_rows_a_worker{{.workers = 8, .vector = 8}, 4};

const harness::Study<Problem> study({
    .stages = {{.name = "default", .kernel = {compilers_choice, unplanned<32>}},
               {.name = "vector-32", .kernel = {planned<32>, unplanned<32>}},
               {.name = "vector-64", .kernel = {planned<64>, unplanned<64>}},
               {.name = "vector-128", .kernel = {planned<128>, unplanned<128>}},
               {.name = "vector-256", .kernel = {planned<256>, unplanned<256>}},
               {.name = "vector-512", .kernel = {planned<512>, unplanned<512>}},
               {.name = "vector-1024", .kernel = {planned<1024>, unplanned<1024>}},
               {.name = "workers-2", .kernel = workers<2>},
               {.name = "workers-4", .kernel = workers<4>},
               {.name = "workers-8", .kernel = workers<8>},
               {.name = "workers-16", .kernel = workers<16>},
               {.name = "workers-32", .kernel = workers<32>}},
    .beyond = {{.name = "rows-per-worker", .kernel = {of_mapping, four_rows_a_worker}},
               {.name = "row-per-thread", .kernel = row_per_thread},
               {.name = "row-blocks", .kernel = row_blocks, .flag = harness::Flag::frame},
               {.name = "merge-path", .kernel = merge_path},
               {.name = "row-patterns",
                .kernel = row_patterns,
                .moves_less = "it reads no column indices"},
               {.name = "pattern-slices",
                .kernel = pattern_slices,
                .moves_less = "it reads no column indices"},
               {.name = "auto", .kernel = automatic}},
    .sweep = {.kernel = of_mapping, .own = four_rows_a_worker, .most_items_per_worker = 16},
});

} // namespace gangway::spmv
