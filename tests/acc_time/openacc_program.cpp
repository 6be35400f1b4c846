// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An OpenACC program that knows nothing of Gangway, for the tests of the timing report: what it
// does is counted in acc_time_test.cpp.
#include <openacc.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

void axpy(int n, double a, const double* x, double* y) {
#pragma acc parallel loop gang vector vector_length(128) copyin(x[0 : n]) copy(y[0 : n])
  for (int i = 0; i < n; ++i)
    y[i] += a * x[i];
}

double dot(int n, const double* x, const double* y) {
  double sum = 0;
#pragma acc parallel loop reduction(+ : sum) copyin(x[0 : n], y[0 : n])
  for (int i = 0; i < n; ++i)
    sum += x[i] * y[i];
  return sum;
}

int main(int argc, char** argv) {
  const std::string how = argc > 1 ? argv[1] : "";
  const int n = 1000;
  std::vector<double> x_values(n, 1.0);
  std::vector<double> y_values(n, 2.0);
  double* x = x_values.data();
  double* y = y_values.data();

  for (int i = 0; i < 3; ++i)
    axpy(n, 2.0, x, y); // moves x and y each time

#pragma acc data copyin(x[0 : n]) copy(y[0 : n])
  {
    for (int i = 0; i < 5; ++i)
      axpy(n, 0.5, x, y); // finds them present
    for (int i = 0; i < 2; ++i) {
#pragma acc update self(y[0 : n])
    }
  }

#pragma acc enter data copyin(x[0 : n])
  const double sum = dot(n, x, y);
#pragma acc exit data delete (x[0 : n])

  if (how == "abort")
    std::abort();
  if (how == "exit")
    std::exit(3);
  std::printf("%g\n", sum);
}
