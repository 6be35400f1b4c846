// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/study.hpp"
#include "sparse/device_csr.hpp"
#include "studies/cg/cg.hpp"

#include <KokkosBlas1_axpby.hpp>
#include <KokkosBlas1_dot.hpp>
#include <KokkosSparse_CrsMatrix.hpp>
#include <KokkosSparse_spmv.hpp>

namespace gangway::cg {
namespace {

using Matrix = KokkosSparse::CrsMatrix<const double, const int,
                                       Kokkos::Device<Kokkos::DefaultExecutionSpace, DeviceSpace>,
                                       Kokkos::MemoryTraits<Kokkos::Unmanaged>, const int>;
using Vector = DeviceView<double>;
using Handle = KokkosSparse::SPMVHandle<Kokkos::DefaultExecutionSpace, Matrix, Vector, Vector>;

/// The algorithm in calls of Kokkos Kernels. The handle is set up (and, for a vendor library,
/// the matrix analysed) by a first product.
class KokkosKernels {
public:
  void operator()(const sparse::Csr& csr, const double* b, double* x, double* r, double* p,
                  double* q, int most, double tolerance, double* history, int* iterations) const {
    const int rows = csr.rows;
    Data data;
    const auto a = sparse::copyin(data, csr);
    const Matrix matrix("cg/kokkos-kernels", rows, a.values,
                        typename Matrix::staticcrsgraph_type(a.column_indices, a.row_offsets));
    const auto right = data.copyin(b, rows);
    const Vector solution = data.copy(x, rows);
    const Vector residual = data.create(r, rows);
    const Vector direction = data.create(p, rows);
    const Vector product = data.create(q, rows);
    Kokkos::deep_copy(Kokkos::DefaultExecutionSpace(), residual, right);
    KokkosSparse::spmv(_handle.get(), "N", -1.0, matrix, solution, 1.0, residual);
    Kokkos::deep_copy(Kokkos::DefaultExecutionSpace(), direction, residual);
    double rr = KokkosBlas::dot(residual, residual);
    int k = 0;
    for (;; ++k) {
      history[k] = std::sqrt(rr);
      if (k == most || history[k] <= tolerance)
        break;
      KokkosSparse::spmv(_handle.get(), "N", 1.0, matrix, direction, 0.0, product);
      const double alpha = rr / KokkosBlas::dot(direction, product);
      KokkosBlas::axpby(alpha, direction, 1.0, solution);
      KokkosBlas::axpby(-alpha, product, 1.0, residual);
      const double before = rr;
      rr = KokkosBlas::dot(residual, residual);
      KokkosBlas::axpby(1.0, residual, rr / before, direction);
    }
    *iterations = k;
  }

private:
  std::unique_ptr<Handle> _handle = std::make_unique<Handle>(KokkosSparse::SPMV_DEFAULT);
};

const harness::Yardstick<Problem> yardstick("kokkos-kernels", harness::run_planned<KokkosKernels>);

} // namespace
} // namespace gangway::cg
