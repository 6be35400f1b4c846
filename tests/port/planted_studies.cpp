// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Calls the studies' translations with small problems, in which planted_studies_test.py has planted
// faults.
#include "studies/adjacent/adjacent.hpp"
#include "studies/collapse/collapse.hpp"
#include "studies/histogram/histogram.hpp"
#include "studies/hoist/hoist.hpp"
#include "studies/nested/nested.hpp"
#include "studies/normalize/normalize.hpp"
#include "studies/order/order.hpp"
#include "studies/private/private.hpp"
#include "studies/random/random.hpp"
#include "studies/reductions/reductions.hpp"
#include "studies/routine/routine.hpp"
#include "studies/saxpy/saxpy.hpp"
#include "studies/search/search.hpp"
#include "studies/transpose/transpose.hpp"
#include "studies/vadd/vadd.hpp"

#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstddef>
#include <vector>

extern "C" {
gangway::adjacent::Kernel gangway_adjacent_kernels, gangway_adjacent_parallel_pair,
    gangway_adjacent_fused, gangway_adjacent_range;
gangway::collapse::Kernel gangway_collapse_gang_only, gangway_collapse_hoisted;
gangway::histogram::Kernel gangway_histogram_atomic, gangway_histogram_atomic_update;
gangway::hoist::Kernel gangway_hoist_region_per_call;
gangway::nested::Kernel gangway_nested_kernels, gangway_nested_j_outer, gangway_nested_i_outer,
    gangway_nested_tile, gangway_nested_blocked;
gangway::normalize::Kernel gangway_normalize_kernels, gangway_normalize_resident;
gangway::order::Kernel gangway_order_stride_1, gangway_order_strided, gangway_order_unrolled,
    gangway_order_packs, gangway_order_range;
gangway::private_array::Kernel gangway_private_sequential_inner, gangway_private_private,
    gangway_private_scratch;
gangway::random::Kernel gangway_random_sequential_inner, gangway_random_counter,
    gangway_random_flat;
gangway::reductions::Kernel gangway_reductions_sum, gangway_reductions_product,
    gangway_reductions_logical_and, gangway_reductions_logical_or, gangway_reductions_bit_and,
    gangway_reductions_bit_or, gangway_reductions_bit_xor, gangway_reductions_max,
    gangway_reductions_min, gangway_reductions_team;
gangway::routine::Kernel gangway_routine_seq, gangway_routine_vector, gangway_routine_worker;
gangway::saxpy::Kernel gangway_saxpy_device_type, gangway_saxpy_range, gangway_saxpy_unrolled;
gangway::search::Kernel gangway_search_flags, gangway_search_reduction;
gangway::transpose::Kernel gangway_transpose_naive, gangway_transpose_tile_8x8;
gangway::vadd::Kernel gangway_vadd_kernels, gangway_vadd_parallel, gangway_vadd_redundant,
    gangway_vadd_device_type;
}

namespace {

template <class T>
std::vector<T> wave(long n, double step) {
  std::vector<T> values(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<T>(1.5 + std::sin(step * static_cast<double>(i)));
  return values;
}

void vectors() {
  const long n = 3001;
  const auto a = wave<double>(n, 0.3);
  const auto b = wave<double>(n, 0.7);
  const auto x = wave<float>(n, 0.3);
  std::vector<double> c(n), d(n);
  for (auto* kernel : {gangway_adjacent_kernels, gangway_adjacent_parallel_pair,
                       gangway_adjacent_fused, gangway_adjacent_range})
    kernel(n, a.data(), b.data(), c.data(), d.data());
  for (auto* kernel : {gangway_vadd_kernels, gangway_vadd_parallel, gangway_vadd_redundant,
                       gangway_vadd_device_type})
    kernel(n, a.data(), b.data(), c.data());
  for (auto* kernel : {gangway_saxpy_device_type, gangway_saxpy_range, gangway_saxpy_unrolled}) {
    auto y = wave<float>(n, 0.9);
    kernel(n, x.data(), y.data());
  }
  for (auto* kernel : {gangway_normalize_kernels, gangway_normalize_resident}) {
    auto v = a;
    double sum = 0;
    kernel(n, v.data(), &sum);
  }
  std::vector<int> found(n);
  std::vector<float> beyond(n, gangway::search::threshold - 1);
  beyond[2000] = gangway::search::threshold + 1;
  beyond[2500] = gangway::search::threshold + 1;
  long first = 0;
  for (auto* kernel : {gangway_search_flags, gangway_search_reduction})
    kernel(n, beyond.data(), found.data(), &first);
  const int bins = 8;
  const long items = 200000;
  std::vector<int> item(items), counts(bins);
  for (std::size_t i = 0; i < item.size(); ++i)
    item[i] = static_cast<int>(i * 5 % bins);
  for (auto* kernel : {gangway_histogram_atomic, gangway_histogram_atomic_update})
    kernel(items, bins, item.data(), counts.data());
}

void reductions() {
  using gangway::reductions::Type;
  const long n = 2000;
  std::vector<double> values = wave<double>(n, 0.01);
  for (double& value : values)
    value = 1 + 1e-3 * (value - 1.5);
  values[1700] = 0.25; // the least
  gangway::reductions::Result result{};
  for (auto* kernel :
       {gangway_reductions_sum, gangway_reductions_product, gangway_reductions_max,
        gangway_reductions_min, gangway_reductions_team, gangway_reductions_logical_or})
    kernel(Type::float64, n, values.data(), &result);
  values[5] = 0;
  gangway_reductions_logical_and(Type::float64, n, values.data(), &result);
  std::vector<int> bits(n, 0x7f);
  bits[0] = 0x3d;
  for (auto* kernel :
       {gangway_reductions_bit_and, gangway_reductions_bit_or, gangway_reductions_bit_xor})
    kernel(Type::int32, n, bits.data(), &result);
}

void matrices() {
  const int rows = 37;
  const int columns = 53;
  const auto in = wave<float>(static_cast<long>(rows) * columns, 0.1);
  std::vector<float> out(in.size());
  for (auto* kernel : {gangway_transpose_naive, gangway_transpose_tile_8x8})
    kernel(rows, columns, in.data(), out.data());
  for (auto* kernel : {gangway_order_stride_1, gangway_order_strided, gangway_order_unrolled,
                       gangway_order_packs, gangway_order_range}) {
    auto a = wave<double>(static_cast<long>(rows) * columns, 0.2);
    kernel(rows, columns, a.data());
  }
  std::vector<int> whole(in.size());
  for (auto* kernel :
       {gangway_private_sequential_inner, gangway_private_private, gangway_private_scratch})
    kernel(rows, columns, whole.data());
  for (auto* kernel : {gangway_routine_seq, gangway_routine_vector, gangway_routine_worker})
    kernel(rows, columns, out.data());
  const auto b = wave<double>(static_cast<long>(rows) * columns, 0.2);
  const auto c = wave<double>(static_cast<long>(rows) * columns, 0.6);
  std::vector<double> sum(b.size());
  for (auto* kernel : {gangway_nested_kernels, gangway_nested_j_outer, gangway_nested_i_outer,
                       gangway_nested_tile, gangway_nested_blocked})
    kernel(rows, columns, 2.5, 0.5, b.data(), c.data(), sum.data());
  const int n = 19;
  const auto left = wave<float>(n * n, 0.3);
  const auto right = wave<float>(n * n, 0.4);
  std::vector<float> products(static_cast<std::size_t>(gangway::hoist::products * n * n));
  gangway_hoist_region_per_call(n, left.data(), right.data(), products.data());
}

void fields() {
  const long particles = 500;
  const int dimensions = 3;
  const std::vector<double> box{1.0, 2.0, 3.0};
  std::vector<double> positions(static_cast<std::size_t>(particles * dimensions));
  for (auto* kernel :
       {gangway_random_sequential_inner, gangway_random_counter, gangway_random_flat})
    kernel(particles, dimensions, 42, box.data(), positions.data());

  const int elements = 3;
  const int tracers = 7;
  const int levels = 5;
  const long field = elements * gangway::collapse::points;
  const auto mass = wave<double>(field * tracers * levels, 0.2);
  const auto wind = wave<double>(2 * field * levels, 0.3);
  const auto metric = wave<double>(field, 0.4);
  const auto axes = wave<double>(4 * field, 0.5);
  std::vector<double> flux(2 * mass.size());
  for (auto* kernel : {gangway_collapse_gang_only, gangway_collapse_hoisted})
    kernel(elements, tracers, levels, mass.data(), wind.data(), metric.data(), axes.data(),
           flux.data());
}

} // namespace

int main() {
  const Kokkos::ScopeGuard kokkos;
  vectors();
  reductions();
  matrices();
  fields();
}
