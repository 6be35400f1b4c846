// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sparse/product.hpp"

#include "sparse/rows.hpp"
#include "sparse/sharing.hpp"

#include <cmath>

namespace gangway::sparse {
namespace {

template <int chains>
void row_per_thread_in(const std::string& label, const DeviceCsr& a,
                       const DeviceView<const double>& in, const DeviceView<double>& out) {
  Kokkos::parallel_for(
      label, Kokkos::RangePolicy<Kokkos::DefaultExecutionSpace>(0, a.rows), KOKKOS_LAMBDA(int row) {
        out(row) = product_on_one_thread<chains>(a, in, a.row_offsets(row), a.row_offsets(row + 1));
      });
}

} // namespace

void rows_per_worker(const std::string& label, const kernels::Mapping& mapping, const DeviceCsr& a,
                     const DeviceView<const double>& in, const DeviceView<double>& out) {
  const int rows = a.rows;
  const int block = mapping.clauses.workers * mapping.items_per_worker;
  const long gangs = (static_cast<long>(rows) + block - 1) / block;
  gangway::parallel_for(
      label, team_policy(gangs).clauses(mapping.clauses), KOKKOS_LAMBDA(const Parallel<>& gang) {
        const int first = gang.member().league_rank() * block;
        const int last = first > rows - block ? rows : first + block; // first + block may overflow
        loop_worker(gang, first, last, [&](const Worker<>& worker, int row) {
          double sum = 0;
          loop_vector(
              worker, a.row_offsets(row), a.row_offsets(row + 1),
              [&](int j, double& partial) { partial += a.values(j) * in(a.column_indices(j)); },
              sum);
          single(worker, [&] { out(row) = sum; });
        });
      });
}

void row_per_thread(const std::string& label, const DeviceCsr& a,
                    const DeviceView<const double>& in, const DeviceView<double>& out) {
  const bool one_sum = has_device || a.values.extent_int(0) < 16L * a.rows;
  const auto run = one_sum ? row_per_thread_in<1> : row_per_thread_in<4>;
  run(label, a, in, out);
}

static SharedBy shared_by_kokkos() {
  const int threads = Kokkos::DefaultExecutionSpace().concurrency();
  if constexpr (has_device)
    return {.threads = threads, .longest_row = RowBlocks::longest_row, .fewest_lanes = 0};
  // A team is one thread.
  return {.threads = threads, .longest_row = -1, .fewest_lanes = HUGE_VAL};
}

Product product_for(const std::string& label, const Csr& matrix,
                    const inputs::RowStatistics& rows) {
  switch (sharing_for(rows, matrix.nonzeros(), shared_by_kokkos())) {
  case Sharing::row_blocks:
    return RowBlocks(label, matrix, rows);
  case Sharing::merge_path:
    return MergePath(label, matrix);
  case Sharing::rows_per_worker:
    return [label, mapping = rows_per_worker_mapping(rows)](const auto&... arguments) {
      rows_per_worker(label, mapping, arguments...);
    };
  case Sharing::row_per_thread:
    break;
  }
  return [label](const auto&... arguments) { row_per_thread(label, arguments...); };
}

} // namespace gangway::sparse
