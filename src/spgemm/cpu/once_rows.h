/* SPDX-License-Identifier: Apache-2.0 */
/* once_rows.h: rows of a one-shot product, in blocks: what a thread does in each stage of it.
 * spgemm_once_cpu.c says how stages follow each other, and makes what they read and write.
 *
 * Operands are looked at as a whole (once/once_look.h). The products of each row are counted, which
 * bounds C and cuts it into blocks (once_cut.h). The rows of a block are found one after the other
 * in a buffer that stays in cache (once_find.h): a row of one term is copied (once_copy.h), a long
 * one is added up as by the method one_pass (once_long_row.h), unless rows of C are soon sorted;
 * others are placed as their columns are met (once_place.h), and scanned where these are near each
 * other (scan_row.h). Once all are found, and the stores of each row have been done for long,
 * they are sorted to C (once_order.h), or copied as they are. */
#ifndef SPL_SPGEMM_CPU_ONCE_ROWS_H
#define SPL_SPGEMM_CPU_ONCE_ROWS_H

#include "core/watch.h"
#include "sparloom/sparloom.h"
#include "structure/column_runs.h"

#include <stdbool.h>

/* Entries that C may have in a block, at most and at least, and in one of bundles; one thread's
 * product of fewer than SPL__ONCE_WHOLE is one block. */
enum {
    SPL__ONCE_BLOCK = 16384,
    SPL__ONCE_BLOCK_LEAST = 4096,
    SPL__ONCE_BUNDLES = 4096,
    SPL__ONCE_BUNDLES_LEAST = 1024,
    SPL__ONCE_WHOLE = 2 * SPL__ONCE_BLOCK
};

/* Products of a row of C, in the mean, from which it may be flat. */
enum { SPL__FLAT_ROW = 64 };

/* Bytes of the caller's stack: memory for workers costs as much as a product of some entries. */
enum { SPL__ONCE_OWN = 32768 };

typedef enum spl__once_stage {
    SPL__ONCE_SAMPLE, /* rows of C, of operands that have not been checked */
    SPL__ONCE_LOOK,   /* at A and B as a whole */
    SPL__ONCE_COUNT,  /* products of the worker's rows */
    SPL__ONCE_CUT,    /* all rows into blocks */
    SPL__ONCE_FIND,   /* the worker's rows, in its buffer */
    SPL__ONCE_ORDER   /* them to C, where they begin at w->first */
} spl__once_stage;

/* What a thread does next, and its workspace. */
typedef struct spl__once_worker {
    int64_t begin, end;     /* rows */
    int64_t work, bound;    /* their products, or a bound, and the most entries of C */
    void *space;            /* of sum_row.h */
    void *columns, *values; /* of a block of C, as it is found */
    void *copy;             /* room for values and positions of a row */
    uint32_t *at;
    uint32_t *positions, next; /* of place_row.h; next 0: not cleared */
    bool cleared;              /* values */
    bool foresees;             /* which products meet new columns: foresight.h */
    int64_t found, most;       /* entries of C in the block, and of a row of C */
    int64_t first;             /* of the block in C */
    int64_t own;               /* blocks, and the seconds that they took */
    double worked;
} spl__once_worker;

/* Rows that repeat the row before, and runs of columns of other rows of B: once_bundles.h. */
typedef struct spl__bundles {
    uint8_t *a_equals_previous, *b_equals_previous;
    spl__column_runs runs;
} spl__bundles;

typedef struct spl__once_product {
    const spl_sparse *a, *b;
    const void *alpha;
    bool bundled;  /* and computed by bundles */
    bool repeats;  /* many rows of A have the columns of the row before */
    bool of_nodes; /* A looks like blocks, maybe with holes: plans multiply them as such */
    bool has_long_rows, unsorted;
    bool places_all; /* rows of C, however many products they have */
    bool single;     /* entries at most in rows of A and B, of which some are empty */
    bool scans;      /* rows of C: their columns are near each other */
    bool along;      /* rows of A meet rows of B that are near those which the row before met */
    bool ahead;      /* rows of B are sent for */
    bool shifted;    /* rows of A and B repeat others */
    bool flat;       /* rows of C are narrow for their products: flat_row.h */
    bool windowed;   /* so are they, each between its first and its last column */
    double span;     /* from the one to the other, in the mean, if rows of B are in order */
    spl__bundles bundles;
    int64_t longest; /* row of B, if nearly all have its length; 0: products are counted; of C, if
                        it is bundled */
    int64_t work, bound;
    int threads;
    int64_t block;          /* entries of a block, about */
    int64_t blocks, *begin; /* rows of blocks: */
    int64_t whole[2];       /* of one that has all, in no memory of its own */
    char *own;              /* likewise, of SPL__ONCE_OWN bytes: room for one small worker */
    int64_t room;           /* entries of a block */
    spl__once_worker *workers;
    void *offsets, *columns, *values; /* of C */
    bool given;                       /* to a matrix */
    spl__watch *watch;
} spl__once_product;

/* Some stages need no worker: NULL. */
typedef void (*spl__once_pass)(spl__once_product *c, spl__once_stage next, spl__once_worker *w);
/* That of A's types. */
spl__once_pass spl__once_pass_of(const spl_sparse *a);

#endif
