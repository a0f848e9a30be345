/* SPDX-License-Identifier: Apache-2.0 */
/* small_product.h: one-shot products with a small matrix on the host, computed on the spot: a plan
 * would take longer than the product. */
#ifndef SPL_API_SMALL_PRODUCT_H
#define SPL_API_SMALL_PRODUCT_H

#include "core/context.h"

/* C = alpha*op(A)*B + beta*C. Of vectors, B and C have one column and the rows that A asks for. */
typedef struct spl__small_operands {
    const spl_sparse *a;
    const spl_dense *b, *c;
    const void *alpha, *beta;
    bool vectors;
} spl__small_operands;

/* Computes by one thread, without an allocation, if the operands are small, valid and stored by
 * rows, alpha is 1, and options say nothing but op_a and threads. Else leaves C as it is and *done
 * false: a plan is to be made, which also says what is wrong. SPL_CANCELLED. */
spl_status spl__small_product(const spl_context *context, const spl__small_operands *operands,
                              const spl_options *options, bool *done);

#endif
