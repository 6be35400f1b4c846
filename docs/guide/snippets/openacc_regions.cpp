// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "snippets.hpp"

#include <openacc.h>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace guide::openacc {
namespace {

// [data_clauses]
void data_clauses(long n, const double* x, double* y, double* z) {
  std::vector<double> squares(static_cast<std::size_t>(n));
  double* const square = squares.data();
#pragma acc data copyin(x[0 : n]) copy(y[0 : n]) copyout(z[0 : n]) create(square[0 : n])
  {
#pragma acc parallel loop present(x[0 : n], y[0 : n], square[0 : n])
    for (long i = 0; i < n; ++i) {
      square[i] = x[i] * x[i];
      y[i] = square[i] + y[i];
    }
#pragma acc parallel loop present(y[0 : n], z[0 : n], square[0 : n])
    for (long i = 0; i < n; ++i)
      z[i] = square[i] - y[i];
  }
}
// [data_clauses]

// [hoisted]
void twice(long n, double* x) {
#pragma acc parallel loop copy(x[0 : n])
  for (long i = 0; i < n; ++i)
    x[i] *= 2;
}

void hoisted(long n, int times, double* x) {
#pragma acc data copy(x[0 : n])
  for (int k = 0; k < times; ++k)
    twice(n, x); // its clause finds x present
}
// [hoisted]

// [present]
void increment(long n, double* x) {
#pragma acc parallel loop present(x[0 : n])
  for (long i = 0; i < n; ++i)
    x[i] += 1;
}

void present(long n, double* x) {
#pragma acc data copy(x[0 : n])
  increment(n, x);
}
// [present]

// [default_present]
void twice_more(long n, double* x) {
#pragma acc parallel loop default(present)
  for (long i = 0; i < n; ++i)
    x[i] *= 2;
}

void default_present(long n, double* x) {
#pragma acc data copy(x[0 : n])
  {
    increment(n, x);
    twice_more(n, x);
  }
}
// [default_present]

// [if_present]
void triple(bool on_device, long n, double* x) {
#pragma acc parallel loop if (on_device) present(x[0 : n])
  for (long i = 0; i < n; ++i)
    x[i] *= 3;
}
// [if_present]

void if_present(bool on_device, long n, double* x) {
#pragma acc data copy(x[0 : n]) if (on_device)
  triple(on_device, n, x);
}

// [scalar_clause]
long scalar_clause(long n, double top, double* x) {
  long changed = 0;
#pragma acc data copy(x[0 : n], changed)
  {
#pragma acc parallel loop present(x[0 : n], changed)
    for (long i = 0; i < n; ++i)
      if (x[i] > top) {
        x[i] = top;
#pragma acc atomic update
        ++changed;
      }
  }
  return changed;
}
// [scalar_clause]

// [update]
void update(long n, int steps, double* u, double* sums) {
#pragma acc data copy(u[0 : n])
  for (int step = 0; step < steps; ++step) {
    twice(n, u);
#pragma acc update self(u[0 : n])
    sums[step] = 0;
    for (long i = 0; i < n; ++i)
      sums[step] += u[i];
    u[0] = 0;
#pragma acc update device(u[0 : 1])
  }
}
// [update]

// [enter_exit]
double* acquire(long n) {
  auto* const work = new double[static_cast<std::size_t>(n)];
#pragma acc enter data create(work[0 : n])
  return work;
}

void release(long n, double* work) {
#pragma acc exit data delete (work[0 : n])
  delete[] work;
}

void enter_exit(long n, double* x) {
  double* const work = acquire(n);
#pragma acc parallel loop present(work[0 : n])
  for (long i = 0; i < n; ++i)
    work[i] = static_cast<double>(i);
#pragma acc parallel loop present(work[0 : n]) copyout(x[0 : n])
  for (long i = 0; i < n; ++i)
    x[i] = work[n - 1 - i];
  release(n, work);
}
// [enter_exit]

// [device_only]
void device_only(long n, double* x) {
  auto* const copy = static_cast<double*>(acc_malloc(static_cast<std::size_t>(n) * sizeof(double)));
#pragma acc data copy(x[0 : n])
  {
#pragma acc parallel loop present(x[0 : n]) deviceptr(copy)
    for (long i = 0; i < n; ++i)
      copy[i] = x[i];
#pragma acc parallel loop present(x[0 : n]) deviceptr(copy)
    for (long i = 0; i < n; ++i)
      x[i] = copy[n - 1 - i];
  }
  acc_free(copy);
}
// [device_only]

// [mirror]
void mirror(long n, const double* x, double* y) {
  std::vector<double> of_host(x, x + n);
  double* const u = of_host.data();
#pragma acc enter data create(u[0 : n])
  for (long i = 0; i < n; ++i)
    u[i] += 1;
#pragma acc update device(u[0 : n])
#pragma acc parallel loop present(u[0 : n])
  for (long i = 0; i < n; ++i)
    u[i] *= u[i];
#pragma acc update self(u[0 : n])
#pragma acc exit data delete (u[0 : n])
  std::copy(u, u + n, y);
}
// [mirror]

// [managed]
double managed(long n, double* shared) {
#pragma acc parallel loop deviceptr(shared)
  for (long i = 0; i < n; ++i)
    shared[i] *= shared[i];
  double sum = 0; // the construct has waited: the host may read
  for (long i = 0; i < n; ++i)
    sum += shared[i];
  return sum;
}
// [managed]

// [async_wait]
void async_wait(long n, double* x, double* y) {
#pragma acc data copy(x[0 : n], y[0 : n])
  {
#pragma acc parallel loop present(x[0 : n]) async(1)
    for (long i = 0; i < n; ++i)
      x[i] *= 2;
#pragma acc parallel loop present(y[0 : n]) async(2)
    for (long i = 0; i < n; ++i)
      y[i] *= 3;
#pragma acc wait(1)
#pragma acc parallel loop present(x[0 : n], y[0 : n]) async(2)
    for (long i = 0; i < n; ++i)
      y[i] += x[i];
#pragma acc wait
  }
}
// [async_wait]

// [wait_async]
void wait_async(long n, double* x, double* y) {
#pragma acc data copy(x[0 : n], y[0 : n])
  {
#pragma acc parallel loop present(x[0 : n]) async(1)
    for (long i = 0; i < n; ++i)
      x[i] *= 2;
#pragma acc parallel loop present(y[0 : n]) async(2)
    for (long i = 0; i < n; ++i)
      y[i] *= 3;
#pragma acc wait(1) async(2)
#pragma acc parallel loop present(x[0 : n], y[0 : n]) async(2)
    for (long i = 0; i < n; ++i)
      y[i] += x[i];
#pragma acc wait
  }
}
// [wait_async]

// [bare_async]
void bare_async(long n, const double* x, double* y) {
#pragma acc data copyin(x[0 : n]) copyout(y[0 : n])
  {
#pragma acc parallel loop present(x[0 : n], y[0 : n]) async
    for (long i = 0; i < n; ++i)
      y[i] = x[i] * x[i];
#pragma acc parallel loop present(y[0 : n]) async // after the other: both are on one queue
    for (long i = 0; i < n; ++i)
      y[i] += 1;
#pragma acc wait
  }
}
// [bare_async]

// [struct_views]
struct Grid {
  int n;
  const double* x;
  double* u;
};

void add(const Grid& grid) {
  const int n = grid.n;
  const double* const x = grid.x;
  double* const u = grid.u;
#pragma acc parallel loop copyin(x[0 : n]) copy(u[0 : n])
  for (int i = 0; i < n; ++i)
    u[i] += x[i];
}
// [struct_views]

// [struct_attach]
void add_attached(Grid& grid) {
#pragma acc enter data copyin(grid)
#pragma acc enter data copyin(grid.x[0 : grid.n], grid.u[0 : grid.n]) // attaches both
#pragma acc parallel loop present(grid)
  for (int i = 0; i < grid.n; ++i)
    grid.u[i] += grid.x[i];
#pragma acc exit data delete (grid.x[0 : grid.n])copyout(grid.u[0 : grid.n]) // detaches both
#pragma acc exit data delete (grid)
}
// [struct_attach]

// [struct_array]
void add_each(int count, Grid* grids) {
#pragma acc enter data copyin(grids[0 : count])
  for (int g = 0; g < count; ++g) {
#pragma acc enter data copyin(grids[g].x[0 : grids[g].n], grids[g].u[0 : grids[g].n]) // attaches
  }
#pragma acc parallel loop gang vector_length(128) present(grids[0 : count])
  for (int g = 0; g < count; ++g) {
#pragma acc loop vector
    for (int i = 0; i < grids[g].n; ++i)
      grids[g].u[i] += grids[g].x[i];
  }
  for (int g = 0; g < count; ++g) {
#pragma acc exit data delete (grids[g].x[0 : grids[g].n])copyout(grids[g].u[0 : grids[g].n])
  }
#pragma acc exit data delete (grids[0 : count])
}
// [struct_array]

// [rows]
void scale_rows(long rows, long columns, double factor, double** a) {
  const auto bytes = static_cast<std::size_t>(columns) * sizeof(double);
#pragma acc enter data copyin(a[0 : rows])
  for (long i = 0; i < rows; ++i) {
    acc_copyin(a[i], bytes);
    acc_attach(reinterpret_cast<void**>(&a[i]));
  }
#pragma acc parallel loop collapse(2) present(a[0 : rows])
  for (long i = 0; i < rows; ++i)
    for (long j = 0; j < columns; ++j)
      a[i][j] *= factor;
  for (long i = 0; i < rows; ++i) {
    acc_detach(reinterpret_cast<void**>(&a[i]));
    acc_copyout(a[i], bytes);
  }
#pragma acc exit data delete (a[0 : rows])
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
                      .dual_view = mirror,
                      .managed = managed,
                      .async_wait = async_wait,
                      .wait_async = wait_async,
                      .bare_async = bare_async,
                      .struct_views = struct_views,
                      .struct_attach = struct_attach,
                      .struct_array = struct_array,
                      .rows = rows};

} // namespace guide::openacc
