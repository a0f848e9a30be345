/* SPDX-License-Identifier: Apache-2.0 */
/* exact.h: the driver of the exact symbolic methods: the structure of C = A*B + D, given how the
 * columns of one row are found.
 *
 * Blocks of rows of equal work are shared out dynamically. The columns of a block are kept in a
 * chunk of its own, so that every row is found once; when all counts are known the chunks are
 * copied behind each other. Where chunks do not fit the memory budget the driver turns lean: it
 * only counts, allocates C's columns exactly, and finds every row a second time.
 *
 * A row of A with the same columns as the row before (several unknowns per mesh node) has the same
 * row of C, if D agrees: it is not found again, nor kept, but copied to where it belongs.
 * exact_rows.h makes kernels out of a method's FN(find_row).
 *
 * Memory: nnz(C) columns, those of rows that do not repeat twice (lean: once), and per thread a
 * block's columns and the method's workspace. Source: one pass instead of counting first: M.
 * Patwary et al., Parallel efficient sparse matrix-matrix multiplication on multicore platforms,
 * ISC 2015. */
#ifndef SPL_SPGEMM_CPU_EXACT_H
#define SPL_SPGEMM_CPU_EXACT_H

#include "core/combination.h"
#include "spgemm/cpu/compress.h"
#include "spgemm/product.h"

/* What the driver hands to a method's kernels. */
typedef struct spl__exact_view {
    const spl__problem *problem;
    const spl__product *product;
    const spl__compressed *b; /* NULL unless the method wants B compressed */
} spl__exact_view;

/* Finds rows begin..end, one behind the other, in `out`, those that repeat the row before left out,
 * and returns the sum of their lengths. Writes the lengths of all to lengths[begin..end) unless
 * NULL. The workspace is the calling thread's. */
typedef int64_t (*spl__exact_fn)(const spl__exact_view *view, void *workspace, int64_t begin,
                                 int64_t end, int64_t *lengths, void *out);

/* What an exact method is, as its prepare tells the driver. */
typedef struct spl__exact_method {
    const spl__exact_fn *find;                 /* one per combination of types */
    size_t (*workspace)(const spl_plan *plan); /* bytes per thread */
    bool clear;                                /* the workspace is zero before the first row */
    bool compresses;                           /* wants B compressed */
    /* columns ascend even if the plan takes them unsorted */
    bool sorts;
} spl__exact_method;

/* Makes step->state. */
spl_status spl__exact_prepare(spl__step *step, const spl__exact_method *method);
/* The rest are functions of a method's table as they stand. */
spl_status spl__exact_execute(spl__step *step, const spl__call *call);
void spl__exact_explain(const spl__step *step, spl__text *text);
void spl__exact_destroy(spl__step *step);

/* Predicted work of an exact method, repeated rows left out. */
typedef struct spl__exact_work {
    double rows, products, columns; /* columns: entries of C */
    /* with B compressed: its rows and pairs that are visited, words of C */
    double rows_b, pairs, words;
} spl__exact_work;
spl__exact_work spl__exact_predict(const spl_plan *plan);
/* Seconds and bytes of one method: `serial` seconds of one thread to find the rows, `workspace`
 * bytes per thread. Adds what the driver itself, and the compression of B, cost. */
void spl__exact_estimate(const spl_plan *plan, double serial, size_t workspace, bool compresses,
                         spl__estimate *e);

#endif
