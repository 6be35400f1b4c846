// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What GCC's openacc.h does not have.
#pragma once

extern "C" {
int acc_get_default_async(void);
void acc_set_default_async(int queue);
}
