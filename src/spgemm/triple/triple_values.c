/* SPDX-License-Identifier: Apache-2.0 */
#ifndef T
/* triple_values.c: the values of C = alpha*P'*A*P, row by row: see triple_state.h.
 *
 *   middle = P'(k,:)*A      in an array by columns of A; the plan has a list of them, or a flag
 *                           says whether one is new, and to be listed
 *   row    = middle*P       in an array by columns of P; C's columns then say what to take
 *
 * Rows of P are short, and their ends hard to predict: they are read in groups of four entries, of
 * which those behind the end go to sums that nobody reads.
 *
 * In nodes a list has the elements of the middle, and a stamp says where in it one stands. A
 * register holds a column of a block for all rows of the coarse node, so that A and P are read one
 * number at a time, wherever they stand. A row of blocks of C is as long as C's, and an array says
 * where each coarse node's block begins.
 *
 * Cost: a multiplication for each entry of A and entry of P, and for each entry of P and of P'*A;
 * in nodes a register's for as many rows as a coarse node has. Memory per thread: a value and a
 * byte a row of A, two values a column of P, the longest row of P'*A; of nodes an index a row of A,
 * the longest row of C. */
#include "spgemm/triple/triple_groups.h"
#include "spgemm/triple/triple_state.h"

#include "core/checked.h"
#include "core/lanes.h"
#include "core/variant.h"

#include <omp.h>
#include <string.h>

/* Loops over the rows of a node: unrolled where its size is a constant, so that sums stay in
 * registers. */
#define SPL__UNROLLED _Pragma("GCC unroll 8")

/* A thread's arrays, in one block of memory. */
typedef struct space {
    void *stamps, *list; /* fine nodes: flags, or positions in the list above `base`; the list */
    void *middle;        /* of entries: by columns of A; of nodes: registers for each in the list */
    void *sums;          /* of entries: by columns of P; of nodes: blocks of C's row */
    void *places;        /* of nodes: the block of each coarse node */
    int64_t base;        /* grows with each row: older stamps are below */
} space;

/* Bytes of the arrays, one behind the other. */
typedef struct layout {
    size_t stamps, list, middle, sums, places, all;
} layout;

typedef struct work {
    const spl_plan *plan;
    const spl__triple *triple;
    const spl__call *call;
    const layout *layout;
    bool alone; /* most rows of P have one entry, as those of plain aggregation */
} work;

typedef void (*kernel_fn)(const work *w, int64_t block, void *memory);

enum { GROUP = SPL__GROUP };
enum { AHEAD = 6 }; /* rows of A and P that are fetched before they are needed, ... */
enum { LATER = 2 }; /* ... and nodes of A */

#define SELF "spgemm/triple/triple_values.c"
#include "core/each_type.h"

SPL__KERNELS(spgemm_triple, kernel_fn, compute_rows, SPL__V4)

#ifndef SPL__VARIANT

static size_t lines(size_t bytes)
{
    return (bytes + SPL__LINE - 1) / SPL__LINE * SPL__LINE;
}

static layout layout_of(const spl_plan *plan)
{
    const spl__triple *t = spl__triple_of(plan);
    const size_t value = spl__type_size(plan->problem.a.csr.type),
                 index = spl__index_size(plan->problem.a.csr.index_type),
                 lanes = SPL__NODE_LANES * value, middle = (size_t)t->longest_middle,
                 nodes = (size_t)t->coarse_nodes;
    bool single = t->coarse == 1, known = single && t->lists;
    layout l = {.stamps = lines(sizeof(space))};
    l.list = l.stamps + lines(known ? 0 : (size_t)t->fine_nodes * (single ? 1 : index));
    l.middle = l.list + lines(known ? 0 : (middle + 1) * index);
    l.sums =
        l.middle + lines(single ? (size_t)t->fine_nodes * value : middle * (size_t)t->fine * lanes);
    l.places = l.sums + lines(single ? 2 * (nodes + GROUP) * value
                                     : (size_t)t->longest_row * (size_t)t->coarse * lanes);
    l.all = l.places + lines(single ? 0 : nodes * index);
    return l;
}

size_t spl__triple_workspace(const spl_plan *plan)
{
    const spl__triple *t = spl__triple_of(plan);
    return t->spread.blocks > 0   ? spl__triple_spread_workspace(plan)
           : t->bundles.count > 0 ? spl__triple_bundle_workspace(plan)
                                  : layout_of(plan).all;
}

static void compute_bundles(const spl_plan *plan, const spl__call *call)
{
    const spl__triple *t = spl__triple_of(plan);
    const spl__triple_bundle_fn compute = spl__triple_bundle_kernel(plan);
    spl__watch_stage(call->watch, "numeric", t->bundles.blocks.count);
#pragma omp parallel for num_threads(spl__team(t->threads)) schedule(dynamic)
    for (int64_t b = 0; b < t->bundles.blocks.count; b++)
        if (spl__watch_goes_on(call->watch))
            compute(plan, call, b, t->workspaces[omp_get_thread_num()]);
}

void spl__triple_compute(spl_plan *plan, const spl__call *call)
{
    const spl__triple *t = spl__triple_of(plan);
    const layout l = layout_of(plan);
    const spl_sparse *p = &plan->problem.b.csr;
    const work w = {plan, t, call, &l, p->nnz < p->rows + p->rows / 4};
    const kernel_fn compute = kernel(plan->problem.combination);
    if (spl__triple_nnz(t) == 0)
        return; /* C has no entries, hence no arrays */
    if (t->spread.blocks > 0) {
        spl__triple_spread_compute(plan, call);
        return;
    }
    if (t->bundles.count > 0) {
        compute_bundles(plan, call);
        return;
    }
    spl__watch_stage(call->watch, "numeric", t->rows.count);
#pragma omp parallel for num_threads(spl__team(t->threads)) schedule(dynamic)
    for (int64_t b = 0; b < t->rows.count; b++)
        if (spl__watch_goes_on(call->watch))
            compute(&w, b, t->workspaces[omp_get_thread_num()]);
}

#endif
#else

/* A column of a block for the rows of a coarse node: lanes beyond them are zero. */
typedef T FN(lanes) __attribute__((vector_size(SPL__NODE_LANES * sizeof(T))));

/* What a row is computed from and in. */
typedef struct FN(row) {
    const P *a_offsets, *p_offsets;
    const I *a_columns, *p_columns;
    const T *a_values, *p_values;
    const I *columns; /* of C's row */
    int64_t length;
    I *stamps, *list, *places;
    const I *known; /* of entries: the columns of the middle, behind their number; NULL: no list */
    I base;
    T alpha;
    T *to; /* C's values of the row, or of the node's first */
} FN(row);

static FN(row) FN(start)(const work *w, void *memory)
{
    const spl_sparse *a = &w->plan->problem.a.csr, *b = &w->plan->problem.b.csr;
    char *bytes = memory;
    return (FN(row)){.a_offsets = a->offsets,
                     .p_offsets = b->offsets,
                     .a_columns = a->indices,
                     .p_columns = b->indices,
                     .a_values = a->values,
                     .p_values = b->values,
                     .stamps = (I *)(bytes + w->layout->stamps),
                     .list = (I *)(bytes + w->layout->list),
                     .places = (I *)(bytes + w->layout->places),
                     .alpha = *(const T *)w->call->alpha};
}

/* Stamps of this row are above all before. */
static void FN(next_base)(const work *w, space *s, FN(row) *row)
{
    const I most = sizeof(I) == 4 ? (I)INT32_MAX : (I)INT64_MAX;
    if (s->base > most - w->triple->longest_middle - 2) {
        memset(row->stamps, 0, (size_t)w->triple->fine_nodes * sizeof(I));
        s->base = 0;
    }
    row->base = (I)(s->base + 1);
    s->base += w->triple->longest_middle;
}

/* ---- entries ---- */

/* middle = P'(k,:)*A; returns the number of elements. Without branches: whether one is new is hard
 * to predict. */
static I FN(middle_of_entries)(const work *w, const FN(row) *row, int64_t k, bool *restrict flags,
                               T *restrict middle)
{
    const I *nodes = w->triple->blocks_node, *a_columns = row->a_columns;
    const P *first = w->triple->blocks_first, *a_offsets = row->a_offsets;
    const T *a_values = row->a_values, *p_values = row->p_values;
    const int64_t all = w->triple->starts[w->triple->coarse_nodes];
    I *restrict list = row->list, count = 0;
    for (int64_t e = w->triple->starts[k], last = w->triple->starts[k + 1]; e < last; e++) {
        const T factor = p_values[first[e]];
        if (e + AHEAD < all) { /* of the next rows, too */
            __builtin_prefetch(a_columns + a_offsets[nodes[e + AHEAD]]);
            __builtin_prefetch(a_values + a_offsets[nodes[e + AHEAD]]);
        }
        for (P q = a_offsets[nodes[e]], end = a_offsets[nodes[e] + 1]; q < end; q++) {
            const I j = a_columns[q];
            list[count] = j; /* stays if it is new */
            count += !flags[j];
            flags[j] = true;
            middle[j] += factor * a_values[q];
        }
    }
    return count;
}

/* The same where its columns are known. */
static void FN(middle_of_known)(const work *w, const FN(row) *row, int64_t k, T *restrict middle)
{
    const I *nodes = w->triple->blocks_node, *a_columns = row->a_columns;
    const P *first = w->triple->blocks_first, *a_offsets = row->a_offsets;
    const T *a_values = row->a_values, *p_values = row->p_values;
    const int64_t all = w->triple->starts[w->triple->coarse_nodes];
    for (int64_t e = w->triple->starts[k], last = w->triple->starts[k + 1]; e < last; e++) {
        const T factor = p_values[first[e]];
        if (e + AHEAD < all) { /* of the next rows, too */
            __builtin_prefetch(a_columns + a_offsets[nodes[e + AHEAD]]);
            __builtin_prefetch(a_values + a_offsets[nodes[e + AHEAD]]);
        }
        for (P q = a_offsets[nodes[e]], end = a_offsets[nodes[e] + 1]; q < end; q++)
            middle[a_columns[q]] += factor * a_values[q];
    }
}

/* Adds a row of P; `spare` is the first of GROUP sums that nobody reads. */
static SPL__INLINED void FN(add_row)(const FN(row) *row, int64_t i, T factor, int group, I spare,
                                     T *restrict sums)
{
    const I *p_columns = row->p_columns;
    const int64_t begin = row->p_offsets[i], last = (int64_t)row->p_offsets[i + 1] - 1;
    if (group > 1 && SPL__ADD_GROUPS(p_columns + begin, row->p_values + begin, last + 1 - begin,
                                     factor, spare, sums))
        return;
    for (int64_t q = begin; q <= last; q += group)
        SPL__UNROLLED for (int t = 0; t < group; t++)
        {
            const bool behind = q + t > last;
            const int64_t at = behind ? last : q + t;
            const I column = p_columns[at], other = (spare + (I)t) ^ column;
            sums[column ^ (other & -(I)behind)] += factor * row->p_values[at];
        }
}

/* sums = middle*P, after which the middle is cleared. Neighbours add to the same columns: every
 * other row has sums of its own, so that none waits for the one before. */
static SPL__INLINED void FN(add_rows)(const FN(row) *row, const I *list, I count, int group,
                                      I spare, T *restrict middle, T *restrict sums)
{
    T *sides[2] = {sums, sums + spare + GROUP};
    for (I m = 0; m < count; m++) {
        const I j = list[m];
        if (m + AHEAD < count) {
            __builtin_prefetch(row->p_columns + row->p_offsets[list[m + AHEAD]]);
            __builtin_prefetch(row->p_values + row->p_offsets[list[m + AHEAD]]);
        }
        FN(add_row)(row, j, middle[j], group, spare, sides[m & 1]);
        middle[j] = 0;
    }
}

static I FN(find_middle)(const work *w, const FN(row) *row, int64_t k, T *restrict middle)
{
    bool *flags = (bool *)row->stamps;
    const I count = FN(middle_of_entries)(w, row, k, flags, middle);
    for (I m = 0; m < count; m++)
        flags[row->list[m]] = false;
    return count;
}

static void FN(row_of_entries)(const work *w, const FN(row) *row, int64_t k, T *restrict middle,
                               T *restrict sums)
{
    const I *columns = row->columns, spare = (I)w->triple->coarse_nodes;
    const I *list = row->known ? row->known + 1 : row->list;
    const T alpha = row->alpha;
    T *restrict other = sums + spare + GROUP, *restrict to = row->to;
    I count;
    if (row->known) {
        count = row->known[0];
        FN(middle_of_known)(w, row, k, middle);
    } else
        count = FN(find_middle)(w, row, k, middle);
    if (w->alone)
        FN(add_rows)(row, list, count, 1, spare, middle, sums);
    else
        FN(add_rows)(row, list, count, GROUP, spare, middle, sums);
    for (int64_t p = 0; p < row->length; p++) {
        const I column = columns[p];
        to[p] = alpha * (sums[column] + other[column]);
        sums[column] = other[column] = 0;
    }
}

/* ---- nodes ---- */

/* The block of P' at entry e: register p holds row p of P's block, a lane each column. */
static SPL__INLINED void FN(load_factor)(const FN(row) *row, int64_t node, P first, int fine,
                                         int coarse, FN(lanes) *factor)
{
    const P stride = row->p_offsets[node * fine + 1] - row->p_offsets[node * fine];
    SPL__UNROLLED for (int p = 0; p < fine; p++)
    {
        T lanes[SPL__NODE_LANES] = {0};
        SPL__UNROLLED for (int c = 0; c < coarse; c++) lanes[c] =
            row->p_values[first + p * stride + c];
        memcpy(&factor[p], lanes, sizeof lanes);
    }
}

/* Adds a row of blocks of A, each times the factor. Rows of a node follow each other: with each
 * block its share of those of a later node, `next`, is fetched. */
static SPL__INLINED I FN(add_blocks)(const FN(row) *row, int64_t node, int64_t next, int fine,
                                     const FN(lanes) *factor, FN(lanes) *middle, I count)
{
    const I base = row->base;
    const P begin = row->a_offsets[node * fine], stride = row->a_offsets[node * fine + 1] - begin,
            ahead = row->a_offsets[next * fine];
    for (P q = begin; q < begin + stride; q += (P)fine) {
        const I j = row->a_columns[q] / (I)fine;
        const T *a = row->a_values + q;
        __builtin_prefetch(row->a_columns + ahead + (q - begin));
        __builtin_prefetch(row->a_values + ahead + (q - begin) * (P)fine);
        I position = row->stamps[j] - base;
        if (position < 0) {
            position = count++;
            row->list[position] = j;
            row->stamps[j] = base + position;
            memset(middle + (int64_t)position * fine, 0, (size_t)fine * sizeof *middle);
        }
        FN(lanes) *to = middle + (int64_t)position * fine;
        SPL__UNROLLED for (int c = 0; c < fine; c++)
        {
            FN(lanes) sum = to[c];
            SPL__UNROLLED for (int p = 0; p < fine; p++) sum += factor[p] * a[p * stride + c];
            to[c] = sum;
        }
    }
    return count;
}

static SPL__INLINED I FN(middle_of_nodes)(const work *w, const FN(row) *row, int64_t k, int fine,
                                          int coarse, FN(lanes) *middle)
{
    const I *nodes = w->triple->blocks_node;
    const P *first = w->triple->blocks_first;
    I count = 0;
    for (int64_t e = w->triple->starts[k], last = w->triple->starts[k + 1] - 1; e <= last; e++) {
        FN(lanes) factor[SPL__NODE_MOST] = {{0}};
        FN(load_factor)(row, nodes[e], first[e], fine, coarse, factor);
        count = FN(add_blocks)(row, nodes[e], nodes[e + LATER <= last ? e + LATER : last], fine,
                               factor, middle, count);
    }
    return count;
}

/* Adds an element of the middle times a row of blocks of P, as above. */
static SPL__INLINED void FN(add_product)(const FN(row) *row, int64_t node, int64_t next, int fine,
                                         int coarse, const FN(lanes) *middle, FN(lanes) *sums)
{
    const P begin = row->p_offsets[node * fine], stride = row->p_offsets[node * fine + 1] - begin,
            ahead = row->p_offsets[next * fine];
    FN(lanes) factor[SPL__NODE_MOST] = {{0}};
    SPL__UNROLLED for (int p = 0; p < fine; p++) factor[p] = middle[p];
    for (P q = begin; q < begin + stride; q += (P)coarse) {
        const T *b = row->p_values + q;
        const char *fetch = (const char *)(row->p_values + ahead + (q - begin) * (P)fine);
        __builtin_prefetch(fetch);
        __builtin_prefetch(fetch + 64);
        __builtin_prefetch(row->p_columns + ahead + (q - begin));
        FN(lanes) *to = sums + (int64_t)row->places[row->p_columns[q] / (I)coarse] * coarse;
        SPL__UNROLLED for (int d = 0; d < coarse; d++)
        {
            FN(lanes) sum = to[d];
            SPL__UNROLLED for (int p = 0; p < fine; p++) sum += factor[p] * b[p * stride + d];
            to[d] = sum;
        }
    }
}

/* A lane of each register is a row of C. */
static SPL__INLINED void FN(store_node)(const FN(row) *row, int coarse, const FN(lanes) *sums)
{
    const int64_t length = row->length * coarse;
    const T *from = (const T *)sums;
    for (int64_t p = 0; p < length; p++)
        SPL__UNROLLED for (int c = 0; c < coarse; c++) row->to[c * length + p] =
            row->alpha * from[p * SPL__NODE_LANES + c];
}

static SPL__INLINED void FN(row_of_node)(const work *w, const FN(row) *row, int64_t k, int fine,
                                         int coarse, FN(lanes) *middle, FN(lanes) *sums)
{
    const I count = FN(middle_of_nodes)(w, row, k, fine, coarse, middle);
    for (int64_t p = 0; p < row->length; p++)
        row->places[row->columns[p]] = (I)p;
    memset(sums, 0, (size_t)(row->length * coarse) * sizeof *sums);
    for (I m = 0; m < count; m++)
        FN(add_product)(row, row->list[m], row->list[m + (m + 1 < count)], fine, coarse,
                        middle + (int64_t)m * fine, sums);
    FN(store_node)(row, coarse, sums);
}

/* Sizes that are constants make registers of loops: those of 2-D and 3-D elasticity, and of the
 * rigid motions that multigrid makes of them. */
static SPL__APART void FN(row_of_2_3)(const work *w, const FN(row) *row, int64_t k,
                                      FN(lanes) *middle, FN(lanes) *sums)
{
    FN(row_of_node)(w, row, k, 2, 3, middle, sums);
}
static SPL__APART void FN(row_of_3_3)(const work *w, const FN(row) *row, int64_t k,
                                      FN(lanes) *middle, FN(lanes) *sums)
{
    FN(row_of_node)(w, row, k, 3, 3, middle, sums);
}
static SPL__APART void FN(row_of_3_6)(const work *w, const FN(row) *row, int64_t k,
                                      FN(lanes) *middle, FN(lanes) *sums)
{
    FN(row_of_node)(w, row, k, 3, 6, middle, sums);
}
static SPL__APART void FN(row_of_6_6)(const work *w, const FN(row) *row, int64_t k,
                                      FN(lanes) *middle, FN(lanes) *sums)
{
    FN(row_of_node)(w, row, k, 6, 6, middle, sums);
}
static SPL__APART void FN(row_of_any)(const work *w, const FN(row) *row, int64_t k,
                                      FN(lanes) *middle, FN(lanes) *sums)
{
    FN(row_of_node)(w, row, k, w->triple->fine, w->triple->coarse, middle, sums);
}

typedef void (*FN(node_fn))(const work *w, const FN(row) *row, int64_t k, FN(lanes) *middle,
                            FN(lanes) *sums);

static FN(node_fn) FN(node_function)(const spl__triple *t)
{
    switch (10 * t->fine + t->coarse) {
    case 23:
        return FN(row_of_2_3);
    case 33:
        return FN(row_of_3_3);
    case 36:
        return FN(row_of_3_6);
    case 66:
        return FN(row_of_6_6);
    default:
        return FN(row_of_any);
    }
}

/* ---- rows ---- */

static void FN(compute_rows)(const work *w, int64_t block, void *memory)
{
    const spl__triple *t = w->triple;
    const FN(node_fn) of_node = FN(node_function)(t);
    FN(row) row = FN(start)(w, memory);
    void *middle = (char *)memory + w->layout->middle, *sums = (char *)memory + w->layout->sums;
    const I *lists = t->lists ? t->lists[block] : NULL;
    for (int64_t k = t->rows.begin[block]; k < t->rows.begin[block + 1]; k++) {
        row.known = lists;
        lists += lists ? lists[0] + 1 : 0;
        row.length = t->offsets[k + 1] - t->offsets[k];
        row.columns = (const I *)t->columns + t->offsets[k];
        row.to = (T *)w->call->values + t->offsets[k] * t->coarse * t->coarse;
        if (row.length == 0)
            continue;
        if (row.alpha == 0) {
            memset(row.to, 0, (size_t)(row.length * t->coarse * t->coarse) * sizeof(T));
            continue;
        }
        if (t->coarse == 1) {
            FN(row_of_entries)(w, &row, k, middle, sums);
            continue;
        }
        FN(next_base)(w, memory, &row);
        of_node(w, &row, k, middle, sums);
    }
}

#endif
