/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SPL_SPMV_SPMV_SAMPLE_H
#define SPL_SPMV_SPMV_SAMPLE_H

#include "plan/plan.h"

/* Fills the features repeated_sampled and shifted_sampled. Structure only, the same for any number of threads. */
void spl__sample_neighbours(spl_plan *plan);

#endif
