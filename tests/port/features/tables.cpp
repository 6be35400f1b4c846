// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is const may lie where nobody can write: it is copied in, whatever a clause says.

static const int table[4] = {3, 1, 4, 1};
static const struct {
  int of[4];
  double scale;
} held = {{2, 7, 1, 8}, 0.5};
static const double lone = 7;

void without_a_clause(int n, double* x) {
#pragma acc parallel loop copy(x[0 : n])
  for (int i = 0; i < n; ++i)
    x[i] = table[i & 3] + held.of[i & 3] * held.scale;
}

void in_clauses(int n, double* x) {
#pragma acc data copy(table, lone)
  {
#pragma acc parallel loop copy(x[0 : n])
    for (int i = 0; i < n; ++i)
      x[i] += table[i & 3] + lone;
  }
#pragma acc enter data copyin(table)
#pragma acc parallel loop copy(x[0 : n], table)
  for (int i = 0; i < n; ++i)
    x[i] *= table[i & 3];
#pragma acc update self(table)
#pragma acc exit data copyout(table)
}
