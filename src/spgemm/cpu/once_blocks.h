/* SPDX-License-Identifier: Apache-2.0 */
/* once_blocks.h: whether operands of a one-shot product are made of node blocks, and whether these
 * are worth a plan, which multiplies them as blocks. Looks at some rows only. */
#ifndef SPL_SPGEMM_CPU_ONCE_BLOCKS_H
#define SPL_SPGEMM_CPU_ONCE_BLOCKS_H

#include "sparloom/sparloom.h"

#include <stdbool.h>

/* The share of some rows in the middle that have the columns of the row before. */
double spl__once_repeated(const spl_sparse *m);
/* Whether a fourth of some rows in the middle begin where the row before does, and a fourth end
 * there, as in blocks with holes. Bands are shifted at both ends, arrows at one. */
bool spl__once_is_of_nodes(const spl_sparse *m);
/* Whether blocks of A and B save more of the `work` products than a plan takes. It takes `least`,
 * and a visit to each row of blocks of B that a block of A meets. */
bool spl__once_blocks_pay(const spl_sparse *a, const spl_sparse *b, double work, double least);

#endif
