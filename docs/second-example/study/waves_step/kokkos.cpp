// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "waves_step.hpp"

#include "harness/study.hpp"

#include "../../after/sea.cpp" // the program after the port

double gravity = waves_step::gravity;
double sponge[max_rows + 2];

namespace waves_step {

static void advance(int nx, int ny, double courant, const double* h, const double* hu,
                    const double* hv, double* h_new, double* hu_new, double* hv_new) {
  for (int row = 0; row < ny + 2; ++row)
    ::sponge[row] = sponge_at(row);
  Data data;
  for (const double* field : {h, hu, hv})
    static_cast<void>(data.copyin(field, ny + 2, nx));
  for (double* field : {h_new, hu_new, hv_new})
    static_cast<void>(data.copyout(field, ny + 2, nx));
  static_cast<void>(data.copyin(::sponge, max_rows + 2));
  const Sea now{nx, ny, const_cast<double*>(h), const_cast<double*>(hu), const_cast<double*>(hv)};
  Sea next{nx, ny, h_new, hu_new, hv_new};
  ::advance(&now, &next, ClockView(), courant);
}

static const harness::Study<Problem> study({.stages = {{"advance", advance}}});

} // namespace waves_step
