/* SPDX-License-Identifier: Apache-2.0 */
/* frontier_vectors.c: products of several sparse vectors: see frontier.h.
 *
 * A thread writes its vectors' entries where there is room for as many as they have products; what
 * threads wrote is pushed together at the end. */
#include "core/checked.h"
#include "core/threads/parallel.h"
#include "core/threads/team.h"
#include "spmv/frontier/frontier.h"

#include <string.h>

static void *element(void *array, int64_t k, size_t size)
{
    return array ? (char *)array + (size_t)k * size : NULL;
}

static size_t index_size(const spl__frontier_call *c)
{
    return spl__index_size(c->problem->a.csr.index_type);
}

static size_t value_size(const spl__frontier_call *c)
{
    return spl__type_size(c->problem->a.csr.type);
}

/* Vector k of x, `into` and the mask (a copy in *mask), with y's entries from `at` on. */
static spl__frontier_call vector_at(const spl__frontier_call *c, int64_t k, int64_t at,
                                    spl_row_mask *mask)
{
    const int64_t first = c->x.offsets[k], rows = c->problem->rows;
    spl__frontier_call v = *c;
    v.x.count = c->x.offsets[k + 1] - first;
    v.x.indices = element(c->x.indices, first, index_size(c));
    v.x.values = element(c->x.values, first, value_size(c));
    v.into = element(c->into, k * rows, value_size(c));
    v.y.indices = element(c->y.indices, at, index_size(c));
    v.y.values = element(c->y.values, at, value_size(c));
    v.y.capacity = c->y.capacity - at;
    if (!c->mask)
        return v;
    *mask = *c->mask;
    if (mask->bits)
        mask->bits += k * (rows / 64 + (rows % 64 > 0));
    else if (mask->bytes)
        mask->bytes += k * rows;
    v.mask = mask;
    return v;
}

static spl_status check_vector(const spl__frontier_call *c, int64_t k)
{
    spl_row_mask mask;
    const int64_t begin = c->x.offsets[k], end = c->x.offsets[k + 1];
    if (begin < 0 || end < begin || end > c->x.count)
        return spl__fail(SPL_INVALID_ARGUMENT,
                         "x.offsets[%lld] is %lld, then %lld; x has %lld entries", (long long)k,
                         (long long)begin, (long long)end, (long long)c->x.count);
    spl__frontier_call v = vector_at(c, k, 0, &mask);
    if (spl__frontier_measure(&v) == SPL_OK)
        return SPL_OK;
    return spl__fail(SPL_INVALID_ARGUMENT,
                     "vector %lld of x, from entry %lld on: indices do not ascend, or op(A) has no "
                     "such column",
                     (long long)k, (long long)begin);
}

spl_status spl__frontier_check_vectors(const spl__frontier_call *c)
{
    const int64_t *offsets = c->x.offsets;
    if (offsets[0] != 0 || offsets[c->x.vectors] != c->x.count)
        return spl__fail(
            SPL_INVALID_ARGUMENT, "x.offsets go from %lld to %lld, not from 0 to the %lld entries",
            (long long)offsets[0], (long long)offsets[c->x.vectors], (long long)c->x.count);
    for (int64_t k = 0; k < c->x.vectors; k++)
        SPL__TRY(check_vector(c, k));
    return SPL_OK;
}

/* ---- vectors of few products ---- */

/* Neighbouring vectors that one thread each is to multiply. */
typedef struct run {
    int64_t first, end;
    int64_t work; /* products */
    int64_t most; /* entries that y can have */
} run;

/* The run from vector `first` on, which may be empty. y.offsets[k + 1] = entries that vector k of y
 * can have. */
static run find_run(const spl__frontier_call *c, int64_t first)
{
    run r = {first, first, 0, 0};
    for (; r.end < c->x.vectors; r.end++) {
        spl_row_mask mask;
        spl__frontier_call v = vector_at(c, r.end, 0, &mask);
        (void)spl__frontier_measure(&v); /* was checked */
        if (v.work > spl__frontier_few || spl__frontier_choose(&v) == SPL__FRONTIER_PULLED)
            break;
        const int64_t most = spl__min_i64(v.work, c->problem->rows);
        c->y.offsets[r.end + 1] = most;
        r.work += v.work;
        r.most += most;
    }
    return r;
}

/* The vector from which on part t of `parts` multiplies: vectors and their entries are shared out.
 */
static int64_t part_begin(const spl__frontier_call *c, const run *r, int64_t t, int64_t parts)
{
    const int64_t *x = c->x.offsets;
    const int64_t all = x[r->end] - x[r->first] + (r->end - r->first),
                  before = all / parts * t + all % parts * t / parts;
    int64_t low = r->first, high = r->end;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (x[middle] - x[r->first] + (middle - r->first) < before)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* y.offsets[k + 1] = entries of vector k of y, which stand from `at` on. */
static void multiply_part(const spl__frontier_call *c, const run *r, int64_t t, int64_t parts,
                          int64_t at)
{
    const int64_t end = part_begin(c, r, t + 1, parts);
    for (int64_t k = part_begin(c, r, t, parts); k < end; k++) {
        spl_row_mask mask;
        spl__frontier_call v = vector_at(c, k, at, &mask);
        v.sums = &c->f->sums[t];
        v.way = SPL__FRONTIER_LIGHT;
        (void)spl__frontier_compute(&v); /* there is room; the caller asks the watch */
        c->y.offsets[k + 1] = v.y.count;
        at += v.y.count;
    }
}

/* Moves count entries of y. */
static void move_entries(const spl__frontier_call *c, int64_t to, int64_t from, int64_t count)
{
    if (to == from || count == 0)
        return;
    memmove(element(c->y.indices, to, index_size(c)), element(c->y.indices, from, index_size(c)),
            (size_t)count * index_size(c));
    if (c->y.values)
        memmove(element(c->y.values, to, value_size(c)), element(c->y.values, from, value_size(c)),
                (size_t)count * value_size(c));
}

static spl_status share_out(spl__frontier_call *c, const run *r)
{
    const int64_t parts = spl__min_i64(c->f->sum_count, r->end - r->first);
    int64_t *begins = c->f->counts, at = c->y.offsets[r->first];
    begins[0] = at;
    for (int64_t t = 0; t < parts; t++) {
        begins[t + 1] = begins[t];
        for (int64_t k = part_begin(c, r, t, parts); k < part_begin(c, r, t + 1, parts); k++)
            begins[t + 1] += c->y.offsets[k + 1];
    }
    SPL__FOR_PARTS(t, parts, c->problem->threads, multiply_part(c, r, t, parts, begins[t]));
    SPL__TRY(spl__watch_check(c->watch));
    for (int64_t t = 0; t < parts; t++) {
        int64_t count = 0, end = part_begin(c, r, t + 1, parts);
        for (int64_t k = part_begin(c, r, t, parts); k < end; k++)
            c->y.offsets[k + 1] = at + (count += c->y.offsets[k + 1]);
        move_entries(c, at, begins[t], count);
        at += count;
    }
    c->f->taken[SPL__FRONTIER_LIGHT] += r->end - r->first;
    return SPL_OK;
}

/* ---- all vectors ---- */

static spl_status multiply_vector(spl__frontier_call *c, int64_t k)
{
    spl_row_mask mask;
    const int64_t at = c->y.offsets[k];
    spl__frontier_call v = vector_at(c, k, at, &mask);
    (void)spl__frontier_measure(&v);
    if (spl__frontier_multiply(&v) != SPL_OK) {
        SPL__TRY(spl__watch_check(c->watch));
        return spl__fail(SPL_INVALID_ARGUMENT, "y has room for %s entries, there are %s or more",
                         spl__thousands(c->y.capacity), spl__thousands(at + v.y.count));
    }
    c->y.offsets[k + 1] = at + v.y.count;
    return SPL_OK;
}

spl_status spl__frontier_multiply_vectors(spl__frontier_call *c)
{
    c->y.offsets[0] = 0;
    for (int64_t k = 0; k < c->x.vectors;) {
        const run r = find_run(c, k);
        const int64_t end = spl__max_i64(r.end, k + 1);
        const bool several = r.end - r.first > 1 && c->f->sum_count > 1,
                   room = r.most <= c->y.capacity - c->y.offsets[k];
        if (several && room && r.work > spl__frontier_few) {
            SPL__TRY(share_out(c, &r));
            k = end;
        }
        for (; k < end; k++)
            SPL__TRY(multiply_vector(c, k));
    }
    c->y.count = c->y.offsets[c->x.vectors];
    return SPL_OK;
}
