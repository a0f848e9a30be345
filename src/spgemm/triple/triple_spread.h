/* SPDX-License-Identifier: Apache-2.0 */
/* triple_spread.h: what the search for A*P, triple_spread.c, and its loops over rows,
 * triple_spread_rows.c, share. */
#ifndef SPL_SPGEMM_TRIPLE_TRIPLE_SPREAD_H
#define SPL_SPGEMM_TRIPLE_TRIPLE_SPREAD_H

#include "spgemm/triple/triple_state.h"

#include "core/growing.h"

enum { WORD = 64, WORD_BITS = 6, MASK = 8, QUAD = 4 };

/* Rows as the words that have any bits, four by four, of which the last ones may have none: how
 * many there are is hard to predict. */
typedef struct quad {
    uint64_t bits[QUAD];
    int32_t words[QUAD];
} quad;
typedef struct packed {
    int64_t *begins;
    quad *quads;
} packed;

/* What a block of rows adds to A*P or C. */
typedef struct piece {
    spl__growing quads, columns, masks;
} piece;

/* A thread's notes, in one block of memory: a row by words. */
typedef struct notes {
    uint64_t *bits, *summary; /* columns; words that have any */
    uint64_t *groups;         /* places of a packed row */
    int32_t *before, *list;   /* columns in words before; words that have any, with room for more */
    int64_t listed;
    quad *quads; /* the row's words */
} notes;

/* What A*P takes. */
typedef struct estimate {
    double products, entries, quads, masks;
    double factors, kept; /* entries of P; those whose row of A*P is not empty */
} estimate;

typedef struct search {
    spl_plan *plan;
    spl__triple *triple;
    spl__triple_spread *spread;
    const spl__triple_sample *sample;
    estimate expected;
    int64_t words, summaries;
    packed p, ap;
    piece *pieces;
    int64_t pieces_made;
    void **memory;
} search;

/* Rows that are joined to one. */
typedef struct rows {
    const void *list;
    int64_t count;
    const packed *of;
} rows;

typedef spl_status (*block_fn)(const search *s, notes *n, int64_t block);
typedef struct kernels {
    bool (*pack)(const spl_sparse *p, packed *to);
    void (*sample)(const search *s, notes *n, int64_t i, estimate *sum);
    block_fn find, join;
    void (*number)(search *s, bool *empty);
    void (*drop)(spl__triple *t);
} kernels;

/* NULL: not built for this processor, or these types. */
const kernels *spl__triple_spread_kernels(const spl_plan *plan);

#endif
