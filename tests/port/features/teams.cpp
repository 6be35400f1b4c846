// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops of workers and lanes that are no part of their gangs' index space.
#include <cmath>

// The sum of each row: the gang's own variable, joined by its lanes, and stored by one of them.
void row_sums(int rows, const int* row, const int* column, const double* a, const double* x,
              double* y) {
#pragma acc parallel loop gang vector_length(128)                                                  \
    copyin(row[0 : rows + 1], column[0 : row[rows]], a[0 : row[rows]], x[0 : rows])                \
        copyout(y[0 : rows])
  for (int i = 0; i < rows; ++i) {
    double sum = 0;
#pragma acc loop vector reduction(+ : sum)
    for (int j = row[i]; j < row[i + 1]; ++j)
      sum += a[j] * x[column[j]];
    y[i] = sum;
  }
}

// A worker takes a row; its lanes join, and one of them stores.
void rows_of_workers(int rows, const int* row, const double* a, double* y) {
#pragma acc parallel loop gang worker num_workers(4) vector_length(32)                             \
    copyin(row[0 : rows + 1], a[0 : row[rows]]) copy(y[0 : rows])
  for (int i = 0; i < rows; ++i) {
    double largest = -1;
#pragma acc loop vector reduction(max : largest)
    for (int j = row[i]; j < row[i + 1]; ++j)
      largest = std::fmax(largest, a[j]);
    if (largest > 0)
      y[i] += largest;
  }
}

// All three levels.
void product(int rows, int columns, int inner, const double* a, const double* b, double* c) {
#pragma acc parallel loop gang num_workers(8) vector_length(32)                                    \
    copyin(a[0 : rows * inner], b[0 : inner * columns]) copyout(c[0 : rows * columns])
  for (int i = 0; i < rows; ++i) {
#pragma acc loop worker
    for (int j = 0; j < columns; ++j) {
      double sum = 0;
#pragma acc loop vector reduction(+ : sum)
      for (int k = 0; k < inner; ++k)
        sum += a[i * inner + k] * b[k * columns + j];
      c[i * columns + j] = sum;
    }
  }
}

// The lanes read what one of them stored, and one what all of them did.
void normalize(int rows, int columns, double* a, double* first) {
#pragma acc parallel loop gang copy(a[0 : rows * columns], first[0 : rows])
  for (int i = 0; i < rows; ++i) {
    first[i] = a[i * columns];
    a[i * columns] = 1;
#pragma acc loop vector
    for (int j = 1; j < columns; ++j)
      a[i * columns + j] += a[i * columns] * first[i];
    first[i] += a[i * columns + columns - 1];
    const double last = a[i * columns + columns - 1];
#pragma acc loop vector
    for (int j = 0; j < columns; ++j)
      a[i * columns + j] -= last;
  }
}

// Nothing is done for some rows, other things for others.
void choices(int rows, int columns, const int* kind, double* a, double* y) {
#pragma acc parallel loop gang copyin(kind[0 : rows]) copy(a[0 : rows * columns], y[0 : rows])
  for (int i = 0; i < rows; ++i) {
    if (kind[i] == 0)
      continue;
    double factor = 2;
    if (kind[i] == 1) {
      factor = y[i];
      y[i] = 0;
#pragma acc loop vector
      for (int j = 0; j < columns; ++j) {
        if (a[i * columns + j] < 0)
          continue;
        a[i * columns + j] *= factor;
      }
    } else if (kind[i] == 2)
      y[i] = a[i * columns] + factor;
    else
#pragma acc loop vector
      for (int j = 1; j < columns; j += 3)
        a[i * columns + j] = factor;
    y[i] += factor;
  }
}

// Without braces, and with comments between.
void without_braces(int rows, int columns, const int* kind, double* a, double* y) {
#pragma acc parallel loop gang copyin(kind[0 : rows]) copy(a[0 : rows * columns], y[0 : rows])
  for (int i = 0; i < rows; ++i) {
    double factor = y[i]; /* as it was */
    if (kind[i] > 0)
      if (kind[i] > 1)
        y[i] = 1;
      else
    // the lanes of the others
#pragma acc loop vector                        // all of them
        for (int j = columns - 1; j >= 0; --j) // downwards
          a[i * columns + j] += factor;
    else
      y[i] = a[i * columns];
#pragma acc loop vector reduction(min : factor)
    for (unsigned j = 1; j < static_cast<unsigned>(columns); j += 2)
      for (int k = 0; k < 3; ++k) {
        if (k == 1)
          continue;
        if (a[i * columns + j] < factor)
          factor = a[i * columns + j];
      }
#pragma acc loop worker
    for (int j = 0; j < columns; ++j)
      if (j % 2 == 0)
#pragma acc loop vector
        for (int k = 0; k < 1; ++k)
          a[i * columns + j] += factor;
      else
        a[i * columns + j] = 0;
  }
}

// A loop in order around those of the lanes: each step begins when the one before is done.
void sweeps(int rows, int columns, int steps, double* a, double* b) {
#pragma acc parallel loop gang vector_length(64) copy(a[0 : rows * columns], b[0 : rows * columns])
  for (int i = 0; i < rows; ++i) {
#pragma acc loop seq
    for (int step = 0; step < steps; ++step) {
#pragma acc loop vector
      for (int j = 1; j < columns - 1; ++j)
        b[i * columns + j] = a[i * columns + j - 1] + a[i * columns + j + 1];
#pragma acc loop vector
      for (int j = 1; j < columns - 1; ++j)
        a[i * columns + j] = 0.25 * b[i * columns + j];
    }
  }
}

// One array for all lanes of a gang.
void reverse_blocks(long n, double* x) {
  constexpr int block = 128;
  double held[block];
#pragma acc parallel loop gang vector_length(128) private(held) copy(x[0 : n])
  for (long first = 0; first < n; first += block) {
    const long count = n - first < block ? n - first : block;
#pragma acc loop vector
    for (long k = 0; k < count; ++k)
      held[k] = x[first + k];
#pragma acc loop vector
    for (long k = 0; k < count; ++k)
      x[first + k] = held[count - 1 - k];
  }
}

struct Pair {
  double value;
  int place;
};

// Of structures, and of two dimensions; read and written before and behind the loops.
void of_structures(int rows, int columns, double* a, double* y) {
  Pair pairs[64];
  double square[4][16];
#pragma acc parallel loop gang private(pairs, square) copy(a[0 : rows * columns], y[0 : rows])
  for (int i = 0; i < rows; ++i) {
    pairs[0].value = y[i];
#pragma acc loop worker vector
    for (int j = 1; j < 64; ++j) {
      pairs[j].value = j < columns ? a[i * columns + j] : 0;
      pairs[j].place = j;
    }
#pragma acc loop vector
    for (int j = 0; j < 64; ++j)
      square[j / 16][j % 16] = pairs[63 - j].value;
    double sum = pairs[0].value;
#pragma acc loop vector reduction(+ : sum)
    for (int j = 0; j < columns; ++j)
      sum += square[j % 64 / 16][j % 16] * pairs[j % 63 + 1].place;
    if (sum > 0) {
      square[0][0] = sum;
#pragma acc loop vector
      for (int j = 0; j < columns; ++j)
        a[i * columns + j] += square[0][0];
    }
    y[i] = square[0][0] + pairs[63].value;
  }
}

// Each gang has what the host's array held, in memory of its own.
void first_private(int rows, int columns, double* a) {
  double weights[8] = {1, 2, 3, 4, 5, 6, 7, 8};
#pragma acc parallel loop gang firstprivate(weights) copy(a[0 : rows * columns])
  for (int i = 0; i < rows; ++i) {
#pragma acc loop vector
    for (int k = 0; k < 4; ++k)
      weights[k] = weights[k + 4] * a[i * columns];
#pragma acc loop vector
    for (int j = 1; j < columns; ++j)
      a[i * columns + j] += weights[(j + 3) % 8];
  }
}

// Of lengths that are known when the program runs.
void of_variable_length(int rows, int columns, double* a, double* work) {
#pragma acc parallel loop gang private(work[0 : columns]) copy(a[0 : rows * columns])
  for (int i = 0; i < rows; ++i) {
#pragma acc loop vector
    for (int j = 0; j < columns; ++j)
      work[j] = a[i * columns + columns - 1 - j];
#pragma acc loop vector
    for (int j = 0; j < columns; ++j)
      a[i * columns + j] += work[j];
  }
}

// As C has its variables: before all, and not by the loop.
void of_before(int rows, int columns, const double* a, double* y) {
  int i, j;
  double sum, square, factor = 3;
#pragma acc parallel loop gang copyin(a[0 : rows * columns]) copy(y[0 : rows])
  for (i = 0; i < rows; i++) {
    sum = 1;
#pragma acc loop vector reduction(+ : sum) private(square)
    for (j = 0; j < columns; j++) {
      square = a[i * columns + j] * a[i * columns + j];
      sum += square * factor;
    }
#pragma acc atomic update
    y[i] += sum;
  }
}

#pragma acc routine seq
double cube(double x) {
  return x * x * x;
}
#pragma acc routine seq
void put(double* x, int i, double value) {
  x[i] += value;
}

// What is called in the loops, and beside them.
void calls(int rows, int columns, double* a, double* y) {
#pragma acc parallel loop gang copy(a[0 : rows * columns], y[0 : rows])
  for (int i = 0; i < rows; ++i) {
    const double factor = cube(y[i]);
    put(a, i * columns, factor);
#pragma acc loop vector
    for (int j = 0; j < columns; ++j)
      put(a, i * columns + j, factor);
    put(y, i, a[i * columns] + cube(factor));
  }
}

// No teams: it cannot be shown that they would do the same.
void without_teams(int rows, int columns, double* a, double* y) {
#pragma acc parallel loop gang copy(a[0 : rows * columns], y[0 : rows])
  for (int i = 0; i < rows; ++i) { // an array of its own that lanes fill
    double part[4];
#pragma acc loop vector
    for (int j = 0; j < 4; ++j)
      part[j] = a[i * columns + j];
    y[i] += part[0] + part[3];
  }
  double last[2] = {0, 0};
#pragma acc parallel loop gang private(last) copy(a[0 : rows * columns], y[0 : rows])
  for (int i = 0; i < rows; ++i) { // somebody gets its address
#pragma acc loop vector
    for (int j = 0; j < 2; ++j)
      put(last, j, 0), last[j] = a[i * columns + j];
    y[i] += last[0] + last[1];
  }
#pragma acc parallel loop gang copy(a[0 : rows * columns], y[0 : rows])
  for (int i = 0; i < rows; ++i) { // a statement that is neither for all lanes nor for one
    int k = i;
    y[k++] = 1;
#pragma acc loop vector
    for (int j = 0; j < columns; ++j)
      a[i * columns + j] = k;
  }
#pragma acc parallel loop gang worker copy(a[0 : rows * columns])
  for (int i = 0; i < rows; ++i) { // the lanes of a worker would wait
#pragma acc loop vector
    for (int j = 1; j < columns; ++j)
      a[i * columns + j] += 1;
#pragma acc loop vector
    for (int j = 1; j < columns; ++j)
      a[i * columns + j] += a[i * columns];
  }
#pragma acc parallel loop gang copy(a[0 : rows * columns], y[0 : rows])
  for (int i = 0; i < rows; ++i) { // so many iterations as the loop itself changes
    y[i] += 1;
#pragma acc loop vector
    for (int j = 0; j < static_cast<int>(y[i]) * 0 + columns; ++j)
      a[i * columns + j] += y[i];
#pragma acc loop vector
    for (int j = 0; j < static_cast<int>(a[i * columns]) * 0 + columns - 1; ++j)
      a[i * columns + j] += 1;
  }
#pragma acc parallel loop gang copy(a[0 : rows * columns], y[0 : rows])
  for (int i = 0; i < rows; ++i) { // what other gangs change while lanes read it
    if (y[0] < -100)
      continue;
#pragma acc loop vector
    for (int j = 0; j < columns; ++j) {
#pragma acc atomic update
      y[0] += a[i * columns + j];
    }
  }
}
