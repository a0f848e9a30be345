/* SPDX-License-Identifier: Apache-2.0 */
/* renumber.h: numbers from a long range, of which few occur, become numbers of a short one. */
#ifndef SPL_MATRIX_RENUMBER_H
#define SPL_MATRIX_RENUMBER_H

#include "core/memory.h"
#include "matrix/view.h"

/* An array of numbers from 0 on. */
typedef struct spl__numbers {
    void *array;
    spl_index type;
    int64_t count;
} spl__numbers;

/* Replaces each number of the two lists by its rank among the distinct numbers of both; *distinct
 * is how many these are. Equal numbers stay equal, order is kept. O(count) for each 11 bits of the
 * largest number; workspace: 32 bytes a number. SPL_OUT_OF_MEMORY, SPL_OVER_BUDGET: the lists are
 * unchanged. SPL_CANCELLED. */
spl_status spl__renumber(spl__account *account, spl__numbers one, spl__numbers other,
                         int64_t *distinct);
/* The workspace for `count` numbers. */
double spl__renumber_bytes(double count);

#endif
