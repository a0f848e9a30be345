/* SPDX-License-Identifier: Apache-2.0 */
/* rates.h: the rows of each processor of a plan, and predictions of their time: execution and
 * transfers. */
#ifndef SPL_PARTITION_RATES_H
#define SPL_PARTITION_RATES_H

#include "plan/plan.h"

/* Seconds of one execution: T_t and T_e of [S2]. */
typedef struct spl__seconds {
    double transfer, execution;
} spl__seconds;

typedef struct spl__share {
    int32_t processor;
    spl__device *device; /* NULL: the CPU */
    bool in_place;       /* this device holds A */
    char *method;        /* the ids of options.method for this processor; NULL: none */
    int64_t begin, rows; /* in the order of rows of the division */
    int64_t work;        /* entries of A; of a sparse product, products and entries of D */
    spl__seconds predicted;
} spl__share;

/* The device that holds A; NULL: the host does. */
static inline spl__device *spl__owner_of_a(const spl_plan *plan)
{
    return plan->problem.queue.device;
}

/* Predicted seconds of one execution on a processor: start + rows * row + work * unit. */
typedef struct spl__rates {
    spl__seconds start, row, unit;
} spl__rates;

/* The rates of the share's processor, by which the plan is rated, predicted by the cost model as if
 * it computed all rows, whose work is `work`; INFINITY: not applicable. */
void spl__rates_predict(const spl_plan *plan, const spl__share *share, double work,
                        spl__rates *rates);
/* Adds the transfers to and from the processor per execution. */
void spl__rates_add_transfers(const spl_plan *plan, const spl__share *share, spl__rates *rates);

#endif
