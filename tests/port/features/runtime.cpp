// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls of the runtime library.
#include <openacc.h>

double by_calls(int n, double* x) {
#pragma acc init
  acc_init(acc_device_default);
  acc_copyin(x, n * sizeof(double));
  double* const there = static_cast<double*>(acc_deviceptr(x));
#pragma acc parallel loop deviceptr(there)
  for (int i = 0; i < n; ++i)
    there[i] *= 2;
  acc_wait_all();
  if (acc_is_present(x, sizeof(double) * n))
    acc_update_self(x, sizeof(*x));
  const double first = x[0];
  acc_copyout(x, 8 * n);
  if (acc_get_num_devices(acc_device_not_host) > 0)
    acc_wait(1);
#pragma acc shutdown
  return first;
}
