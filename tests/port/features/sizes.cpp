// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `sizeof` of what a kernel calls otherwise is still that of the array. Nothing in it is read.
#include <cstddef>

#define COUNT(x) (int)(sizeof(x) / sizeof((x)[0]))

static int weights[6] = {1, 2, 3, 4, 5, 6};

void of_arrays(long* x) { // 10 of them
  long b[10] = {};
#pragma acc parallel loop copyout(x[0 : 10]) copy(b)
  for (int i = 0; i < 10; ++i) {
    b[i] = sizeof b / sizeof *b;
    x[i] = (long)(sizeof(b)) + b[i] + COUNT(b) + weights[i % COUNT(weights)];
  }
}

void of_bounds(double (&m)[4][5], long* x) { // 4 of them
#pragma acc parallel loop copyin(m) copyout(x[0 : 4])
  for (int i = 0; i < (int)(sizeof m / sizeof m[0]); ++i) {
    double sum = 0;
#pragma acc loop vector reduction(+ : sum)
    for (int j = 0; j < (int)(sizeof(m[0]) / sizeof(m[0][0])); ++j)
      sum += m[i][j];
    x[i] = (long)sum + (long)sizeof(m[i]);
  }
}

template <class T>
void of_private(int n, T* x) {
  T w[4];
#pragma acc parallel loop copy(x[0 : n]) private(w)
  for (int i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < sizeof w / sizeof(w[0]); ++k)
      w[k] = x[i];
    x[i] = w[3] + (T)(sizeof(w) + sizeof x[0]);
  }
}
