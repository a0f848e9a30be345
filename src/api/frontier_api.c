/* SPDX-License-Identifier: Apache-2.0 */
/* frontier_api.c: y = op(A)*x, x and y sparse. */
#include "api/call.h"
#include "core/sized.h"
#include "spmv/frontier/frontier.h"

spl_status spl_frontier_plan(spl_context *context, const spl_sparse *a, const spl_options *options,
                             spl_plan **plan)
{
    spl__request request = {.kind = SPL__KIND_frontier, .a = a, .cols = 1, .options = options};
    return spl__make_plan(context, &request, plan);
}

/* Checks x and y as arrays, without reading them. */
static spl_status check_arrays(const spl__problem *p, const spl__frontier_call *c)
{
    const size_t index = spl__index_size(p->a.csr.index_type), size = spl__type_size(p->a.csr.type);
    const int32_t semiring = p->options.semiring;
    const bool by_index = (semiring == SPL_MIN_SECOND || semiring == SPL_MAX_SECOND) &&
                          spl__type_is_integer(p->a.csr.type);
    if (c->x.count < 0 || c->y.capacity < 0)
        return spl__fail(SPL_INVALID_ARGUMENT, "%s is less than 0",
                         c->x.count < 0 ? "x.count" : "y.capacity");
    SPL__TRY(spl__check_array("x", "indices", c->x.indices, c->x.count, index));
    SPL__TRY(spl__check_array("y", "indices", c->y.indices, c->y.capacity, index));
    SPL__TRY(spl__check_aligned("x", "values", c->x.values, c->x.count, size));
    SPL__TRY(spl__check_aligned("y", "values", c->y.values, c->y.capacity, size));
    SPL__TRY(spl__check_aligned(NULL, "into", c->into, p->rows, size));
    if (!c->x.values && c->x.count > 0 && spl__semiring_reads_b(semiring) && !by_index)
        return spl__fail(SPL_INVALID_ARGUMENT, "x.values is NULL, but the semiring uses them");
    return SPL_OK;
}

/* What is written must overlap nothing that is read or written. */
static spl_status check_apart(const spl_plan *plan, const spl__frontier_call *c)
{
    static const char *const names[] = {"y.indices", "y.values", "into", "x.indices", "x.values"};
    enum { WRITTEN = 3, ALL = 5 };
    const spl__problem *p = &plan->problem;
    const size_t index = spl__index_size(p->a.csr.index_type), size = spl__type_size(p->a.csr.type);
    const spl__lines lines[ALL] = {
        spl__lines_of_array(c->y.indices, c->y.capacity, index),
        spl__lines_of_array(c->y.values, c->y.values ? c->y.capacity : 0, size),
        spl__lines_of_array(c->into, c->into ? p->rows : 0, size),
        spl__lines_of_array(c->x.indices, c->x.count, index),
        spl__lines_of_array(c->x.values, c->x.values ? c->x.count : 0, size)};
    for (int k = 0; k < WRITTEN; k++) {
        SPL__TRY(spl__check_output(plan, lines[k], names[k]));
        for (int other = k + 1; other < ALL; other++)
            SPL__TRY(spl__check_apart(lines[k], names[k], lines[other], names[other]));
    }
    return SPL_OK;
}

static spl_status read_mask(const spl_plan *plan, const spl_row_mask *given,
                            const spl__frontier_call *c, spl_row_mask *mask, spl__call *call)
{
    const spl__problem *p = &plan->problem;
    const size_t size = spl__type_size(p->a.csr.type);
    const spl__lines written[] = {
        spl__lines_of_array(c->y.indices, c->y.capacity, spl__index_size(p->a.csr.index_type)),
        spl__lines_of_array(c->y.values, c->y.values ? c->y.capacity : 0, size),
        spl__lines_of_array(c->into, c->into ? p->rows : 0, size)};
    for (int k = 0; given && k < 3; k++)
        SPL__TRY(spl__read_row_mask(plan, given, written[k], mask, call));
    if (call->rows && mask->clear)
        return spl__fail(SPL_INVALID_ARGUMENT, "mask.clear is 1: a sparse y has no other rows");
    return SPL_OK;
}

spl_status spl_frontier_execute(spl_plan *plan, const spl_frontier *x, void *into,
                                const spl_row_mask *mask, spl_frontier *y)
{
    spl_row_mask rows;
    spl__frontier_call c = {.into = into};
    spl__call call = {.frontier = &c};
    SPL__TRY(spl__check_plan(plan, SPL__KIND_frontier));
    if (!x || !y)
        return spl__fail(SPL_INVALID_ARGUMENT, "%s is NULL", !x ? "x" : "y");
    SPL__TRY(spl__sized_read(&c.x, sizeof c.x, x, "spl_frontier x"));
    SPL__TRY(spl__sized_read(&c.y, sizeof c.y, y, "spl_frontier y"));
    SPL__TRY(check_arrays(&plan->problem, &c));
    SPL__TRY(check_apart(plan, &c));
    SPL__TRY(read_mask(plan, mask, &c, &rows, &call));
    SPL__TRY(plan->operation->execute(plan, &call, NULL));
    y->count = c.y.count;
    return SPL_OK;
}
