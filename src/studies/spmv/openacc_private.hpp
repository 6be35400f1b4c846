// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "openacc/runtime.h"
#include "studies/spmv/spmv.hpp"

namespace gangway::spmv {

/// Lanes of a gang of `row-blocks`, and of a worker of `merge-path`.
constexpr int lanes = 32;

/// Products that a gang of `row-blocks` stages: eight for each of its lanes, 2 KB.
constexpr int staged = 8 * lanes;

extern "C" {

void* gangway_spmv_row_blocks_plan(Csr matrix, const double* x, double* y);
void gangway_spmv_row_blocks_unplan(void* plan);
void gangway_spmv_row_blocks(void* plan, Csr matrix, const double* x, double* y);

// The study cg_ranks calls these.
void* gangway_spmv_auto_plan(Csr matrix, const double* x, double* y);
void gangway_spmv_auto_unplan(void* plan);
void gangway_spmv_auto(void* plan, Csr matrix, const double* x, double* y);

} // extern "C"
} // namespace gangway::spmv
