// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gangway/gangway.hpp"
#include "harness/registry.hpp"
#include "studies/spmv/spmv.hpp"

#include <KokkosSparse_CrsMatrix.hpp>
#include <KokkosSparse_spmv.hpp>

#include <memory>

namespace gangway::spmv {
namespace {

using Matrix = KokkosSparse::CrsMatrix<const double, const int, Kokkos::Device<Device, DeviceSpace>,
                                       Kokkos::MemoryTraits<Kokkos::Unmanaged>, const int>;
using In = Array<const double>;
using Out = Array<double>;
using Handle = KokkosSparse::SPMVHandle<Device, Matrix, In, Out>;

/// Kokkos Kernels with a handle, which is set up (and, for a vendor library, analysed) by a first
/// call.
harness::Run kokkos_kernels(Problem& problem, KokkosSparse::SPMVAlgorithm algorithm) {
  return harness::Run{[&problem, handle = std::make_shared<Handle>(algorithm)] {
    problem.call([&](int rows, int columns, const int* row_offsets, const int* column_indices,
                     const double* values, const double* x, double* y) {
      const int nonzeros = row_offsets[rows];
      Data data;
      const Matrix matrix(
          "spmv/kokkos-kernels", columns, data.copyin(values, nonzeros),
          typename Matrix::staticcrsgraph_type(data.copyin(column_indices, nonzeros),
                                               data.copyin(row_offsets, rows + 1)));
      KokkosSparse::spmv(handle.get(), "N", 1.0, matrix, data.copyin(x, columns), 0.0,
                         data.copyout(y, rows));
    });
  }};
}

#if defined(KOKKOSKERNELS_ENABLE_TPL_CUSPARSE) || defined(KOKKOSKERNELS_ENABLE_TPL_ROCSPARSE) ||   \
    defined(KOKKOSKERNELS_ENABLE_TPL_MKL)
/// With the vendor library that Kokkos Kernels was built with.
const harness::Yardstick<Problem> vendor("kokkos-kernels-vendor", [](Problem& problem) {
  return kokkos_kernels(problem, KokkosSparse::SPMV_DEFAULT);
});
#endif

const harness::Yardstick<Problem> native("kokkos-kernels", [](Problem& problem) {
  return kokkos_kernels(problem, KokkosSparse::SPMV_NATIVE);
});

} // namespace
} // namespace gangway::spmv
