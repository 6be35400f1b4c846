// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Structs and tables with pointers that kernels follow. A host plays a device, in strict memory:
// a pointer that still leads to the host ends the test.
#include "gangway/linked.hpp"

#include "testing/messages.hpp"
#include "testing/with_memory.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <source_location>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace gangway {
namespace {

using testing::expect_words;
using testing::message_of;

struct Grid {
  int n;
  const double* x;
  double* u;
};

/// A level more.
struct Mesh {
  Grid* grids;
  int count;
};

// Kernels, in functions of their own because nvcc wants no lambda in a private member.

/// u = u + x in every grid, by the grids' own pointers.
void add(const DeviceView<const Grid>& grids) {
  Kokkos::parallel_for(
      "linked_test/add", grids.extent(0), KOKKOS_LAMBDA(std::size_t g) {
        const Grid& grid = grids(g);
        for (int i = 0; i < grid.n; ++i)
          grid.u[i] += grid.x[i];
      });
  Kokkos::fence();
}

void add_through(const DeviceView<const Mesh>& mesh) {
  Kokkos::parallel_for(
      "linked_test/add_through", 1, KOKKOS_LAMBDA(int) {
        for (int g = 0; g < mesh(0).count; ++g)
          for (int i = 0; i < mesh(0).grids[g].n; ++i)
            mesh(0).grids[g].u[i] += mesh(0).grids[g].x[i];
      });
  Kokkos::fence();
}

void scale(const Rows<double>& a, int rows, int columns) {
  Kokkos::parallel_for(
      "linked_test/scale", rows, KOKKOS_LAMBDA(int i) {
        for (int j = 0; j < columns; ++j)
          a(i, j) = 10 * a[i][j];
      });
  Kokkos::fence();
}

/// Row i has i + 1 elements.
void number(const Rows<double>& a, int rows) {
  Kokkos::parallel_for(
      "linked_test/number", rows, KOKKOS_LAMBDA(int i) {
        for (int j = 0; j <= i; ++j)
          a(i, j) += 10 * i + j;
      });
  Kokkos::fence();
}

constexpr int n = 1000;

/// Grids with arrays of their own: x counts, u is 1.
struct Grids {
  explicit Grids(std::size_t count)
      : x(count, std::vector<double>(n)), u(count, std::vector<double>(n, 1.0)) {
    for (std::size_t g = 0; g < count; ++g) {
      std::iota(x[g].begin(), x[g].end(), 0.0);
      all.push_back({n, x[g].data(), u[g].data()});
    }
  }
  std::vector<std::vector<double>> x;
  std::vector<std::vector<double>> u;
  std::vector<Grid> all;
};

const auto members = std::pair(by::copyin("x", &Grid::x, &Grid::n),
                               by::copy("u", &Grid::u, [](const Grid& g) { return g.n; }));

/// The two ways to play a device, and the host as it is.
class Linked : public ::testing::TestWithParam<Memory> {
protected:
  void SetUp() override {
    if (has_device && GetParam() != Memory::separate)
      GTEST_SKIP() << "the device has a memory of its own";
    _memory.emplace(GetParam());
    reset_transfers();
  }
  void TearDown() override { EXPECT_EQ(present_arrays(), 0U); }

private:
  std::optional<testing::WithMemory> _memory;
};

INSTANTIATE_TEST_SUITE_P(Memories, Linked,
                         ::testing::Values(Memory::shared, Memory::separate, Memory::strict),
                         [](const auto& test) {
                           return std::string(test.param == Memory::shared     ? "shared"
                                              : test.param == Memory::separate ? "separate"
                                                                               : "strict");
                         });

TEST_P(Linked, AStructAndItsArrays) {
  Grids grids(1);
  const Grid before = grids.all[0];
  {
    LinkedData data;
    const auto view =
        data.structs(named("grid", grids.all.data()), 1, members.first, members.second);
    static_assert(std::is_same_v<decltype(view), const DeviceView<const Grid>>);
    add(view);
  }
  EXPECT_EQ(grids.u[0][7], 8);
  EXPECT_EQ(grids.u[0].back(), n);
  EXPECT_EQ(grids.all[0].u, before.u) << "the host's pointers are its own";
}

TEST_P(Linked, ArraysOfStructs) {
  Grids grids(5);
  {
    LinkedData data;
    add(data.structs(named("grids", grids.all.data()), 5, members.first, members.second));
  }
  for (const auto& u : grids.u)
    EXPECT_EQ(u.back(), n);
}

TEST_P(Linked, StructsWithinStructs) {
  Grids grids(3);
  Mesh mesh{grids.all.data(), 3};
  {
    LinkedData data;
    static_cast<void>(
        data.structs(named("mesh.grids", mesh.grids), mesh.count, members.first, members.second));
    add_through(
        data.structs(named("mesh", &mesh), 1, by::present("grids", &Mesh::grids, &Mesh::count)));
  }
  for (const auto& u : grids.u)
    EXPECT_EQ(u.back(), n);
}

TEST_P(Linked, RegionsWithinFindAllOfItPresent) {
  Grids grids(2);
  {
    LinkedData outer;
    const auto held =
        outer.structs(named("grids", grids.all.data()), 2, members.first, members.second);
    const Transfers before = transfers();
    for (int i = 0; i < 3; ++i) {
      LinkedData inner;
      add(inner.structs(grids.all.data(), 2, by::present("x", &Grid::x, n),
                        by::present("u", &Grid::u, n)));
    }
    EXPECT_EQ(transfers(), before) << "nothing is copied, pointers included";
    add(held);
  }
  for (const auto& u : grids.u)
    EXPECT_EQ(u.back(), 1 + 4 * (n - 1));
}

TEST_P(Linked, TablesOfRows) {
  constexpr int rows = 20;
  constexpr int columns = 30;
  std::vector<double> values(rows * columns, 1.0);
  std::vector<double*> table;
  for (int i = 0; i < rows; ++i)
    table.push_back(&values[static_cast<std::size_t>(rows - 1 - i) * columns]); // backwards
  const std::vector<double*> before = table;
  {
    LinkedData data;
    scale(data.rows(named("a", table.data()), rows, by::copy(columns)), rows, columns);
    LinkedData inner;
    scale(inner.rows(table.data(), rows, by::present(columns)), rows, columns);
  }
  EXPECT_EQ(values, std::vector<double>(rows * columns, 100.0));
  EXPECT_EQ(table, before);
  if (memory() != Memory::shared) {
    EXPECT_EQ(transfers().allocations, rows + 1U);
    // The table and the rows, the pointers in one copy when attached, and in one when detached.
    EXPECT_EQ(transfers().to_device, rows + 3U);
  }
}

/// Rows of different lengths.
TEST_P(Linked, TablesOfRaggedRows) {
  constexpr int rows = 4;
  std::vector<double> values(10, 1.0);
  std::vector<double*> table{&values[0], &values[1], &values[3], &values[6]};
  const auto length = [](std::size_t row) { return row + 1; };
  {
    LinkedData data;
    number(data.rows(table.data(), rows, by::copy(length)), rows);
  }
  EXPECT_EQ(values, (std::vector<double>{1, 11, 12, 21, 22, 23, 31, 32, 33, 34}));
}

/// However many structs there are, their pointers cross together, with what is between them.
TEST_P(Linked, PointersOfAnArrayOfStructsCrossTogether) {
  Grids grids(100);
  {
    LinkedData data;
    add(data.structs(named("grids", grids.all.data()), 100, members.second, members.first));
    if (memory() != Memory::shared) {
      EXPECT_EQ(transfers().to_device, 1 + 200 + 1U);
      EXPECT_EQ(transfers().to_host, 1U) << "what is between them";
    }
  }
  for (const auto& u : grids.u)
    EXPECT_EQ(u.back(), n);
  if (memory() != Memory::shared) {
    EXPECT_EQ(transfers().to_device, 1 + 200 + 1 + 1U);
    EXPECT_EQ(transfers().to_host, 1 + 1 + 100U);
  }
}

/// Such as one by copyin and again by present.
TEST_P(Linked, AMemberNamedTwiceIsDetachedAgain) {
  Grids grids(1);
  LinkedData around;
  static_cast<void>(around.copy(grids.all.data(), 1));
  {
    LinkedData data;
    add(data.structs(grids.all.data(), 1, members.first, members.second,
                     by::present("u", &Grid::u, &Grid::n)));
  }
  EXPECT_EQ(grids.u[0].back(), n);
  if (memory() != Memory::shared) {
    const double* left = nullptr;
    memcpy_from_device(static_cast<void*>(&left),
                       device_pointer(static_cast<const void*>(&grids.all[0].u)), sizeof left);
    EXPECT_EQ(left, grids.all[0].u) << "what the host has";
  }
}

TEST_P(Linked, NullAndEmptyMembersAreLeftAlone) {
  std::vector<double> u(10, 1.0);
  Grid grid{0, nullptr, u.data()};
  LinkedData data;
  static_cast<void>(data.structs(&grid, 1, members.first, members.second));
  data.attach(&grid.x);
  LinkedData rows;
  std::vector<double*> table;
  static_cast<void>(rows.rows(table.data(), 0, by::copy(5)));
  table.resize(3);
  static_cast<void>(rows.rows(table.data(), 3, by::copyout(0)));
}

/// What the device has at a pointer of the host's.
const double* on_device(const double* const& pointer) {
  const double* value = nullptr;
  memcpy_from_device(static_cast<void*>(&value), device_pointer(static_cast<const void*>(&pointer)),
                     sizeof value);
  return value;
}

class Attached : public ::testing::Test {
protected:
  Attached() {
    EXPECT_EQ(on_device(_grid.u), _grid.u) << "as it was copied";
    enter_data_copyin(_u.data(), 10);
    enter_data_copyin(_v.data(), 10);
  }
  ~Attached() override {
    if (is_present(_u.data(), 10))
      exit_data_delete(_u.data(), 10);
    if (is_present(_v.data(), 10))
      exit_data_delete(_v.data(), 10);
    if (is_present(&_grid, 1))
      exit_data_delete(&_grid, 1);
  }
  [[nodiscard]] const double* device_u() const {
    return static_cast<const double*>(device_pointer(_u.data()));
  }

private:
  testing::WithMemory _memory{Memory::separate};

protected:
  std::vector<double> _u = std::vector<double>(10, 1.0);
  std::vector<double> _v = std::vector<double>(10, 2.0);
  Grid _grid{10, nullptr, _u.data()};

private:
  DeviceView<Grid> _entered = enter_data_copyin(&_grid, 1);
};

TEST_F(Attached, PointersAreCounted) {
  attach(&_grid.u);
  EXPECT_EQ(on_device(_grid.u), device_u());
  attach(&_grid.u);
  detach(&_grid.u);
  EXPECT_EQ(on_device(_grid.u), device_u()) << "attached twice, detached once";
  detach(&_grid.u);
  EXPECT_EQ(on_device(_grid.u), _u.data()) << "what the host has";
  detach(&_grid.u); // nothing is done
  attach(&_grid.u);
  attach(&_grid.u);
  detach_finalize(&_grid.u);
  EXPECT_EQ(on_device(_grid.u), _u.data());
}

TEST_F(Attached, ElementsWithinAnArrayAreFound) {
  _grid.u = &_u[4];
  attach(&_grid.u);
  EXPECT_EQ(on_device(_grid.u), device_u() + 4);
}

TEST_F(Attached, APointerThatWasChangedIsAttachedAnew) {
  attach(&_grid.u);
  attach(&_grid.u);
  _grid.u = _v.data();
  attach(&_grid.u);
  EXPECT_EQ(on_device(_grid.u), device_pointer(_v.data()));
  detach(&_grid.u);
  EXPECT_EQ(on_device(_grid.u), _v.data()) << "counted from one";
}

TEST_F(Attached, UpdatesLeavePointersAlone) {
  attach(&_grid.u);
  _grid.n = 5;
  update_device(&_grid, 1);
  EXPECT_EQ(on_device(_grid.u), device_u());
  _grid.n = 7;
  update_self(&_grid, 1);
  EXPECT_EQ(_grid.n, 5);
  EXPECT_EQ(_grid.u, _u.data());
  const Kokkos::DefaultExecutionSpace queue;
  update_self(queue, &_grid, 1);
  queue.fence();
  EXPECT_EQ(_grid.u, _u.data());
  update_device(queue, &_grid, 1);
  queue.fence();
  EXPECT_EQ(on_device(_grid.u), device_u());
}

TEST_F(Attached, AnArrayThatLeavesIsDetached) {
  attach(&_grid.u);
  exit_data_delete(_u.data(), 10);
  EXPECT_EQ(on_device(_grid.u), _u.data());
  enter_data_copyin(_u.data(), 10);
  attach(&_grid.u);
  EXPECT_EQ(on_device(_grid.u), device_u());
}

TEST_F(Attached, AStructThatLeavesTakesItsPointersAlong) {
  attach(&_grid.u);
  exit_data_copyout(&_grid, 1);
  EXPECT_EQ(_grid.u, _u.data());
  enter_data_copyin(&_grid, 1);
  EXPECT_EQ(on_device(_grid.u), _u.data()) << "not attached";
  exit_data_delete(_u.data(), 10);
}

TEST_F(Attached, WhatLedToAnArrayBeforeDoesNotKeepIt) {
  attach(&_grid.u);
  _grid.u = _v.data();
  attach(&_grid.u);
  exit_data_delete(_u.data(), 10);
  EXPECT_EQ(on_device(_grid.u), device_pointer(_v.data()));
  exit_data_delete(_v.data(), 10);
  EXPECT_EQ(on_device(_grid.u), _v.data()) << "what the host has";
}

TEST_F(Attached, ManyLeadToOneArray) {
  std::vector<double*> table;
  for (double& element : _u)
    table.push_back(&element);
  enter_data_copyin(reinterpret_cast<const std::uintptr_t*>(table.data()), table.size());
  for (double*& pointer : table)
    attach(&pointer);
  detach(&table[3]);
  EXPECT_EQ(on_device(table[3]), &_u[3]);
  EXPECT_EQ(on_device(table[9]), device_u() + 9);
  exit_data_delete(_u.data(), 10);
  for (const double* const& pointer : table)
    EXPECT_EQ(on_device(pointer), pointer);
  exit_data_delete(reinterpret_cast<const std::uintptr_t*>(table.data()), table.size());
}

/// Each array that leaves is asked who leads to it: if that went through all that are attached, the
/// number here would take minutes.
TEST(LinkedMany, AHundredThousandStructsLeaveOneByOne) {
  const testing::WithMemory separate(Memory::separate);
  constexpr std::size_t count = 100'000;
  std::vector<double> u(count, 1.0);
  std::vector<Grid> all;
  for (double& element : u)
    all.push_back({1, nullptr, &element});
  enter_data_copyin(all.data(), count);
  for (double& element : u)
    enter_data_copyin(&element, 1);
  for (Grid& grid : all)
    attach(&grid.u);
  const auto start = std::chrono::steady_clock::now();
  for (double& element : u)
    exit_data_delete(&element, 1);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  EXPECT_LT(took.count(), 30);
  RecordProperty("seconds", std::to_string(took.count()));
  EXPECT_EQ(on_device(all.back().u), &u.back());
  exit_data_delete(all.data(), count);
}

TEST_F(Attached, OrRefusedByName) {
  Grid elsewhere{10, nullptr, _u.data()};
  const auto here = std::source_location::current();
  const std::string message =
      message_of<DataError>([&] { attach(named("elsewhere.u", &elsewhere.u)); });
  expect_words(message, {std::string(here.file_name()) + ":" + std::to_string(here.line() + 2),
                         "attach(elsewhere.u): the pointer, 8 bytes at ", "is not on the device",
                         "enter what it is part of first"});
  std::vector<double> w(10);
  _grid.u = w.data();
  expect_words(message_of<DataError>([&] { attach(named("grid.u", &_grid.u)); }),
               {"attach(grid.u): what it leads to, at ", "is not on the device"});
  EXPECT_EQ(on_device(_grid.u), _u.data()) << "nothing was done";
}

TEST(LinkedErrors, NameStructAndMember) {
  const testing::WithMemory separate(Memory::separate);
  Grids grids(3);
  grids.all[2].n = -4;
  std::vector<double> row(10);
  std::vector<double*> table{row.data(), nullptr};
  LinkedData data;
  expect_words(message_of<DataError>([&] {
                 static_cast<void>(data.structs(named("grids", grids.all.data()), 3, members.first,
                                                members.second));
               }),
               {"copyin(grids[2].x): extent -4 is negative"});
  LinkedData other;
  expect_words(message_of<DataError>([&] {
                 static_cast<void>(other.structs(named("grid", grids.all.data()), 1,
                                                 by::present("u", &Grid::u, 2 * n)));
               }),
               {"present(grid.u): 16000 bytes at", "only partly", "(copy(grids[0].u) at "});
  expect_words(message_of<DataError>([&] {
                 static_cast<void>(other.rows(named("a", table.data()), 2, by::copy(10)));
               }),
               {"copy(a[1]): the array is null, but 80 bytes of it are named"});
}

TEST(LinkedErrors, LeaveNothingBehind) {
  const testing::WithMemory separate(Memory::separate);
  Grids grids(1);
  EXPECT_THROW(
      {
        LinkedData data;
        static_cast<void>(data.structs(grids.all.data(), 1, members.second));
        throw std::runtime_error("from the middle of a computation");
      },
      std::runtime_error);
  EXPECT_EQ(present_arrays(), 0U);
  LinkedData data;
  add(data.structs(grids.all.data(), 1, members.first, members.second));
  data.close();
  EXPECT_EQ(grids.u[0].back(), n);
  EXPECT_THROW(data.close(), DataError);
}

} // namespace
} // namespace gangway
