/* SPDX-License-Identifier: Apache-2.0 */
/* product.h: what the methods of SpGEMM know about C, besides the problem: the plan's state. */
#ifndef SPL_SPGEMM_PRODUCT_H
#define SPL_SPGEMM_PRODUCT_H

#include "core/parallel.h"
#include "plan/plan.h"

typedef struct spl__product {
    int64_t *work;        /* rows + 1: prefix sums over rows of products + entries of D */
    int64_t longest_work; /* largest work of a row */
    int64_t
        *offsets;  /* rows + 1: where row i begins in columns and values; the symbolic phase allocates and writes it */
    void *columns; /* offsets[rows] columns of the plan's index type; the symbolic phase allocates it */
    int64_t
        *lengths; /* NULL: rows are exact. Else row i has lengths[i] <= offsets[i+1] - offsets[i] columns, once known */
    bool known;   /* columns (and lengths) are written */
    void *values; /* offsets[rows] values, if the plan keeps them */
    bool computed; /* values are written */
} spl__product;

spl__product *spl__product_of(const spl_plan *plan);

/* Largest number of columns that row i of C can have. */
static inline int64_t spl__row_bound(const spl__product *c, int64_t cols, int64_t i)
{
    int64_t work = c->work[i + 1] - c->work[i];
    return work < cols ? work : cols;
}
/* Columns of row i, once known. */
static inline int64_t spl__row_length(const spl__product *c, int64_t i)
{
    return c->lengths ? c->lengths[i] : c->offsets[i + 1] - c->offsets[i];
}
/* nnz(C), or its bound while columns are not known. */
int64_t spl__product_nnz(const spl_plan *plan);

/* Fills work, longest_work and the features products, longest_products, bound_c. SPL_INDEX_OVERFLOW, ... */
spl_status spl__count_work(spl_plan *plan);

/* SPL_INDEX_OVERFLOW if nnz entries do not fit the offsets the caller asked for. */
spl_status spl__check_result_width(const spl_plan *plan, int64_t nnz);
/* The width of the offsets that spl_spgemm_export writes. */
spl_index spl__result_offset_type(const spl_plan *plan);

/* ---- workspaces of threads ---- */

/* What one thread needs to find the columns of any one row: see find_columns.h. */
typedef struct spl__finder {
    void *table;   /* spl__slots_for(longest row bound) columns */
    void *scratch; /* longest row bound columns */
} spl__finder;
/* Makes `threads` finders in one allocation of finders. */
spl_status spl__finders_make(spl_plan *plan, int threads, spl__finder **finders);
void spl__finders_free(spl__finder *finders, int threads);
/* Bytes of one finder. */
double spl__finder_bytes(const spl_plan *plan);

/* State of the numeric methods: blocks of rows, and per thread one workspace and one finder (if columns are not known yet). */
typedef struct spl__numeric {
    spl__blocks blocks;
    int threads;
    void **workspaces;
    spl__finder *finders; /* NULL if columns are known */
} spl__numeric;
/* Makes step->state with workspaces of `count` elements of `size` bytes. */
spl_status spl__numeric_prepare(spl__step *step, int64_t count, size_t size);
void spl__numeric_destroy(spl__step *step);
/* Reports a block that begins, from the calling thread; SPL_CANCELLED. Does nothing in other threads. */
spl_status spl__numeric_progress(const spl__step *step, int64_t block);

#endif
