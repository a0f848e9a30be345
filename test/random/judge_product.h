/* SPDX-License-Identifier: Apache-2.0 */
/* judge_product.h: whether a sparse product is the right one. */
#ifndef SPARLOOM_TEST_JUDGE_PRODUCT_H
#define SPARLOOM_TEST_JUDGE_PRODUCT_H

#include "random_run.h"

/* C, at home, must have exactly the entries that A, B and D (NULL: none) give it, each once, in
 * order unless the case says otherwise, and right values with the scalars of that round. */
void judge_product(random_run *r, const spl_sparse *const operands[3], const spl_sparse *c,
                   int round);

#endif
