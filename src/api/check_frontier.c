/* SPDX-License-Identifier: Apache-2.0 */
/* check_frontier.c: checks products with sparse vectors: elements of the executable specification,
 * of the entries of op(A) that x meets. */
#include "api/checker.h"
#include "core/sized.h"

#include <math.h>
#include <string.h>

typedef struct frontier_checker {
    spl__checker base; /* of a product with a dense vector */
    spl_frontier x, y;
    const void *before, *into;
    spl_row_mask mask;
    bool masked;
    /* of one vector: */
    unsigned char *given; /* columns that x has */
    void *dense;          /* x */
    spl_sparse met;       /* entries of op(A) in those columns */
    int64_t *offsets;
    void *indices, *values;
} frontier_checker;

static int64_t vectors_of(const spl_frontier *f)
{
    return f->offsets ? f->vectors : 1;
}

static int64_t begin_of(const spl_frontier *f, int64_t k)
{
    return f->offsets ? f->offsets[k] : k * f->count;
}

/* ---- operands ---- */

/* Vectors are in order, one after another. */
static spl_status check_offsets(const spl_frontier *f, const char *name)
{
    const int64_t vectors = vectors_of(f);
    for (int64_t k = 0; k < vectors; k++)
        if (begin_of(f, k) < 0 || begin_of(f, k) > begin_of(f, k + 1))
            return spl__fail(SPL_INVALID_ARGUMENT, "%s.offsets descend at vector %lld", name,
                             (long long)k);
    if (begin_of(f, 0) != 0 || begin_of(f, vectors) != f->count)
        return spl__fail(SPL_INVALID_ARGUMENT, "%s.offsets do not go from 0 to the %lld entries",
                         name, (long long)f->count);
    return SPL_OK;
}

static spl_status read_vectors(const frontier_checker *c, const spl_frontier *given,
                               const char *name, spl_frontier *f)
{
    const spl_sparse *a = &c->base.problem.a.csr;
    if (!given)
        return spl__fail(SPL_INVALID_ARGUMENT, "%s is NULL", name);
    SPL__TRY(spl__sized_read(f, sizeof *f, given, "spl_frontier"));
    if (f->count < 0 || (f->offsets && f->vectors < 0))
        return spl__fail(SPL_INVALID_ARGUMENT, "%s has %lld entries of %lld vectors", name,
                         (long long)f->count, (long long)vectors_of(f));
    SPL__TRY(
        spl__check_array(name, "indices", f->indices, f->count, spl__index_size(a->index_type)));
    SPL__TRY(spl__check_aligned(name, "values", f->values, f->count, spl__type_size(a->type)));
    return check_offsets(f, name);
}

static spl_status check_x(const frontier_checker *c)
{
    const spl__problem *p = &c->base.problem;
    for (int64_t k = 0; k < vectors_of(&c->x); k++) {
        int64_t before = -1;
        for (int64_t q = begin_of(&c->x, k); q < begin_of(&c->x, k + 1); q++) {
            const int64_t j = spl__index_at(c->x.indices, p->a.csr.index_type, q);
            if (j <= before || j >= p->inner)
                return spl__fail(SPL_INVALID_ARGUMENT,
                                 "x.indices[%lld] is %lld: not after the one before, or not below "
                                 "%lld",
                                 (long long)q, (long long)j, (long long)p->inner);
            before = j;
        }
    }
    return SPL_OK;
}

static spl_status read_operands(frontier_checker *c, const spl_frontier *x, const spl_frontier *y,
                                const spl_row_mask *mask)
{
    SPL__TRY(read_vectors(c, x, "x", &c->x));
    SPL__TRY(read_vectors(c, y, "y", &c->y));
    SPL__TRY(check_x(c));
    if (vectors_of(&c->x) != vectors_of(&c->y))
        return spl__fail(SPL_SHAPE_MISMATCH, "x has %lld vectors, y has %lld",
                         (long long)vectors_of(&c->x), (long long)vectors_of(&c->y));
    if (!c->into != !c->before)
        return spl__fail(SPL_INVALID_ARGUMENT, "%s is NULL", c->into ? "into_before" : "into");
    c->masked = mask != NULL;
    if (mask)
        SPL__TRY(spl__sized_read(&c->mask, sizeof c->mask, mask, "spl_row_mask"));
    if (mask && !c->mask.bits == !c->mask.bytes)
        return spl__fail(SPL_INVALID_ARGUMENT, "a mask has either bits or bytes");
    return SPL_OK;
}

static spl_status make_room(frontier_checker *c)
{
    const spl__problem *p = &c->base.problem;
    const spl_sparse *a = &p->a.csr;
    spl__account *account = &c->base.context.account;
    SPL__TRY(SPL__NEW_ZERO(account, &c->given, p->inner));
    SPL__TRY(spl__alloc_zero(account, p->inner, spl__type_size(a->type), &c->dense));
    SPL__TRY(SPL__NEW(account, &c->offsets, p->rows + 1));
    SPL__TRY(spl__alloc(account, a->nnz, spl__index_size(a->index_type), &c->indices));
    SPL__TRY(spl__alloc(account, a->nnz, spl__type_size(a->type), &c->values));
    c->met = *a;
    c->met.offset_type = SPL_I64;
    c->met.offsets = c->offsets;
    c->met.indices = c->indices;
    c->met.values = a->values ? c->values : NULL;
    return SPL_OK;
}

static void free_room(frontier_checker *c)
{
    spl__free(c->given);
    spl__free(c->dense);
    spl__free(c->offsets);
    spl__free(c->indices);
    spl__free(c->values);
}

/* ---- one vector ---- */

/* x made dense. Without values an entry of integers has its index; other semirings use none. */
static void take_x(frontier_checker *c, int64_t k)
{
    const spl__problem *p = &c->base.problem;
    const spl_type type = p->a.csr.type;
    const size_t size = spl__type_size(type);
    if (p->inner > 0)
        memset(c->given, 0, (size_t)p->inner);
    for (int64_t q = begin_of(&c->x, k); q < begin_of(&c->x, k + 1); q++) {
        const int64_t j = spl__index_at(c->x.indices, p->a.csr.index_type, q);
        c->given[j] = 1;
        if (c->x.values)
            memcpy((char *)c->dense + (size_t)j * size,
                   (const char *)c->x.values + (size_t)q * size, size);
        else if (type == SPL_INT32)
            ((int32_t *)c->dense)[j] = (int32_t)j;
        else if (type == SPL_INT64)
            ((int64_t *)c->dense)[j] = j;
    }
}

static void take_met(frontier_checker *c)
{
    const spl_sparse *a = &c->base.problem.a.csr;
    const size_t index = spl__index_size(a->index_type), size = spl__type_size(a->type);
    int64_t at = 0;
    for (int64_t i = 0; i < a->rows; i++) {
        c->offsets[i] = at;
        for (int64_t p = spl__offset_at(a, i); p < spl__offset_at(a, i + 1); p++) {
            if (!c->given[spl__entry_index(a, p)])
                continue;
            memcpy((char *)c->indices + (size_t)at * index,
                   (const char *)a->indices + (size_t)p * index, index);
            if (a->values)
                memcpy((char *)c->values + (size_t)at * size,
                       (const char *)a->values + (size_t)p * size, size);
            at++;
        }
    }
    c->offsets[a->rows] = c->met.nnz = at;
}

static bool is_open(const frontier_checker *c, int64_t k, int64_t i)
{
    const int64_t rows = c->base.problem.rows, words = rows / 64 + (rows % 64 > 0);
    if (!c->masked)
        return true;
    const bool named = c->mask.bits ? c->mask.bits[k * words + i / 64] >> (i % 64) & 1
                                    : c->mask.bytes[k * rows + i] != 0;
    return named != (c->mask.complement != 0);
}

/* Element i of op(A)*x, "add"ed to what was there before. */
static spl__ref_element element(const frontier_checker *c, int64_t k, int64_t i)
{
    spl__problem p = c->base.problem;
    spl__check_scalars scalars = c->base.scalars;
    const spl_type type = p.a.csr.type;
    const bool adds = c->into != NULL;
    const spl_dense x = {.type = type,
                         .order = SPL_COLUMN_MAJOR,
                         .rows = p.inner,
                         .cols = 1,
                         .ld = p.inner,
                         .values = c->dense};
    spl_dense old = x;
    old.rows = old.ld = p.rows;
    old.values = adds ? (char *)c->before + (size_t)(k * p.rows) * spl__type_size(type) : NULL;
    scalars.beta = adds;
    scalars.whole_beta = adds;
    p.a.csr = c->met;
    return spl__checks_elements(&p)
               ? spl__check_element(&p, &scalars, &x, &old, i, 0)
               : spl__ref_spmv(1, &c->met, c->dense, scalars.beta, old.values, i);
}

static bool same(spl_type type, const void *a, int64_t i, const void *b, int64_t j)
{
    if (spl__type_is_integer(type))
        return spl__integer_at(a, type, i) == spl__integer_at(b, type, j);
    const double x = spl__value_at(a, type, i), y = spl__value_at(b, type, j);
    return x == y || (isnan(x) && isnan(y));
}

/* The verdict on row i of vector k, of which y has the entry `at`, or none: -1. */
static double judge(const frontier_checker *c, int64_t k, int64_t i, int64_t at)
{
    const spl__problem *p = &c->base.problem;
    const spl_type type = p->a.csr.type;
    const spl__check_standard standard = spl__checker_standard(&c->base);
    const int64_t position = k * p->rows + i;
    const bool computed = c->offsets[i] < c->offsets[i + 1] && is_open(c, k, i),
               changed = c->into && !same(type, c->into, position, c->before, position);
    if (!computed || (c->into && changed != (at >= 0)))
        return at >= 0 || changed ? INFINITY : 0;
    if (!c->into && at < 0)
        return INFINITY;
    if (at >= 0 && c->into && c->y.values && !same(type, c->y.values, at, c->into, position))
        return INFINITY;
    const spl__ref_element e = element(c, k, i);
    if (c->into)
        return spl__check_ratio(&e, c->into, position, standard);
    return c->y.values ? spl__check_ratio(&e, c->y.values, at, standard) : 0;
}

static void check_vector(frontier_checker *c, int64_t k, spl_check *result)
{
    const spl__problem *p = &c->base.problem;
    int64_t q = begin_of(&c->y, k);
    const int64_t end = begin_of(&c->y, k + 1);
    take_x(c, k);
    take_met(c);
    for (int64_t i = 0; i < p->rows; i++) {
        const bool here = q < end && spl__index_at(c->y.indices, p->a.csr.index_type, q) == i;
        const double ratio = judge(c, k, i, here ? q : -1);
        if (here || c->into || ratio > 0) /* others are not there, as they should be */
            spl__check_note(result, ratio, k, i);
        q += here;
    }
    if (q < end) /* indices that no row has, or that do not ascend */
        spl__check_note(result, INFINITY, k, spl__index_at(c->y.indices, p->a.csr.index_type, q));
}

spl_status spl_check_frontier(const spl_sparse *a, const spl_frontier *x, const void *into_before,
                              const void *into, const spl_row_mask *mask, const spl_frontier *y,
                              const spl_options *options, spl_check *check)
{
    const spl_sparse *const operands[3] = {a};
    frontier_checker c = {.before = into_before, .into = into};
    spl_check result = spl__check_start();
    SPL__TRY(spl__checker_begin(&c.base, SPL__KIND_spmv, operands, 1, NULL, NULL, options));
    spl_status status = read_operands(&c, x, y, mask);
    if (status == SPL_OK)
        status = make_room(&c);
    for (int64_t k = 0; status == SPL_OK && k < vectors_of(&c.x); k++)
        check_vector(&c, k, &result);
    free_room(&c);
    spl__checker_end(&c.base);
    return status == SPL_OK ? spl__check_finish(&result, check) : status;
}
