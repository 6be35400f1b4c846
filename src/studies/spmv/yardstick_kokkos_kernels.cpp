// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/study.hpp"
#include "sparse/device_csr.hpp"
#include "studies/spmv/spmv.hpp"

#include <KokkosSparse_CrsMatrix.hpp>
#include <KokkosSparse_spmv.hpp>

namespace gangway::spmv {
namespace {

using Matrix = KokkosSparse::CrsMatrix<const double, const int,
                                       Kokkos::Device<Kokkos::DefaultExecutionSpace, DeviceSpace>,
                                       Kokkos::MemoryTraits<Kokkos::Unmanaged>, const int>;
using In = DeviceView<const double>;
using Out = DeviceView<double>;
using Handle = KokkosSparse::SPMVHandle<Kokkos::DefaultExecutionSpace, Matrix, In, Out>;

/// Kokkos Kernels with a handle, which is set up (and, for a vendor library, analysed) by a first
/// call.
template <KokkosSparse::SPMVAlgorithm algorithm>
class KokkosKernels {
public:
  void operator()(const sparse::Csr& csr, const double* x, double* y) const {
    Data data;
    const auto a = sparse::copyin(data, csr);
    const Matrix matrix("spmv/kokkos-kernels", csr.columns, a.values,
                        typename Matrix::staticcrsgraph_type(a.column_indices, a.row_offsets));
    KokkosSparse::spmv(_handle.get(), "N", 1.0, matrix, data.copyin(x, csr.columns), 0.0,
                       data.copyout(y, csr.rows));
  }

private:
  std::unique_ptr<Handle> _handle = std::make_unique<Handle>(algorithm);
};

#if defined(KOKKOSKERNELS_ENABLE_TPL_CUSPARSE) || defined(KOKKOSKERNELS_ENABLE_TPL_ROCSPARSE) ||   \
    defined(KOKKOSKERNELS_ENABLE_TPL_MKL)
/// With the vendor library that Kokkos Kernels was built with.
const harness::Yardstick<Problem>
    vendor("kokkos-kernels-vendor",
           harness::run_planned<KokkosKernels<KokkosSparse::SPMV_DEFAULT>>);
#endif

const harness::Yardstick<Problem>
    native("kokkos-kernels", harness::run_planned<KokkosKernels<KokkosSparse::SPMV_NATIVE>>);

} // namespace
} // namespace gangway::spmv
