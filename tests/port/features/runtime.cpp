// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls of the runtime library.
#include "later_openacc.h"

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

// The device that there is.
int devices(double* x) {
  acc_set_device_type(acc_device_default);
  acc_device_t type = acc_get_device_type();
  int number = acc_get_device_type(), on_host = 1;
  acc_set_device_num(0, type);
  if (type == acc_device_none || acc_get_device_type() == acc_device_none ||
      number == acc_device_none || acc_get_num_devices(acc_device_default) < 1 ||
      acc_get_num_devices(acc_get_device_type()) < 1)
    return -1;
#pragma acc parallel loop copy(x[0 : 1]) copyin(on_host)
  for (int i = 0; i < 1; ++i)
    x[i] = acc_on_device(acc_device_host) || acc_on_device(acc_device_not_host) ? on_host : 0;
  return acc_get_property(0, acc_device_default, acc_property_memory) > 0;
}

// The queue that `async` means.
int queues(int n, double* x) {
#pragma acc set default_async(3) if (n > 0)
#pragma acc set device_type(default)
  const int before = acc_get_default_async();
  acc_set_default_async(before + 1);
  acc_create(x, n * sizeof(double));
  acc_create(x, n * sizeof(double));
#pragma acc parallel loop present(x[0 : n]) async
  for (int i = 0; i < n; ++i)
    x[i] = i;
  acc_wait(acc_get_default_async());
  acc_copyout_finalize(x, n * sizeof(double));
#pragma acc enter data copyin(x[0 : n])
#pragma acc enter data copyin(x[0 : n])
#pragma acc exit data delete (x[0 : n])finalize
  acc_set_default_async(acc_async_noval);
  return 10 * before + acc_get_default_async();
}

// Rows, attached by hand; and bytes from one array of the device's to another.
void attached(int rows, int n, double** a, double* x) {
  for (int i = 0; i < rows; ++i)
    acc_copyin(a[i], n * sizeof(double));
#pragma acc data copyin(a[0 : rows][0 : n])
  {
    double* const kept = a[0];
    a[0] = a[1];
    acc_attach((void**)&a[0]);
#pragma acc parallel loop
    for (int j = 0; j < n; ++j)
      a[0][j] += 1;
    acc_detach((void**)&a[0]);
    a[0] = kept;
    acc_attach((void**)&a[0]);
  }
#pragma acc data copyout(x[0 : n])
  acc_memcpy_device(acc_deviceptr(x), acc_deviceptr(a[1]), n * sizeof(double));
  for (int i = 0; i < rows; ++i)
    acc_delete_finalize(a[i], n * sizeof(double));
}
