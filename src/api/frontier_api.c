/* SPDX-License-Identifier: Apache-2.0 */
/* frontier_api.c: y = op(A)*x, x and y sparse. */
#include "api/call.h"
#include "core/checked.h"
#include "core/sized.h"
#include "spmv/frontier/frontier.h"

spl_status spl_frontier_plan(spl_context *context, const spl_sparse *a, int64_t vectors,
                             const spl_options *options, spl_plan **plan)
{
    spl__request request = {
        .kind = SPL__KIND_frontier, .a = a, .cols = vectors, .options = options};
    if (vectors < 1)
        return spl__fail(SPL_INVALID_ARGUMENT, "%lld vectors", (long long)vectors);
    return spl__make_plan(context, &request, plan);
}

/* Checks the arrays that several vectors have. *elements = those of `into`. */
static spl_status check_vectors(const spl__problem *p, const spl__frontier_call *c,
                                int64_t *elements)
{
    *elements = p->rows;
    if (!c->x.offsets != !c->y.offsets)
        return spl__fail(SPL_INVALID_ARGUMENT, "%s has offsets, %s has none",
                         c->x.offsets ? "x" : "y", c->x.offsets ? "y" : "x");
    if (!c->x.offsets)
        return SPL_OK;
    if (c->x.vectors < 0 || c->x.vectors != c->y.vectors)
        return spl__fail(SPL_INVALID_ARGUMENT, "x has %lld vectors, y has %lld",
                         (long long)c->x.vectors, (long long)c->y.vectors);
    if (!spl__mul_i64(c->x.vectors, spl__max_i64(p->rows, 64), elements))
        return spl__fail(SPL_INDEX_OVERFLOW, "%s vectors of %s rows", spl__thousands(c->x.vectors),
                         spl__thousands(p->rows));
    *elements = c->x.vectors * p->rows;
    SPL__TRY(spl__check_aligned("x", "offsets", c->x.offsets, c->x.vectors + 1, sizeof(int64_t)));
    return spl__check_aligned("y", "offsets", c->y.offsets, c->y.vectors + 1, sizeof(int64_t));
}

/* Checks x and y as arrays, without reading them. */
static spl_status check_arrays(const spl__problem *p, const spl__frontier_call *c, int64_t elements)
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
    SPL__TRY(spl__check_aligned(NULL, "into", c->into, elements, size));
    if (!c->x.values && c->x.count > 0 && spl__semiring_reads_b(semiring) && !by_index)
        return spl__fail(SPL_INVALID_ARGUMENT, "x.values is NULL, but the semiring uses them");
    return SPL_OK;
}

enum { WRITTEN = 4, ALL = 7 };
static const char *const array_names[ALL] = {"y.indices", "y.values", "y.offsets", "into",
                                             "x.indices", "x.values", "x.offsets"};

/* The arrays of a call, those that are written first. */
static void lines_of(const spl__problem *p, const spl__frontier_call *c, int64_t elements,
                     spl__lines lines[ALL])
{
    const size_t index = spl__index_size(p->a.csr.index_type), size = spl__type_size(p->a.csr.type);
    const int64_t offsets = c->x.offsets ? c->x.vectors + 1 : 0;
    lines[0] = spl__lines_of_array(c->y.indices, c->y.capacity, index);
    lines[1] = spl__lines_of_array(c->y.values, c->y.values ? c->y.capacity : 0, size);
    lines[2] = spl__lines_of_array(c->y.offsets, offsets, sizeof(int64_t));
    lines[3] = spl__lines_of_array(c->into, c->into ? elements : 0, size);
    lines[4] = spl__lines_of_array(c->x.indices, c->x.count, index);
    lines[5] = spl__lines_of_array(c->x.values, c->x.values ? c->x.count : 0, size);
    lines[6] = spl__lines_of_array(c->x.offsets, offsets, sizeof(int64_t));
}

/* What is written must overlap nothing that is read or written. */
static spl_status check_apart(const spl_plan *plan, const spl__lines lines[ALL])
{
    for (int k = 0; k < WRITTEN; k++) {
        SPL__TRY(spl__check_output(plan, &lines[k], array_names[k]));
        for (int other = k + 1; other < ALL; other++)
            SPL__TRY(
                spl__check_apart(&lines[k], array_names[k], &lines[other], array_names[other]));
    }
    return SPL_OK;
}

/* On a device all arrays of a call are there. */
static spl_status check_places(const spl__problem *p, const spl__lines lines[ALL])
{
    for (int k = 0; p->queue.device && k < ALL; k++)
        if (lines[k].count > 0 && lines[k].line > 0 &&
            !spl__device_holds(p->queue.device, lines[k].data))
            return spl__fail(SPL_INVALID_ARGUMENT, "%s is not in the memory of %s, where A is",
                             array_names[k], p->queue.device->properties.name);
    return SPL_OK;
}

static spl_status read_mask(const spl_plan *plan, const spl_row_mask *given, int64_t vectors,
                            const spl__lines lines[ALL], spl_row_mask *mask, spl__call *call)
{
    for (int k = 0; given && k < WRITTEN; k++)
        SPL__TRY(spl__read_row_mask(plan, given, vectors, &lines[k], mask, call));
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
    spl__lines lines[ALL];
    int64_t elements;
    SPL__TRY(spl__check_plan(plan, SPL__KIND_frontier));
    if (!x || !y)
        return spl__fail(SPL_INVALID_ARGUMENT, "%s is NULL", !x ? "x" : "y");
    SPL__TRY(spl__sized_read(&c.x, sizeof c.x, x, "spl_frontier x"));
    SPL__TRY(spl__sized_read(&c.y, sizeof c.y, y, "spl_frontier y"));
    SPL__TRY(check_vectors(&plan->problem, &c, &elements));
    SPL__TRY(check_arrays(&plan->problem, &c, elements));
    lines_of(&plan->problem, &c, elements, lines);
    SPL__TRY(check_apart(plan, lines));
    SPL__TRY(check_places(&plan->problem, lines));
    SPL__TRY(read_mask(plan, mask, c.x.offsets ? c.x.vectors : 1, lines, &rows, &call));
    SPL__TRY(plan->operation->execute(plan, &call, NULL));
    y->count = c.y.count;
    return SPL_OK;
}
