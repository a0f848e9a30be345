/* SPDX-License-Identifier: Apache-2.0 */
/* spgemm_once.h: one-shot SpGEMM on the host without a plan: few products, short rows of C,
 * rows of A that repeat others. */
#ifndef SPL_SPGEMM_SPGEMM_ONCE_H
#define SPL_SPGEMM_SPGEMM_ONCE_H

#include "plan/once_masked.h"

/* Makes *c = alpha*A*B, sorted unless options accept any order, of operands in CSR; the same for
 * any number of threads. *done is false, and nothing has happened, if a plan must be made: where
 * rows of C have many products and columns that are not soon sorted, unless there are few for the
 * number of threads or many rows of A repeat the one before; where blocks with holes save more than
 * a plan takes; and where memory has a budget. SPL_INVALID_MATRIX, SPL_OUT_OF_MEMORY,
 * SPL_CANCELLED. */
spl_status spl__spgemm_once(const spl__once *once, bool *done, spl_matrix **c);

/* The same under a mask: *c has the positions of A*B that once->mask has, in order. *done is false,
 * too, where a row of the mask is not in order or repeats a column, and where products of rows of A
 * and columns of B are expected to take less time. */
spl_status spl__spgemm_once_masked(const spl__once_masked *once, bool *done, spl_matrix **c);

#endif
