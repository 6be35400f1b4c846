// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is refused. Above each directive stands a part of what the report has to say of it; the test
// compares, and wants every line that is not a remark to come out as it was.
#include <openacc.h>

#include <algorithm>
#include <vector>

struct Part {
  double one, other;
};
struct Node {
  double* values;
};
double global_sum;
double elsewhere(double x);
double uses_a_global(double x) {
  return x + global_sum;
}

void clauses(int n, double* x, double* y, Node* nodes) {
  // refused: the modifier 'always' of 'copy'
#pragma acc data copy(always : x[0 : n])
  {
    x[0] = 1;
  }
  // refused: the clause 'no_create'
#pragma acc parallel loop no_create(x[0 : n])
  for (int i = 0; i < n; ++i)
    x[i] = 1;
  // refused: the clause 'self'
#pragma acc parallel loop self(n < 100) copy(x[0 : n])
  for (int i = 0; i < n; ++i)
    x[i] = 1;
  // refused: 'if' on data that holds scalars
#pragma acc data copy(x[0 : n], n) if (n > 100)
  {
    x[0] = 1;
  }
  // refused: have pointers in them
#pragma acc enter data copyin(nodes[0 : n])
  // refused: the clause 'attach'
#pragma acc enter data copyin(x[0 : n]) attach(nodes -> values)
  // refused: 'device_type(host)'
#pragma acc set device_type(host)
  // refused: 'acc_get_device_type' in a clause
#pragma acc set default_async(1) if (acc_get_device_type() == acc_device_host)
  (void)y;
}

void scalars(int n, double* x) {
  double last = 0, sum = 0;
  double w[3] = {1, 2, 3}, wide[65] = {};
  enum Colour { red, blue };
  Colour top = red;
  // refused: 'last' is written in a kernel, and no clause says what comes of it
#pragma acc parallel loop copy(x[0 : n])
  for (int i = 0; i < n; ++i)
    last = last * 2 + x[i];
  // refused: 'global_sum', a global variable, is written in a kernel
#pragma acc parallel loop copy(x[0 : n])
  for (int i = 0; i < n; ++i)
    global_sum = x[i];
  // refused: Kokkos reduces no 'Colour'
#pragma acc parallel loop reduction(max : top) copy(x[0 : n])
  for (int i = 0; i < n; ++i)
    top = x[i] > 1 && top < blue ? blue : top;
  // refused: it is no array of one dimension and at most 64 elements
#pragma acc parallel loop reduction(+ : wide) copy(x[0 : n])
  for (int i = 0; i < n; ++i)
    wide[0] += x[i];
#pragma acc data copy(w)
  {
    // refused: it is on the device, and more than its elements are used
#pragma acc parallel loop reduction(+ : w) copy(x[0 : n])
    for (int i = 0; i < n; ++i)
      *w += x[i];
  }
  // refused: 'w' is firstprivate, and no array of one dimension that begins at 0
#pragma acc parallel loop firstprivate(w[1 : 2]) copy(x[0 : n])
  for (int i = 0; i < n; ++i) {
    w[1] += x[i];
    x[i] = w[1];
  }
#pragma acc data copy(sum)
  {
    // refused: the clause 'self'
#pragma acc parallel loop reduction(+ : sum) copy(x[0 : n]) self(n < 100)
    for (int i = 0; i < n; ++i)
      sum += x[i];
  }
}

#define SKIP(condition)                                                                            \
  if (condition)                                                                                   \
  continue
#define BACK -1

void silently_wrong(int n, double* x, double* y) {
  double t = 0, sum = 0;
  // refused: a macro has a 'continue' of the loop
#pragma acc parallel loop copy(x[0 : n])
  for (int i = 0; i < n; ++i) {
    SKIP(x[i] < 0);
    x[i] = 1;
  }
  // refused: its step is negative
#pragma acc parallel loop copy(x[0 : n])
  for (int i = n - 1; i > 0; i += BACK)
    x[i] = 1;
  // refused: 'copyin' leaves it on the device
#pragma acc parallel loop reduction(+ : sum) copyin(sum) copy(x[0 : n])
  for (int i = 0; i < n; ++i)
    sum += x[i];
  // refused: goto or asm in a kernel
#pragma acc serial copy(x[0 : n])
  {
  again:
    x[0] += 1;
    if (x[0] < 5)
      goto again;
  }
  // refused: 'x[n : n]' is named a second time
#pragma acc parallel loop copy(x[0 : n]) copyin(x[n : n])
  for (int i = 0; i < n; ++i)
    x[i] = x[i + n];
#pragma acc data copy(x[0 : n])
  {
#pragma acc data copy(x[n : n])
    {
      // refused: 'x' is named a second time
#pragma acc parallel loop
      for (int i = 0; i < n; ++i)
        x[i] += 1;
    }
  }
  // refused: 't' is set in a kernel, and read after it
#pragma acc parallel copy(x[0 : n], y[0 : n])
  {
    // refused: it is part of the construct
#pragma acc loop
    for (int i = 0; i < n; ++i) {
      t = x[i];
      x[i] = t * t;
    }
    // refused: it is part of the construct
#pragma acc loop
    for (int i = 0; i < n; ++i)
      y[i] = t;
  }
  // refused: 'x' is private in one kernel of the construct, and shared in another
#pragma acc parallel
  {
    // refused: it is part of the construct
#pragma acc loop private(x)
    for (int i = 0; i < n; ++i)
      x = y + i;
    // refused: it is part of the construct
#pragma acc loop
    for (int i = 0; i < n; ++i)
      y[i] = x[i];
  }
  // refused: 't' is written in a kernel, and no clause says what comes of it
#pragma acc parallel loop copy(x[0 : n])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < 3; x[i] += t, ++j) {
      if (x[i] < 0)
        continue;
      t = x[i];
    }
  // refused: the call of 'max' with template arguments in a kernel
#pragma acc parallel loop copy(x[0 : n])
  for (int i = 0; i < n; ++i)
    x[i] = std::max<int>(x[i], y[i]);
}

double held;
void hold() {
#pragma acc enter data copyin(held)
}
void silently_another(int n, double* x) {
  // refused: 'enter data' in line
#pragma acc parallel loop reduction(+ : held) copyin(x[0 : n])
  for (int i = 0; i < n; ++i)
    held += x[i];
  // refused: holds on the device, which 'kernels' would take
#pragma acc kernels copy(x[0 : n])
  for (int i = 0; i < n; ++i)
    x[i] *= held;
}

void loops(int n, double* x) {
  // refused: its bounds depend on 'i'
#pragma acc parallel loop collapse(2) copy(x[0 : n * n])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < i; ++j)
      x[i * n + j] = 1;
  // refused: a declaration beside its loops, of something else than a number that stays as it is
#pragma acc parallel copy(x[0 : n])
  {
    double first[2] = {1, 2};
    // refused: it is part of the construct
#pragma acc loop
    for (int i = 1; i < n; ++i)
      x[i] = 1;
  }
  int last = 0;
  // refused: 'last' is written beside the loops over gangs, by every gang
#pragma acc parallel copy(x[0 : n]) num_gangs(2)
  for (int i = 1; i < n; ++i)
    last = i;
  Part parts[2] = {{1, 2}, {3, 4}};
  Part* part = parts;
  // refused: 'part->one' is a member of what is on the device, and not at its beginning
#pragma acc parallel loop copy(x[0 : n]) copyin(part[1 : 1])
  for (int i = 0; i < n; ++i)
    x[i] = part->one;
  // refused: a declaration beside the loops uses 'x'
#pragma acc kernels copy(x[0 : n])
  {
    double first = x[0];
    for (int i = 1; i < n; ++i)
      x[i] = first;
  }
}

void bodies(int n, double* x, double** rows, std::vector<double>& v, Node node, long double* wide) {
  // refused: which is defined in another file
#pragma acc parallel loop copy(x[0 : n])
  for (int i = 0; i < n; ++i)
    x[i] = elsewhere(x[i]);
  // refused: 'uses_a_global' names the global variable 'global_sum'
#pragma acc parallel loop copy(x[0 : n])
  for (int i = 0; i < n; ++i)
    x[i] = uses_a_global(x[i]);
  // refused: an operator of a class in a kernel
#pragma acc parallel loop copy(x[0 : n])
  for (int i = 0; i < n; ++i)
    x[i] = v[static_cast<unsigned>(i)];
  // refused: 'rows' of type double * in a kernel
#pragma acc parallel loop
  for (int i = 0; i < n; ++i)
    rows[i][0] = 1;
  // refused: a pointer of the rows 'rows' is written
#pragma acc parallel loop copy(rows[0 : n][0 : n])
  for (int i = 0; i < n; ++i)
    rows[i] = rows[0];
  // refused: 'rows[0 : n][0 : n]' is of rows that pointers lead to
#pragma acc enter data copyin(rows[0 : n][0 : n])
  {
    // refused: 'declare' in an inner block
#pragma acc declare copy(x[0 : n])
  }
  // refused: a lambda that takes more than values in a kernel
#pragma acc parallel loop copy(x[0 : n])
  for (int i = 0; i < n; ++i) {
    const auto next = [](const double& y) { return y + 1; };
    x[i] = next(x[i]);
  }
  // refused: no compare-exchange of more than 8 bytes
#pragma acc parallel loop copy(wide[0 : 1])
  for (int i = 0; i < n; ++i) {
    // refused: it is part of the construct
#pragma acc atomic update
    wide[0] = 1 - wide[0];
  }
  (void)node;
}

void too_large(int n, double* x) {
  double all[3000][1000];
  // refused: 'all' is private to a gang, and larger than its scratch
#pragma acc parallel loop gang private(all) copy(x[0 : n])
  for (int i = 0; i < n; ++i) {
    // refused: it is part of the construct
#pragma acc loop vector
    for (int j = 0; j < 3000; ++j)
      all[j][i % 1000] = x[i];
    x[i] += all[0][i % 1000];
  }
}

// refused: routine gang, and there is more in it than loops over gangs
#pragma acc routine gang
void orphan(int n, double* x) {
  x[0] = 2;
  // refused: 'loop' outside of a compute construct
#pragma acc loop gang
  for (int i = 1; i < n; ++i)
    x[i] = 1;
}

void calls_all_gangs(int n, double* x) {
  // refused: it calls 'orphan', a routine gang
#pragma acc parallel copy(x[0 : n])
  orphan(n, x);
}

double weight[3];
// refused: 'declare' of globals, and 'main' is in another file
#pragma acc declare create(weight)
