// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a variable held before joins in.
#include <cmath>

double sum(long n, double start, const double* x) {
  double total = start;
#pragma acc parallel loop reduction(+ : total) copyin(x[0 : n])
  for (long i = 0; i < n; ++i)
    total += x[i];
  return total;
}

void many(int n, const int* x, int* results) {
  int product = 1, most = x[0], least = x[0], all = -1, any = 0;
  bool every = true, some = false;
#pragma acc parallel loop reduction(* : product) reduction(max : most) reduction(min : least)      \
    reduction(& : all) reduction(| : any) reduction(&& : every) reduction(|| : some)               \
        copyin(x[0 : n])
  for (int i = 0; i < n; ++i) {
    product *= x[i];
    most = x[i] > most ? x[i] : most;
    least = x[i] < least ? x[i] : least;
    all &= x[i];
    any |= x[i];
    every = every && x[i] > 0;
    some = some || x[i] > 2;
  }
  results[0] = product;
  results[1] = most;
  results[2] = least;
  results[3] = all;
  results[4] = any;
  results[5] = every;
  results[6] = some;
}

unsigned parity(int n, const unsigned* x) {
  unsigned bits = 1;
#pragma acc parallel loop reduction(^ : bits) copyin(x[0 : n])
  for (int i = 0; i < n; ++i)
    bits ^= x[i];
  return bits;
}

double largest(int n, const double* x) {
  double most = -INFINITY;
#pragma acc parallel loop reduction(max : most) copyin(x[0 : n])
  for (int i = 0; i < n; ++i)
    most = x[i] > most ? x[i] : most;
  return most;
}

void on_the_device(int n, double* x) {
  double sum = 5;
#pragma acc data copy(x[0 : n], sum)
  {
#pragma acc parallel loop reduction(+ : sum)
    for (int i = 0; i < n; ++i)
      sum += x[i];
#pragma acc parallel loop present(sum)
    for (int i = 0; i < n; ++i)
      x[i] += sum;
  }
  x[0] = sum;
}

void of_the_device(int n, double* x, double* sums) {
#pragma acc data copy(x[0 : n], sums[0 : 2])
  {
#pragma acc parallel num_gangs(1)
    {
      sums[0] = 2;
      sums[1] += 1;
    }
#pragma acc parallel present(x[0 : n], sums[0 : 2])
    {
      const int end = sums[0] > 1 ? n - 1 : 0;
      const double factor = sums[0] / 4; // read once
#pragma acc loop gang vector
      for (int i = 0; i < end; ++i)
        x[i] *= factor;
    }
  }
}

double nest(int rows, int columns, const double* a) {
  double total = 0;
#pragma acc parallel loop reduction(+ : total) copyin(a[0 : rows * columns])
  for (int i = 0; i < rows; ++i)
#pragma acc loop reduction(+ : total)
    for (int j = 0; j < columns; ++j)
      total += a[i * columns + j];
  return total;
}

double in_order(int n, double start, const double* x, double* y) {
  double total = start, product = 1, row = 0;
#pragma acc serial loop reduction(+ : total) copyin(x[0 : n])
  for (int i = 0; i < n; ++i)
    total += x[i];
#pragma acc serial copyin(x[0 : n]) copy(y[0 : n]) reduction(* : product)
  {
#pragma acc loop reduction(* : product)
    for (int i = 0; i < n; ++i)
      product = -product;
#pragma acc loop
    for (int i = 0; i < n; ++i) {
      row = 0;
#pragma acc loop reduction(+ : row)
      for (int j = 0; j < 3; ++j)
        row += x[i];
      y[i] = row;
    }
  }
  return total * product;
}

void arrays(int n, const int* x, int* results) {
  int bins[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  double most[2] = {-2, 3.5};
#pragma acc parallel loop reduction(+ : bins) copyin(x[0 : n])
  for (int i = 0; i < n; ++i)
    bins[x[i] & 7]++;
#pragma acc parallel loop reduction(max : most) copyin(x[0 : n])
  for (int i = 0; i < n; ++i)
    most[i % 2] = x[i] > most[i % 2] ? x[i] : most[i % 2];
#pragma acc data copy(bins)
  {
#pragma acc parallel loop reduction(^ : bins[0 : 8]) copyin(x[0 : n])
    for (int i = 0; i < n; ++i)
      bins[i & 7] ^= x[i];
#pragma acc parallel loop
    for (int i = 0; i < 8; ++i)
      bins[i] *= 2;
  }
  for (int i = 0; i < 8; ++i)
    results[i] = bins[i] + static_cast<int>(2 * most[i % 2]);
}
