// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// options: --queues
// Queues that become instances.

void two_queues(int n, int second, double* x, double* y) {
#pragma acc data copy(x[0 : n], y[0 : n])
  {
#pragma acc parallel loop present(x[0 : n]) async(1)
    for (int i = 0; i < n; ++i)
      x[i] *= 2;
#pragma acc parallel loop collapse(2) present(y[0 : n]) async(second)
    for (int i = 0; i < n / 2; ++i)
      for (int j = 0; j < 2; ++j)
        y[i * 2 + j] *= 3;
#pragma acc wait(1) async(second)
#pragma acc parallel loop present(x[0 : n], y[0 : n]) async(second)
    for (int i = 0; i < n; ++i)
      y[i] += x[i];
#pragma acc update self(y[0 : n]) async(second)
#pragma acc wait(1, second)
    y[0] += 1;
#pragma acc update device(y[0 : 1]) async
#pragma acc parallel loop present(y[0 : n]) wait
    for (int i = 0; i < n; ++i)
      y[i] += 1;
#pragma acc wait
  }
}

double sum_of_queue(int n, double* x) {
  double sum = 1;
#pragma acc enter data copyin(x[0 : n]) async(3)
#pragma acc parallel loop present(x[0 : n]) reduction(+ : sum) async(3) wait(1)
  for (int i = 0; i < n; ++i)
    sum += x[i];
#pragma acc exit data delete (x[0 : n])async(3)
  return sum;
}
