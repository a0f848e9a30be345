/* SPDX-License-Identifier: Apache-2.0 */
/* once_masked.h: one-shot SpGEMM under a mask: what it reads beside once.h. */
#ifndef SPL_PLAN_ONCE_MASKED_H
#define SPL_PLAN_ONCE_MASKED_H

#include "plan/once.h"

/* Not to be copied. */
typedef struct spl__once_masked {
    spl__once product; /* A and B; values that the semiring does not use may be NULL */
    spl_sparse mask;   /* the positions that C may have; without values */
    int32_t semiring;
    bool transposed; /* the product is of A and B' */
} spl__once_masked;

/* Reads A, B, the mask, its semiring and other options. All must be stored by rows, in A's widths,
 * and have entries; types may be integers. False: a plan must be made. */
bool spl__once_masked_read(spl__once_masked *once, spl_context *context, const spl_options *options,
                           const spl_sparse *a, const spl_sparse *b, const void *alpha,
                           const void *beta);

#endif
