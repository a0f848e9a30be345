/* SPDX-License-Identifier: Apache-2.0 */
#ifndef T
/* triple_bundle_values.c: the values of C = alpha*P'*A*P, up to eight rows of C at a time, a lane
 * each:
 *
 *   factors = rows of P' in lanes, zero where a row has no such entry
 *   middle  = factors*A    registers by the bundle's list of columns of P'*A
 *   sums    = middle*P     registers by columns of P; C's columns then say what to take
 *
 * An entry of A or P is read once for all of the rows, and a register is added to where rows one by
 * one add single numbers, to places that no processor foresees. Lanes that have no such product
 * get zeros, not their zero times a value, which may be no number.
 *
 * Cost: a register's multiplication for each entry of A and of P that any of the rows meets.
 * Memory per thread: an index a row of A, registers for the longest lists and for each column of P.
 */
#include "spgemm/triple/triple_state.h"

#include "core/lanes.h"
#include "core/variant.h"

#include <string.h>

/* Bytes of a thread's arrays, one behind the other. */
typedef struct layout {
    size_t middle, factors, sums, all;
} layout;

static size_t lines(size_t bytes)
{
    return (bytes + SPL__LINE - 1) / SPL__LINE * SPL__LINE;
}

static layout layout_of(const spl_plan *plan)
{
    const spl__triple *t = spl__triple_of(plan);
    const size_t lanes = SPL__NODE_LANES * spl__type_size(plan->problem.a.csr.type);
    layout l = {0};
    l.middle =
        lines((size_t)t->fine_nodes * spl__index_size(plan->problem.a.csr.index_type)); /* places */
    l.factors = l.middle + (size_t)t->bundles.longest_list * lanes;
    l.sums = l.factors + (size_t)t->bundles.most_nodes * lanes;
    l.all = l.sums + (size_t)t->coarse_nodes * lanes;
    return l;
}

enum { AHEAD = 4 }; /* rows of A and P that are fetched before they are needed */

#define SELF "spgemm/triple/triple_bundle_values.c"
#include "core/each_type.h"

SPL__KERNELS(spgemm_triple_bundles, spl__triple_bundle_fn, compute_bundles, SPL__V4)

#ifndef SPL__VARIANT

size_t spl__triple_bundle_workspace(const spl_plan *plan)
{
    return layout_of(plan).all;
}

spl__triple_bundle_fn spl__triple_bundle_kernel(const spl_plan *plan)
{
    return kernel(plan->problem.combination);
}

#endif
#else

typedef T FN(lanes) __attribute__((vector_size(SPL__NODE_LANES * sizeof(T))));

/* Which lanes take part: all bits of those. */
typedef __typeof__(_Generic((T)0, double : (int64_t)0, default : (int32_t)0)) FN(bits);
typedef FN(bits) FN(mask) __attribute__((vector_size(SPL__NODE_LANES * sizeof(FN(bits)))));

static SPL__INLINED void FN(set_mask)(uint8_t lanes, FN(mask) *mask)
{
    const FN(mask) bits = {1, 2, 4, 8, 16, 32, 64, 128};
    *mask = (bits & (FN(bits))lanes) != 0;
}

static SPL__INLINED void FN(add)(FN(lanes) *to, const FN(lanes) *factor, T value,
                                 const FN(mask) *mask)
{
    *to += (FN(lanes))((FN(mask))(*factor * value) & *mask);
}

/* The arrays of a thread. */
typedef struct FN(space) {
    I *places; /* in the list */
    FN(lanes) *middle, *factors, *sums;
} FN(space);

static void FN(load_factors)(const spl_plan *plan, int64_t b, FN(lanes) *restrict factors)
{
    const spl__triple_bundles *s = &spl__triple_of(plan)->bundles;
    const T *values = plan->problem.b.csr.values;
    const P *first = (const P *)s->firsts + s->first_begins[b];
    const uint8_t *lanes = s->node_lanes + s->node_begins[b];
    const int64_t count = s->node_begins[b + 1] - s->node_begins[b];
    memset(factors, 0, (size_t)count * sizeof *factors);
    for (int64_t u = 0; u < count; u++)
        for (unsigned left = lanes[u]; left; left &= left - 1)
            ((T *)&factors[u])[__builtin_ctz(left)] = values[*first++];
}

static void FN(find_middle)(const spl_plan *plan, int64_t b, const FN(space) *space)
{
    const spl__triple_bundles *s = &spl__triple_of(plan)->bundles;
    const spl_sparse *a = &plan->problem.a.csr;
    const P *offsets = a->offsets;
    const I *columns = a->indices, *places = space->places;
    const I *nodes = (const I *)s->nodes + s->node_begins[b];
    const uint8_t *lanes = s->node_lanes + s->node_begins[b];
    const T *values = a->values;
    FN(lanes) *restrict middle = space->middle;
    for (int64_t u = 0, count = s->node_begins[b + 1] - s->node_begins[b]; u < count; u++) {
        const FN(lanes) factor = space->factors[u];
        FN(mask) mask;
        FN(set_mask)(lanes[u], &mask);
        if (u + AHEAD < count) {
            __builtin_prefetch(columns + offsets[nodes[u + AHEAD]]);
            __builtin_prefetch(values + offsets[nodes[u + AHEAD]]);
        }
        for (P q = offsets[nodes[u]], end = offsets[nodes[u] + 1]; q < end; q++)
            FN(add)(&middle[places[columns[q]]], &factor, values[q], &mask);
    }
}

static void FN(add_rows)(const spl_plan *plan, int64_t b, const FN(space) *space)
{
    const spl__triple_bundles *s = &spl__triple_of(plan)->bundles;
    const spl_sparse *p = &plan->problem.b.csr;
    const P *offsets = p->offsets;
    const I *columns = p->indices, *list = (const I *)s->list + s->list_begins[b];
    const uint8_t *lanes = s->list_lanes + s->list_begins[b];
    const T *values = p->values;
    FN(lanes) *restrict sums = space->sums;
    for (int64_t m = 0, count = s->list_begins[b + 1] - s->list_begins[b]; m < count; m++) {
        const FN(lanes) factor = space->middle[m];
        FN(mask) mask;
        FN(set_mask)(lanes[m], &mask);
        if (m + AHEAD < count) {
            __builtin_prefetch(columns + offsets[list[m + AHEAD]]);
            __builtin_prefetch(values + offsets[list[m + AHEAD]]);
        }
        for (P q = offsets[list[m]], end = offsets[list[m] + 1]; q < end; q++)
            FN(add)(&sums[columns[q]], &factor, values[q], &mask);
    }
}

/* Takes the sums of each row from its lane, and clears them. */
static void FN(store_rows)(const spl_plan *plan, const spl__call *call, int64_t b,
                           FN(lanes) *restrict sums)
{
    const spl__triple *t = spl__triple_of(plan);
    const int64_t begin = t->bundles.row_begins[b], end = t->bundles.row_begins[b + 1];
    const I *rows = t->bundles.rows, *columns = t->columns;
    const T alpha = *(const T *)call->alpha;
    T *values = call->values;
    for (int64_t r = begin; r < end; r++)
        for (int64_t p = t->offsets[rows[r]]; p < t->offsets[rows[r] + 1]; p++)
            values[p] = alpha * ((const T *)&sums[columns[p]])[r - begin];
    for (int64_t r = begin; r < end; r++)
        for (int64_t p = t->offsets[rows[r]]; p < t->offsets[rows[r] + 1]; p++)
            sums[columns[p]] = (FN(lanes)){0};
}

static void FN(compute_bundle)(const spl_plan *plan, const spl__call *call, int64_t b,
                               const FN(space) *space)
{
    const spl__triple_bundles *s = &spl__triple_of(plan)->bundles;
    const I *list = (const I *)s->list + s->list_begins[b];
    const int64_t count = s->list_begins[b + 1] - s->list_begins[b];
    if (*(const T *)call->alpha != 0) {
        for (int64_t m = 0; m < count; m++)
            space->places[list[m]] = (I)m;
        memset(space->middle, 0, (size_t)count * sizeof *space->middle);
        FN(load_factors)(plan, b, space->factors);
        FN(find_middle)(plan, b, space);
        FN(add_rows)(plan, b, space);
        FN(store_rows)(plan, call, b, space->sums);
        return;
    }
    const spl__triple *t = spl__triple_of(plan);
    const I *rows = s->rows;
    for (int64_t r = s->row_begins[b]; r < s->row_begins[b + 1]; r++)
        memset((T *)call->values + t->offsets[rows[r]], 0,
               (size_t)(t->offsets[rows[r] + 1] - t->offsets[rows[r]]) * sizeof(T));
}

static void FN(compute_bundles)(const spl_plan *plan, const spl__call *call, int64_t block,
                                void *memory)
{
    const spl__blocks *blocks = &spl__triple_of(plan)->bundles.blocks;
    const layout l = layout_of(plan);
    char *bytes = memory;
    const FN(space) space = {.places = memory,
                             .middle = (FN(lanes) *)(bytes + l.middle),
                             .factors = (FN(lanes) *)(bytes + l.factors),
                             .sums = (FN(lanes) *)(bytes + l.sums)};
    for (int64_t b = blocks->begin[block]; b < blocks->begin[block + 1]; b++)
        FN(compute_bundle)(plan, call, b, &space);
}

#endif
