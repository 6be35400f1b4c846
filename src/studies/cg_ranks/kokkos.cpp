// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gangway/queues.hpp"
#include "harness/study.hpp"
#include "ranks/interop.hpp"
#include "sparse/product.hpp"
#include "sparse/sharing.hpp"
#include "studies/cg_ranks/cg_ranks.hpp"

#include <array>

namespace gangway::cg_ranks {
namespace {

using sparse::DeviceCsr;

/// Part of the system that a rank has, where kernels find it.
struct DeviceSystem {
  DeviceCsr matrix;
  DeviceView<const int> sent;
  DeviceView<const int> order;
};

DeviceSystem copyin(Data& data, const LocalSystem& system) {
  return {sparse::copyin(data, system.matrix), data.copyin(system.sent, system.sent_count),
          data.copyin(system.order, system.matrix.rows)};
}

/// out = A in in the rows order(begin) to order(end): rows over gangs of four workers, the
/// non-zeros of a row over a vector of 32.
void matvec(const DeviceSystem& system, int begin, int end, const DeviceView<const double>& in,
            const DeviceView<double>& out) {
  const DeviceCsr a = system.matrix;
  const auto order = system.order;
  gangway::parallel_for(
      "cg_ranks/matvec", gang_worker(end - begin).num_workers(4).vector_length(32),
      KOKKOS_LAMBDA(const Worker<>& worker, int place) {
        const int row = order(begin + place);
        double sum = 0;
        loop_vector(
            worker, a.row_offsets(row), a.row_offsets(row + 1),
            [&](int j, double& partial) { partial += a.values(j) * in(a.column_indices(j)); }, sum);
        single(worker, [&] { out(row) = sum; });
      });
}

/// Packs the elements that other ranks want, one after the other, on a queue.
void pack(const Kokkos::DefaultExecutionSpace& queue, const DeviceSystem& system,
          const DeviceView<const double>& from, const DeviceView<double>& packed) {
  const auto sent = system.sent;
  Kokkos::parallel_for(
      "cg_ranks/pack",
      Kokkos::RangePolicy<Kokkos::DefaultExecutionSpace>(queue, 0, sent.extent_int(0)),
      KOKKOS_LAMBDA(int i) { packed(i) = from(sent(i)); });
}

/// Returns x . y of all ranks.
double dot(const ranks::Exchange& ranks, int n, const DeviceView<const double>& x,
           const DeviceView<const double>& y) {
  double sum = 0;
  gangway::parallel_reduce(
      "cg_ranks/dot", gang_vector(n),
      KOKKOS_LAMBDA(int i, double& partial) { partial += x(i) * y(i); }, sum);
  ranks.sum(&sum, 1);
  return sum;
}

/// w = alpha x + beta y; w may be x or y.
void waxpby(int n, double alpha, const DeviceView<const double>& x, double beta,
            const DeviceView<const double>& y, const DeviceView<double>& w) {
  gangway::parallel_for(
      "cg_ranks/waxpby", gang_vector(n),
      KOKKOS_LAMBDA(int i) { w(i) = alpha * x(i) + beta * y(i); });
}

/// A vector where kernels find it, and the host's array.
struct OnBoth {
  DeviceView<double> on_device;
  double* on_host;
};

/// Starts to exchange the halo of `in`, by the device's addresses.
void start(const LocalSystem& local, const DeviceSystem& system, ranks::Exchange& ranks,
           const OnBoth& in, const OnBoth& packed) {
  pack(Kokkos::DefaultExecutionSpace(), system, in.on_device, packed.on_device);
  Kokkos::fence("cg_ranks: what is sent is packed");
  ranks.start(packed.on_device.data(), in.on_device.data() + local.matrix.rows);
}

/// Product out = A in, with the exchange of its halo, which is after the own elements of `in`.
using Multiply = void(const LocalSystem& local, const DeviceSystem& system, ranks::Exchange& ranks,
                      const OnBoth& in, const OnBoth& packed, const DeviceView<double>& out);

/// Multiplies after the sent elements went to the host and to other ranks, and the halo came back.
void multiply_staged(const LocalSystem& local, const DeviceSystem& system, ranks::Exchange& ranks,
                     const OnBoth& in, const OnBoth& packed, const DeviceView<double>& out) {
  pack(Kokkos::DefaultExecutionSpace(), system, in.on_device, packed.on_device);
  double* const halo = in.on_host + local.matrix.rows;
  if (local.sent_count > 0)
    update_self(packed.on_host, local.sent_count);
  ranks.on_host(packed.on_host, halo);
  if (local.halo() > 0)
    update_device(halo, local.halo());
  matvec(system, 0, local.matrix.rows, in.on_device, out);
}

/// The ranks are given pointers into the device's memory.
void multiply_device_pointers(const LocalSystem& local, const DeviceSystem& system,
                              ranks::Exchange& ranks, const OnBoth& in, const OnBoth& packed,
                              const DeviceView<double>& out) {
  start(local, system, ranks, in, packed);
  ranks.finish();
  matvec(system, 0, local.matrix.rows, in.on_device, out);
}

/// Rows that need no halo are multiplied while it travels.
void multiply_overlapped(const LocalSystem& local, const DeviceSystem& system,
                         ranks::Exchange& ranks, const OnBoth& in, const OnBoth& packed,
                         const DeviceView<double>& out) {
  start(local, system, ranks, in, packed);
  matvec(system, 0, local.inner, in.on_device, out);
  ranks.finish();
  matvec(system, local.inner, local.matrix.rows, in.on_device, out);
}

/// The loop at the head of cg_ranks.hpp. Matrix and vectors stay on the device.
template <Multiply multiply>
void solve(LocalSystem local, ranks::Exchange* ranks, const double* b, double* x, double* r,
           double* p, double* q, double*, double* packed, int most, double tolerance,
           double* history, int* iterations) {
  const int rows = local.matrix.rows;
  const int columns = local.matrix.columns;
  Data data;
  const DeviceSystem system = copyin(data, local);
  const auto right = data.copyin(b, rows);
  const OnBoth solution{data.copy(x, columns), x};
  const auto residual = data.create(r, columns);
  const OnBoth direction{data.create(p, columns), p};
  const auto product = data.create(q, rows);
  const OnBoth sent{data.create(packed, local.sent_count), packed};

  multiply(local, system, *ranks, solution, sent, product);
  waxpby(rows, 1, right, -1, product, residual);
  waxpby(rows, 1, residual, 0, residual, direction.on_device);
  double rr = dot(*ranks, rows, residual, residual);
  int k = 0;
  for (;; ++k) {
    history[k] = std::sqrt(rr);
    if (k == most || history[k] <= tolerance)
      break;
    multiply(local, system, *ranks, direction, sent, product);
    const double alpha = rr / dot(*ranks, rows, direction.on_device, product);
    waxpby(rows, 1, solution.on_device, alpha, direction.on_device, solution.on_device);
    waxpby(rows, 1, residual, -alpha, product, residual);
    const double before = rr;
    rr = dot(*ranks, rows, residual, residual);
    waxpby(rows, 1, residual, rr / before, direction.on_device, direction.on_device);
  }
  *iterations = k;
}

/// Returns both sums of an iteration, of all ranks: r . r and r . w.
std::array<double, 2> both_dots(const ranks::Exchange& ranks, int n,
                                const DeviceView<const double>& r,
                                const DeviceView<const double>& w) {
  std::array<double, 2> sums{};
  Kokkos::parallel_reduce(
      "cg_ranks/both dots", Kokkos::RangePolicy<Kokkos::DefaultExecutionSpace>(0, n),
      KOKKOS_LAMBDA(int i, double& rr, double& rw) {
        rr += r(i) * r(i);
        rw += r(i) * w(i);
      },
      sums[0], sums[1]);
  ranks.sum(sums.data(), 2);
  return sums;
}

/// Solves for the same numbers, but for rounding, with both sums of an iteration in one
/// (Chronopoulos and Gear). It does not multiply s = A p: s follows from A r as p from r, and p . A
/// p from the sums. `multiply` is a Multiply.
template <class Product>
void solve_with_one_sum(const Product& multiply, const LocalSystem& local, ranks::Exchange* ranks,
                        const double* b, double* x, double* r, double* p, double* q, double* s,
                        double* packed, int most, double tolerance, double* history,
                        int* iterations) {
  const int rows = local.matrix.rows;
  const int columns = local.matrix.columns;
  Data data;
  const DeviceSystem system = copyin(data, local);
  const auto right = data.copyin(b, rows);
  const OnBoth solution{data.copy(x, columns), x};
  const OnBoth residual{data.create(r, columns), r};
  const auto direction = data.create(p, columns);
  const auto product = data.create(q, rows);
  const auto of_direction = data.create(s, rows);
  const OnBoth sent{data.create(packed, local.sent_count), packed};

  const auto multiply_residual = [&] {
    multiply(local, system, *ranks, residual, sent, product);
    return both_dots(*ranks, rows, residual.on_device, product);
  };
  multiply(local, system, *ranks, solution, sent, product);
  waxpby(rows, 1, right, -1, product, residual.on_device);
  const auto so_far = solution.on_device;
  const auto rest = residual.on_device;
  auto [rr, rw] = multiply_residual();
  double alpha = rr / rw;
  double beta = 0;
  int k = 0;
  for (;; ++k) {
    history[k] = std::sqrt(rr);
    if (k == most || history[k] <= tolerance)
      break;
    Kokkos::parallel_for(
        "cg_ranks/step", Kokkos::RangePolicy<Kokkos::DefaultExecutionSpace>(0, rows),
        KOKKOS_LAMBDA(int i) {
          // Before the first iteration there is no direction.
          const double along = rest(i) + (k == 0 ? 0 : beta * direction(i));
          const double across = product(i) + (k == 0 ? 0 : beta * of_direction(i));
          direction(i) = along;
          of_direction(i) = across;
          so_far(i) += alpha * along;
          rest(i) -= alpha * across;
        });
    const double before = rr;
    const auto sums = multiply_residual();
    rr = sums[0];
    beta = rr / before;
    alpha = rr / (sums[1] - beta * rr / alpha);
  }
  *iterations = k;
}

void one_sum(LocalSystem local, ranks::Exchange* ranks, const double* b, double* x, double* r,
             double* p, double* q, double* s, double* packed, int most, double tolerance,
             double* history, int* iterations) {
  solve_with_one_sum(multiply_device_pointers, local, ranks, b, x, r, p, q, s, packed, most,
                     tolerance, history, iterations);
}

/// The product of consecutive rows of the part, planned once.
class PlannedRows {
public:
  PlannedRows(const char* label, const inputs::CsrMatrix& matrix, int begin, int end)
      : _begin(begin), _end(end), _first(matrix.row_offsets[static_cast<std::size_t>(begin)]),
        _offsets(std::string(label) + " offsets", end - begin + 1) {
    const auto on_host = Kokkos::create_mirror_view(_offsets);
    for (int row = begin; row <= end; ++row)
      on_host(row - begin) = matrix.row_offsets[static_cast<std::size_t>(row)] - _first;
    Kokkos::deep_copy(_offsets, on_host);
    const sparse::Csr rows{end - begin, matrix.columns, on_host.data(),
                           matrix.column_indices.data() + _first, matrix.values.data() + _first};
    _product = sparse::product_for(label, rows, sparse::lengths_of_rows(rows));
  }

  /// Those rows of `out` = A `in`; returns before the kernel has ended.
  void operator()(const DeviceCsr& a, const DeviceView<const double>& in,
                  const DeviceView<double>& out) const {
    if (_begin == _end)
      return;
    const std::pair own(_first, a.values.extent_int(0));
    _product({_end - _begin, a.columns, _offsets, Kokkos::subview(a.column_indices, own),
              Kokkos::subview(a.values, own)},
             in, Kokkos::subview(out, std::pair(_begin, _end)));
  }

private:
  int _begin;
  int _end;
  int _first; ///< of the non-zeros
  Kokkos::View<int*, Kokkos::LayoutRight, DeviceSpace> _offsets;
  sparse::Product _product;
};

/// A Multiply with the product that suits the rows. Those in the middle of the part need no halo:
/// they are multiplied while it is packed and travels.
class PlannedProduct {
public:
  PlannedProduct(const inputs::CsrMatrix& matrix, std::pair<int, int> middle)
      : _urgent(std::make_unique<ranks::UrgentQueue>()),
        _above("cg_ranks/auto above", matrix, 0, middle.first),
        _middle("cg_ranks/auto", matrix, middle.first, middle.second),
        _below("cg_ranks/auto below", matrix, middle.second, matrix.rows) {}

  void operator()(const LocalSystem& local, const DeviceSystem& system, ranks::Exchange& ranks,
                  const OnBoth& in, const OnBoth& packed, const DeviceView<double>& out) const {
    wait_async(Kokkos::DefaultExecutionSpace(), _urgent->queue());
    pack(_urgent->queue(), system, in.on_device, packed.on_device);
    _middle(system.matrix, in.on_device, out);
    _urgent->queue().fence("cg_ranks: what is sent is packed");
    ranks.start(packed.on_device.data(), in.on_device.data() + local.matrix.rows);
    ranks.finish();
    _above(system.matrix, in.on_device, out);
    _below(system.matrix, in.on_device, out);
  }

private:
  std::unique_ptr<ranks::UrgentQueue> _urgent;
  PlannedRows _above;
  PlannedRows _middle;
  PlannedRows _below;
};

harness::Run automatic(Problem& problem) {
  return harness::run_planned(
      problem, [product = PlannedProduct(problem.matrix(), problem.middle())](auto... arguments) {
        solve_with_one_sum(product, arguments...);
      });
}

const harness::Study<Problem> study({
    .stages = {{.name = "staged", .kernel = solve<multiply_staged>, .flag = harness::Flag::sum},
               {.name = "device-pointers",
                .kernel = solve<multiply_device_pointers>,
                .flag = harness::Flag::sum},
               {.name = "overlapped",
                .kernel = solve<multiply_overlapped>,
                .flag = harness::Flag::sum}},
    .beyond = {{.name = "one-sum", .kernel = one_sum, .flag = harness::Flag::sum},
               {.name = "auto", .kernel = automatic}},
});

} // namespace
} // namespace gangway::cg_ranks
