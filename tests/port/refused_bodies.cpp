// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// As refused.cpp: what loops and statements are refused for.
#include <cstdio>
#include <cstdlib>
#include <string>

void statements(int n, double* x) {
  const int host_steps[3] = {1, 2, 3};
  // refused: new or delete in a kernel
#pragma acc parallel loop copy(x[0 : n])
  for (int i = 0; i < n; ++i) {
    double* const one = new double(x[i]);
    x[i] = 2 * *one;
    delete one;
  }
  // refused: an exception in a kernel
#pragma acc parallel loop copy(x[0 : n])
  for (int i = 0; i < n; ++i) {
    try {
      x[i] = 1;
    } catch (...) {
    }
  }
  // refused: goto or asm in a kernel
#pragma acc parallel loop copy(x[0 : n])
  for (int i = 0; i < n; ++i) {
    x[i] = 1;
    asm volatile("");
  }
  // refused: a loop over a range that is no array of the kernel's own in a kernel
#pragma acc parallel loop copy(x[0 : n])
  for (int i = 0; i < n; ++i)
    for (const int step : host_steps)
      x[i] += step;
  // refused: a lambda that takes more than values in a kernel
#pragma acc parallel loop copy(x[0 : n])
  for (int i = 0; i < n; ++i) {
    const auto add = [&](double by) { x[i] += by; };
    add(1);
  }
  double last = 0;
  // refused: a lambda that takes more than values in a kernel
#pragma acc parallel loop copy(x[0 : n])
  for (int i = 0; i < n; ++i) {
    const auto before = [&] { return last; };
    x[i] += before();
    last = x[i];
  }
  // refused: 'calls', which is static, in a kernel
#pragma acc parallel loop copy(x[0 : n])
  for (int i = 0; i < n; ++i) {
    static int calls = 0;
    x[i] += calls;
  }
  // refused: 'name', of class type
#pragma acc parallel loop copy(x[0 : n])
  for (int i = 0; i < n; ++i) {
    const std::string name;
    x[i] += 1;
  }
  // refused: 'work', an array of variable length, in a kernel
#pragma acc parallel loop copy(x[0 : n])
  for (int i = 0; i < n; ++i) {
    double work[n];
    work[0] = x[i];
    x[i] = 2 * work[0];
  }
  // refused: 'update' inside a compute construct
#pragma acc serial copy(x[0 : n])
  {
    x[0] = 1;
    // refused: it is part of the construct
#pragma acc update self(x[0 : n])
  }
#pragma acc data copy(x[0 : n])
  {
#pragma acc host_data use_device(x)
    {
      // refused: it stands in host_data
#pragma acc parallel loop deviceptr(x)
      for (int i = 0; i < n; ++i)
        x[i] = 1;
    }
  }
}

struct Body {
  int n;
  double* x;
  double at(int i) const { return x[i]; }
  // refused: 'twice' is a member function
#pragma acc routine seq
  static double twice(double v) { return 2 * v; }
  void step();
};
double apart(const Body& body);

void Body::step() {
  // refused: 'this' in a kernel
#pragma acc parallel loop
  for (int i = 0; i < n; ++i)
    x[i] = apart(*this);
  // refused: a call of the member function 'at' in a kernel
#pragma acc parallel loop copy(x[0 : n])
  for (int i = 0; i < n; ++i)
    x[i] = at(i);
}

double* leads_anywhere;
// refused: 'declare' of 'leads_anywhere[0 : 4]', which is no whole array and no number
#pragma acc declare create(leads_anywhere[0 : 4])

double throwing(double x) {
  if (x < 0)
    throw x;
  return x;
}
double with_a_loop(double x) {
#pragma acc parallel loop
  for (int i = 0; i < 1; ++i)
    ;
  return x;
}
#define ABSOLUTE(x) std::abs(x)

int main() {
  return 0;
}

void calls(int n, double* x) {
  // refused: 'main' is called
#pragma acc parallel loop copy(x[0 : n])
  for (int i = 0; i < n; ++i)
    x[i] = main();
  // refused: 'throwing' has an exception in a kernel
#pragma acc parallel loop copy(x[0 : n])
  for (int i = 0; i < n; ++i)
    x[i] = throwing(x[i]);
  // refused: 'with_a_loop' has the directive 'parallel loop' in it
#pragma acc parallel loop copy(x[0 : n])
  for (int i = 0; i < n; ++i)
    x[i] = with_a_loop(x[i]);
  // refused: it calls 'puts', of which Kokkos has no device function that is known here
#pragma acc parallel loop copy(x[0 : n])
  for (int i = 0; i < n; ++i) {
    std::puts("here");
    x[i] = 1;
  }
  // refused: a macro calls 'abs'
#pragma acc parallel loop copy(x[0 : n])
  for (int i = 0; i < n; ++i)
    x[i] = ABSOLUTE(x[i]);
}

double outside(double x);
// refused: routine for a function that this file does not define
#pragma acc routine(outside) seq
// refused: 'writes' names the global variable 'written'
#pragma acc routine seq
double writes(double x);
double written;
double writes(double x) {
  return written = x;
}
#pragma acc routine vector
void in_a_function(int n, double* x) {
  double t = 0;
  // refused: 'private(t)' in a function
#pragma acc loop vector private(t)
  for (int i = 0; i < n; ++i) {
    t = x[i];
    x[i] = t * t;
  }
}

#define PLUS(x) (x) += 1

void atomics(int n, int* x, bool* flags) {
#pragma acc data copy(x[0 : n], flags[0 : n])
  {
    // refused: its statement has no form that an atomic may have
#pragma acc parallel loop
    for (int i = 0; i < n; ++i) {
      // refused: it is part of the construct
#pragma acc atomic update
      PLUS(x[0]);
    }
  }
}

template <int N>
void nests(int n, double* x, double (*m)[4]) {
  // refused: collapse of a number that is not known
#pragma acc parallel loop collapse(N) copy(x[0 : n])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      x[i] = 1;
  // refused: more than six loops in one index space
#pragma acc parallel loop collapse(7) copy(x[0 : n])
  for (int a = 0; a < n; ++a)
    for (int b = 0; b < n; ++b)
      for (int c = 0; c < n; ++c)
        for (int d = 0; d < n; ++d)
          for (int e = 0; e < n; ++e)
            for (int f = 0; f < n; ++f)
              for (int g = 0; g < n; ++g)
                x[a] = 1;
  (void)m;
}

#define LOOP _Pragma("acc parallel loop copy(x[0 : n])")

#define EACH(i)                                                                                    \
  for (int i = 0; i < n; ++i)                                                                      \
  x[i] = 1

void pieces(int n, double* x) {
  double last = 0;
  // refused: is no range: a macro writes it
#pragma acc parallel loop copy(x[0 : n])
  EACH(i);
  // refused: the directive comes from a macro
  LOOP for (int i = 0; i < n; ++i) x[i] = 1;
  // refused: 'last' is set in a kernel, and read after it
#pragma acc kernels copy(x[0 : n])
  {
    for (int i = 1; i < n; ++i) {
      last += x[i];
      x[i] = last + x[i - 1];
    }
    last += 1;
  }
  // refused: there is no loop in it
#pragma acc parallel copy(x[0 : n]) num_gangs(2)
  {
    const double alone = x[0];
  }
  // refused: is written where 'begin' is set beside the loops
#pragma acc parallel copy(x[0 : n])
  {
    const double begin = n++;
    // refused: it is part of the construct
#pragma acc loop
    for (int i = 0; i < 10; ++i)
      x[i] = begin;
  }
}
