/* SPDX-License-Identifier: Apache-2.0 */
#ifndef T
/* triple_bundles.c: which rows of C are computed at once, and what they meet: see triple_state.h.
 *
 * A bundle begins with the first row that is left, and takes those whose rows of P' share most
 * places with its own, counted by way of P's rows; where it has fewer such neighbours than lanes,
 * the neighbours' neighbours follow. Bundles pay where rows of P are long, as on the coarser levels
 * of multigrid with smoothed aggregation: values of P'*A*P of Poisson's second level in GAMG (3,260
 * rows of 30 entries, 11 in a row of P) take half as long, on one thread of an EPYC with AVX-512.
 *
 * Cost: the squares of the lengths of P's rows, which must be no more than the products that values
 * take; entries of A and P once for each bundle. Memory: of P' and of the lists of P'*A, which
 * bundles take the place of, half.
 *
 * Source: columns that are alike are reordered to be neighbours, for blocks of lanes: A. Pinar, M.
 * Heath, Improving performance of sparse matrix-vector multiplication, SC 1999. Differs: nothing is
 * reordered, and lanes that are not used have a mask. */
#include "spgemm/triple/triple_state.h"

#include "core/checked.h"
#include "core/combination.h"
#include "core/growing.h"

#include <string.h>

typedef struct search {
    spl_plan *plan;
    spl__triple *triple;
    spl__triple_bundles bundles;
    void *shared, *touched; /* coarse nodes: places of P' that the bundle shares; those that do */
    int64_t touches;
    bool *taken;                   /* coarse nodes */
    uint8_t *lanes;                /* fine nodes: lanes of the bundle that have them in P'*A */
    spl__growing list, list_lanes; /* the bundles' */
    double products;               /* of rows one by one */
    double registers;              /* of bundles */
} search;

typedef struct functions {
    double (*square)(const spl_plan *plan);
    double (*count_first)(const spl_plan *plan);
    spl_status (*gather)(search *s);
} functions;

static spl_status make_lists_longer(search *s, int64_t more);

#define SELF "spgemm/triple/triple_bundles.c"
#include "core/each_type.h"

static const functions *functions_of(const spl_plan *plan)
{
    static const functions *const table[] = SPL__TABLE(&functions);
    return table[spl__combination_of_structure(&plan->problem.a.csr)];
}

void spl__triple_bundles_free(spl__triple_bundles *b)
{
    spl__free(b->row_begins);
    spl__free(b->node_begins);
    spl__free(b->first_begins);
    spl__free(b->list_begins);
    spl__free(b->rows);
    spl__free(b->nodes);
    spl__free(b->list);
    spl__free(b->firsts);
    spl__free(b->node_lanes);
    spl__free(b->list_lanes);
    spl__blocks_free(&b->blocks);
    *b = (spl__triple_bundles){0};
}

/* Rows of P are long, and a thread's registers for all columns of P are little. How many threads
 * there are is not asked: bits would depend on it. */
static bool may_pay(const spl_plan *plan)
{
    enum { LEAST = 5, SHARE = 16 };
    const spl__triple *t = spl__triple_of(plan);
    const spl_sparse *a = &plan->problem.a.csr, *b = &plan->problem.b.csr;
    const double value = (double)spl__type_size(a->type),
                 entry = value + (double)spl__index_size(a->index_type);
    return t->coarse == 1 && b->nnz >= LEAST * t->fine_nodes &&
           SHARE * (double)t->coarse_nodes * SPL__NODE_LANES * value <=
               ((double)a->nnz + (double)b->nnz) * entry;
}

static spl_status make_room(search *s)
{
    spl__triple_bundles *b = &s->bundles;
    spl__account *account = &s->plan->account;
    const spl__triple *t = s->triple;
    const spl_sparse *p = &s->plan->problem.b.csr;
    const size_t index = spl__index_size(p->index_type);
    SPL__TRY(spl__alloc_zero(account, t->coarse_nodes, index, &s->shared));
    SPL__TRY(spl__alloc(account, t->coarse_nodes, index, &s->touched));
    SPL__TRY(SPL__NEW_ZERO(account, &s->taken, t->coarse_nodes));
    SPL__TRY(SPL__NEW_ZERO(account, &s->lanes, t->fine_nodes));
    SPL__TRY(SPL__NEW_ZERO(account, &b->row_begins, t->coarse_nodes + 1));
    SPL__TRY(SPL__NEW_ZERO(account, &b->node_begins, t->coarse_nodes + 1));
    SPL__TRY(SPL__NEW_ZERO(account, &b->first_begins, t->coarse_nodes + 1));
    SPL__TRY(SPL__NEW_ZERO(account, &b->list_begins, t->coarse_nodes + 1));
    SPL__TRY(spl__alloc(account, t->coarse_nodes, index, &b->rows));
    SPL__TRY(spl__alloc(account, p->nnz, index, &b->nodes));
    SPL__TRY(SPL__NEW(account, &b->node_lanes, p->nnz));
    return spl__alloc(account, p->nnz, spl__index_size(p->offset_type), &b->firsts);
}

/* Room in the lists for `more` behind those that there are. */
static spl_status make_lists_longer(search *s, int64_t more)
{
    const size_t index = spl__index_size(s->plan->problem.a.csr.index_type);
    SPL__TRY(spl__growing_reserve(&s->list, &s->plan->account, (size_t)more * index));
    return spl__growing_reserve(&s->list_lanes, &s->plan->account, (size_t)more);
}

/* What was filled less far than it might have been. */
static spl_status shrink(search *s)
{
    spl__triple_bundles *b = &s->bundles;
    const size_t index = spl__index_size(s->plan->problem.a.csr.index_type),
                 begins = (size_t)(b->count + 1) * sizeof *b->row_begins;
    const int64_t nodes = b->node_begins[b->count];
    SPL__TRY(spl__shrink((void **)&b->row_begins, begins));
    SPL__TRY(spl__shrink((void **)&b->node_begins, begins));
    SPL__TRY(spl__shrink((void **)&b->first_begins, begins));
    SPL__TRY(spl__shrink((void **)&b->list_begins, begins));
    SPL__TRY(spl__shrink(&b->nodes, (size_t)nodes * index));
    SPL__TRY(spl__shrink((void **)&b->node_lanes, (size_t)nodes));
    SPL__TRY(spl__growing_end(&s->list));
    return spl__growing_end(&s->list_lanes);
}

static spl_status make(search *s)
{
    enum { LEAST = 1024, PER_THREAD = 16 };
    const double gain = 2.25; /* products of a register in its time */
    spl_plan *plan = s->plan;
    spl__triple_bundles *b = &s->bundles;
    SPL__TRY(make_room(s));
    SPL__TRY(functions_of(plan)->gather(s));
    SPL__TRY(spl__watch_check(spl__account_watch(&plan->account)));
    if (s->products < gain * s->registers)
        return SPL_OK;
    SPL__TRY(shrink(s));
    int64_t work = plan->problem.b.csr.nnz + b->count,
            target = spl__max_i64(LEAST, work / ((int64_t)plan->problem.threads * PER_THREAD));
    SPL__TRY(spl__blocks_make(&plan->account, b->first_begins, NULL, b->count, target, &b->blocks));
    b->list = spl__growing_take(&s->list);
    b->list_lanes = spl__growing_take(&s->list_lanes);
    s->triple->bundles = *b;
    *b = (spl__triple_bundles){0};
    return SPL_OK;
}

spl_status spl__triple_bundle(spl_plan *plan, double middle)
{
    search s = {.plan = plan, .triple = spl__triple_of(plan)};
    const spl_sparse *p = &plan->problem.b.csr;
    if (!may_pay(plan))
        return SPL_OK;
    const double rest = middle * (double)p->cols * (double)p->nnz / (double)p->rows;
    if (functions_of(plan)->square(plan) > rest)
        return SPL_OK;
    s.products = functions_of(plan)->count_first(plan) + rest;
    spl_status status = make(&s);
    spl__triple_bundles_free(&s.bundles);
    spl__free(s.list.memory);
    spl__free(s.list_lanes.memory);
    spl__free(s.shared);
    spl__free(s.touched);
    spl__free(s.taken);
    spl__free(s.lanes);
    return status == SPL_OVER_BUDGET || status == SPL_OUT_OF_MEMORY ? SPL_OK : status;
}

#else

/* ---- what it takes ---- */

/* Squares of the lengths of P's rows. */
static double FN(square)(const spl_plan *plan)
{
    const spl_sparse *p = &plan->problem.b.csr;
    const P *offsets = p->offsets;
    double sum = 0;
    for (int64_t i = 0; i < p->rows; i++)
        sum += (double)(offsets[i + 1] - offsets[i]) * (double)(offsets[i + 1] - offsets[i]);
    return sum;
}

/* Products of P' and A. */
static double FN(count_first)(const spl_plan *plan)
{
    const spl__triple *t = spl__triple_of(plan);
    const P *offsets = plan->problem.a.csr.offsets;
    const I *nodes = t->blocks_node;
    double sum = 0;
    for (int64_t e = 0; e < t->starts[t->coarse_nodes]; e++)
        sum += (double)(offsets[nodes[e] + 1] - offsets[nodes[e]]);
    return sum;
}

/* ---- a bundle's rows ---- */

/* Rows of C that are left, by places of P' that they share with row k. */
static void FN(share)(search *s, int64_t k)
{
    const spl__triple *t = s->triple;
    const P *offsets = s->plan->problem.b.csr.offsets;
    const I *columns = s->plan->problem.b.csr.indices, *nodes = t->blocks_node;
    I *shared = s->shared, *touched = s->touched;
    for (int64_t e = t->starts[k]; e < t->starts[k + 1]; e++)
        for (P q = offsets[nodes[e]]; q < offsets[nodes[e] + 1]; q++)
            if (!s->taken[columns[q]] && shared[columns[q]]++ == 0)
                touched[s->touches++] = columns[q];
}

/* The one that shares most; -1: none is left. Those that are taken share nothing. */
static int64_t FN(nearest)(const search *s)
{
    const I *shared = s->shared, *touched = s->touched;
    int64_t best = -1;
    I most = 0;
    for (int64_t n = 0; n < s->touches; n++)
        if (shared[touched[n]] > most) {
            best = touched[n];
            most = shared[best];
        }
    return best;
}

static int64_t FN(grow)(search *s, int64_t seed, I *rows)
{
    I *shared = s->shared;
    const I *touched = s->touched;
    int64_t count = 0, looked = 0;
    s->touches = 0;
    for (int64_t k = seed; k >= 0;) {
        rows[count++] = (I)k;
        s->taken[k] = true;
        shared[k] = 0;
        k = count < SPL__NODE_LANES && looked > 0 ? FN(nearest)(s) : -1;
        while (k < 0 && count < SPL__NODE_LANES && looked < count) {
            FN(share)(s, rows[looked++]);
            k = FN(nearest)(s);
        }
    }
    for (int64_t n = 0; n < s->touches; n++)
        shared[touched[n]] = 0;
    return count;
}

/* ---- what they meet ---- */

/* The rows of P' merged. */
static void FN(unite)(search *s, int64_t b)
{
    const spl__triple *t = s->triple;
    spl__triple_bundles *to = &s->bundles;
    const P *offsets = s->plan->problem.a.csr.offsets, *first = t->blocks_first;
    const I *rows = (const I *)to->rows + to->row_begins[b], *from = t->blocks_node;
    const int64_t count = to->row_begins[b + 1] - to->row_begins[b];
    int64_t at[SPL__NODE_LANES], filled = to->node_begins[b], taken = to->first_begins[b], left = 0;
    for (int64_t l = 0; l < count; l++) {
        at[l] = t->starts[rows[l]];
        left += t->starts[rows[l] + 1] - at[l];
    }
    for (; left > 0; filled++) {
        I node = (I)t->fine_nodes;
        uint8_t lanes = 0;
        for (int64_t l = 0; l < count; l++)
            if (at[l] < t->starts[rows[l] + 1] && from[at[l]] < node)
                node = from[at[l]];
        for (int64_t l = 0; l < count; l++)
            if (at[l] < t->starts[rows[l] + 1] && from[at[l]] == node) {
                ((P *)to->firsts)[taken++] = first[at[l]++];
                lanes |= (uint8_t)(1U << l);
                left--;
            }
        ((I *)to->nodes)[filled] = node;
        to->node_lanes[filled] = lanes;
        s->registers += (double)(offsets[node + 1] - offsets[node]);
    }
    to->node_begins[b + 1] = filled;
    to->first_begins[b + 1] = taken;
    to->most_nodes = spl__max_i64(to->most_nodes, filled - to->node_begins[b]);
}

/* Columns of P'*A, with their lanes. */
static void FN(list)(search *s, int64_t b)
{
    spl__triple_bundles *to = &s->bundles;
    const spl_sparse *a = &s->plan->problem.a.csr;
    const P *offsets = a->offsets, *p_offsets = s->plan->problem.b.csr.offsets;
    const I *columns = a->indices, *nodes = to->nodes;
    I *list = spl__growing_at(&s->list);
    uint8_t *lanes = spl__growing_at(&s->list_lanes);
    int64_t filled = 0;
    for (int64_t u = to->node_begins[b]; u < to->node_begins[b + 1]; u++)
        for (P q = offsets[nodes[u]]; q < offsets[nodes[u] + 1]; q++) {
            list[filled] = columns[q]; /* stays if it is new */
            filled += !s->lanes[columns[q]];
            s->lanes[columns[q]] |= to->node_lanes[u];
        }
    for (int64_t m = 0; m < filled; m++) {
        lanes[m] = s->lanes[list[m]];
        s->lanes[list[m]] = 0;
        s->registers += (double)(p_offsets[list[m] + 1] - p_offsets[list[m]]);
    }
    s->list.count += (size_t)filled * sizeof(I);
    s->list_lanes.count += (size_t)filled;
    to->list_begins[b + 1] = to->list_begins[b] + filled;
    to->longest_list = spl__max_i64(to->longest_list, filled);
}

/* A place more: what is not new is written behind the list. */
static int64_t FN(most_listed)(const search *s, int64_t b)
{
    const spl__triple_bundles *to = &s->bundles;
    const P *offsets = s->plan->problem.a.csr.offsets;
    const I *nodes = to->nodes;
    int64_t sum = 0;
    for (int64_t u = to->node_begins[b]; u < to->node_begins[b + 1]; u++)
        sum += (int64_t)(offsets[nodes[u] + 1] - offsets[nodes[u]]);
    return spl__min_i64(sum, s->triple->fine_nodes) + 1;
}

static spl_status FN(gather)(search *s)
{
    const int64_t rows = s->triple->coarse_nodes;
    spl__watch *watch = spl__account_watch(&s->plan->account);
    spl__triple_bundles *b = &s->bundles;
    for (int64_t k = 0; k < rows && spl__watch_goes_on_at(watch, k); k++) {
        if (s->taken[k])
            continue;
        const int64_t begin = b->row_begins[b->count];
        b->row_begins[b->count + 1] = begin + FN(grow)(s, k, (I *)b->rows + begin);
        FN(unite)(s, b->count);
        SPL__TRY(make_lists_longer(s, FN(most_listed)(s, b->count)));
        FN(list)(s, b->count);
        b->count++;
    }
    return SPL_OK;
}

static const functions FN(functions) = {FN(square), FN(count_first), FN(gather)};

#endif
