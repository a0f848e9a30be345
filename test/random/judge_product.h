/* SPDX-License-Identifier: Apache-2.0 */
/* judge_product.h: judges a sparse product. */
#ifndef SPARLOOM_TEST_JUDGE_PRODUCT_H
#define SPARLOOM_TEST_JUDGE_PRODUCT_H

#include "random_run.h"

/* C, on the host, must have exactly the entries that A, B and D (NULL: none) give, each once, in
 * order unless the case says otherwise, and right values for the scalars of that round. */
void judge_product(random_run *r, const spl_sparse *const operands[3], const spl_sparse *c,
                   int round);

#endif
