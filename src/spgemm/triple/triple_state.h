/* SPDX-License-Identifier: Apache-2.0 */
/* triple_state.h: the state of a plan of C = alpha*P'*A*P on the CPU.
 *
 * C is computed row by row: a row of P'*A, which is added up and forgotten, then its product with
 * P. Rows of C are independent, so that threads share nothing. The plan knows the places of P' in
 * P, and the structure of C.
 *
 * Unknowns of a mesh node have equal columns: where all rows and columns come in such groups,
 * everything here is in nodes, and a block of a node's rows of C is computed at once. Where they do
 * not, rows of C that meet about the same rows of A and P may be bundled; or A*P is stored, and
 * packed rows are added up in registers.
 *
 * Source: rows of C one after the other, as in the coarse operators of R. Falgout, U. Yang, hypre:
 * a library of high performance preconditioners, ICCS 2002; orders of the three factors and what
 * they move: G. Ballard, C. Siefert, J. Hu, Reducing communication costs for sparse matrix
 * multiplication within algebraic multigrid, SIAM J. Sci. Comput. 38(3), 2016; without a stored
 * intermediate: F. Kong et al., Parallel memory-efficient all-at-once algorithms for the sparse
 * matrix triple products in multigrid methods, arXiv:1905.08423, 2019. Differs: an element of P'*A
 * is added up before it meets P; positions come from stamps; blocks of nodes are found in plain
 * CSR. */
#ifndef SPL_SPGEMM_TRIPLE_TRIPLE_STATE_H
#define SPL_SPGEMM_TRIPLE_TRIPLE_STATE_H

#include "spgemm/product.h"

/* The largest node, and the lanes that rows of a coarse node are computed in. */
enum { SPL__NODE_MOST = 6, SPL__NODE_LANES = 8 };

/* A*P, whose rows are computed first, and C's of them: a row is a sum of packed rows, of P or of
 * A*P, each times a factor. A packed row is *spread* over the longer one: for each eight entries of
 * that a mask has those that it meets. Masks are in blocks of rows; those of a row follow each
 * other by factors, of up to 64 entries at a time. */
typedef struct spl__triple_spread {
    int64_t blocks;  /* of rows of A*P; 0: rows of P'*A are computed first */
    int64_t rows;    /* of a block */
    void *offsets;   /* of A*P, of the operands' type */
    uint8_t **first; /* masks of A*P by blocks, ... */
    uint8_t **last;  /* ... of C by blocks of its rows */
    void *values;    /* of A*P */
    int64_t entries; /* of A*P */
    int64_t most;    /* factors of a row */
} spl__triple_spread;
enum { SPL__SPREAD_ROWS = 512, SPL__SPREAD_WORD = 64 };

/* Bundles of entries: up to SPL__NODE_LANES rows of C that meet the same rows of A and P, a lane
 * each. Bundle b has rows[row_begins[b]..row_begins[b+1]]; the rows of P' united, nodes, each with
 * the lanes that have it, and where in P's values these find it; the columns of P'*A, united, with
 * the lanes that have them. */
typedef struct spl__triple_bundles {
    int64_t count; /* 0: rows are computed one by one */
    int64_t *row_begins, *node_begins, *first_begins, *list_begins;
    void *rows, *nodes, *list; /* of the columns' type */
    void *firsts;              /* of the offsets' type */
    uint8_t *node_lanes, *list_lanes;
    int64_t most_nodes, longest_list;
    spl__blocks blocks; /* bundles that a thread computes at a time */
} spl__triple_bundles;

typedef struct spl__triple {
    /* Unknowns of a node. Rows of A and P come in groups of `fine` with equal columns, columns of A
     * in runs of `fine`, those of P in runs of `coarse`. 1 and 1: entries. */
    int32_t fine, coarse;
    int64_t fine_nodes, coarse_nodes;
    /* P' by coarse nodes: the fine nodes of its blocks, and where in P's values each begins. */
    int64_t *starts;    /* coarse_nodes + 1 */
    void *blocks_node;  /* of the columns' type */
    void *blocks_first; /* of the offsets' type */
    int64_t *offsets;   /* of C: coarse_nodes + 1, in blocks */
    void *columns;      /* of C: nodes, ascending */
    /* Columns of P'*A, in the order in which its rows meet them: of a block of rows for each row
     * their number, then the columns. NULL: not kept. */
    void **lists;
    spl__triple_bundles bundles; /* instead of blocks and lists, once C's structure is known */
    spl__triple_spread spread;   /* likewise */
    int64_t longest_middle;      /* fine nodes in a row of P'*A, or a bound, ... */
    int64_t longest_row;         /* ... and coarse nodes in a row of C */
    spl__blocks rows;            /* coarse nodes, or bundles, that a thread computes at a time */
    int threads;
    void **workspaces;
    void *values; /* of C, if the plan keeps them */
    bool computed;
} spl__triple;

static inline spl__triple *spl__triple_of(const spl_plan *plan)
{
    return plan->state;
}
static inline int64_t spl__triple_nnz(const spl__triple *t)
{
    return t->offsets[t->coarse_nodes] * t->coarse * t->coarse;
}

/* What is not built, on any processor. */
spl_status spl__triple_check(const spl_plan *plan);

/* ---- triple_nodes.c ---- */

/* Finds the sizes of nodes, then P' in nodes. */
void spl__triple_measure(spl_plan *plan);
spl_status spl__triple_transpose(spl_plan *plan);

/* ---- triple_structure.c ---- */

/* Fills all but workspaces and values. */
spl_status spl__triple_find(spl_plan *plan);
/* Writes rows + 1 offsets and nnz columns of C, each unless NULL. */
void spl__triple_offsets(const spl_plan *plan, void *offsets, spl_index type);
void spl__triple_columns(const spl_plan *plan, void *columns);

/* ---- triple_reach.c ---- */

/* Columns of A*P's rows as bits. */
typedef struct spl__triple_reach {
    int64_t words; /* of a row; 0: not made */
    uint64_t *rows;
} spl__triple_reach;

/* Words of a row of bits, those of registers. */
int64_t spl__triple_words(const spl__triple *t);
/* Are these faster than to mark columns one by one, and no larger than the operands twice? A row of
 * P'*A has `middle` columns, which are listed anyway if they are kept. */
bool spl__triple_reach_pays(const spl_plan *plan, double middle, bool keeps);
spl_status spl__triple_reach_make(spl_plan *plan, spl__triple_reach *reach);
/* The columns of row k of C; returns a bound of those of P'*A. */
int64_t spl__triple_reach_row(const spl_plan *plan, const spl__triple_reach *reach, int64_t k,
                              uint64_t *bits);

/* ---- triple_spread.c ---- */

/* What some rows of C say: columns of a row, and the masks of all. */
typedef struct spl__triple_sample {
    double length, masks;
} spl__triple_sample;

/* Finds A*P, C and the masks, if it pays to store them and there is room. */
spl_status spl__triple_spread_find(spl_plan *plan, const spl__triple_sample *sample);
void spl__triple_spread_free(const spl__triple *t, spl__triple_spread *spread);

/* ---- triple_spread_values.c ---- */

size_t spl__triple_spread_workspace(const spl_plan *plan);
void spl__triple_spread_compute(const spl_plan *plan, const spl__call *call);

/* ---- triple_bundles.c ---- */

/* Bundles rows of C if that pays and there is room. Rows of P'*A have `middle` columns. */
spl_status spl__triple_bundle(spl_plan *plan, double middle);
void spl__triple_bundles_free(spl__triple_bundles *bundles);

/* ---- triple_bundle_values.c ---- */

size_t spl__triple_bundle_workspace(const spl_plan *plan);
/* Values of C's rows in a block of bundles. */
typedef void (*spl__triple_bundle_fn)(const spl_plan *plan, const spl__call *call, int64_t block,
                                      void *memory);
spl__triple_bundle_fn spl__triple_bundle_kernel(const spl_plan *plan);

/* ---- triple_values.c ---- */

/* Bytes of a thread's workspace, which must be cleared once. */
size_t spl__triple_workspace(const spl_plan *plan);
/* Computes the values of C. Incomplete after a cancel. */
void spl__triple_compute(spl_plan *plan, const spl__call *call);

#endif
