/* What from_c.c includes: C's keyword in a header, whose text stays. */
#pragma once
static inline double first_of(const double* restrict values) {
  return values[0];
}
