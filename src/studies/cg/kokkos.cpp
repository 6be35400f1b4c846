// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/study.hpp"
#include "kernels/sum.hpp"
#include "sparse/product.hpp"
#include "studies/cg/cg.hpp"

#include <optional>

namespace gangway::cg {
namespace {

using sparse::Csr;
using sparse::DeviceCsr;
using sparse::RowBlocks;

// Each routine says which arrays it needs, as if it were called alone; inside the solver's data
// region the clauses find everything present and move nothing.

/// out = A in: rows over gangs and workers, the non-zeros of a row over a vector.
void matvec(const Clauses& clauses, const Csr& matrix, const double* in, double* out) {
  const int rows = matrix.rows;
  Data data;
  const auto a = sparse::copyin(data, matrix);
  const auto from = data.copyin(in, rows);
  const auto to = data.copyout(out, rows);
  gangway::parallel_for(
      "cg/matvec", gang_worker(rows).clauses(clauses),
      KOKKOS_LAMBDA(const Worker<>& worker, int row) {
        double sum = 0;
        loop_vector(
            worker, a.row_offsets(row), a.row_offsets(row + 1),
            [&](int j, double& partial) { partial += a.values(j) * from(a.column_indices(j)); },
            sum);
        single(worker, [&] { to(row) = sum; });
      });
}

double dot(int n, const double* x, const double* y) {
  Data data;
  const auto left = data.copyin(x, n);
  const auto right = data.copyin(y, n);
  double sum = 0;
  gangway::parallel_reduce(
      "cg/dot", gang_vector(n),
      KOKKOS_LAMBDA(int i, double& partial) { partial += left(i) * right(i); }, sum);
  return sum;
}

/// w = alpha x + beta y; w may be x or y, which is why it is `copy`.
void waxpby(int n, double alpha, const double* x, double beta, const double* y, double* w) {
  Data data;
  const auto left = data.copyin(x, n);
  const auto right = data.copyin(y, n);
  const auto out = data.copy(w, n);
  gangway::parallel_for(
      "cg/waxpby", gang_vector(n),
      KOKKOS_LAMBDA(int i) { out(i) = alpha * left(i) + beta * right(i); });
}

/// Matrix and vectors stay on the device for the whole solution. The clauses are the product's.
void solve_by(const Clauses& clauses, Csr matrix, const double* b, double* x, double* r, double* p,
              double* q, int most, double tolerance, double* history, int* iterations) {
  const int rows = matrix.rows;
  Data data;
  static_cast<void>(sparse::copyin(data, matrix));
  static_cast<void>(data.copyin(b, rows));
  static_cast<void>(data.copy(x, rows));
  static_cast<void>(data.create(r, rows));
  static_cast<void>(data.create(p, rows));
  static_cast<void>(data.create(q, rows));

  matvec(clauses, matrix, x, q);
  waxpby(rows, 1, b, -1, q, r);
  waxpby(rows, 1, r, 0, r, p);
  double rr = dot(rows, r, r);
  int k = 0;
  for (;; ++k) {
    history[k] = std::sqrt(rr);
    if (k == most || history[k] <= tolerance)
      break;
    matvec(clauses, matrix, p, q);
    const double alpha = rr / dot(rows, p, q);
    waxpby(rows, 1, x, alpha, p, x);
    waxpby(rows, 1, r, -alpha, q, r);
    const double before = rr;
    rr = dot(rows, r, r);
    waxpby(rows, 1, r, rr / before, p, p);
  }
  *iterations = k;
}

constexpr Clauses four_workers{.workers = 4, .vector = 32}; // the guide's

void solve(Csr matrix, const double* b, double* x, double* r, double* p, double* q, int most,
           double tolerance, double* history, int* iterations) {
  solve_by(four_workers, matrix, b, x, r, p, q, most, tolerance, history, iterations);
}

void of_mapping(const kernels::Mapping& mapping, Csr matrix, const double* b, double* x, double* r,
                double* p, double* q, int most, double tolerance, double* history,
                int* iterations) {
  solve_by(mapping.clauses, matrix, b, x, r, p, q, most, tolerance, history, iterations);
}

/// Solver by the same algorithm in three passes per iteration, each of which reads and writes a
/// vector at most once. They are the product with its dot product; the residual with its norm;
/// solution and direction together. Scalars live on the device, so the host queues iterations
/// without waiting for any. It only looks now and then whether the residual is small enough.
class Fused {
public:
  using Doubles = Kokkos::View<double*, Kokkos::LayoutRight, DeviceSpace>;
  using Scalar = Kokkos::View<double, Kokkos::LayoutRight, DeviceSpace>;

  Fused(const inputs::CsrMatrix& matrix, int most)
      : _rr("cg/fused squares", most + 1), _goes_on("cg/fused goes on", most + 1) {
    if (has_device)
      plan_blocks(matrix);
  }

  void operator()(const Csr& matrix, const double* b, double* x, double* r, double* p, double* q,
                  int most, double tolerance, double* history, int* iterations) const {
    const int rows = matrix.rows;
    Data data;
    const auto a = sparse::copyin(data, matrix);
    const auto right = data.copyin(b, rows);
    const auto solution = data.copy(x, rows);
    const auto residual = data.create(r, rows);
    const auto direction = data.create(p, rows);
    const auto product = data.create(q, rows);

    Kokkos::deep_copy(Kokkos::DefaultExecutionSpace(), _goes_on, 1);
    products(
        "cg/fused start", a, solution, 0, Kokkos::subview(_rr, 0),
        KOKKOS_LAMBDA(int row, double sum) {
          const double rest = right(row) - sum;
          residual(row) = rest;
          direction(row) = rest;
          return rest * rest;
        });
    decide(0, tolerance);
    int queued = 0;
    for (; queued < most && (queued % look_every != 0 || is_needed(queued)); ++queued) {
      const int k = queued;
      products(
          "cg/fused matvec-dot", a, direction, k, _pq, KOKKOS_LAMBDA(int row, double sum) {
            product(row) = sum;
            return direction(row) * sum;
          });
      step_length(k);
      residual_and_square(rows, k, product, residual);
      decide(k + 1, tolerance);
      solution_and_direction(rows, k, residual, direction, solution);
    }

    const auto squares = Kokkos::subview(_rr, std::pair(0, queued + 1));
    Kokkos::deep_copy(
        Kokkos::View<double*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(
            history, squares.extent(0)),
        squares);
    *iterations = queued;
    for (int k = 0; k <= queued; ++k) {
      history[k] = std::sqrt(history[k]);
      if (k < *iterations && !(history[k] > tolerance))
        *iterations = k;
    }
  }

  /// Decides if iteration k is needed: the condition of the host's loop, which iterations that are
  /// queued already find here. Those after the last leave everything as it is, and r . r of each is
  /// zero. A kernel of one thread costs less than a square root and a division in each of the
  /// others' threads.
  void decide(int k, double tolerance) const {
    const auto rr = _rr;
    const auto needed = _goes_on;
    const auto beta = _beta;
    Kokkos::parallel_for(
        "cg/fused decide", Kokkos::RangePolicy<Kokkos::DefaultExecutionSpace>(0, 1),
        KOKKOS_LAMBDA(int) {
          needed(k) = Kokkos::sqrt(rr(k)) > tolerance ? 1 : 0;
          beta() = k == 0 ? 0 : rr(k) / rr(k - 1);
        });
  }

  void step_length(int k) const {
    const auto rr = _rr;
    const auto pq = _pq;
    const auto alpha = _alpha;
    Kokkos::parallel_for(
        "cg/fused step length", Kokkos::RangePolicy<Kokkos::DefaultExecutionSpace>(0, 1),
        KOKKOS_LAMBDA(int) { alpha() = rr(k) / pq(); });
  }

  /// Sums finish(row, (A in)(row)) over the rows into `total`. A device does nothing if iteration k
  /// is not needed; a host never asks for more than is.
  template <class Finish>
  void products(const char* label, const DeviceCsr& a, const DeviceView<const double>& in, int k,
                const Scalar& total, const Finish& finish) const {
    if constexpr (has_device)
      products_by_teams(label, a, in, k, total, finish);
    else
      products_by_threads(label, a, in, total, finish);
  }

  /// Computes the products in the way that is best for rows as short as the guide's (see the study
  /// spmv, row-blocks). A team loads a block's non-zeros side by side and stages the products; then
  /// each thread sums a row. A separate kernel adds up the blocks' partial sums, because the last
  /// of a hundred thousand teams would take long over it.
  template <class Finish>
  void products_by_teams(const char* label, const DeviceCsr& a, const DeviceView<const double>& in,
                         int k, const Scalar& total, const Finish& finish) const {
    const auto needed = _goes_on;
    const auto first_row = _blocks->first_rows();
    const auto part = _part;
    const auto body = KOKKOS_LAMBDA(const Member& gang) {
      if (needed(k) == 0)
        return;
      const int row_begin = first_row(gang.league_rank());
      const int row_end = first_row(gang.league_rank() + 1);
      const auto product = sparse::stage_products<RowBlocks::threads, false>(
          gang, a, in, a.row_offsets(row_begin), a.row_offsets(row_end));
      double found = 0;
      Kokkos::parallel_reduce(
          Kokkos::TeamThreadRange(gang, row_begin, row_end),
          [&](int row, double& mine) { mine += finish(row, sparse::sum_of_row(product, a, row)); },
          found);
      Kokkos::single(Kokkos::PerTeam(gang), [&] { part(gang.league_rank()) = found; });
    };
    gangway::parallel_for(label, _blocks->policy(), body);
    Kokkos::parallel_reduce(
        "cg/fused sum", Kokkos::RangePolicy<Kokkos::DefaultExecutionSpace>(0, _blocks->count()),
        KOKKOS_LAMBDA(int block, double& sum) { sum += part(block); }, total);
  }

  /// One row an iteration of a flat range, as a host likes it.
  template <class Finish>
  void products_by_threads(const char* label, const DeviceCsr& a,
                           const DeviceView<const double>& in, const Scalar& total,
                           const Finish& finish) const {
    Kokkos::parallel_reduce(
        label, Kokkos::RangePolicy<Kokkos::DefaultExecutionSpace>(0, a.rows),
        KOKKOS_LAMBDA(int row, double& found) {
          found += finish(row, sparse::product_on_one_thread<4>(a, in, a.row_offsets(row),
                                                                a.row_offsets(row + 1)));
        },
        total);
  }

  /// r = r - alpha q; rr(k + 1) = r . r
  void residual_and_square(int rows, int k, const DeviceView<const double>& product,
                           const DeviceView<double>& residual) const {
    const auto step = KOKKOS_LAMBDA(int i, double alpha) {
      const double rest = residual(i) - alpha * product(i);
      residual(i) = rest;
      return rest * rest;
    };
    const Scalar square(Kokkos::subview(_rr, k + 1));
    if constexpr (has_device)
      sum_by_range("cg/fused residual-square", rows, k, step, square);
    else
      sum_by_blocks("cg/fused residual-square", rows, step, square);
  }

  /// total = the sum of step(i, alpha); nothing if iteration k is not needed.
  template <class Step>
  void sum_by_range(const char* label, int rows, int k, const Step& step,
                    const Scalar& total) const {
    const auto needed = _goes_on;
    const auto alpha = _alpha;
    Kokkos::parallel_reduce(
        label, Kokkos::RangePolicy<Kokkos::DefaultExecutionSpace>(0, rows),
        KOKKOS_LAMBDA(int i, double& sum) {
          if (needed(k) != 0)
            sum += step(i, alpha());
        },
        total);
  }

  /// Sums likewise on a host, whose threads add in chains and read alpha once.
  template <class Step>
  void sum_by_blocks(const char* label, int rows, const Step& step, const Scalar& total) const {
    const auto alpha = _alpha;
    const int block =
        std::max(1024, rows / (16 * Kokkos::DefaultExecutionSpace().concurrency()) + 1);
    Kokkos::parallel_reduce(
        label, Kokkos::RangePolicy<Kokkos::DefaultExecutionSpace>(0, (rows + block - 1) / block),
        KOKKOS_LAMBDA(int b, double& sum) {
          const int first = b * block;
          const double factor = alpha();
          sum += kernels::sum_in_chains<double>(
              first, Kokkos::min(first + block, rows), 1,
              [&](long i) { return step(static_cast<int>(i), factor); });
        },
        total);
  }

  /// x = x + alpha p; p = r + beta p
  void solution_and_direction(int rows, int k, const DeviceView<const double>& residual,
                              const DeviceView<double>& direction,
                              const DeviceView<double>& solution) const {
    const auto needed = _goes_on;
    const auto alpha = _alpha;
    const auto beta = _beta;
    Kokkos::parallel_for(
        "cg/fused solution-direction", Kokkos::RangePolicy<Kokkos::DefaultExecutionSpace>(0, rows),
        KOKKOS_LAMBDA(int i) {
          if (needed(k) == 0)
            return;
          const double old = direction(i);
          solution(i) += alpha() * old;
          direction(i) = residual(i) + beta() * old;
        });
  }

private:
  /// Waiting for the device costs a launch or two; an iteration in vain costs those of its kernels.
  static constexpr int look_every = has_device ? 8 : 1;

  void plan_blocks(const inputs::CsrMatrix& matrix) {
    const inputs::RowStatistics rows = inputs::row_statistics(matrix);
    if (const auto reason = RowBlocks::why_not(rows); !reason.empty())
      throw harness::NotAvailable(reason);
    _blocks.emplace("cg/fused blocks", sparse::csr_of(matrix), rows);
    _part = Doubles("cg/fused parts", _blocks->count());
  }

  /// `decide`'s answer, waited for.
  [[nodiscard]] bool is_needed(int k) const {
    int needed = 0;
    Kokkos::deep_copy(needed, Kokkos::subview(_goes_on, k));
    return needed != 0;
  }

  Doubles _rr;                                                   ///< r . r of each iteration
  Kokkos::View<int*, Kokkos::LayoutRight, DeviceSpace> _goes_on; ///< whether each is needed
  Scalar _pq{"cg/fused p q"};                                    ///< p . A p of this one
  Scalar _alpha{"cg/fused alpha"};                               ///< step along p
  Scalar _beta{"cg/fused beta"};                                 ///< what stays of the last p
  std::optional<RowBlocks> _blocks;                              ///< on a device
  Doubles _part; ///< of the sum over all rows, what each block has found
};

harness::Run fused(Problem& problem) {
  const auto solver = std::make_shared<const Fused>(problem.matrix(), problem.most_iterations());
  return [&problem, solver] { problem.call(*solver); };
}

const harness::Study<Problem> study({
    .stages = {{.name = "data", .kernel = solve, .flag = harness::Flag::sum}},
    .beyond = {{.name = "fused", .kernel = fused}},
    .sweep = {.kernel = of_mapping, .own = {four_workers, 1}},
});

} // namespace
} // namespace gangway::cg
