// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// As refused.cpp: what variables are refused for.

struct Field {
  int n;
  double* u;
  double** rows;
  double scale;
};
struct Leads {
  double* values;
};
struct Pair {
  double first, second;
};
struct Owns {
  Owns();
  Owns(const Owns&);
  double v;
};
double value_of(const Owns& owns) {
  return owns.v;
}
extern double table[];
#define VALUE(a, i) a[i]
#define FIELD(i) field->u[i]
#define ITS_SCALE field->scale

void arrays(int n, double* x, double* y, Leads* leads, double (*m)[4], double** rows,
            double*** deep, Field* field) {
  // refused: 'x' has no length
#pragma acc enter data create(x)
  // refused: 'leads[0].values[0 : n]' is no variable and no member of one
#pragma acc enter data create(leads[0].values[0 : n])
  // refused: takes a part of an inner dimension
#pragma acc enter data create(m[0 : n][1 : 2])
  // refused: is an array of pointers, or has more dimensions than its type
#pragma acc enter data create(deep[0 : n][0 : n][0 : n])
  // refused: 'rows[1 : n][0 : n]' is of pointers, and does not begin at 0 or has no length
#pragma acc parallel loop copy(rows[1 : n][0 : n])
  for (int i = 1; i < n; ++i)
    rows[i][0] = 1;
  // refused: 'zero' of the rows 'rows[0 : n][0 : n]'
#pragma acc parallel loop copyout(zero : rows[0 : n][0 : n])
  for (int i = 0; i < n; ++i)
    rows[i][0] = 1;
  // refused: the rows 'field->rows' as a whole in a kernel
#pragma acc parallel loop copy(field->rows[0 : n][0 : n])
  for (int i = 0; i < n; ++i) {
    double** const all = field->rows;
    all[i][0] = 1;
  }
  // refused: the elements of 'leads', of type Leads, have pointers in them
#pragma acc parallel loop
  for (int i = 0; i < n; ++i)
    leads[i].values = y;
  // refused: a kernel assigns 'x' another address
#pragma acc parallel loop copy(x[0 : n], y[0 : n])
  for (int i = 0; i < n; ++i) {
    x = y;
    y[i] = x[i];
  }
  // refused: the extents of 'table' are not known
#pragma acc parallel loop copy(x[0 : n])
  for (int i = 0; i < n; ++i)
    x[i] = table[i];
  // refused: 'x' is used by a macro, or assigned another address, in the block
#pragma acc host_data use_device(x)
  {
    x = nullptr;
  }
}

void macros(int n, double* x, Field* field) {
  // refused: which is a member
#pragma acc parallel loop copy(x[0 : n])
  for (int i = 0; i < n; ++i)
    x[i] *= ITS_SCALE;
  // refused: a macro uses 'field->u', which is a member
#pragma acc parallel loop copy(field->u[0 : n])
  for (int i = 0; i < n; ++i)
    FIELD(i) = 1;
}

void own(int n, double* x, Owns& owns, Pair pair) {
  double w[4], t = 0, varying[4][n];
  // refused: 'varying' is private, and an array of variable length
#pragma acc parallel loop copy(x[0 : n]) private(varying)
  for (int i = 0; i < n; ++i) {
    varying[0][0] = x[i];
    x[i] = 2 * varying[0][0];
  }
  // refused: 'owns' is of type Owns
#pragma acc enter data copyin(owns)
  // refused: use_device of 't', which is no array
#pragma acc host_data use_device(t)
  {
    x[0] = t;
  }
  // refused: 'pair' of type Pair is written in a kernel
#pragma acc parallel loop copy(x[0 : n])
  for (int i = 0; i < n; ++i) {
    pair = Pair{x[i], 1};
    x[i] = 2;
  }
  // refused: 'owns' is private, and of type Owns
#pragma acc parallel loop copy(x[0 : n]) private(owns)
  for (int i = 0; i < n; ++i)
    x[i] = value_of(owns);
  // refused: 'table' is private, and its extents are not known
#pragma acc parallel loop copy(x[0 : n]) private(table)
  for (int i = 0; i < n; ++i) {
    table[0] = x[i];
    x[i] = table[0] + 1;
  }
  // refused: 'x[1 : 2]' is private, and no whole array
#pragma acc parallel loop private(x[1 : 2]) copy(w)
  for (int i = 0; i < 4; ++i) {
    x[1] = w[i];
    w[i] = 2 * x[1];
  }
  // refused: 't' is private to an inner loop, and used outside of it
#pragma acc parallel loop copy(x[0 : n])
  for (int i = 0; i < n; ++i) {
    t = x[i];
    // refused: it is part of the construct
#pragma acc loop seq private(t)
    for (int j = 0; j < 3; ++j) {
      t = j;
      x[i] += t;
    }
    x[i] += t;
  }
}
