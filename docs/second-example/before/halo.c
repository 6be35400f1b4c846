// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The rows of the neighbours, which own the plane's other parts. There is one part here, and so it
// is its own neighbour.
#include "waves.h"

#include <string.h>

// In the place of MPI_Sendrecv(send, n, MPI_DOUBLE, to, 0, receive, n, MPI_DOUBLE, from, 0,
// MPI_COMM_WORLD, …).
static void sendrecv(const double* send, double* receive, int n) {
  memcpy(receive, send, n * sizeof(double));
}

// [exchange]
static void exchange_rows(int nx, int ny, double* a) {
  double *before = a, *first = a + nx, *last = a + ny * nx, *after = last + nx;
#pragma acc update self(first[0 : nx], last[0 : nx])
  sendrecv(last, before, nx);
  sendrecv(first, after, nx);
#pragma acc update device(before[0 : nx], after[0 : nx])
}

void exchange(struct sea* sea) {
#pragma acc wait(1)
  exchange_rows(sea->nx, sea->ny, sea->h);
  exchange_rows(sea->nx, sea->ny, sea->hu);
  exchange_rows(sea->nx, sea->ny, sea->hv);
}
// [exchange]
