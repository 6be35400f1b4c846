// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/study.hpp"
#include "sparse/product.hpp"
#include "studies/spmv/spmv.hpp"

namespace gangway::spmv {

/// One row a gang; the non-zeros of the row over the vector, which is the whole team.
static void row_per_gang(const char* label, const Clauses& clauses, const Csr& matrix,
                         const double* x, double* y) {
  Data data;
  const auto a = sparse::copyin(data, matrix);
  const auto in = data.copyin(x, matrix.columns);
  const auto out = data.copyout(y, matrix.rows);
  const auto body = KOKKOS_LAMBDA(const Member& gang) {
    const int row = gang.league_rank();
    double sum = 0;
    Kokkos::parallel_reduce(
        Kokkos::TeamVectorRange(gang, a.row_offsets(row), a.row_offsets(row + 1)),
        [&](int j, double& partial) { partial += a.values(j) * in(a.column_indices(j)); }, sum);
    Kokkos::single(Kokkos::PerTeam(gang), [&] { out(row) = sum; });
  };
  Kokkos::parallel_for(label, team_policy(clauses, matrix.rows, body, Kokkos::ParallelForTag{}),
                       body);
}

/// So many rows a worker, so many workers a gang; the non-zeros of a row over the worker's vector.
static void rows_per_worker(const char* label, const Mapping& mapping, const Csr& matrix,
                            const double* x, double* y) {
  Data data;
  const auto a = sparse::copyin(data, matrix);
  const auto in = data.copyin(x, matrix.columns);
  const auto out = data.copyout(y, matrix.rows);
  const int rows = matrix.rows;
  const int block = mapping.clauses.workers * mapping.items_per_worker;
  const auto body = KOKKOS_LAMBDA(const Member& gang) {
    const int first = gang.league_rank() * block;
    const int last = Kokkos::min(first + block, rows);
    Kokkos::parallel_for(Kokkos::TeamThreadRange(gang, first, last), [&](int row) {
      double sum = 0;
      Kokkos::parallel_reduce(
          Kokkos::ThreadVectorRange(gang, a.row_offsets(row), a.row_offsets(row + 1)),
          [&](int j, double& partial) { partial += a.values(j) * in(a.column_indices(j)); }, sum);
      Kokkos::single(Kokkos::PerThread(gang), [&] { out(row) = sum; });
    });
  };
  const long gangs = (static_cast<long>(rows) + block - 1) / block;
  Kokkos::parallel_for(label, team_policy(mapping.clauses, gangs, body, Kokkos::ParallelForTag{}),
                       body);
}

/// The shape is Kokkos' choice.
static void compilers_choice(Csr matrix, const double* x, double* y) {
  row_per_gang("spmv/default", {}, matrix, x, y);
}

template <int length>
static void vector(Csr matrix, const double* x, double* y) {
  row_per_gang("spmv/vector", {.workers = 1, .vector = length}, matrix, x, y);
}

template <int number>
static void workers(Csr matrix, const double* x, double* y) {
  rows_per_worker("spmv/workers", {{.workers = number, .vector = 32}, 1}, matrix, x, y);
}

static void of_mapping(const Mapping& mapping, Csr matrix, const double* x, double* y) {
  rows_per_worker("spmv/of-mapping", mapping, matrix, x, y);
}

// What goes further shares rows out as other programs do, too: src/sparse.

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
  const sparse::RowBlocks blocks("spmv/row-blocks", problem.csr(), problem.rows());
  return harness::run_planned(problem, by(blocks));
}

/// The mapping from the row-length statistics, decided once per matrix.
static harness::Run automatic(Problem& problem) {
  const auto chosen = sparse::product_for("spmv/auto", problem.csr(), problem.rows());
  return harness::run_planned(problem, by(chosen));
}

constexpr Mapping four_rows_a_worker{{.workers = 8, .vector = 8}, 4};

const harness::Study<Problem> study({
    .stages = {{"default", compilers_choice},
               {"vector-32", vector<32>},
               {"vector-64", vector<64>},
               {"vector-128", vector<128>},
               {"vector-256", vector<256>},
               {"vector-512", vector<512>},
               {"vector-1024", vector<1024>},
               {"workers-2", workers<2>},
               {"workers-4", workers<4>},
               {"workers-8", workers<8>},
               {"workers-16", workers<16>},
               {"workers-32", workers<32>}},
    .beyond = {{"rows-per-worker", of_mapping, four_rows_a_worker},
               {"row-per-thread", row_per_thread},
               {"row-blocks", row_blocks},
               {"merge-path", merge_path},
               {"auto", automatic}},
    .sweep = {.kernel = of_mapping, .own = four_rows_a_worker, .most_items_per_worker = 16},
    .openacc = {.flags = {{"row-blocks", "frame"}}},
});

} // namespace gangway::spmv
