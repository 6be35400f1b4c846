/* What across.cpp calls, and across_functions.cpp defines. */
#pragma once
namespace deep {
const double one = 1;
const double two = one + one;
#pragma acc routine seq
double twice(double x);
double twice(int x); // called without a directive
} // namespace deep
