// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Every snippet of the porting guide, in both models, held to one plain loop. The Kokkos side runs
// three times where it can: with host memory used in place, with a device memory of its own, which
// shows what a region forgets to copy, and with strict memory, which no kernel passes that uses an
// array of the host's.
#include "../../docs/guide/snippets/snippets.hpp"
#include "gangway/gangway.hpp"
#include "testing/places.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <iostream>
#include <numeric>
#include <string>
#include <vector>

#ifdef GANGWAY_GUIDE_OPENACC
#include <dlfcn.h>
#endif

namespace guide::kokkos {
std::string feedback(long rows, const double* a, double* sums);
void profile_region(long n, double* x);
} // namespace guide::kokkos

namespace {

using gangway::Memory;
using Values = std::vector<double>;

enum class Model { openacc, kokkos_shared, kokkos_separate, kokkos_strict };

void PrintTo(Model model, std::ostream* out) {
  *out << (model == Model::openacc           ? "openacc"
           : model == Model::kokkos_shared   ? "kokkos_shared"
           : model == Model::kokkos_separate ? "kokkos_separate"
                                             : "kokkos_strict");
}

const guide::Snippets kokkos_side{guide::kokkos::loops,       guide::kokkos::levels,
                                  guide::kokkos::reductions,  guide::kokkos::atomics,
                                  guide::kokkos::regions,     guide::kokkos::names,
                                  guide::kokkos::environment, guide::kokkos::plain};

/// The OpenACC side, or null where there is no OpenACC compiler. A library that is there and cannot
/// be loaded ends the program.
const guide::Snippets* openacc_side() {
#ifdef GANGWAY_GUIDE_OPENACC
  static const guide::Snippets* const side = [] {
    const auto file = gangway::testing::beside_program(GANGWAY_GUIDE_OPENACC);
    void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    void* const entry = library == nullptr ? nullptr : dlsym(library, "gangway_guide_openacc");
    if (entry == nullptr) {
      std::cerr << dlerror() << '\n';
      std::abort();
    }
    return reinterpret_cast<decltype(&gangway_guide_openacc)>(entry)();
  }();
  return side;
#else
  return nullptr;
#endif
}

class Guide : public testing::TestWithParam<Model> {
protected:
  void SetUp() override {
    _before = gangway::memory();
    if (GetParam() == Model::openacc) {
      _side = openacc_side();
      if (_side == nullptr)
        GTEST_SKIP() << "no OpenACC compiler";
      return;
    }
    const Memory wanted = GetParam() == Model::kokkos_shared     ? Memory::shared
                          : GetParam() == Model::kokkos_separate ? Memory::separate
                                                                 : Memory::strict;
    if (wanted == Memory::shared && gangway::has_device)
      GTEST_SKIP() << "the device has a memory of its own";
    gangway::set_memory(wanted);
    _side = &kokkos_side;
    gangway::reset_transfers();
  }
  void TearDown() override {
    EXPECT_EQ(gangway::present_arrays(), 0U);
    gangway::set_memory(_before);
  }

  [[nodiscard]] const guide::Snippets& side() const { return *_side; }

  /// What the data regions of the Kokkos side have moved: copies in, copies out, arrays created.
  /// OpenACC's runtime on a host moves nothing and counts nothing.
  void expect_transfers(unsigned in, unsigned out, unsigned created) const {
    if (GetParam() == Model::openacc)
      return;
    const gangway::Transfers moved = gangway::transfers();
    const bool separate = gangway::memory() != Memory::shared;
    EXPECT_EQ(moved.to_device, separate ? in : 0U);
    EXPECT_EQ(moved.to_host, separate ? out : 0U);
    EXPECT_EQ(moved.allocations, separate ? created : 0U);
  }

private:
  const guide::Snippets* _side = nullptr;
  Memory _before{};
};

/// Whole numbers of both signs, so that sums and products are exact in any order.
Values numbers(long n) {
  Values x(static_cast<std::size_t>(n));
  for (long i = 0; i < n; ++i)
    x[static_cast<std::size_t>(i)] = static_cast<double>(i * 7919 % 201 - 100);
  return x;
}

Values unset(long n) {
  return Values(static_cast<std::size_t>(n), std::nan(""));
}

/// f(i) for all i.
template <class F>
Values table(long n, const F& f) {
  Values x(static_cast<std::size_t>(n));
  for (long i = 0; i < n; ++i)
    x[static_cast<std::size_t>(i)] = f(static_cast<std::size_t>(i));
  return x;
}

constexpr long n = 5000; // no multiple of any snippet's block
constexpr long rows = 53;
constexpr long columns = 141;
constexpr auto wide = static_cast<std::size_t>(columns);

// --- loops ------------------------------------------------------------------------------------

/// Checks the inner means and their weighted sum.
void expect_interior(double (*interior)(long rows, long columns, const double* a, double* b)) {
  const Values a = numbers(rows * columns);
  Values b = unset(rows * columns);
  const double sum = interior(rows, columns, a.data(), b.data());
  double expected = 0;
  for (std::size_t k = 0; k < b.size(); ++k) {
    const std::size_t i = k / wide;
    const std::size_t j = k % wide;
    if (i == 0 || i == rows - 1 || j == 0 || j == wide - 1) {
      EXPECT_TRUE(std::isnan(b[k])) << i << ", " << j; // the border is nobody's
      continue;
    }
    const double mean = 0.25 * (a[k - wide] + a[k + wide] + a[k - 1] + a[k + 1]);
    EXPECT_EQ(b[k], mean) << i << ", " << j;
    expected += a[k] * mean; // of quarters: exact in any order
  }
  EXPECT_NE(expected, 0);
  EXPECT_EQ(sum, expected);
}

TEST_P(Guide, parallel_loop) {
  const Values x = numbers(n);
  Values y = unset(n);
  side().loops.parallel_loop(n, 3, x.data(), y.data());
  EXPECT_EQ(y, table(n, [&](auto i) { return 3 * x[i]; }));
  expect_transfers(1, 1, 2);
  side().loops.parallel_loop(0, 3, nullptr, nullptr); // nothing to do, and nothing done
}

TEST_P(Guide, kernels) {
  const Values x = numbers(n);
  Values square = unset(n);
  Values mean = unset(n);
  side().loops.kernels(n, x.data(), square.data(), mean.data());
  const auto squared = [&](std::size_t i) { return x[i % n] * x[i % n]; };
  EXPECT_EQ(square, table(n, squared));
  EXPECT_EQ(mean, table(n, [&](auto i) { return 0.5 * (squared(i + n - 1) + squared(i + 1)); }));
  expect_transfers(1, 2, 3); // nothing crosses between the two kernels
}

TEST_P(Guide, independent) {
  const Values x = numbers(n);
  std::vector<int> place(n);
  for (std::size_t i = 0; i < place.size(); ++i)
    place[i] = static_cast<int>(i * 1237 % n);
  Values y = unset(n);
  side().loops.independent(n, place.data(), x.data(), y.data());
  Values expected(n);
  for (std::size_t i = 0; i < place.size(); ++i)
    expected[static_cast<std::size_t>(place[i])] = x[i];
  EXPECT_EQ(y, expected);
}

TEST_P(Guide, serial) {
  Values x = numbers(n);
  Values expected(n);
  std::partial_sum(x.begin(), x.end(), expected.begin());
  side().loops.serial(n, x.data());
  EXPECT_EQ(x, expected);
}

TEST_P(Guide, seq) {
  Values a = numbers(rows * columns);
  Values expected = a;
  for (auto row = expected.begin(); row != expected.end(); row += columns)
    std::partial_sum(row, row + columns, row);
  side().loops.seq(rows, columns, a.data());
  EXPECT_EQ(a, expected);
}

TEST_P(Guide, collapse) {
  const Values a = numbers(rows);
  const Values b = numbers(columns);
  Values c = unset(rows * columns);
  side().loops.collapse(rows, columns, a.data(), b.data(), c.data());
  EXPECT_EQ(c, table(rows * columns, [&](auto k) { return a[k / wide] * b[k % wide]; }));
}

TEST_P(Guide, collapse_three) {
  constexpr long planes = 5;
  const Values weight = numbers(planes);
  const Values x = numbers(planes * rows * columns);
  Values y = unset(planes * rows * columns);
  side().loops.collapse_three(planes, rows, columns, weight.data(), x.data(), y.data());
  EXPECT_EQ(y,
            table(planes * rows * columns, [&](auto k) { return weight[k / rows / wide] * x[k]; }));
}

TEST_P(Guide, collapse_reduction) {
  const Values a = numbers(rows);
  const Values b = table(columns, [](auto j) { return static_cast<double>(j); });
  const double expected =
      std::accumulate(a.begin(), a.end(), 0.0) * (0.5 * columns * (columns - 1));
  EXPECT_NE(expected, 0);
  EXPECT_EQ(side().loops.collapse_reduction(rows, columns, a.data(), b.data()), expected);
}

TEST_P(Guide, interior) {
  expect_interior(side().loops.interior);
}

TEST_P(Guide, interior_by_rows) {
  expect_interior(side().loops.interior_by_rows);
}

TEST_P(Guide, tile) {
  const Values in = numbers(rows * columns);
  Values out = unset(rows * columns);
  side().loops.tile(rows, columns, in.data(), out.data());
  EXPECT_EQ(out, table(rows * columns, [&](auto k) { return in[k % rows * wide + k / rows]; }));
}

TEST_P(Guide, private_array) {
  const Values x = numbers(n + 2);
  Values y = unset(n);
  side().loops.private_array(n, x.data(), y.data());
  EXPECT_EQ(y, table(n, [&](auto i) {
              Values three{x[i], x[i + 1], x[i + 2]};
              std::ranges::sort(three);
              return three[1];
            }));
}

TEST_P(Guide, if_large) {
  for (const long size : {10L, 20000L}) {
    gangway::reset_transfers();
    const Values x = numbers(size);
    Values y = unset(size);
    side().loops.if_large(size, 3, x.data(), y.data());
    EXPECT_EQ(y, table(size, [&](auto i) { return 3 * x[i]; }));
    size == 10 ? expect_transfers(0, 0, 0) : expect_transfers(1, 1, 2);
  }
}

TEST_P(Guide, device_type) {
  const Values x = numbers(n);
  Values y(n, 7);
  side().loops.device_type(n, 3, x.data(), y.data());
  EXPECT_EQ(y, table(n, [&](auto i) { return 3 * x[i] + 7; }));
}

TEST_P(Guide, linearised) {
  const Values a = numbers(rows * columns);
  Values y = unset(columns);
  side().loops.linearised(rows, columns, a.data(), y.data());
  EXPECT_EQ(y, table(columns, [&](auto j) {
              double sum = 0;
              for (std::size_t i = 0; i < rows; ++i)
                sum += a[i * wide + j];
              return sum;
            }));
}

TEST_P(Guide, column_major) {
  const Values before = numbers(rows * columns);
  const Values factor = numbers(columns);
  Values a = before;
  side().loops.column_major(rows, columns, factor.data(), a.data());
  EXPECT_EQ(a, table(rows * columns, [&](auto k) { return before[k] * factor[k / rows]; }));
}

TEST_P(Guide, restrict_const) {
  const Values values = numbers(columns);
  std::vector<int> index(n);
  for (std::size_t i = 0; i < index.size(); ++i)
    index[i] = static_cast<int>(i * 31 % wide);
  Values y = unset(n);
  side().loops.restrict_const(n, columns, index.data(), values.data(), y.data());
  EXPECT_EQ(y, table(n, [&](auto i) { return values[static_cast<std::size_t>(index[i])]; }));
}

// --- levels -----------------------------------------------------------------------------------

Values row_sums(const Values& a) {
  return table(static_cast<long>(a.size()) / columns, [&](auto i) {
    const auto row = a.begin() + static_cast<std::ptrdiff_t>(i) * columns;
    return std::accumulate(row, row + columns, 0.0);
  });
}

TEST_P(Guide, gang_worker_vector) {
  constexpr long planes = 7;
  const Values a = numbers(planes * rows * columns);
  Values sums = unset(planes * rows);
  side().levels.gang_worker_vector(planes, rows, columns, a.data(), sums.data());
  EXPECT_EQ(sums, row_sums(a));
}

TEST_P(Guide, vector_length) {
  const Values a = numbers(rows * columns);
  Values sums = unset(rows);
  side().levels.vector_length(rows, columns, a.data(), sums.data());
  EXPECT_EQ(sums, row_sums(a));
}

TEST_P(Guide, num_gangs) {
  for (const long size : {5L, n}) { // also fewer iterations than gangs
    const Values x = numbers(size);
    for (const auto run : {side().levels.num_gangs, side().levels.levels_in_kernels}) {
      Values y = unset(size);
      run(size, 3, x.data(), y.data());
      EXPECT_EQ(y, table(size, [&](auto i) { return 3 * x[i]; }));
    }
  }
}

TEST_P(Guide, one_gang) {
  const Values before = numbers(n);
  const double highest = *std::ranges::max_element(before);
  Values x = before;
  side().levels.one_gang(n, x.data());
  EXPECT_EQ(x, table(n, [&](auto i) { return before[i] / highest; }));
}

TEST_P(Guide, cache) {
  const Values x = numbers(n + 2);
  Values y = unset(n);
  side().levels.cache(n, x.data(), y.data());
  EXPECT_EQ(y, table(n, [&](auto i) { return 0.25 * (x[i] + x[i + 1] + x[i + 2]); }));
}

TEST_P(Guide, private_to_gang) {
  for (const long length : {0L, 1L, 128L, n}) {
    const Values before = numbers(length);
    Values x = before;
    side().levels.private_to_gang(length, x.data());
    EXPECT_EQ(x, table(length, [&](std::size_t i) {
                const std::size_t first = i / 128 * 128;
                const std::size_t last = std::min(first + 128, before.size());
                return before[first + last - 1 - i];
              }));
  }
}

TEST_P(Guide, routine_seq) {
  const Values x = numbers(n);
  Values y = unset(n);
  side().levels.routine_seq(n, x.data(), y.data());
  EXPECT_EQ(y, table(n, [&](auto i) { return x[i] * x[i] * x[i]; }));
}

TEST_P(Guide, routine_rows) {
  const Values state = numbers(3 * (n + 1));
  Values flow = unset(3 * n);
  side().levels.routine_rows(n, state.data(), flow.data());
  EXPECT_EQ(flow, table(3 * n, [&](auto i) { return state[i + 3] - state[i]; }));
}

TEST_P(Guide, routine_levels) {
  const Values before = numbers(rows * columns);
  const Values factor = numbers(rows);
  const Values expected =
      table(rows * columns, [&](auto k) { return before[k] * factor[k / wide]; });
  const auto holds = [&](auto routine) {
    Values a = before;
    routine(rows, columns, factor.data(), a.data());
    EXPECT_EQ(a, expected);
  };
  holds(side().levels.routine_vector);
  holds(side().levels.routine_worker);
  holds(side().levels.routine_gang);
}

TEST(GuideOfKokkos, feedback) {
  const Values a = numbers(rows * 1000);
  Values sums = unset(rows);
  const std::string shape = guide::kokkos::feedback(rows, a.data(), sums.data());
  const long on_host = std::min(rows, 16L * Kokkos::DefaultExecutionSpace().concurrency());
  EXPECT_EQ(shape, gangway::has_device ? "53 x 4 x 32" : std::to_string(on_host) + " x 1 x 1");
}

TEST(GuideOfKokkos, names) {
  // The guide shows once what the other snippets call Range, Member, Data and Array.
  using Range = Kokkos::RangePolicy<Kokkos::IndexType<long>>;
  EXPECT_EQ(Range(0, 3'000'000'000).end(), 3'000'000'000);
}

// --- reductions and atomics ---------------------------------------------------------------------

TEST_P(Guide, reduction) {
  const Values x = numbers(n);
  const Values y = table(n, [](auto i) { return static_cast<double>(i % 13); });
  const double dot = std::inner_product(x.begin(), x.end(), y.begin(), 0.0);
  EXPECT_EQ(side().reductions.reduction(n, 5, x.data(), y.data()), 5 + dot);
  EXPECT_EQ(side().reductions.reduction(0, 5, x.data(), y.data()), 5);
}

TEST_P(Guide, two_reductions) {
  Values x = numbers(n);
  for (double& value : x)
    value -= 1000; // a maximum below zero: not the maximum with 0
  double sum = std::nan("");
  double highest = std::nan("");
  side().reductions.two_reductions(n, x.data(), &sum, &highest);
  EXPECT_EQ(sum, std::accumulate(x.begin(), x.end(), 0.0));
  EXPECT_EQ(highest, *std::ranges::max_element(x));
}

TEST_P(Guide, min_prior) {
  const Values x = numbers(n);
  const double least = *std::ranges::min_element(x);
  EXPECT_EQ(side().reductions.min_prior(n, 1e300, x.data()), least);
  EXPECT_EQ(side().reductions.min_prior(n, least - 1, x.data()), least - 1);
  EXPECT_EQ(side().reductions.min_prior(0, 7, x.data()), 7);
}

TEST_P(Guide, arg_min) {
  Values x = numbers(n);
  x[4321] = x[1234] = -1000; // twice: the first counts
  EXPECT_EQ(side().reductions.arg_min(n, x.data()), 1234);
  EXPECT_EQ(side().reductions.arg_min(1, x.data()), 0);
}

TEST_P(Guide, scan) {
  Values x = numbers(n);
  Values expected(x.size());
  std::partial_sum(x.begin(), x.end(), expected.begin());
  side().reductions.scan(n, x.data());
  EXPECT_EQ(x, expected);
  expect_transfers(1, 1, 1);
}

TEST_P(Guide, into_view) {
  Values v = table(n, [](auto i) { return static_cast<double>(i + 1); });
  side().reductions.into_view(n, v.data());
  constexpr double sum = 0.5 * n * (n + 1);
  EXPECT_EQ(v, table(n, [](auto i) { return static_cast<double>(i + 1) / sum; }));
}

TEST_P(Guide, atomic_update) {
  constexpr int bins = 10;
  std::vector<int> item(n);
  std::vector<int> expected(bins);
  for (std::size_t i = 0; i < item.size(); ++i) {
    item[i] = static_cast<int>(i * i % bins);
    ++expected[static_cast<std::size_t>(item[i])];
  }
  std::vector<int> counts(bins, -1);
  side().atomics.atomic_update(n, bins, item.data(), counts.data());
  EXPECT_EQ(counts, expected);
}

TEST_P(Guide, atomic_write_and_read) {
  const auto holds = [](auto any_negative) {
    Values x(n, 1.0);
    EXPECT_FALSE(any_negative(n, x.data()));
    x.back() = -1;
    EXPECT_TRUE(any_negative(n, x.data()));
    std::ranges::fill(x, -1);
    EXPECT_TRUE(any_negative(n, x.data()));
  };
  holds(side().atomics.atomic_write);
  holds(side().atomics.atomic_read);
}

TEST_P(Guide, atomic_capture) {
  const Values x = numbers(n);
  std::vector<long> expected;
  for (std::size_t i = 0; i < x.size(); ++i)
    if (x[i] < 0)
      expected.push_back(static_cast<long>(i));
  std::vector<long> picked(n, -1);
  const long count = side().atomics.atomic_capture(n, x.data(), picked.data());
  ASSERT_EQ(count, static_cast<long>(expected.size()));
  picked.resize(expected.size());
  std::ranges::sort(picked); // they come in any order
  EXPECT_EQ(picked, expected);
}

// --- data -------------------------------------------------------------------------------------

TEST_P(Guide, data_clauses) {
  const Values x = numbers(n);
  Values y(n, 5);
  Values z = unset(n);
  side().regions.data_clauses(n, x.data(), y.data(), z.data());
  EXPECT_EQ(y, table(n, [&](auto i) { return x[i] * x[i] + 5; }));
  EXPECT_EQ(z, Values(n, -5));
  expect_transfers(2, 2, 3); // the array that is only created is a View and no region's
}

TEST_P(Guide, hoisted) {
  Values x = numbers(n);
  const Values expected = table(n, [&](auto i) { return 32 * x[i]; });
  side().regions.hoisted(n, 5, x.data());
  EXPECT_EQ(x, expected);
  expect_transfers(1, 1, 1); // not five
}

TEST_P(Guide, present) {
  Values x(n, 1);
  side().regions.present(n, x.data());
  EXPECT_EQ(x, Values(n, 2));
  expect_transfers(1, 1, 1);
}

TEST_P(Guide, default_present) {
  Values x(n, 1);
  side().regions.default_present(n, x.data());
  EXPECT_EQ(x, Values(n, 4));
  expect_transfers(1, 1, 1);
}

TEST_P(Guide, if_present) {
  for (const bool on_device : {false, true}) {
    gangway::reset_transfers();
    Values x(n, 2);
    side().regions.if_present(on_device, n, x.data());
    EXPECT_EQ(x, Values(n, 6));
    expect_transfers(1, 1, 1);
  }
}

TEST_P(Guide, scalar_clause) {
  const Values before = numbers(n);
  Values x = before;
  const auto above = std::ranges::count_if(before, [](double value) { return value > 20; });
  EXPECT_EQ(side().regions.scalar_clause(n, 20, x.data()), above);
  EXPECT_EQ(x, table(n, [&](auto i) { return std::min(before[i], 20.); }));
  expect_transfers(2, 2, 2);
}

TEST_P(Guide, update) {
  Values u(n, 1);
  Values sums(3);
  side().regions.update(n, 3, u.data(), sums.data());
  EXPECT_EQ(sums, (Values{2. * n, 4. * (n - 1), 8. * (n - 1)}));
  EXPECT_EQ(u[0], 0);
  EXPECT_EQ(u[1], 8);
  expect_transfers(1 + 3, 1 + 3, 1);
}

TEST_P(Guide, enter_exit) {
  Values x = unset(n);
  side().regions.enter_exit(n, x.data());
  EXPECT_EQ(x, table(n, [](auto i) { return static_cast<double>(n - 1 - static_cast<long>(i)); }));
  expect_transfers(0, 1, 2);
}

TEST_P(Guide, device_only) {
  Values x = numbers(n);
  const Values expected(x.rbegin(), x.rend());
  side().regions.device_only(n, x.data());
  EXPECT_EQ(x, expected);
  expect_transfers(1, 1, 1);
}

TEST_P(Guide, managed) {
  const Kokkos::View<double*, Kokkos::SharedSpace> values("values", n);
  for (long i = 0; i < n; ++i)
    values(i) = 2;
  EXPECT_EQ(side().regions.managed(n, values.data()), 4. * n);
  EXPECT_EQ(values(n - 1), 4);
  expect_transfers(0, 0, 0);
}

TEST_P(Guide, async_wait) {
  const Values before = numbers(n);
  Values x = before;
  Values y(n, 5);
  side().regions.async_wait(n, x.data(), y.data());
  EXPECT_EQ(x, table(n, [&](auto i) { return 2 * before[i]; }));
  EXPECT_EQ(y, table(n, [&](auto i) { return 2 * before[i] + 15; }));
}

TEST_P(Guide, wait_async) {
  const Values before = numbers(n);
  Values x = before;
  Values y(n, 5);
  side().regions.wait_async(n, x.data(), y.data());
  EXPECT_EQ(x, table(n, [&](auto i) { return 2 * before[i]; }));
  EXPECT_EQ(y, table(n, [&](auto i) { return 2 * before[i] + 15; }));
}

TEST_P(Guide, mirror) {
  const Values x = numbers(n);
  for (const auto run : {side().regions.mirror, side().regions.dual_view}) {
    Values y = unset(n);
    run(n, x.data(), y.data());
    EXPECT_EQ(y, table(n, [&](auto i) { return (x[i] + 1) * (x[i] + 1); }));
  }
  expect_transfers(0, 0, 0);
}

TEST_P(Guide, struct_views) {
  const Values x = numbers(n);
  Values u(n, 7);
  side().regions.struct_views(n, x.data(), u.data());
  EXPECT_EQ(u, table(n, [&](auto i) { return 7 + x[i]; }));
  expect_transfers(2, 1, 2);
}

TEST_P(Guide, struct_attach) {
  const Values x = numbers(n);
  Values u(n, 7);
  side().regions.struct_attach(n, x.data(), u.data());
  EXPECT_EQ(u, table(n, [&](auto i) { return 7 + x[i]; }));
  expect_transfers(3 + 1 + 1, 1, 3); // pointers are set, and set back
}

TEST_P(Guide, struct_array) {
  constexpr int count = 7;
  const Values x = numbers(count * n);
  Values u(count * n, 7);
  side().regions.struct_array(count, n, x.data(), u.data());
  EXPECT_EQ(u, table(count * n, [&](auto i) { return 7 + x[i]; }));
  // Structs and arrays; pointers are set, and set back, each time with what is between them.
  expect_transfers(1 + 2 * count + 1 + 1, count + 1 + 1, 1 + 2 * count);
}

TEST_P(Guide, rows) {
  const Values before = numbers(rows * columns);
  Values a = before;
  side().regions.rows(rows, columns, 3, a.data());
  EXPECT_EQ(a, table(rows * columns, [&](auto k) { return 3 * before[k]; }));
  expect_transfers(1 + rows + 1 + 1, rows, 1 + rows);
}

TEST_P(Guide, bare_async) {
  const Values x = numbers(n);
  Values y = unset(n);
  side().regions.bare_async(n, x.data(), y.data());
  EXPECT_EQ(y, table(n, [&](auto i) { return x[i] * x[i] + 1; }));
  expect_transfers(1, 1, 2);
}

// --- variables outside of functions -------------------------------------------------------------

TEST_P(Guide, host_globals) {
  const Values before = numbers(n);
  for (const double scale : {1., 3.}) { // the second time they have changed
    gangway::reset_transfers();
    const Values background = table(8, [&](auto k) { return scale + static_cast<double>(k); });
    Values x = before;
    side().names.host_globals(n, scale, background.data(), x.data());
    EXPECT_EQ(x, table(n, [&](auto i) { return before[i] + scale * background[i % 8]; }));
    expect_transfers(2, 1, 2);
  }
}

TEST_P(Guide, declare) {
  if (side().names.declare == nullptr)
    GTEST_SKIP() << "this compiler has no variables on the device in a shared library";
  const Values x = numbers(n + 2);
  for (const double first : {1., 2.}) {
    gangway::reset_transfers();
    const Values weight{first, -2, 0.5};
    Values y = unset(n);
    side().names.declare(n, weight.data(), x.data(), y.data());
    EXPECT_EQ(y, table(n, [&](auto i) { return first * x[i] - 2 * x[i + 1] + 0.5 * x[i + 2]; }));
    expect_transfers(2, 1, 3);
  }
}

TEST_P(Guide, constants) {
  const Values x = numbers(n);
  Values y = unset(n);
  side().names.constants(n, x.data(), y.data());
  EXPECT_EQ(y, table(n, [&](auto i) { return std::clamp(x[i], 0., 2.5); }));
}

TEST(GuideOfKokkos, profile_region) {
  Values x = numbers(n);
  const Values expected = table(n, [&](auto i) { return 2 * x[i]; });
  guide::kokkos::profile_region(n, x.data());
  EXPECT_EQ(x, expected);
}

TEST_P(Guide, normalise_rows) {
  Values a = table(rows * columns, [](auto i) {
    const std::size_t row = i / wide;
    return static_cast<double>(i % 7 + row + 1);
  });
  Values expected = a;
  double largest = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    double squares = 0;
    for (std::size_t j = 0; j < wide; ++j)
      squares += a[i * wide + j] * a[i * wide + j];
    for (std::size_t j = 0; j < wide; ++j)
      expected[i * wide + j] /= std::sqrt(squares);
    largest = std::max(largest, std::sqrt(squares));
  }
  EXPECT_EQ(side().plain.normalise_rows(rows, columns, a.data()), largest);
  EXPECT_EQ(a, expected);
  EXPECT_EQ(side().plain.normalise_rows(0, columns, nullptr), 0);
}

// --- the rest ---------------------------------------------------------------------------------

TEST_P(Guide, environment) {
  const guide::Environment& about = side().environment;
  EXPECT_GE(about.device_count(), 0);
  if (about.device_count() == 0) {
    EXPECT_FALSE(about.on_device());
  }
  if (GetParam() == Model::openacc) {
    EXPECT_GE(about.model_version(), 201306); // OpenACC 2.0
  } else {
    EXPECT_EQ(about.on_device(), gangway::has_device);
    EXPECT_EQ(about.model_version(), KOKKOS_VERSION);
  }
}

INSTANTIATE_TEST_SUITE_P(Both, Guide,
                         testing::Values(Model::openacc, Model::kokkos_shared,
                                         Model::kokkos_separate, Model::kokkos_strict),
                         testing::PrintToStringParamName());

} // namespace
