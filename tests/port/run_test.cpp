// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What `gangway port` makes of features/ computes what the sources do as plain C++, whose
// directives nobody reads: with host memory used in place, and with a device memory of its own,
// which shows what is not copied. port_test.py holds the included texts to what the translator
// writes.
#include "gangway/gangway.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

// The sources are as people write them: names hide others, and what a directive would use is used
// by nobody.
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wunknown-pragmas"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wunused-variable"
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wfloat-conversion"

// NOLINTBEGIN
namespace plain {
#include "features/arrays.cpp"
#include "features/atomics.cpp"
#include "features/data.cpp"
#include "features/kernels.cpp"
#include "features/loops.cpp"
#include "features/queues.cpp"
#include "features/reach.cpp"
#include "features/reductions.cpp"
#include "features/routines.cpp"
#include "features/sizes.cpp"
#include "features/tables.cpp"
#include "features/team_results.cpp"
#include "features/teams.cpp"
namespace named {
#include "features/names.cpp"
}
namespace traps {
#include "features/traps.cpp"
}
void device_twice(int n, double* x) {
  for (int i = 0; i < n; ++i)
    x[i] *= 2;
}
void twice_there(int n, double* x, bool /*on_device*/) {
  device_twice(n, x);
}
} // namespace plain

namespace ported {
#include "features/arrays.cpp.expected"
#include "features/atomics.cpp.expected"
#include "features/data.cpp.expected"
#include "features/kernels.cpp.expected"
#include "features/loops.cpp.expected"
#include "features/queues.cpp.expected"
#include "features/reach.cpp.expected"
#include "features/reductions.cpp.expected"
#include "features/routines.cpp.expected"
#include "features/runtime.cpp.expected"
#include "features/sizes.cpp.expected"
#include "features/tables.cpp.expected"
#include "features/team_results.cpp.expected"
#include "features/teams.cpp.expected"
namespace named {
#include "features/names.cpp.expected"
}
namespace traps {
#include "features/traps.cpp.expected"
}
void device_twice(int n, double* x) {
  const auto values = gangway::deviceptr(x, n);
  Kokkos::parallel_for("device_twice", n, KOKKOS_LAMBDA(int i) { values(i) *= 2; });
}
void twice_there(int n, double* x, bool on_device) {
  (on_device ? device_twice : plain::device_twice)(n, x);
}
} // namespace ported
// NOLINTEND

namespace {

using gangway::Memory;
using Values = std::vector<double>;
constexpr int n = 1200;

Values values(int seed) {
  Values made(n);
  for (int i = 0; i < n; ++i)
    made[static_cast<std::size_t>(i)] = (i * 7 + seed) % 13 - 4;
  return made;
}

Values indices() {
  Values made(n);
  for (int i = 0; i < n; ++i)
    made[static_cast<std::size_t>(i)] = i;
  return made;
}

class Port : public testing::TestWithParam<Memory> {
protected:
  void SetUp() override {
    if (gangway::has_device && GetParam() == Memory::shared)
      GTEST_SKIP() << "the device has a memory of its own";
    gangway::set_memory(GetParam());
  }
  void TearDown() override {
    EXPECT_EQ(gangway::present_arrays(), 0U);
    if (!gangway::has_device)
      gangway::set_memory(Memory::shared);
  }

  using Call = std::function<void(double* a, double* b)>;
  /// Both leave the same in the two arrays of n that they are given, and not what was there.
  static void same(const Call& plain, const Call& ported) {
    Values a = values(0), b = values(5);
    plain(a.data(), b.data());
    EXPECT_TRUE(a != values(0) || b != values(5)) << "it does nothing";
    Values ported_a = values(0), ported_b = values(5);
    ported(ported_a.data(), ported_b.data());
    EXPECT_EQ(a, ported_a);
    EXPECT_EQ(b, ported_b);
  }
};

TEST_P(Port, Loops) {
  same([](double* a, double* b) { plain::scale(n, 2.5, a, b); },
       [](double* a, double* b) { ported::scale(n, 2.5, a, b); });
  for (const int some : {0, 1, 2, 3, 1199, 1200})
    if (some > 0)
      same([=](double* a, double*) { plain::bounds(some, a); },
           [=](double* a, double*) { ported::bounds(some, a); });
    else
      ported::bounds(0, nullptr); // as the loops, it does nothing
  same([](double* a, double*) { plain::jumps(n, a); },
       [](double* a, double*) { ported::jumps(n, a); });
  same([](double* a, double*) { plain::nests(30, 40, a); },
       [](double* a, double*) { ported::nests(30, 40, a); });
  std::vector<int> row(31, 3);
  for (std::size_t i = 0; i < row.size(); ++i)
    row[i] += static_cast<int>(i * i);
  same([&](double* a, double* b) { plain::sums(30, row.data(), a, b); },
       [&](double* a, double* b) { ported::sums(30, row.data(), a, b); });
  same([](double* a, double*) { plain::first_values(n, a); },
       [](double* a, double*) { ported::first_values(n, a); });
  same([](double* a, double*) { plain::in_blocks(n, a); },
       [](double* a, double*) { ported::in_blocks(n, a); });
  same([](double* a, double*) { plain::in_order(30, 40, a); },
       [](double* a, double*) { ported::in_order(30, 40, a); });
  same([](double* a, double* b) { plain::tiles(30, 40, a, b); },
       [](double* a, double* b) { ported::tiles(30, 40, a, b); });
  same([](double* a, double*) { plain::named_indices(30, 40, a); },
       [](double* a, double*) { ported::named_indices(30, 40, a); });
  same([](double* a, double*) { plain::large_tiles(30, 40, a); },
       [](double* a, double*) { ported::large_tiles(30, 40, a); });
  same([](double* a, double*) { plain::one_thread(n, a); },
       [](double* a, double*) { ported::one_thread(n, a); });
  same([](double* a, double* b) { plain::indices({b, b + n}, a); },
       [](double* a, double* b) { ported::indices({b, b + n}, a); });
  same([](double* a, double*) { plain::directives_of_macros(n, a); },
       [](double* a, double*) { ported::directives_of_macros(n, a); });
  same([](double* a, double*) { plain::one_gang(n, a); },
       [](double* a, double*) { ported::one_gang(n, a); });
  for (const int some : {1000, 1001}) // both branches
    same([=](double* a, double*) { plain::only_if(some, a); },
         [=](double* a, double*) { ported::only_if(some, a); });
}

TEST_P(Port, Kernels) {
  same([](double* a, double* b) { plain::two_loops(20, a, b); },
       [](double* a, double* b) { ported::two_loops(20, a, b); });
  std::vector<int> turned(n);
  std::vector<int> twice(n);
  for (int i = 0; i < n; ++i) {
    turned[static_cast<std::size_t>(i)] = n - 1 - i;
    twice[static_cast<std::size_t>(i)] = i / 2; // the last one counts, in order
  }
  same([&](double* a, double* b) { plain::promised(n, turned.data(), a, b); },
       [&](double* a, double* b) { ported::promised(n, turned.data(), a, b); });
  same([&](double* a, double* b) { plain::not_promised(n, twice.data(), a, b); },
       [&](double* a, double* b) { ported::not_promised(n, twice.data(), a, b); });
  same([](double* a, double* b) { plain::beside_loops(n, a, b); },
       [](double* a, double* b) { ported::beside_loops(n, a, b); });
  same([](double* a, double* b) { plain::last_values(n, a, b); },
       [](double* a, double* b) { ported::last_values(n, a, b); });
  same([](double* a, double* b) { plain::own_values(n, a, b); },
       [](double* a, double* b) { ported::own_values(n, a, b); });
  same([](double* a,
          double* b) { plain::through_pointers(n, a, reinterpret_cast<double (*)[4]>(b)); },
       [](double* a, double* b) {
         ported::through_pointers(n, a, reinterpret_cast<double (*)[4]>(b));
       });
  same([](double* a, double* b) { plain::sums_of_rows(30, 40, a, b); },
       [](double* a, double* b) { ported::sums_of_rows(30, 40, a, b); });
  same([](double* a, double*) { plain::sum_in_order(n, a); },
       [](double* a, double*) { ported::sum_in_order(n, a); });
}

TEST_P(Port, Tables) {
  same([](double* a, double*) { plain::without_a_clause(n, a); },
       [](double* a, double*) { ported::without_a_clause(n, a); });
  same([](double* a, double*) { plain::in_clauses(n, a); },
       [](double* a, double*) { ported::in_clauses(n, a); });
}

TEST_P(Port, Sizes) {
  double m[4][5];
  for (int i = 0; i < 20; ++i)
    m[i / 5][i % 5] = i;
  std::vector<long> results(10), ported_results(10);
  plain::of_arrays(results.data());
  ported::of_arrays(ported_results.data());
  EXPECT_EQ(ported_results, results);
  plain::of_bounds(m, results.data());
  ported::of_bounds(m, ported_results.data());
  EXPECT_EQ(ported_results, results);
  same([](double* a, double*) { plain::of_private(n, a); },
       [](double* a, double*) { ported::of_private(n, a); });
}

TEST_P(Port, Reach) {
  same([](double* a, double*) { plain::own_lambdas(n, 1.5, a); },
       [](double* a, double*) { ported::own_lambdas(n, 1.5, a); });
  same([](double* a, double* b) { plain::parameters(reinterpret_cast<double (*)[20]>(a), b); },
       [](double* a, double* b) { ported::parameters(reinterpret_cast<double (*)[20]>(a), b); });
  same([](double* a, double*) { plain::structures(n, a); },
       [](double* a, double*) { ported::structures(n, a); });
  same([](double* a, double* b) { plain::beside_loops(n, a, b); },
       [](double* a, double* b) { ported::beside_loops(n, a, b); });
  same([](double* a, double*) { plain::bounds(a); }, [](double* a, double*) { ported::bounds(a); });
  // NOLINTNEXTLINE(readability-magic-numbers)
  same([](double* a, double*) { plain::slices(5, a); },
       [](double* a, double*) { ported::slices(5, a); });
  same([](double* a, double*) { plain::defaults(n, a); },
       [](double* a, double*) { ported::defaults(n, a); });
  same([](double* a, double* b) { plain::unsaid(n, a, b); },
       [](double* a, double* b) { ported::unsaid(n, a, b); });
  same([](double* a, double*) { plain::by_table(n, a); },
       [](double* a, double*) { ported::by_table(n, a); });
  same([](double* a, double*) { plain::macros(a); }, [](double* a, double*) { ported::macros(a); });
}

TEST_P(Port, Reductions) {
  same([](double* a, double* b) { b[0] = plain::sum(n, 3, a); }, // whole numbers: in any order
       [](double* a, double* b) { b[0] = ported::sum(n, 3, a); });
  same([](double* a, double* b) { b[0] = plain::nest(30, 40, a); },
       [](double* a, double* b) { b[0] = ported::nest(30, 40, a); });
  for (const std::vector<int>& numbers : {std::vector<int>{7, 3, 5}, {4, 1, 1, 2, -2}, {8}}) {
    const int size = static_cast<int>(numbers.size());
    std::vector<int> results(7), ported_results(7);
    plain::many(size, numbers.data(), results.data());
    ported::many(size, numbers.data(), ported_results.data());
    EXPECT_EQ(results, ported_results);
  }
  const std::vector<unsigned> bits{6, 3, 9, 1};
  EXPECT_EQ(ported::parity(4, bits.data()), plain::parity(4, bits.data()));
  for (const int some : {0, 1, n}) // of nothing: what it began with
    EXPECT_EQ(ported::largest(some, values(0).data()), plain::largest(some, values(0).data()));
  same([](double* a, double* b) { a[0] = plain::in_order(n, 3, a, b); },
       [](double* a, double* b) { a[0] = ported::in_order(n, 3, a, b); });
  std::vector<int> numbers(n), results(8), ported_results(8);
  for (std::size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = static_cast<int>(i * i % 31) - 9;
  plain::arrays(n, numbers.data(), results.data());
  ported::arrays(n, numbers.data(), ported_results.data());
  EXPECT_EQ(results, ported_results);
  same([](double* a, double* b) { plain::of_the_device(n, a, b); },
       [](double* a, double* b) { ported::of_the_device(n, a, b); });
  same([](double* a, double*) { plain::on_the_device(n, a); },
       [](double* a, double*) { ported::on_the_device(n, a); });
}

TEST_P(Port, Data) {
  same([](double* a, double* b) { plain::region(n, a, b); },
       [](double* a, double* b) { ported::region(n, a, b); });
  same([](double* a, double* b) { plain::step(n, a, b); },
       [](double* a, double* b) { ported::step(n, a, b); });
  same([](double* a, double* b) { plain::swapped(n, a, b); },
       [](double* a, double* b) { ported::swapped(n, a, b); });
  same([](double* a, double*) { plain::outlives(n, a); },
       [](double* a, double*) { ported::outlives(n, a); });
  for (const int some : {1000, 1001})
    same([=](double* a, double*) { plain::perhaps(some, a); },
         [=](double* a, double*) { ported::perhaps(some, a); });
  same([](double* a, double*) { plain::library(n, a); },
       [](double* a, double*) { ported::library(n, a); });
  same([](double* a, double*) { plain::library_or_not(n, a, false, true); },
       [](double* a, double*) {
         gangway::Data data;
         static_cast<void>(data.copy(a, n));
         ported::library_or_not(n, a, false, true);
       });
  same([](double* a, double*) { plain::library_or_not(n, a, true, false); },
       [](double* a, double*) { ported::library_or_not(n, a, true, false); });
  same([](double* a, double* b) { plain::unsteady(n, a, b); },
       [](double* a, double* b) { ported::unsteady(n, a, b); });
  same([](double* a, double*) { plain::bare_pointers(n, a); },
       [](double* a, double*) { ported::bare_pointers(n, a); });
  same([](double* a, double* b) { plain::from_zero(n, a, b); },
       [](double* a, double* b) { ported::from_zero(n, a, b); });
  double m[100][50] = {}, ported_m[100][50] = {};
  plain::two_dimensions(m);
  ported::two_dimensions(ported_m);
  EXPECT_TRUE(std::equal(&m[0][0], &m[0][0] + 5000, &ported_m[0][0]));
  EXPECT_EQ(ported_m[99][49], 1);
  same([](double* a, double* b) { b[0] = 9 + plain::scalar(n, a); },
       [](double* a, double* b) { b[0] = 9 + ported::scalar(n, a); });
}

TEST_P(Port, Names) {
  plain::named::scale = ported::named::scale = 3;
  for (int i = 0; i < 8; ++i)
    plain::named::background[i] = ported::named::background[i] = i;
  same([](double* a, double*) { plain::named::globals(n, a); },
       [](double* a, double*) { ported::named::globals(n, a); });
  same([](double* a, double*) { plain::named::pointers(n, a); },
       [](double* a, double*) { ported::named::pointers(n, a); });
  same([](double* a, double*) { plain::named::macros(30, a); },
       [](double* a, double*) { ported::named::macros(30, a); });
  same([](double* a, double*) { plain::named::rows_of_constant_width(n / 6, a); },
       [](double* a, double*) { ported::named::rows_of_constant_width(n / 6, a); });
  same([](double* a, double*) { plain::named::parts(100, 7, a); },
       [](double* a, double*) { ported::named::parts(100, 7, a); });
  same([](double* a,
          double* b) { plain::named::Grid{n, a}.fill(), plain::named::Grid{9, b}.fill(); },
       [](double* a, double* b) {
         ported::named::Grid{n, a}.fill(), ported::named::Grid{9, b}.fill();
       });
  same(
      [](double* a, double* b) {
        const plain::named::Grid from{n, a};
        plain::named::Grid to{900, b};
        plain::named::step(&from, &to);
      },
      [](double* a, double* b) {
        const ported::named::Grid from{n, a};
        ported::named::Grid to{900, b};
        ported::named::step(&from, &to);
      });
  same(
      [](double* a, double*) {
        Values w(2);
        plain::named::own_elements(n, a, w.data());
      },
      [](double* a, double*) { ported::named::own_elements(n, a, nullptr); });
  same([](double* a, double*) { plain::named::templated(n, a); },
       [](double* a, double*) { ported::named::templated(n, a); });
  same([](double* a, double*) { plain::named::named_gang(n, a); },
       [](double* a, double*) { ported::named::named_gang(n, a); });
  // What is firstprivate begins in each iteration with the value before; as plain C++ it would go
  // on.
  Values a = values(0);
  ported::named::locals(n, a.data());
  for (std::size_t i = 0; i < n; ++i)
    EXPECT_EQ(a[i], 6 * values(0)[i]);
}

TEST_P(Port, Traps) {
  namespace from = plain::traps;
  namespace to = ported::traps;
  same([](double* a, double*) { from::precedence(n / 2, a); },
       [](double* a, double*) { to::precedence(n / 2, a); });
  same([](double* a, double* b) { from::own_functions(n, a, b); },
       [](double* a, double* b) { to::own_functions(n, a, b); });
  same([](double* a, double* b) { from::less_exact(n, a, b); },
       [](double* a, double* b) { to::less_exact(n, a, b); });
  same([](double* a, double* b) { b[0] = from::Grid{30, 40, a}.sum(); },
       [](double* a, double* b) { b[0] = to::Grid{30, 40, a}.sum(); });
  const int first = 3;
  const from::Grid grid{30, 40, nullptr};
  const to::Grid ported_grid{30, 40, nullptr};
  same([&](double* a, double*) { from::bounds_of_others(&grid, &first, a); },
       [&](double* a, double*) { to::bounds_of_others(&ported_grid, &first, a); });
  same([](double* a, double*) { from::unsigned_bounds(2, 29, 2, a); },
       [](double* a, double*) { to::unsigned_bounds(2, 29, 2, a); });
  Values untouched = values(0);
  to::unsigned_bounds(29, 2, 2, untouched.data()); // as the loops, it does nothing
  EXPECT_EQ(untouched, values(0));
  same([](double* a, double* b) { from::in_parentheses(n, a, b); },
       [](double* a, double* b) { to::in_parentheses(n, a, b); });
  same([](double* a, double* b) { from::by_reference(n, a, b); },
       [](double* a, double* b) { to::by_reference(n, a, b); });
  same([](double* a, double*) { from::low_moves(900, 7, a); },
       [](double* a, double*) { to::low_moves(900, 7, a); });
  // What is private is so in its own loop; as plain C++ its last value would go on.
  Values a = values(0), b = values(5);
  to::one_of_two(n, a.data(), b.data());
  EXPECT_EQ(b, Values(n, 3));
  EXPECT_EQ(a[0], values(0)[0] * values(0)[0]);
}

TEST_P(Port, Atomics) {
  constexpr int many = 501;
  const auto run = [&](auto forms, int bin) {
    const std::vector<int> bins(many, bin);
    std::vector<int> x(16, 3), y(many, 2);
    double z = 1;
    forms(many, bins.data(), x.data(), y.data(), &z);
    x.push_back(static_cast<int>(z * 8));
    return x; // which thread came when decides what y has
  };
  const std::vector<int> plain = run(plain::forms, 10);
  EXPECT_EQ(plain[10], 3 + many);
  std::vector<int> ported = run(ported::forms, 10);
  EXPECT_EQ(plain, ported);
  // Each is a step from one value to the next, whichever thread does it. A step shifts by the value
  // before it, which has to stay small.
  EXPECT_EQ(run(plain::changes, 0), run(ported::changes, 0));
}

TEST_P(Port, Queues) {
  same([](double* a, double* b) { plain::two_queues(n, 2, a, b); },
       [](double* a, double* b) { ported::two_queues(n, 2, a, b); });
  same([](double* a, double* b) { b[0] = plain::sum_of_queue(n, a); },
       [](double* a, double* b) { b[0] = ported::sum_of_queue(n, a); });
}

TEST_P(Port, Runtime) {
  Values a = values(0); // the source needs a runtime library to be run
  EXPECT_EQ(ported::by_calls(n, a.data()), 2 * values(0)[0]);
  for (std::size_t i = 0; i < n; ++i)
    EXPECT_EQ(a[i], 2 * values(0)[i]);
  EXPECT_EQ(ported::devices(a.data()), 1);
  EXPECT_EQ(a[0], 1);
  EXPECT_EQ(ported::queues(n, a.data()), 30);
  EXPECT_EQ(a, indices());
  Values rows = values(0);
  Values second(rows.begin() + 40, rows.begin() + 80);
  std::vector<double*> table{rows.data(), rows.data() + 40, rows.data() + 80};
  ported::attached(3, 40, table.data(), a.data());
  for (std::size_t j = 0; j < 40; ++j)
    EXPECT_EQ(a[j], second[j] + 1);
}

TEST_P(Port, Arrays) {
  Values w(40);
  same([&](double* a, double* b) { plain::reversed_rows(30, 40, a, b, w.data()); },
       [](double* a, double* b) { ported::reversed_rows(30, 40, a, b, nullptr); });
  // What is firstprivate begins in each iteration with the value before.
  Values a = values(0), b = values(5);
  ported::from_the_same(30, 40, b.data(), a.data());
  for (std::size_t i = 0; i < n; ++i)
    EXPECT_EQ(a[i], values(0)[i] + 1 + 6.0 * static_cast<double>(i % 40 + 1) + b[1]);
  const auto table = [](double* a) {
    std::vector<double*> rows;
    for (int i = 0; i < 30; ++i)
      rows.push_back(a + std::ptrdiff_t{40} * i);
    return rows;
  };
  same([&](double* a, double* b) { plain::rows_of(30, 40, table(a).data(), b); },
       [&](double* a, double* b) { ported::rows_of(30, 40, table(a).data(), b); });
  same([](double* a,
          double* b) { plain::rows_behind(5, 20, reinterpret_cast<double (*)[4]>(a), b); },
       [](double* a, double* b) {
         ported::rows_behind(5, 20, reinterpret_cast<double (*)[4]>(a), b);
       });
  same([](double* a, double* b) { b[0] = 9 + plain::as_long_as_the_call(n, a, b); },
       [](double* a, double* b) { b[0] = 9 + ported::as_long_as_the_call(n, a, b); });
}

TEST_P(Port, Routines) {
  same([](double* a, double*) { plain::by_device_only(n, a); },
       [](double* a, double*) { ported::by_device_only(n, a); });
  same([](double* a, double*) { plain::scaled(30, 40, a); },
       [](double* a, double*) { ported::scaled(30, 40, a); });
  same([](double* a, double* b) { plain::norms(n, a, b); },
       [](double* a, double* b) { ported::norms(n, a, b); });
  int filled = 0;
  same([&](double* a, double*) { plain::filled_rows(30, 40, a, &filled); },
       [&](double* a, double*) { ported::filled_rows(30, 40, a, &filled); });
  EXPECT_EQ(filled, 60);
}

TEST_P(Port, Teams) {
  std::vector<int> row(31, 3); // the first rows are empty
  for (std::size_t i = 3; i < row.size(); ++i)
    row[i] += static_cast<int>(i * i);
  std::vector<int> column(n);
  for (int j = 0; j < n; ++j)
    column[static_cast<std::size_t>(j)] = j * 7 % 30;
  const Values other = values(3);
  const double* const x = other.data();
  same([&](double* a, double* b) { plain::row_sums(30, row.data(), column.data(), a, x, b); },
       [&](double* a, double* b) { ported::row_sums(30, row.data(), column.data(), a, x, b); });
  same([&](double* a, double* b) { plain::rows_of_workers(30, row.data(), a, b); },
       [&](double* a, double* b) { ported::rows_of_workers(30, row.data(), a, b); });
  for (const int inner : {0, 1, 33})
    same([=](double* a, double* b) { plain::product(20, 30, inner, a, x, b); },
         [=](double* a, double* b) { ported::product(20, 30, inner, a, x, b); });
  for (const int columns : {1, 2, 40}) {
    same([=](double* a, double* b) { plain::normalize(30, columns, a, b); },
         [=](double* a, double* b) { ported::normalize(30, columns, a, b); });
    std::vector<int> kind(30);
    for (std::size_t i = 0; i < kind.size(); ++i)
      kind[i] = static_cast<int>(i) % 4;
    same([&](double* a, double* b) { plain::choices(30, columns, kind.data(), a, b); },
         [&](double* a, double* b) { ported::choices(30, columns, kind.data(), a, b); });
    same([&](double* a, double* b) { plain::without_braces(30, columns, kind.data(), a, b); },
         [&](double* a, double* b) { ported::without_braces(30, columns, kind.data(), a, b); });
    same([=](double* a, double* b) { plain::calls(30, columns, a, b); },
         [=](double* a, double* b) { ported::calls(30, columns, a, b); });
    same([=](double* a, double* b) { plain::of_before(30, columns, a, b); },
         [=](double* a, double* b) { ported::of_before(30, columns, a, b); });
  }
  for (const int steps : {1, 2, 5})
    same([=](double* a, double* b) { plain::sweeps(30, 40, steps, a, b); },
         [=](double* a, double* b) { ported::sweeps(30, 40, steps, a, b); });
  ported::sweeps(0, 40, 3, nullptr, nullptr); // as the loops, it does nothing
  same([](double* a, double* b) { plain::without_teams(30, 40, a, b); },
       [](double* a, double* b) { ported::without_teams(30, 40, a, b); });
}

TEST_P(Port, ResultsOfTeams) {
  for (const int columns : {1, 2, 40}) {
    same([=](double* a, double* b) { b[0] = plain::sum_of_squares(30, columns, a); },
         [=](double* a, double* b) { b[0] = ported::sum_of_squares(30, columns, a); });
    same([=](double* a, double* b) { b[999] = plain::of_lanes(30, columns, a, b); },
         [=](double* a, double* b) { b[999] = ported::of_lanes(30, columns, a, b); });
    same([=](double* a, double* b) { b[0] = plain::of_workers_and_lanes(3, 10, columns, a); },
         [=](double* a, double* b) { b[0] = ported::of_workers_and_lanes(3, 10, columns, a); });
    same([=](double* a, double* b) { plain::of_workers(30, columns, a, b); },
         [=](double* a, double* b) { ported::of_workers(30, columns, a, b); });
    same([=](double* a, double* b) { plain::operators(30, columns, a, b); },
         [=](double* a, double* b) { ported::operators(30, columns, a, b); });
    for (const double value : {-4.0, 8.0})
      same([=](double* a, double* b) { b[0] = plain::rows_without(30, columns, value, a); },
           [=](double* a, double* b) { b[0] = ported::rows_without(30, columns, value, a); });
    same([=](double* a, double* b) { b[0] = plain::of_held(30, columns, a); },
         [=](double* a, double* b) { b[0] = ported::of_held(30, columns, a); });
    same([=](double* a, double* b) { plain::collapsed(5, 6, columns, a, b), b[999] = 1; },
         [=](double* a, double* b) { ported::collapsed(5, 6, columns, a, b), b[999] = 1; });
    for (const auto& [planes, rows] : {std::pair{0, 4}, {3, 1}, {5, 6}}) {
      const plain::Extents one{planes, rows};
      const ported::Extents other{planes, rows};
      same([=](double* a, double* b) { b[0] = plain::collapsed_and_joined(&one, columns, a); },
           [=](double* a, double* b) { b[0] = ported::collapsed_and_joined(&other, columns, a); });
    }
    same([=](double* a, double* b) { plain::quarter_of_sums_of_doubles(30, columns, a, b); },
         [=](double* a, double* b) { ported::quarter_of_sums_of_doubles(30, columns, a, b); });
    same([=](double* a, double* b) { plain::not_of_teams(20, columns, a, b); },
         [=](double* a, double* b) { ported::not_of_teams(20, columns, a, b); });
  }
  ported::sum_of_squares(0, 40, nullptr); // as the loops, it does nothing
  ported::of_workers_and_lanes(0, 2, 3, nullptr);
}

TEST_P(Port, ArraysOfGangs) {
  for (const long some : {2, 127, 128, 129, n})
    same([=](double* a, double*) { plain::reverse_blocks(some, a); },
         [=](double* a, double*) { ported::reverse_blocks(some, a); });
  ported::reverse_blocks(0, nullptr);
  for (const int columns : {1, 5, 40})
    same([=](double* a, double* b) { plain::of_structures(30, columns, a, b); },
         [=](double* a, double* b) { ported::of_structures(30, columns, a, b); });
  same([](double* a, double*) { plain::first_private(30, 40, a); },
       [](double* a, double*) { ported::first_private(30, 40, a); });
  Values work(n);
  for (const int columns : {1, 40, 600})
    same([&](double* a,
             double*) { plain::of_variable_length(n / columns, columns, a, work.data()); },
         [&](double* a, double*) { ported::of_variable_length(n / columns, columns, a, nullptr); });
}

INSTANTIATE_TEST_SUITE_P(Both, Port, testing::Values(Memory::shared, Memory::separate),
                         [](const auto& memory) {
                           return memory.param == Memory::shared ? "shared" : "separate";
                         });

} // namespace
