/* SPDX-License-Identifier: Apache-2.0 */
/* tally.h: how many cases of each kind there were, and how they ended. */
#ifndef SPARLOOM_TEST_TALLY_H
#define SPARLOOM_TEST_TALLY_H

#include "random_case.h"

enum { TALLY_STATUSES = SPL_INTERNAL + 1, TALLY_METHODS = 128 };

typedef struct tally {
    /* operation, one-shot or not: right, wrong, refused with each status */
    long long right[RANDOM_OPERATIONS][2], wrong[RANDOM_OPERATIONS][2];
    long long refused[RANDOM_OPERATIONS][2][TALLY_STATUSES];
    long long methods[TALLY_METHODS]; /* plans that had each method, by its number */
} tally;

void tally_add(tally *t, const random_case *c, const random_verdict *verdict);
void tally_print(const tally *t, const random_setup *setup);

#endif
