/* SPDX-License-Identifier: Apache-2.0 */
/* api_calls.h: every public function that allocates, in several ways each, as a table: for tests
 * that make allocations fail, cut budgets, cancel, or count. Each call checks by itself that a
 * failure left its outputs as they were, and that a success is right. */
#ifndef SPARLOOM_TEST_API_CALLS_H
#define SPARLOOM_TEST_API_CALLS_H

#include "lib/run_products.h"

typedef struct api_operands {
    /* square, square, square with duplicates and unsorted, CSR 64/64 */
    zoo_matrix csr, csc, coo, wide;
    zoo_matrix summand; /* CSR */
} api_operands;

void api_operands_make(api_operands *operands, int64_t rows);
void api_operands_free(api_operands *operands);

/* Inputs of a call; `options` is copied from, so that budgets and threads can be set. */
typedef struct api_call {
    const char *name;
    spl_status (*perform)(spl_context *context, const api_operands *operands,
                          const struct api_call *call, const spl_options *options);
    int variant;
    /* forced methods of spgemm, by the last part of their ids; NULL: none */
    const char *symbolic, *numeric;
} api_call;

/* Squares of matrices in the memory of the processor that computes, with results in the same
 * memory; see resident_calls.c. */
spl_status perform_resident(spl_context *context, const api_operands *operands,
                            const api_call *call, const spl_options *options);

/* Functions of algebra.h; see algebra_calls.c. */
spl_status perform_algebra(spl_context *context, const api_operands *operands, const api_call *call,
                           const spl_options *options);

extern const api_call api_calls[];
extern const int api_call_count;
spl_status api_call_perform(const api_call *call, spl_context *context,
                            const api_operands *operands, const spl_options *options);

#endif
