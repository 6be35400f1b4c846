// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The library where memory runs out: each allocation of these programs fails in turn. Those of a
// host that plays a device are operator new's, so that they fail as the device's would.
#include "testing/failing_allocations.hpp"
#include "testing/no_kernel.hpp"

#include "gangway/gangway.hpp"
#include "gangway/linked.hpp"

#include "testing/messages.hpp"
#include "testing/with_memory.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <numeric>
#include <optional>
#include <vector>

namespace gangway {
namespace {

using testing::expect_failures_survived;
using testing::Wrong;

constexpr int n = 3000; // more than a page, for strict memory

void expect_right(bool right, const char* what) {
  if (!right)
    throw Wrong(what);
}

// Kernels, in functions of their own because nvcc wants no lambda in a private member.

void add(const DeviceView<const double>& x, const DeviceView<double>& y) {
  Kokkos::parallel_for(
      "allocation_failures_test/add", Kokkos::RangePolicy<>(0, n),
      KOKKOS_LAMBDA(int i) { y(i) += x(i); });
  Kokkos::fence();
}

void add_in_teams(const DeviceView<const double>& x, const DeviceView<double>& y) {
  gangway::parallel_for(
      "allocation_failures_test/teams", team_policy(3).num_workers(1).vector_length(32),
      KOKKOS_LAMBDA(const Parallel<>& gang) {
        const int first = gang.member().league_rank() * (n / 3);
        loop_worker(gang, 0, n / 3, [&](const Worker<>& worker, int i) {
          single(worker, [&] { y(first + i) += x(first + i); });
        });
      });
  Kokkos::fence();
}

struct Grid {
  int cells;
  const double* x;
  double* u;
};

void add_grids(const DeviceView<const Grid>& grids) {
  Kokkos::parallel_for(
      "allocation_failures_test/grids", grids.extent(0), KOKKOS_LAMBDA(std::size_t g) {
        for (int i = 0; i < grids(g).cells; ++i)
          grids(g).u[i] += grids(g).x[i];
      });
  Kokkos::fence();
}

void double_rows(const Rows<double>& a, int rows) {
  Kokkos::parallel_for(
      "allocation_failures_test/rows", rows, KOKKOS_LAMBDA(int i) {
        for (int j = 0; j < n; ++j)
          a(i, j) = 2 * a(i, j);
      });
  Kokkos::fence();
}

std::vector<double> counting() {
  std::vector<double> numbers(n);
  std::iota(numbers.begin(), numbers.end(), 0.0);
  return numbers;
}

class AllocationFailures : public ::testing::TestWithParam<Memory> {
public:
  std::vector<double> x = counting();
  std::vector<double> y = counting();
  std::vector<double> z = counting();

protected:
  void SetUp() override {
    if (has_device)
      GTEST_SKIP() << "what is tried is a host's operator new";
    _memory.emplace(GetParam());
  }
  /// Whether something fails at all.
  static bool allocates() { return GetParam() != Memory::shared; }

private:
  std::optional<testing::WithMemory> _memory;
};

INSTANTIATE_TEST_SUITE_P(Memories, AllocationFailures,
                         ::testing::Values(Memory::shared, Memory::separate, Memory::strict),
                         [](const auto& test) {
                           return std::string(test.param == Memory::shared     ? "shared"
                                              : test.param == Memory::separate ? "separate"
                                                                               : "strict");
                         });

TEST_P(AllocationFailures, OfDataRegions) {
  const long allocations = expect_failures_survived("regions", [&] {
    y = x;
    z.assign(n, 1);
    {
      Data outer;
      const auto on_device = outer.copyin(named("the array x", x.data()), n);
      {
        Data inner;
        const auto sum = inner.copy(named("the array y", y.data()), n);
        const auto other = inner.copyout(z.data(), n);
        static_cast<void>(inner.present(x.data(), n));
        add(on_device, sum);
        Kokkos::deep_copy(other, 5.0);
        update_self(y.data(), n);
        expect_right(y[7] == 14, "update self");
        y[7] = 100;
        update_device(y.data(), n);
        add(on_device, sum);
        Data third;
        static_cast<void>(third.create(&x[1], 2));
      }
      expect_right(y[7] == 107 && y[8] == 24 && z[9] == 5, "what the region copied out");
      outer.close();
    }
  });
  EXPECT_GT(allocations, allocates() ? 5 : 0);
}

TEST_P(AllocationFailures, OfLaunches) {
  expect_failures_survived("launches", [&] {
    clear_launches();
    y = x;
    {
      Data data;
      add_in_teams(data.copyin(x.data(), n), data.copy(y.data(), n));
    }
    expect_right(y[n - 1] == 2 * (n - 1), "a team's sums");
    expect_right(launches().size() == 1, "the shape that is noted");
    bool refused = false;
    try {
      gangway::parallel_for("allocation_failures_test/refused",
                            team_policy(n).num_workers(3).vector_length(100), testing::NoKernel());
    } catch (const ClauseError&) {
      refused = true;
    }
    expect_right(refused, "a shape that no device has");
  });
}

TEST_P(AllocationFailures, OfDataWithoutRegions) {
  const auto leave = [](auto& array) {
    while (GetParam() != Memory::shared && is_present(array.data(), n))
      exit_data_delete(array.data(), n);
  };
  expect_failures_survived(
      "enter data",
      [&] {
        y = x;
        const auto in = enter_data_copyin(named("x", x.data()), n);
        const auto out = enter_data_copyin(y.data(), n);
        static_cast<void>(enter_data_create(y.data(), n));
        add(in, out);
        const Kokkos::DefaultExecutionSpace queue;
        update_self(queue, y.data(), n);
        queue.fence("the test's");
        expect_right(y[7] == 14, "update self async");
        update_device(queue, y.data(), n);
        queue.fence("the test's");
        add(in, out);
        exit_data_delete(x.data(), n);
        exit_data_delete(y.data(), n);
        exit_data_copyout(y.data(), n);
        expect_right(y[7] == 21, "exit data copyout");
      },
      [&] {
        leave(x);
        leave(y);
      });
}

TEST_P(AllocationFailures, OfMappedArrays) {
  const bool shared = GetParam() == Memory::shared;
  std::vector<double> device(n);
  double* const there = shared ? x.data() : device.data();
  expect_failures_survived(
      "map data",
      [&] {
        std::iota(x.begin(), x.end(), 0.0);
        map_data(x.data(), there, n * sizeof(double));
        memcpy_to_device(there, x.data(), n * sizeof(double));
        {
          Data data;
          Kokkos::deep_copy(data.copy(x.data(), n), 3.0);
        }
        expect_right((x[5] == 3) == shared, "what is mapped is not copied out");
        memcpy_from_device(x.data(), there, n * sizeof(double));
        expect_right(x[5] == 3, "memcpy from device");
        unmap_data(x.data());
      },
      [&] {
        if (!shared && is_present(x.data(), n))
          unmap_data(x.data());
      });
}

TEST_P(AllocationFailures, OfStructsWithPointers) {
  std::vector<std::vector<double>> u(9, std::vector<double>(n));
  std::vector<Grid> grids;
  for (auto& one : u)
    grids.push_back({n, x.data(), one.data()});
  const std::vector<Grid> before = grids;
  const auto pointers_stay = [&] {
    for (std::size_t g = 0; g < grids.size(); ++g)
      expect_right(grids[g].x == before[g].x && grids[g].u == before[g].u,
                   "a host's pointer became the device's");
  };
  expect_failures_survived(
      "structs",
      [&] {
        for (auto& one : u)
          one.assign(n, 1);
        {
          Data whole; // copies the structs out, pointers and all
          static_cast<void>(whole.copy(grids.data(), grids.size()));
          LinkedData data;
          add_grids(data.structs(named("grid", grids.data()), grids.size(),
                                 by::copyin("x", &Grid::x, &Grid::cells),
                                 by::copy("u", &Grid::u, &Grid::cells)));
        }
        for (const auto& one : u)
          expect_right(one[7] == 8, "a struct's array");
        pointers_stay();
      },
      pointers_stay);
}

TEST_P(AllocationFailures, OfPointersByThemselves) {
  double* pointer = x.data();
  auto* const place = reinterpret_cast<std::uintptr_t*>(&pointer); // a View's element is no pointer
  const auto leave = [&] {
    if (GetParam() == Memory::shared)
      return;
    if (is_present(place, 1))
      exit_data_copyout(place, 1);
    if (is_present(x.data(), n))
      exit_data_delete(x.data(), n);
    expect_right(pointer == x.data(), "a host's pointer became the device's");
  };
  expect_failures_survived(
      "attach",
      [&] {
        enter_data_copyin(x.data(), n);
        const auto on_device = enter_data_copyin(place, 1);
        attach(&pointer);
        attach(&pointer);
        update_device(place, 1);
        update_self(place, 1);
        expect_right(pointer == x.data(), "update self");
        detach(&pointer);
        detach(&pointer);
        if (GetParam() == Memory::separate)
          expect_right(on_device(0) == *place, "detach gives the host's pointer back");
        exit_data_copyout(place, 1);
        exit_data_delete(x.data(), n);
      },
      leave);
}

TEST_P(AllocationFailures, OfRows) {
  constexpr int rows = 9;
  std::vector<std::vector<double>> a(rows, std::vector<double>(n));
  std::array<double*, rows> table{};
  for (std::size_t i = 0; i < rows; ++i)
    table[i] = a[i].data();
  const auto before = table;
  expect_failures_survived(
      "rows",
      [&] {
        for (auto& row : a)
          row.assign(n, 4);
        {
          LinkedData data;
          double_rows(data.rows(named("a", table.data()), rows, by::copy(n)), rows);
        }
        for (const auto& row : a)
          expect_right(row[3] == 8, "a row");
      },
      [&] { expect_right(table == before, "a host's pointer became the device's"); });
}

/// Blocks that are kept are the library's: they neither grow with failures nor are they lost.
TEST_P(AllocationFailures, OfKeptMemory) {
  constexpr std::size_t most = std::size_t{4} * n * sizeof(double);
  set_kept_memory(most);
  expect_failures_survived(
      "kept memory",
      [&] {
        set_kept_memory(most);
        for (const int size : {n, n / 2, n}) {
          Data data;
          static_cast<void>(data.copyin(x.data(), size));
          static_cast<void>(data.create(y.data(), size));
        }
        set_kept_memory(0);
        expect_right(kept_memory() == 0, "nothing is kept any more");
      },
      [] { set_kept_memory(0); });
  set_kept_memory(0);
}

/// What is lost is named, where there is memory left to name it.
TEST(AllocationFailuresSaid, ByTheArray) {
  if (has_device)
    GTEST_SKIP() << "what is tried is a host's operator new";
  const testing::WithMemory separate(Memory::separate);
  std::vector<double> x = counting();
  int named_array = 0;
  for (long nth = 1;; ++nth) {
    testing::FailingAllocations failing(nth, testing::Failing::one);
    std::string said;
    try {
      Data data;
      static_cast<void>(data.copy(named("x", x.data()), n));
    } catch (const DataError& error) {
      failing.stop();
      said = error.what();
    } catch (const std::bad_alloc&) { // of a note that the library makes
      failing.stop();
    }
    failing.stop();
    if (!failing.failed())
      break;
    if (said.empty())
      continue;
    ++named_array;
    testing::expect_words(said, {"allocation_failures_test.cpp:", "copy(x): 24000 bytes at "});
    EXPECT_TRUE(said.find(" find no room on the device (") != said.npos ||
                said.find(" could not be copied to the ") != said.npos)
        << said;
  }
  EXPECT_GT(named_array, 0);
}

} // namespace
} // namespace gangway
