/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
   C, which comes out as C++. */
#ifdef _OPENACC
#include <openacc.h>
#endif
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

float damping[2] = {1, 0.5f};
#pragma acc declare copyin(damping)

struct Field {
  int n;
  float* u;
};

static void advance(struct Field* field, const float* restrict flux) {
  int i;
  const int n = field->n;
#pragma acc parallel loop present(field->u[0 : n], flux[0 : n])
  for (i = 0; i < n; i++)
    field->u[i] -= damping[0] * fabsf(flux[i]);
}

int main(void) {
  struct Field field = {100, malloc(100 * sizeof(float))};
  float* flux = malloc(100 * sizeof(float));
  float total = 0;
  _Bool is_large = 0;
  for (int i = 0; i < field.n; ++i)
    flux[i] = 1;
#pragma acc enter data create(field.u[0 : field.n]) copyin(flux[0 : field.n]) async(1)
#pragma acc parallel loop present(field.u[0 : field.n]) async(1)
  for (int i = 0; i < field.n; ++i)
    field.u[i] = (float)i;
#pragma acc wait(1)
  advance(&field, flux);
#pragma acc parallel loop present(field.u[0 : field.n]) reduction(+ : total)                       \
    reduction(|| : is_large)
  for (int i = 0; i < field.n; ++i) {
    total += field.u[i];
    is_large = is_large || field.u[i] > 97;
  }
#pragma acc exit data delete(field.u[0 : field.n], flux[0 : field.n])
  printf("%.1f\n", is_large ? total : 0);
  free(field.u);
  free(flux);
  return 0;
}
