/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of algebra.h for the table of api_calls.h. */
#include "lib/api_calls.h"
#include "sparloom/algebra.h"

static char poison[64];
#define POISON ((spl_matrix *)(void *)poison)

static const spl_sparse *operand_number(const api_operands *operands, int number)
{
    const zoo_matrix *all[] = {&operands->csr, &operands->csc, &operands->coo, &operands->wide};
    return &all[number % 4]->view;
}

static spl_status settle(spl_status status, spl_matrix *result)
{
    if (status == SPL_OK)
        spl_matrix_destroy(result);
    else
        EXPECT(result == POISON);
    return status;
}

static spl_status select_rows(spl_context *context, const spl_sparse *source)
{
    const int64_t rows[] = {0, 1};
    spl_matrix *result = POISON;
    spl_selection s = SPL_SELECTION_INIT;
    s.selector = SPL_SELECT_ROWS;
    s.rows = rows;
    s.row_count = 2;
    spl_status status = spl_select(context, source, &s, &result);
    return settle(status, result);
}

static spl_status reduce_columns(spl_context *context, const spl_sparse *source)
{
    double sums[4096];
    EXPECT(source->cols <= 4096);
    sums[0] = -77;
    spl_status status = spl_reduce(context, source, SPL_MAX, SPL_REDUCE_COLUMNS, sums);
    EXPECT((status == SPL_OK) == (sums[0] != -77));
    return status;
}

/* A product of a column of A, by a plan that keeps A in both orders if there is room. */
static spl_status multiply_sparsely(spl_context *context, const spl_sparse *source,
                                    const spl_options *options)
{
    spl_frontier x = SPL_FRONTIER_INIT, y = SPL_FRONTIER_INIT;
    int64_t first = 0, found[4096] = {-77};
    double one[4096] = {1}, values[4096];
    spl_options o = *options;
    spl_plan *plan = NULL;
    EXPECT(source->rows <= 4096);
    o.op_a = SPL_NONE;
    o.method = NULL;
    o.processors = 1; /* the CPU */
    spl_status status = spl_frontier_plan(context, source, 1, &o, &plan);
    EXPECT((status == SPL_OK) == (plan != NULL));
    if (status != SPL_OK)
        return status;
    x.count = 1, x.indices = &first, /* 0 in both widths */
        x.values = one;
    y.capacity = source->rows, y.indices = found, y.values = values, y.count = -77;
    status = spl_frontier_execute(plan, &x, NULL, NULL, &y);
    EXPECT(status == SPL_OK ? y.count >= 0 : y.count == -77);
    spl_plan_destroy(plan);
    return status;
}

spl_status perform_algebra(spl_context *context, const api_operands *operands, const api_call *call,
                           const spl_options *options)
{
    const spl_sparse *source = operand_number(operands, call->variant);
    spl_matrix *result = POISON;
    if (call->variant >= 12)
        return multiply_sparsely(context, source, options);
    if (call->variant < 4)
        return select_rows(context, source);
    if (call->variant < 8)
        return reduce_columns(context, source);
    spl_status status =
        spl_elementwise(context, source, &operands->summand.view, SPL_UNION, SPL_OP_PLUS, &result);
    return settle(status, result);
}
