// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "studies/routine/routine.hpp"

namespace {

/// Serves one thread, from any loop. Counted from 1: from 0, the first would divide by zero.
#pragma acc routine seq
float reciprocal(long i, int j) {
  return 1.0f / (static_cast<float>(i + 1) * static_cast<float>(j + 1));
}

/// Serves a gang of one worker: the vector of the caller is this function's.
#pragma acc routine vector
void fill_row(float* v, long i, int columns) {
#pragma acc loop vector
  for (int j = 0; j < columns; ++j)
    v[i * columns + j] = reciprocal(i, j);
}

/// Serves a gang: its workers share out the rows, their vectors the columns.
#pragma acc routine worker
void fill_rows(float* v, int first, int last, int columns) {
#pragma acc loop worker
  for (long i = first; i < last; ++i) {
#pragma acc loop vector
    for (int j = 0; j < columns; ++j)
      v[i * columns + j] = reciprocal(i, j);
  }
}

/// Serves all gangs at once, which share out the rows.
#pragma acc routine gang
void fill(float* v, int rows, int columns) {
#pragma acc loop gang
  for (long i = 0; i < rows; ++i) {
#pragma acc loop vector
    for (int j = 0; j < columns; ++j)
      v[i * columns + j] = reciprocal(i, j);
  }
}

} // namespace

extern "C" {

void gangway_routine_seq(int rows, int columns, float* v) {
  const long n = static_cast<long>(rows) * columns;
#pragma acc parallel loop gang vector_length(128) copyout(v[0 : n])
  for (long i = 0; i < rows; ++i) {
#pragma acc loop vector
    for (int j = 0; j < columns; ++j)
      v[i * columns + j] = reciprocal(i, j);
  }
}

void gangway_routine_vector(int rows, int columns, float* v) {
  const long n = static_cast<long>(rows) * columns;
#pragma acc parallel loop gang vector_length(128) copyout(v[0 : n])
  for (long i = 0; i < rows; ++i)
    fill_row(v, i, columns);
}

void gangway_routine_worker(int rows, int columns, float* v) {
  const long n = static_cast<long>(rows) * columns;
  const int block = 4; // rows of a gang, one per worker: more would leave few gangs
  const int gangs = (rows + block - 1) / block;
#pragma acc parallel loop gang num_workers(4) vector_length(32) copyout(v[0 : n])
  for (int g = 0; g < gangs; ++g) {
    const int first = g * block;
    const int last = first + block < rows ? first + block : rows;
    fill_rows(v, first, last, columns);
  }
}

void gangway_routine_gang(int rows, int columns, float* v) {
  const long n = static_cast<long>(rows) * columns;
#pragma acc parallel num_gangs(2112) vector_length(128) copyout(v[0 : n])
  fill(v, rows, columns);
}

} // extern "C"
