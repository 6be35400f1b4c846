// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sparse/row_patterns.hpp"

#include "sparse/on_device.hpp"
#include "sparse/pattern_sum.hpp"
#include "sparse/row_blocks.hpp"

#include <stdexcept>
#include <utility>

namespace gangway::sparse {

std::string RowPatterns::why_not(const Patterns& patterns, const inputs::RowStatistics& rows) {
  if (rows.maximum > longest_row)
    return "a row has " + std::to_string(rows.maximum) +
           " non-zeros; patterns are for rows of at most " + std::to_string(longest_row);
  return patterns.why_not;
}

RowPatterns::RowPatterns(std::string label, const Csr& matrix, const inputs::RowStatistics& rows,
                         bool staging)
    : _label(std::move(label)), _staging(staging) {
  const Patterns patterns = patterns_of(matrix);
  if (const std::string reason = why_not(patterns, rows); !reason.empty())
    throw std::invalid_argument(reason);
  const int each = staged_each(rows.mean);
  const std::vector<int> first_rows =
      first_rows_of_blocks(matrix, static_cast<int>(rows.maximum), threads * each, most_rows);
  const auto blocks = first_rows.size() - 1;
  std::vector<std::uint32_t> words(patterns.of_row.size());
  for (std::size_t block = 0; block < blocks; ++block)
    for (int row = first_rows[block]; row < first_rows[block + 1]; ++row) {
      const auto start = static_cast<std::uint32_t>(matrix.row_offsets[row] -
                                                    matrix.row_offsets[first_rows[block]]);
      words[static_cast<std::size_t>(row)] =
          start << 16U | patterns.of_row[static_cast<std::size_t>(row)];
    }
  _plan = {static_cast<int>(blocks),
           each,
           on_device(_label + " first rows", first_rows),
           on_device(_label + " rows", words),
           on_device(_label + " first offsets", patterns.first),
           on_device(_label + " offsets", patterns.offsets)};
}

namespace {

/// Stages the values [begin, end) in a team's scratch, at most `each` per thread. All loads of a
/// thread are in flight before it stores the first.
template <int each>
KOKKOS_FUNCTION Products stage_values(const Member& gang, const DeviceView<const double>& values,
                                      int begin, int end) {
  const Products staged(gang.team_scratch(0), RowPatterns::threads * each);
  const int lanes = RowPatterns::threads;
  Kokkos::parallel_for(Kokkos::TeamVectorRange(gang, lanes), [&](int lane) {
    double own[each];
    for (int k = 0; k < each; ++k) {
      const int j = begin + k * lanes + lane;
      own[k] = j < end ? values(j) : 0.0;
    }
    for (int k = 0; k < each; ++k)
      staged(k * lanes + lane) = own[k];
  });
  gang.team_barrier();
  return staged;
}

/// Multiplies by blocks. `each`: values staged per thread; `loads`: elements of `in` in flight per
/// row.
template <int each, int loads>
void by_blocks(const std::string& label, const RowPatterns::Plan& plan, const DeviceCsr& a,
               const DeviceView<const double>& in, const DeviceView<double>& out) {
  const auto first_row = plan.first_rows;
  const auto words = plan.rows;
  const auto first = plan.first;
  const auto offsets = plan.offsets;
  const auto policy = team_policy(plan.blocks)
                          .num_workers(RowPatterns::threads)
                          .vector_length(1)
                          .scratch(0, Products::shmem_size(RowPatterns::threads * each));
  gangway::parallel_for(
      label, policy, KOKKOS_LAMBDA(const Member& gang) {
        const int row_begin = first_row(gang.league_rank());
        const int row_end = first_row(gang.league_rank() + 1);
        const Products value =
            stage_values<each>(gang, a.values, a.row_offsets(row_begin), a.row_offsets(row_end));
        Kokkos::parallel_for(Kokkos::TeamThreadRange(gang, row_begin, row_end), [&](int row) {
          const std::uint32_t word = words(row);
          const int pattern = static_cast<int>(word & 0xffffU);
          const int begin = first(pattern);
          const int values_before = static_cast<int>(word >> 16U) - begin;
          out(row) = sum_of_pattern<loads>(
              begin, first(pattern + 1), [&](int k) { return value(values_before + k); },
              [&](int k) { return in(row + offsets(k)); });
        });
      });
}

void by_rows(const std::string& label, const RowPatterns::Plan& plan, const DeviceCsr& a,
             const DeviceView<const double>& in, const DeviceView<double>& out) {
  const auto words = plan.rows;
  const auto first = plan.first;
  const auto offsets = plan.offsets;
  Kokkos::parallel_for(
      label, Kokkos::RangePolicy<>(0, a.rows), KOKKOS_LAMBDA(int row) {
        const int pattern = static_cast<int>(words(row) & 0xffffU);
        const int begin = first(pattern);
        const int values_before = a.row_offsets(row) - begin;
        out(row) = sum_of_pattern<1>(
            begin, first(pattern + 1), [&](int k) { return a.values(values_before + k); },
            [&](int k) { return in(row + offsets(k)); });
      });
}

} // namespace

void RowPatterns::operator()(const DeviceCsr& a, const DeviceView<const double>& in,
                             const DeviceView<double>& out) const {
  // These loads were the fastest of those tried on grids of 7 and of 27 points.
  if (!_staging)
    by_rows(_label, _plan, a, in, out);
  else if (_plan.staged_each == staged_per_thread)
    by_blocks<staged_per_thread, 4>(_label, _plan, a, in, out);
  else
    by_blocks<2 * staged_per_thread, 9>(_label, _plan, a, in, out);
}

} // namespace gangway::sparse
