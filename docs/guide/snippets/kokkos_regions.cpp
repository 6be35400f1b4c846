// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gangway/gangway.hpp"
#include "snippets.hpp"

#include <Kokkos_DualView.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace guide::kokkos {
namespace {

using gangway::Data;
using Range = Kokkos::RangePolicy<Kokkos::IndexType<long>>;
using Device = Kokkos::DefaultExecutionSpace;
using Member = Kokkos::TeamPolicy<>::member_type;

// [data_clauses]
void data_clauses(long n, const double* x, double* y, double* z) {
  Data data;
  const auto in = data.copyin(x, n);
  const auto inout = data.copy(y, n);
  const auto out = data.copyout(z, n);
  const Kokkos::View<double*, gangway::DeviceSpace> square("square", n); // create
  Kokkos::parallel_for(
      "add squares", Range(0, n), KOKKOS_LAMBDA(long i) {
        square(i) = in(i)*in(i);
        inout(i) = square(i) + inout(i);
      });
  Kokkos::parallel_for(
      "subtract", Range(0, n), KOKKOS_LAMBDA(long i) { out(i) = square(i) - inout(i); });
}
// [data_clauses]

// [hoisted]
void twice(long n, double* x) {
  Data data;
  const auto values = data.copy(x, n);
  Kokkos::parallel_for("twice", Range(0, n), KOKKOS_LAMBDA(long i) { values(i) *= 2; });
}

void hoisted(long n, int times, double* x) {
  Data region;
  static_cast<void>(region.copy(x, n)); // the view is not needed here
  for (int k = 0; k < times; ++k)
    twice(n, x); // its clause finds x present
}
// [hoisted]

// [present]
void increment(long n, double* x) {
  Data data;
  const auto values = data.present(x, n);
  Kokkos::parallel_for("increment", Range(0, n), KOKKOS_LAMBDA(long i) { values(i) += 1; });
}

void present(long n, double* x) {
  Data region;
  static_cast<void>(region.copy(x, n));
  increment(n, x);
}
// [present]

// [default_present]
void twice_more(long n, double* x) {
  Data data;
  const auto values = data.present(x, n); // each array by its name
  Kokkos::parallel_for("twice_more", Range(0, n), KOKKOS_LAMBDA(long i) { values(i) *= 2; });
}

void default_present(long n, double* x) {
  Data data;
  static_cast<void>(data.copy(x, n));
  increment(n, x);
  twice_more(n, x);
}
// [default_present]

// [if_present]
void triple(long n, double* x) {
  Data data;
  const auto values = data.copy(x, n); // found present, or brought for this kernel
  Kokkos::parallel_for("triple", Range(0, n), KOKKOS_LAMBDA(long i) { values(i) *= 3; });
}
// [if_present]

void if_present(bool on_device, long n, double* x) {
  Data data;
  if (on_device)
    static_cast<void>(data.copy(x, n));
  triple(n, x);
}

// [scalar_clause]
long scalar_clause(long n, double top, double* x) {
  long changed = 0;
  {
    Data data;
    const auto values = data.copy(x, n);
    const auto count = data.copy(&changed, 1); // an array of one element
    Kokkos::parallel_for(
        "cut", Range(0, n), KOKKOS_LAMBDA(long i) {
          if (values(i) > top) {
            values(i) = top;
            Kokkos::atomic_inc(&count(0));
          }
        });
  } // here it comes back
  return changed;
}
// [scalar_clause]

// [update]
void update(long n, int steps, double* u, double* sums) {
  Data region;
  static_cast<void>(region.copy(u, n));
  for (int step = 0; step < steps; ++step) {
    twice(n, u);
    gangway::update_self(u, n);
    sums[step] = 0;
    for (long i = 0; i < n; ++i)
      sums[step] += u[i];
    u[0] = 0;
    gangway::update_device(u, 1);
  }
}
// [update]

// [enter_exit]
double* acquire(long n) {
  auto* const work = new double[static_cast<std::size_t>(n)];
  gangway::enter_data_create(work, n);
  return work;
}

void release(long n, double* work) {
  gangway::exit_data_delete(work, n);
  delete[] work;
}

void enter_exit(long n, double* x) {
  double* const work = acquire(n);
  {
    Data data;
    const auto values = data.present(work, n);
    const auto out = data.copyout(x, n);
    Kokkos::parallel_for(
        "count up", Range(0, n), KOKKOS_LAMBDA(long i) { values(i) = static_cast<double>(i); });
    Kokkos::parallel_for(
        "count down", Range(0, n), KOKKOS_LAMBDA(long i) { out(i) = values(n - 1 - i); });
  } // the array must not be released while a region holds it
  release(n, work);
}
// [enter_exit]

// [device_only]
void device_only(long n, double* x) {
  const Kokkos::View<double*, gangway::DeviceSpace> copy(
      Kokkos::view_alloc("copy", Kokkos::WithoutInitializing), n);
  Data data;
  const auto values = data.copy(x, n);
  Kokkos::parallel_for("put aside", Range(0, n), KOKKOS_LAMBDA(long i) { copy(i) = values(i); });
  Kokkos::parallel_for(
      "turn around", Range(0, n), KOKKOS_LAMBDA(long i) { values(i) = copy(n - 1 - i); });
}
// [device_only]

// [mirror]
void mirror(long n, const double* x, double* y) {
  const Kokkos::View<double*> u(Kokkos::view_alloc("u", Kokkos::WithoutInitializing), n);
  const auto of_host = Kokkos::create_mirror_view(u); // u itself where the host may use that
  for (long i = 0; i < n; ++i)
    of_host(i) = x[i] + 1;
  Kokkos::deep_copy(u, of_host);
  Kokkos::parallel_for("square", Range(0, n), KOKKOS_LAMBDA(long i) { u(i) *= u(i); });
  Kokkos::deep_copy(of_host, u);
  std::copy(of_host.data(), of_host.data() + n, y);
}
// [mirror]

// [dual_view]
void dual_view(long n, const double* x, double* y) {
  Kokkos::DualView<double*> both("u", static_cast<std::size_t>(n));
  both.modify_host(); // said before: the host's copy is the newer one from here on
  const auto of_host = both.view_host();
  for (long i = 0; i < n; ++i)
    of_host(i) = x[i] + 1;
  both.sync_device(); // copies if the host's copy is newer
  both.modify_device();
  const auto u = both.view_device();
  Kokkos::parallel_for("square", Range(0, n), KOKKOS_LAMBDA(long i) { u(i) *= u(i); });
  both.sync_host();
  std::copy(of_host.data(), of_host.data() + n, y);
}
// [dual_view]

// [managed]
double managed(long n, double* shared) {
  const auto values = gangway::deviceptr(shared, n);
  Kokkos::parallel_for("square", Range(0, n), KOKKOS_LAMBDA(long i) { values(i) *= values(i); });
  Kokkos::fence("squares are there"); // without it the host reads too early
  double sum = 0;
  for (long i = 0; i < n; ++i)
    sum += shared[i];
  return sum;
}
// [managed]

// [async_wait]
void async_wait(long n, double* x, double* y) {
  const auto queues = Kokkos::Experimental::partition_space(Device(), 1, 1);
  const Device& one = queues[0];
  const Device& two = queues[1];
  Data data;
  const auto xs = data.copy(x, n);
  const auto ys = data.copy(y, n);
  Kokkos::parallel_for("double x", Range(one, 0, n), KOKKOS_LAMBDA(long i) { xs(i) *= 2; });
  Kokkos::parallel_for("triple y", Range(two, 0, n), KOKKOS_LAMBDA(long i) { ys(i) *= 3; });
  one.fence("x is doubled");
  Kokkos::parallel_for("add x to y", Range(two, 0, n), KOKKOS_LAMBDA(long i) { ys(i) += xs(i); });
  Kokkos::fence("all queues");
}
// [async_wait]

// [wait_async]
void wait_async(long n, double* x, double* y) {
  const auto queues = Kokkos::Experimental::partition_space(Device(), 1, 1);
  const Device& one = queues[0];
  const Device& two = queues[1];
  Data data;
  const auto xs = data.copy(x, n);
  const auto ys = data.copy(y, n);
  Kokkos::parallel_for("double x", Range(one, 0, n), KOKKOS_LAMBDA(long i) { xs(i) *= 2; });
  Kokkos::parallel_for("triple y", Range(two, 0, n), KOKKOS_LAMBDA(long i) { ys(i) *= 3; });
  gangway::wait_async(one, two); // two goes on when one has come here
  Kokkos::parallel_for("add x to y", Range(two, 0, n), KOKKOS_LAMBDA(long i) { ys(i) += xs(i); });
  Kokkos::fence("all queues");
}
// [wait_async]

// [bare_async]
void bare_async(long n, const double* x, double* y) {
  Data data;
  const auto in = data.copyin(x, n);
  const auto out = data.copyout(y, n);
  Kokkos::parallel_for("square x", Range(0, n), KOKKOS_LAMBDA(long i) { out(i) = in(i)*in(i); });
  Kokkos::parallel_for("add one", Range(0, n), KOKKOS_LAMBDA(long i) { out(i) += 1; });
  Kokkos::fence("bare_async"); // only where the host needs it: the region's end would wait as well
}
// [bare_async]

// [struct_views]
struct Grid {
  int n;
  const double* x;
  double* u;
};

/// What kernels get of a Grid: its numbers, and views of what it leads to.
struct GridView {
  int n;
  gangway::DeviceView<const double> x;
  gangway::DeviceView<double> u;
};

GridView copy(Data& data, const Grid& grid) {
  return {grid.n, data.copyin(gangway::named("grid.x", grid.x), grid.n),
          data.copy(gangway::named("grid.u", grid.u), grid.n)};
}

void add(const Grid& of_host) {
  Data data;
  const GridView grid = copy(data, of_host);
  Kokkos::parallel_for("add", Range(0, grid.n), KOKKOS_LAMBDA(long i) { grid.u[i] += grid.x[i]; });
}
// [struct_views]

// [struct_attach]
void add_attached(Grid& grid) {
  gangway::LinkedData data;
  const auto grids =
      data.structs(gangway::named("grid", &grid), 1, gangway::by::copyin("x", &Grid::x, &Grid::n),
                   gangway::by::copy("u", &Grid::u, &Grid::n));
  Kokkos::parallel_for(
      "add", Range(0, grid.n), KOKKOS_LAMBDA(long i) { grids[0].u[i] += grids[0].x[i]; });
}
// [struct_attach]

// [struct_array]
void add_each(int count, Grid* of_host) {
  gangway::LinkedData data;
  const auto grids = data.structs(gangway::named("grids", of_host), count,
                                  gangway::by::copyin("x", &Grid::x, &Grid::n),
                                  gangway::by::copy("u", &Grid::u, &Grid::n));
  gangway::parallel_for(
      "add each", gangway::gang(count).vector_length(128),
      KOKKOS_LAMBDA(const gangway::Gang<>& gang, int g) {
        const Grid& grid = grids[g];
        loop_vector(gang, 0, grid.n, [&](int i) { grid.u[i] += grid.x[i]; });
      });
}
// [struct_array]

// [rows]
void scale_rows(long rows, long columns, double factor, double** of_host) {
  gangway::LinkedData data;
  const auto a = data.rows(gangway::named("a", of_host), rows, gangway::by::copy(columns));
  gangway::parallel_for(
      "scale rows", gangway::tile<2>({rows, columns}, {4, 32}),
      KOKKOS_LAMBDA(long i, long j) { a[i][j] *= factor; });
}
// [rows]

void struct_views(int n, const double* x, double* u) {
  add({n, x, u});
}

void struct_attach(int n, const double* x, double* u) {
  Grid grid{n, x, u};
  add_attached(grid);
}

void struct_array(int count, int n, const double* x, double* u) {
  std::vector<Grid> grids;
  for (std::ptrdiff_t g = 0; g < count; ++g)
    grids.push_back({n, x + g * n, u + g * n});
  add_each(count, grids.data());
}

void rows(long count, long columns, double factor, double* a) {
  std::vector<double*> table;
  for (long i = 0; i < count; ++i)
    table.push_back(a + i * columns);
  scale_rows(count, columns, factor, table.data());
}

} // namespace

// [profile_region]
void profile_region(long n, double* x) {
  const Kokkos::Profiling::ScopedRegion region("solve");
  twice(n, x);
}
// [profile_region]

const Regions regions{.data_clauses = data_clauses,
                      .hoisted = hoisted,
                      .present = present,
                      .default_present = default_present,
                      .if_present = if_present,
                      .scalar_clause = scalar_clause,
                      .update = update,
                      .enter_exit = enter_exit,
                      .device_only = device_only,
                      .mirror = mirror,
                      .dual_view = dual_view,
                      .managed = managed,
                      .async_wait = async_wait,
                      .wait_async = wait_async,
                      .bare_async = bare_async,
                      .struct_views = struct_views,
                      .struct_attach = struct_attach,
                      .struct_array = struct_array,
                      .rows = rows};

} // namespace guide::kokkos
