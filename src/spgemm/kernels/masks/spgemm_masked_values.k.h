/* SPDX-License-Identifier: Apache-2.0 */
/* Kernel of spgemm/numeric/gpu/masked_rows: see numeric_masked_rows_gpu.c. It branches on the
 * semiring where a product has a position: few have one. */
#ifndef T
#ifndef SPL_SPGEMM_KERNELS_MASKS_SPGEMM_MASKED_VALUES_K_H
#define SPL_SPGEMM_KERNELS_MASKS_SPGEMM_MASKED_VALUES_K_H
#include "spgemm/kernels/masks/spgemm_masked.h"
#endif
#else
#define IN_INTEGERS
#include "spgemm/kernels/masks/spgemm_masked_team.h"

KERNEL_OF(struct spgemm_masked, spgemm_masked_values, SPGEMM_MASKED_THREADS, m)
{
    SHARED_AT_LAUNCH(unsigned char, shared);
    const int64_t k = BLOCK * (THREADS / m.team) + THREAD / m.team;
    if (k < m.list_count)
        FN(masked_compute)(&m, shared, k, true);
}
#endif
