/* SPDX-License-Identifier: Apache-2.0 */
/* spgemm_masked.h: arguments of kernels that meet products with known positions. */
#ifndef SPL_SPGEMM_KERNELS_MASKS_SPGEMM_MASKED_H
#define SPL_SPGEMM_KERNELS_MASKS_SPGEMM_MASKED_H

#include "spgemm/kernels/spgemm_structures.h"

enum { SPGEMM_MASKED_THREADS = 512, SPGEMM_MASKED_BINS = 5, SPGEMM_MASKED_AT_ONCE = 4 };

/* Rows of a list, a team each. o.offsets and o.columns are the positions, which ascend in rows;
 * their values are computed, or met[p] becomes 1 where position p meets anything. */
struct spgemm_masked {
    struct spgemm_operands o;
    uint32_t *met;        /* [positions] */
    const uint32_t *list; /* [list_count] rows */
    int64_t list_count;
    int64_t slots; /* of a team's table; 0: none, positions are searched */
    int32_t shift; /* 32 - log2(slots) */
    /* threads of a team, a warp or the block; lanes of a part of it */
    int32_t team, width;
    int32_t in_order;  /* sums in the order of the entries, by teams of a warp that is one part */
    int32_t ascending; /* columns of every row of B and D ascend, each once */
    int32_t semiring;
};
#endif
