/* SPDX-License-Identifier: Apache-2.0 */
/* exact.h: the driver of the exact symbolic methods: the structure of C = A*B + D, given how the
 * columns of one row are found.
 *
 * Blocks of rows of equal work are scheduled dynamically. The columns of each block are kept in a
 * chunk, so that every row is found once; when all counts are known the chunks are concatenated. If
 * chunks exceed the memory budget the driver becomes lean: it only counts, allocates C's columns
 * exactly, and finds every row a second time. One thread without a budget has no chunks: its blocks
 * follow each other, and go to C, which has room for a tenth more than is expected, and is moved
 * where that does not do.
 *
 * A row of A with the same columns as the row before (several unknowns per mesh node) has the same
 * row of C if D agrees: such a row is neither found nor kept again, but copied. exact_rows.h makes
 * kernels from a method's FN(find_row).
 *
 * Memory: nnz(C) columns, twice for distinct rows (lean, or one thread: once), and per thread a
 * block's columns and the method's workspace. Source: one pass instead of counting first:
 * M. Patwary et al., Parallel efficient sparse matrix-matrix multiplication on multicore platforms,
 * ISC 2015. */
#ifndef SPL_SPGEMM_CPU_EXACT_H
#define SPL_SPGEMM_CPU_EXACT_H

#include "core/combination.h"
#include "spgemm/cpu/compress.h"
#include "spgemm/product.h"

/* The input of a method's kernels. */
typedef struct spl__exact_view {
    const spl__problem *problem;
    const spl__product *product;
    const spl__compressed *b;       /* NULL unless the method requires compressed B */
    const spl_sparse *columns_of_b; /* its columns as rows; NULL unless the method requires them */
} spl__exact_view;

/* Finds the rows begin..end-1, writes those that differ from the previous one to `out`,
 * consecutively, and returns their total length. Writes the lengths of all rows to
 * lengths[begin..end) unless NULL. The workspace belongs to the calling thread. */
typedef int64_t (*spl__exact_fn)(const spl__exact_view *view, void *workspace, int64_t begin,
                                 int64_t end, int64_t *lengths, void *out);

/* The parameters of an exact method. */
typedef struct spl__exact_method {
    const spl__exact_fn *find;                 /* one per combination of types */
    size_t (*workspace)(const spl_plan *plan); /* bytes per thread */
    bool clear;                                /* the workspace must be zero before the first row */
    bool compresses;                           /* requires compressed B */
    bool transposes;                           /* requires columns of B */
    /* columns ascend even if the plan accepts unsorted ones */
    bool sorts;
} spl__exact_method;

/* Functions of a method. */
spl_status spl__exact_prepare(spl__step *step);
spl_status spl__exact_execute(spl__step *step, const spl__call *call);
void spl__exact_explain(const spl__step *step, spl__text *text);

/* Predicted work of an exact method, without rows that equal the previous one. */
typedef struct spl__exact_work {
    double rows, products, columns; /* columns: entries of C */
    /* for compressed B: visited rows and pairs of B, words of C */
    double rows_b, pairs, words;
} spl__exact_work;
spl__exact_work spl__exact_predict(const spl_plan *plan);
/* Fills the estimate of a method that needs `serial` seconds of one thread to find the rows. Adds
 * the cost of the driver and of the compression of B. */
void spl__exact_estimate(const spl__task *task, double serial, spl__estimate *e);

#endif
