// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every form of an atomic's statement.

void forms(int n, const int* bin, int* x, int* y, double* z) {
#pragma acc parallel loop copyin(bin[0 : n]) copy(x[0 : 16], y[0 : n], z[0 : 1])
  for (int i = 0; i < n; ++i) {
    int seen;
#pragma acc atomic
    x[bin[i]]++;
#pragma acc atomic update
    x[1] += bin[i];
#pragma acc atomic update
    x[2] = bin[i] | x[2];
#pragma acc atomic update
    x[3] ^= 1;
#pragma acc atomic update
    z[0] -= 0.5 * y[i];
#pragma acc atomic read
    seen = x[4];
#pragma acc atomic write
    x[5] = seen + 1;
#pragma acc atomic capture
    y[i] = x[6]++;
#pragma acc atomic capture
    y[i] = --x[6];
#pragma acc atomic capture
    {
      y[i] = x[7];
      x[7] += 2;
    }
#pragma acc atomic capture
    {
      x[8] &= bin[i];
      y[i] = x[8];
    }
#pragma acc atomic capture
    { // both
      y[i] = x[9];
      x[9] = bin[i];
    }
  }
}

/// What Kokkos has no function for.
void changes(int n, const int* bin, int* x, int* y, double* z) {
#pragma acc parallel loop copyin(bin[0 : n]) copy(x[0 : 16], y[0 : n], z[0 : 1])
  for (int i = 0; i < n; ++i) {
#pragma acc atomic
    x[0] = bin[i] - x[0];
#pragma acc atomic update
    z[0] = 2.5 / z[0];
#pragma acc atomic update
    x[1] -= 0.5; // a whole number
#pragma acc atomic capture
    y[i] = x[2] = bin[i] << x[2];
#pragma acc atomic capture
    {
      y[i] = x[3];
      x[3] = (bin[i] + 1) >> x[3];
    }
  }
}
