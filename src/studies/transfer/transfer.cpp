// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/transfer/transfer.hpp"

#include "base/parallel.hpp"
#include "gangway/data.hpp"
#include "gangway/levels.hpp"

#include <fmt/format.h>

#include <array>
#include <atomic>

namespace gangway::transfer {
namespace {

constexpr int max_n = 60000;

std::size_t square(int n) {
  return static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
}

/// Whole numbers below 2^23, so that sums are exact; different from element to element and row to
/// row.
float a_value(long i, long j) {
  return static_cast<float>((i * 7919 + j * 31 + 1) & 0x7fffff);
}
float b_value(long i, long j) {
  return static_cast<float>((i * 104729 + j * 17 + 5) & 0x7fffff);
}
float c_value(long i, long j) {
  return a_value(i, j) + b_value(i, j);
}

template <class Value>
void fill(Matrix& matrix, int n, const Value& value) {
  base::parallel_ranges(n, [&](long begin, long end) {
    for (long i = begin; i < end; ++i) {
      float* const row = matrix.row_pointers[static_cast<std::size_t>(i)];
      for (long j = 0; j < n; ++j)
        row[j] = value(i, j);
      std::copy(row, row + n, matrix.block.begin() + i * n);
      std::copy(row, row + n, matrix.pinned.begin() + i * n);
    }
  });
}

constexpr harness::Key keys[]{{"n", "1000", "rows and columns of each matrix"}};

std::vector<harness::Case> cases(harness::Effort effort, double memory_bytes) {
  std::vector<harness::Case> cases{{"1000", {{"n", "1000"}}}};
  if (has_device && effort == harness::Effort::full && memory_bytes > 16e9)
    cases.push_back({"16384", {{"n", "16384"}}}); // allocation and launch hardly count
  else
    cases.push_back({"4500", {{"n", "4500"}}});
  return cases;
}

} // namespace

constinit const harness::StudyInfo Problem::info{
    .id = "transfer",
    .title = "copying matrices to the device and back, in one block and in rows",
    .source = "More Tips on OpenACC Acceleration (Microway), table 1",
    .whole_by_default = true,
    .keys = keys,
    .cases = cases,
    .edge_cases = []() -> std::vector<harness::Case> {
      std::vector<harness::Case> some;
      for (const char* n : {"0", "1", "2", "31", "129", "40"})
        some.push_back({n, {{"n", n}}});
      return some;
    },
    .footprint =
        [](const harness::Parameters& parameters) {
          const auto n = static_cast<double>(parameters.integer("n", 0, max_n));
          return 11 * 4 * n * n + 6 * 40 * n;
        },
};

PinnedBlock::PinnedBlock(std::size_t elements) : _size(elements) {
  using Space = Kokkos::SharedHostPinnedSpace;
  _memory = {static_cast<float*>(Kokkos::kokkos_malloc<Space>(
                 "transfer/pinned", std::max<std::size_t>(elements, 1) * sizeof(float))),
             [](float* memory) { Kokkos::kokkos_free<Space>(memory); }};
}

Matrix::Matrix(int n) : block(square(n)), pinned(square(n)) {
  rows.reserve(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) {
    rows.emplace_back(static_cast<std::size_t>(n));
    row_pointers.push_back(rows.back().data());
  }
}

Problem::Problem(const harness::Parameters& parameters)
    : _n(static_cast<int>(parameters.integer("n", 0, max_n))), _a(_n), _b(_n), _c(_n),
      _a_staged(square(_n)), _b_staged(square(_n)) {
  fill(_a, _n, a_value);
  fill(_b, _n, b_value);
  fill(_c, _n, [](long, long) { return harness::poison<float>; });
  for (const auto& [name, matrix] : {std::pair{"a", &_a}, std::pair{"b", &_b}}) {
    kernels_find(in(name, matrix->block));
    kernels_find(in(fmt::format("{} pinned", name), matrix->pinned));
    for (const base::HostArray<float>& row : matrix->rows)
      kernels_find(in(fmt::format("{} row", name), row));
  }
  kernels_find(out("c", _c.block));
  kernels_find(out("c pinned", _c.pinned));
  for (base::HostArray<float>& row : _c.rows)
    kernels_find(out("c row", row));
  // Staging room is none of the problem's arrays: a variant that copies through it does so in every
  // scope.
  kernels_find(out("", _a_staged));
  kernels_find(out("", _b_staged));
  const auto input = [](const Matrix& matrix, const PinnedBlock& staged) {
    return Input{matrix.block.data(), matrix.row_pointers.data(), matrix.pinned.data(),
                 staged.data()};
  };
  kernels_take(_n, input(_a, _a_staged), input(_b, _b_staged),
               Output{_c.block.data(), _c.row_pointers.data(), _c.pinned.data()});
  described_as(fmt::format("two {} x {} matrices in, one out, {:.1f} MB each{}", _n, _n,
                           4e-6 * static_cast<double>(square(_n)),
                           memory() == Memory::shared
                               ? "; host and device memory are the same here, nothing is copied"
                               : ""));
}

harness::Check Problem::check() const {
  struct Form {
    const char* name;
    std::vector<const float*> rows;
  };
  std::array<Form, 3> forms{Form{"in one block", {}}, Form{"in rows", {}}, Form{"pinned", {}}};
  for (long i = 0; i < _n; ++i) {
    forms[0].rows.push_back(_c.block.data() + i * _n);
    forms[1].rows.push_back(_c.row_pointers[static_cast<std::size_t>(i)]);
    forms[2].rows.push_back(_c.pinned.data() + i * _n);
  }
  bool one_is_right = false;
  for (const Form& form : forms) {
    std::atomic<long> all_wrong{0};
    std::atomic<long> all_touched{0};
    base::parallel_ranges(_n, [&](long begin, long end) {
      long wrong = 0;
      long touched = 0;
      for (long i = begin; i < end; ++i) {
        const float* const row = form.rows[static_cast<std::size_t>(i)];
        for (long j = 0; j < _n; ++j) {
          wrong += row[j] == c_value(i, j) ? 0 : 1;
          touched += row[j] == row[j] ? 1 : 0; // reset left NaN, which equals nothing
        }
      }
      all_wrong += wrong;
      all_touched += touched;
    });
    one_is_right = one_is_right || all_wrong == 0;
    if (all_wrong == 0 || all_touched == 0)
      continue;
    long at = 0;
    while (form.rows[static_cast<std::size_t>(at / _n)][at % _n] == c_value(at / _n, at % _n))
      ++at;
    return {false, static_cast<double>(all_wrong), 0,
            fmt::format(
                "the result {}: {} elements are wrong, first row {}, column {}: {} instead of {}",
                form.name, all_wrong.load(), at / _n, at % _n,
                form.rows[static_cast<std::size_t>(at / _n)][at % _n], c_value(at / _n, at % _n))};
  }
  return {one_is_right, one_is_right ? 0.0 : static_cast<double>(square(_n)), 0,
          one_is_right ? "every element exactly; the forms not computed are untouched"
                       : "nothing was computed"};
}

harness::Work Problem::work() const {
  const double elements = static_cast<double>(square(_n));
  return {.bytes = 12 * elements,
          .flops = elements,
          .single_precision = true,
          .reasoning = "two matrices read, one written; the same cross the link",
          .bytes_in = 8 * elements,
          .bytes_out = 4 * elements};
}

} // namespace gangway::transfer
