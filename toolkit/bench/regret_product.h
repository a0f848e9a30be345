/* SPDX-License-Identifier: Apache-2.0 */
/* regret_product.h: a product of a case, by a plan or by a call. */
#ifndef TOOL_REGRET_PRODUCT_H
#define TOOL_REGRET_PRODUCT_H

#include "placed_array.h"
#include "regret_contenders.h"

/* The case while it runs. */
typedef struct regret_running {
    const regret_setup *setup;
    regret_case *result;
    spl_place place;
    tool_placed_matrix a;
    void *x, *y; /* dense operands; y also takes values of C */
    size_t x_bytes, y_bytes;
    spl_plan *plans[REGRET_CONTENDERS]; /* but where making them is timed each time */
} regret_running;

static inline int regret_is_sparse(const regret_running *r)
{
    return r->result->operation == BENCH_SPGEMM || r->result->operation == BENCH_NUMERIC;
}

/* Whether the time includes everything from the operands on. */
static inline int regret_is_cold(const regret_running *r)
{
    return r->result->operation == BENCH_SPGEMM || r->setup->once;
}

/* The choice of the contender's policy, or its methods by name. */
spl_options regret_options(const regret_running *r, const regret_contender *c, int by_name);
spl_status regret_plan(const regret_running *r, const spl_options *options, spl_plan **plan);
/* The chosen methods and their predicted time; for spgemm of both phases, for numeric of the
 * second. */
void regret_describe(const regret_running *r, const spl_plan *plan, regret_contender *c);
/* The predicted times of all methods: numeric ones as if the columns of C were known. */
spl_status regret_predict_all(const regret_running *r, regret_predictions *predictions);

/* Seconds of one of `count` executions; ... */
spl_status regret_batch(const regret_running *r, spl_plan *plan, int count, double *seconds);
/* ... of everything from the operands to the values, by a one-shot call, while freeing C is apart;
 * ... */
spl_status regret_time_call(const regret_running *r, const spl_options *options, double *seconds);
/* ... of the same by a plan that is executed once. After a bound C has gaps: closing them belongs
 * to the product. */
spl_status regret_time_plan(const regret_running *r, const spl_options *options, double *seconds);

#endif
