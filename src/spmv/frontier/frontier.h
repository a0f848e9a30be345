/* SPDX-License-Identifier: Apache-2.0 */
/* frontier.h: the state of a plan of y = op(A)*x, x and y sparse, on the CPU.
 *
 * Columns of op(A) that x meets are pushed into sums, one for each row, of which nothing is cleared
 * between calls: a bit says whether a sum is in use. Above the bits stand words with a bit for each
 * of 64 words that are not zero, and so on, so that the sums in use are found in order, and their
 * bits cleared, at a cost of their own number: neither sorted nor searched for.
 *
 * Where products are many, threads push into bands of rows, each its own; x's entries find their
 * part of a band by a search, so rows of op(A)' must ascend. Where they are a good part of all
 * entries, rows of op(A) pull from x made dense. Which way it is depends on x and A alone, and
 * every sum is added by one thread: in the order of x; where it is pulled, in that of its row, the
 * same where rows ascend.
 *
 * Of several vectors, those of few products are shared out among threads, each with sums of its
 * own; others are multiplied one after another, by all threads. Each gets the bits of an execution
 * of its own.
 *
 * Source: push and pull: C. Yang, A. Buluc, J. Owens, Implementing push-pull efficiently in
 * GraphBLAS, ICPP 2018; sparse accumulators: J. Gilbert, C. Moler, R. Schreiber, Sparse matrices in
 * MATLAB, SIAM J. Matrix Anal. Appl. 13, 1992; sets as trees of bits: P. van Emde Boas, Preserving
 * order in a forest in less than logarithmic time, FOCS 1975. Differs: the tree takes the place of
 * the list of positions and its sorting; bands take that of atomic operations. */
#ifndef SPL_SPMV_FRONTIER_FRONTIER_H
#define SPL_SPMV_FRONTIER_FRONTIER_H

#include "plan/plan.h"

enum {
    SPL__FRONTIER_LEVELS = 6, /* of words: 64^6 rows */
    SPL__FRONTIER_BANDS = 4   /* for each thread */
};

/* How a product is computed. */
typedef enum spl__frontier_way {
    SPL__FRONTIER_LIGHT, /* one thread, and the tree */
    SPL__FRONTIER_BANDED,
    SPL__FRONTIER_PULLED,
    SPL__FRONTIER_WAYS
} spl__frontier_way;

typedef struct spl__frontier_sums {
    void *sums;                           /* of each row */
    uint64_t *bits[SPL__FRONTIER_LEVELS]; /* bits[0]: of rows; bits[k + 1]: of words of bits[k] */
} spl__frontier_sums;

typedef struct spl__frontier {
    spl__frontier_sums *sums; /* for each thread, if several vectors are planned; else once */
    int32_t sum_count;
    int64_t words[SPL__FRONTIER_LEVELS]; /* of bits: their numbers */
    int levels;
    int64_t *cuts, *counts; /* of bands: rows, multiples of 64; entries of y */
    int32_t bands;
    bool ascends; /* rows of a.csr, op(A)', do; those of op(A): */
    bool rows_ascend;
    /* x made dense, and op(A), for pulling */
    bool pulls;
    spl__operand rows;
    void *given;
    uint64_t *given_bits;
    int64_t taken[SPL__FRONTIER_WAYS]; /* executions in each way */
} spl__frontier;

/* A product of more entries is given to several threads. Only tests change it. */
extern int64_t spl__frontier_few;

static inline spl__frontier *spl__frontier_of(const spl_plan *plan)
{
    return plan->state;
}

/* The operands of an execution. */
typedef struct spl__frontier_call {
    spl_frontier x, y;
    void *into;
    /* set by the execution: */
    const spl__problem *problem;
    spl__frontier *f;
    spl__frontier_sums *sums;
    int64_t *counts; /* of bands */
    const spl_row_mask *mask;
    spl__watch *watch;
    spl__frontier_way way;
    int64_t work; /* products */
} spl__frontier_call;

/* ---- frontier.c ---- */

/* Whether sparse vectors of A's types are built. SPL_UNSUPPORTED. */
spl_status spl__frontier_check(const spl_plan *plan);
/* How the measured x is multiplied, whatever was before. */
spl__frontier_way spl__frontier_choose(const spl__frontier_call *c);
/* y of one vector, measured, by its way. */
spl_status spl__frontier_multiply(spl__frontier_call *c);

/* ---- frontier_vectors.c ---- */

/* Checks the offsets of x, and each of its vectors. SPL_INVALID_ARGUMENT. */
spl_status spl__frontier_check_vectors(const spl__frontier_call *c);
/* y of all vectors. SPL_INVALID_ARGUMENT: no room; SPL_CANCELLED. */
spl_status spl__frontier_multiply_vectors(spl__frontier_call *c);

/* ---- frontier_product.c ---- */

/* Checks x's indices, and counts the products, of one vector. SPL_INVALID_ARGUMENT. */
spl_status spl__frontier_measure(spl__frontier_call *c);
/* y by c->way. SPL_INVALID_ARGUMENT: no room; SPL_CANCELLED. All bits are zero again. */
spl_status spl__frontier_compute(spl__frontier_call *c);
/* Whether rows of the matrix ascend, each index once or several times. */
bool spl__frontier_ascends(const spl_sparse *csr);

#endif
