// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gangs that share loops out among workers and lanes, and join what they find; and collapsed loops
// of such gangs.

// Each gang's own sum goes into what all of them join.
double sum_of_squares(int rows, int columns, const double* a) {
  double total = 3;
#pragma acc parallel loop gang vector_length(64) reduction(+ : total) copyin(a[0 : rows * columns])
  for (int i = 0; i < rows; ++i) {
    double sum = 0;
#pragma acc loop vector reduction(+ : sum)
    for (int j = 0; j < columns; ++j)
      sum += a[i * columns + j];
    total += sum * sum;
  }
  return total;
}

// The lanes join into it themselves.
double of_lanes(int rows, int columns, const double* a, double* y) {
  double total = 0;
#pragma acc parallel loop gang reduction(+ : total) copyin(a[0 : rows * columns]) copy(y[0 : rows])
  for (int i = 0; i < rows; ++i) {
    const double factor = y[i];
    y[i] = 0;
#pragma acc loop vector reduction(+ : total)
    for (int j = 0; j < columns; ++j)
      total += factor * a[i * columns + j];
    total += 1;
  }
  return total;
}

// All three levels join into the same.
long of_workers_and_lanes(int planes, int rows, int columns, const double* a) {
  long count = 0;
#pragma acc parallel loop gang num_workers(4) vector_length(32) reduction(+ : count)               \
    copyin(a[0 : planes * rows * columns])
  for (long plane = 0; plane < planes; ++plane) {
    const double least = a[plane * rows * columns];
#pragma acc loop worker reduction(+ : count)
    for (int i = 0; i < rows; ++i) {
      double most = least;
#pragma acc loop vector reduction(max : most)
      for (int j = 0; j < columns; ++j)
        most =
            a[(plane * rows + i) * columns + j] > most ? a[(plane * rows + i) * columns + j] : most;
      if (most > least)
        ++count;
#pragma acc loop vector reduction(+ : count)
      for (int j = 0; j < columns; ++j)
        count += a[(plane * rows + i) * columns + j] > 0;
    }
  }
  return count;
}

// A worker takes a row. Its result is where the kernel is, and another is the host's.
void of_workers(int rows, int columns, const double* a, double* results) {
  double total = 1, most = -100;
#pragma acc data copy(total) copyin(a[0 : rows * columns])
  {
#pragma acc parallel num_workers(4) vector_length(32) present(total)
    {
      const int first = 1;
#pragma acc loop gang worker reduction(+ : total) reduction(max : most)
      for (int i = first; i < rows; i += 2) {
        if (a[i * columns] < -3)
          continue;
        double sum = 1;
#pragma acc loop vector reduction(+ : sum)
        for (int j = 0; j < columns; ++j)
          sum += a[i * columns + j];
        total += sum;
        if (sum > most)
          most = sum;
      }
    }
  }
  results[0] = total;
  results[1] = most;
}

// Each operator, and what held the variables before.
void operators(int rows, int columns, const double* a, double* results) {
  double product = 3, most = 5, least = -3;
  int all_bits = 0x7f, any_bit = 0, odd_bits = 1;
  bool all = true, any = false;
#pragma acc parallel loop gang reduction(* : product) reduction(max : most)                        \
    copyin(a[0 : rows * columns])
  for (int i = 0; i < rows; ++i) {
    int large = 0;
#pragma acc loop vector reduction(+ : large)
    for (int j = 0; j < columns; ++j)
      large += a[i * columns + j] > 7;
    product *= large > 2 ? 2 : 1;
#pragma acc loop vector reduction(max : most)
    for (int j = 0; j < columns; ++j)
      most = most > a[i * columns + j] ? most : a[i * columns + j];
  }
#pragma acc parallel loop gang reduction(min : least) reduction(& : all_bits)                      \
    reduction(| : any_bit) copyin(a[0 : rows * columns])
  for (int i = 0; i < rows; ++i) {
    int bits = 64;
#pragma acc loop vector reduction(| : bits)
    for (int j = 0; j < columns; ++j)
      bits |= static_cast<int>(a[i * columns + j]) + 4;
    all_bits &= bits;
    any_bit |= bits;
    if (least > bits) {
      least = bits;
    }
  }
#pragma acc parallel loop gang reduction(^ : odd_bits) reduction(&& : all) reduction(|| : any)     \
    copyin(a[0 : rows * columns])
  for (int i = 0; i < rows; ++i) {
    odd_bits ^= i;
#pragma acc loop vector reduction(&& : all)
    for (int j = 0; j < columns; ++j)
      all = all && a[i * columns + j] < 100;
#pragma acc loop vector reduction(|| : any)
    for (int j = 0; j < columns; ++j)
      any = any || a[i * columns + j] > 7;
  }
  results[0] = product;
  results[1] = most;
  results[2] = least;
  results[3] = all_bits;
  results[4] = any_bit;
  results[5] = odd_bits;
  results[6] = all;
  results[7] = any;
}

// As long as nothing was found, in as many lanes as look at a time.
long rows_without(int rows, int columns, double value, const double* a) {
  long found = 0;
#pragma acc parallel loop gang worker vector_length(32) reduction(+ : found)                       \
    copyin(a[0 : rows * columns])
  for (int i = 0; i < rows; ++i) {
    int same = 0;
    int begin = 0;
    while (begin < columns && same == 0) {
      const int end = columns < begin + 8 ? columns : begin + 8;
#pragma acc loop vector reduction(+ : same)
      for (int j = begin; j < end; ++j)
        same += a[i * columns + j] == value;
      begin = end;
    }
    if (same == 0)
      ++found;
  }
  return found;
}

// With an array for all lanes of a gang: one gang a row.
double of_held(int rows, int columns, const double* a) {
  double held[64];
  double total = 0;
#pragma acc parallel loop gang private(held) reduction(+ : total) copyin(a[0 : rows * columns])
  for (int i = 1; i < rows; ++i) {
#pragma acc loop vector
    for (int j = 0; j < 64; ++j)
      held[j] = j < columns ? a[i * columns + j] : 1;
#pragma acc loop vector reduction(+ : total)
    for (int j = 0; j < 64; ++j)
      total += held[j] * held[63 - j];
  }
  return total;
}

// Two loops are the gangs'.
void collapsed(int planes, int rows, int columns, const double* a, double* y) {
#pragma acc parallel loop gang collapse(2) vector_length(32)                                       \
    copyin(a[0 : planes * rows * columns]) copy(y[0 : planes * rows])
  for (int plane = 0; plane < planes; ++plane)
    for (int i = 0; i < rows; ++i) {
      if (y[plane * rows + i] < 0)
        continue;
      double sum = 0;
#pragma acc loop vector reduction(+ : sum)
      for (int j = 0; j < columns; ++j)
        sum += a[(plane * rows + i) * columns + j];
      y[plane * rows + i] += sum;
    }
}

struct Extents {
  int planes, rows;
};

// Not all of them, and counted before; the number of them is a structure's.
double collapsed_and_joined(const Extents* extents, int columns, const double* a) {
  int plane, i;
  double total = 0;
#pragma acc parallel loop gang collapse(2) reduction(+ : total)                                    \
    copyin(a[0 : extents->planes * extents->rows * columns])
  for (plane = extents->planes - 1; plane >= 0; plane--) {
    for (i = 1; i < extents->rows; i += 2) {
      const long first = (plane * 3L + i) % 7;
      double sum = 0;
#pragma acc loop vector reduction(+ : sum)
      for (long j = first; j < columns; ++j)
        sum += a[plane * columns + j];
      total += sum * i + plane;
    }
  }
  return total;
}

// A number of the template's type is what it is made of.
template <class T>
void quarter_of_sums(int rows, int columns, const T* a, T* y) {
#pragma acc parallel loop gang copyin(a[0 : rows * columns]) copy(y[0 : rows])
  for (int i = 0; i < rows; ++i) {
    T sum = 0;
#pragma acc loop vector reduction(+ : sum)
    for (int j = 0; j < columns; ++j)
      sum += T(0.5) * a[i * columns + j];
    y[i] = T(0.25) * sum;
  }
}
void quarter_of_sums_of_doubles(int rows, int columns, const double* a, double* y) {
  quarter_of_sums(rows, columns, a, y);
}

// No teams: what the gangs join is more than added to.
void not_of_teams(int rows, int columns, double* a, double* results) {
  double total = 0;
#pragma acc parallel loop gang reduction(+ : total) copy(a[0 : rows * columns])
  for (int i = 0; i < rows; ++i) { // lanes read it
    total += a[i * columns];
#pragma acc loop vector
    for (int j = 1; j < columns; ++j)
      a[i * columns + j] += 0 * total;
  }
#pragma acc parallel loop gang reduction(+ : total) copy(a[0 : rows * columns])
  for (int i = 0; i < rows; ++i) { // they add to it, and do not say so
#pragma acc loop worker
    for (int j = 0; j < columns; ++j)
      total += a[i * columns + j];
    a[i * columns] += 1;
  }
  double most = 1;
#pragma acc parallel loop gang reduction(max : most) copy(a[0 : rows * columns])
  for (int i = 0; i < rows; ++i) { // all lanes would read it
    const double factor = most > 1000 ? 1 : 2;
#pragma acc loop vector
    for (int j = 0; j < columns; ++j)
      a[i * columns + j] *= factor;
    most = most > a[i * columns] ? most : a[i * columns];
  }
  double last = 0;
#pragma acc parallel loop gang reduction(+ : last) copy(a[0 : rows * columns])
  for (int i = 0; i < rows; ++i) { // it is set
    last = 0;
#pragma acc loop vector reduction(+ : last)
    for (int j = 0; j < columns; ++j)
      last += 0 * a[i * columns + j];
    a[i * columns] += 1;
  }
  long parts[2] = {0, 0};
#pragma acc parallel loop gang reduction(+ : parts) copy(a[0 : rows * columns])
  for (int i = 0; i < rows; ++i) { // it is an array
    a[i * columns] += 1;
#pragma acc loop vector
    for (int j = 1; j < columns; ++j)
      a[i * columns + j] += 1;
    parts[i % 2] += i;
  }
  results[0] = total;
  results[1] = most;
  results[2] = last;
  results[3] = parts[0] + 2 * parts[1];
#pragma acc parallel loop gang tile(4) copy(a[0 : rows * columns])
  for (int i = 0; i < rows; ++i) { // tiles
    a[i * columns] += 1;
#pragma acc loop vector
    for (int j = 1; j < columns; ++j)
      a[i * columns + j] += a[i * columns];
  }
}
