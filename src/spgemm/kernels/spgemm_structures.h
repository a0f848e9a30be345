/* SPDX-License-Identifier: Apache-2.0 */
/* spgemm_structures.h: types shared by the kernels of SpGEMM and the host code that launches
 * them. */
#ifndef SPL_SPGEMM_KERNELS_SPGEMM_STRUCTURES_H
#define SPL_SPGEMM_KERNELS_SPGEMM_STRUCTURES_H

#include "device/scalars.h"

#include <stdint.h>

enum {
    SPGEMM_MOST_BINS = 20,
    SPGEMM_MOST_THREADS = 512,
    SPGEMM_ROWS_THREADS = 256,
    SPGEMM_KEYS = 4,    /* of a lane: esc */
    SPGEMM_RUN_KEYS = 8 /* of a lane: columns of C */
};
/* In sorted rows, numbers of terms are the low bits of keys; the column has the other bits of a
 * positive int32_t. */
enum { SPGEMM_TERM_BITS = 8, SPGEMM_MOST_KEYED_COLUMNS = 1 << (31 - SPGEMM_TERM_BITS) };
enum {
    SPGEMM_ROW_LANES = 8,
    SPGEMM_LONG_ROW = 256,
    SPGEMM_MOST_LATER = 64
    /* lanes of a row; the length that is too long for them; the most deferred rows */
};
/* Rows of at most FEW products are always sorted or hashed; so are rows of at most ALIKE if most
 * have half as many, or if there are few rows, which are hashed if they have at most UNSEEN.
 * SORTED: the most that a warp sorts. */
enum {
    SPGEMM_FEW_PRODUCTS = 32,
    SPGEMM_ALIKE_PRODUCTS = 16 * SPGEMM_RUN_KEYS,
    SPGEMM_SORTED_PRODUCTS = 32 * SPGEMM_RUN_KEYS,
    SPGEMM_UNSEEN_PRODUCTS = 1024
};
/* Rows that are summed as their columns are found: the most products and columns; slots of their
 * tables; bits of a column's number. */
enum {
    SPGEMM_SUMMED_PRODUCTS = 1024,
    SPGEMM_SUMMED_BITS = 8,
    SPGEMM_SUMMED_COLUMNS = 1 << SPGEMM_SUMMED_BITS,
    SPGEMM_SUMMED_SLOT_BITS = 9,
    SPGEMM_SUMMED_SLOTS = 1 << SPGEMM_SUMMED_SLOT_BITS,
    SPGEMM_MOST_SUMMED_COLUMNS = 1 << (31 - SPGEMM_SUMMED_BITS) /* of C */
};
/* For kernels with smaller blocks that must be limited to 64 registers a thread, so that several
 * blocks share a multiprocessor. */
enum { SPGEMM_FEW_REGISTERS = 1024 };
enum { SPGEMM_SPREAD_BYTES = 12 }; /* shared memory per word of 64 columns */
/* Shared memory of a listed window: its words of bits, one summary bit per word, and 2 bytes per
 * word in the lists of its parts of 32 lanes (spgemm_listed.h); rows have at most `most` columns.
 */
#define SPGEMM_SUMMARY_WORDS(words) (((words) + 31) / 32)
#define SPGEMM_LISTED_WORDS(words, parts, most)                                                    \
    ((SPGEMM_SUMMARY_WORDS(words) + (parts)-1) / (parts)*32 < (most)                               \
         ? (SPGEMM_SUMMARY_WORDS(words) + (parts)-1) / (parts)*32                                  \
         : (most))
#define SPGEMM_LISTED_BYTES(words, parts, most)                                                    \
    (4 * (words) + 4 * SPGEMM_SUMMARY_WORDS(words) +                                               \
     2 * (parts)*SPGEMM_LISTED_WORDS(words, parts, most))

/* The structures of C = A*B + D. d_offsets NULL: no D. */
struct spgemm_structures {
    int64_t rows, cols;                /* of C */
    const void *a_offsets, *a_columns; /* P, I */
    const void *b_offsets, *b_columns;
    const void *d_offsets, *d_columns;
};

/* All inputs of the numeric phase of C = alpha*A*B + beta*D, columns of C included. */
struct spgemm_operands {
    struct spgemm_structures s;
    const void *a_values, *b_values, *d_values; /* T */
    spl__device_scalars scalars;
    const int64_t *offsets; /* [rows + 1] */
    const int32_t *columns; /* of C */
    void *values;           /* T, of C */
};

/* Values of merged rows (structure/device_distinct_rows.h); all NULL: rows are not merged. */
struct spgemm_distinct {
    const int32_t *firsts;             /* [groups + 1] first rows of identical ones */
    const int32_t *run_starts;         /* begins of A's runs in their rows */
    const void *a_offsets, *d_offsets; /* P, of the operands themselves */
    const int64_t *offsets;            /* of C itself */
};

/* Holed blocks of C: the masks of their entries, and C's offsets. masks NULL: C's blocks are
 * full. */
struct spgemm_holed {
    const uint64_t *masks;
    const int64_t *offsets; /* [rows of C + 1] */
    int32_t size;
};

/* The least and the largest column of a row; first > last: the row is empty. */
struct spgemm_window {
    int32_t first, last;
};
#define SPGEMM_NO_WINDOW                                                                           \
    {                                                                                              \
        INT32_MAX, -1                                                                              \
    }

/* 32 columns from 32*word on; bit i represents column 32*word + i. B's columns in such pairs are
 * its compressed form in [S1]. */
struct spgemm_pair {
    int32_t word;
    uint32_t bits;
};

/* How the columns of a row of C are found, or how products find their position in it. */
enum spgemm_kind {
    SPGEMM_SORT,   /* products are sorted in registers, SPGEMM_RUN_KEYS per lane */
    SPGEMM_KEPT,   /* the symbolic phase kept the position of every product */
    SPGEMM_WINDOW, /* a bitmap from the first to the last column */
    /* a two-level bitmap: only words that have columns are stored */
    SPGEMM_NESTED,
    SPGEMM_SPREAD, /* a bitmap with words of 64 columns, and sums in C itself */
    SPGEMM_HASH,   /* a hash table */
    SPGEMM_CHAIN,  /* a chained hash table */
    SPGEMM_SLOTS,  /* a hash table with a column in each slot: symbolic phase */
    SPGEMM_SUMMED, /* the same, and values are summed at once (spgemm_summed_rows.h) */
    SPGEMM_CHUNK,  /* dense sums for one chunk of columns after another */
    /* WINDOW for whole blocks, where few words have columns: these are listed (spgemm_listed.h) */
    SPGEMM_LISTED,
    SPGEMM_KINDS
};

/* The kinds of rows whose values have a kernel of their own, spgemm_<name>_values: X(kind, name)
 * for each. */
#define EACH_VALUE_KIND(X)                                                                         \
    X(SPGEMM_KEPT, kept)                                                                           \
    X(SPGEMM_WINDOW, window)                                                                       \
    X(SPGEMM_SPREAD, spread)                                                                       \
    X(SPGEMM_HASH, hash)                                                                           \
    X(SPGEMM_CHAIN, chain)

/* A bin of rows and its limits: at most `most` columns (or bytes, for windows), most_work
 * products, for windows `sparsest` words of 32 columns per column, and for merged rows `rows`
 * rows (0: any number). */
struct spgemm_bin {
    int32_t kind, rows;
    int64_t most, most_work, sparsest;
};

/* Of sorted rows: the positions of their entries of D and their products, in this order, in the
 * row of C. */
struct spgemm_kept {
    uint8_t *slots;
    int64_t *starts; /* [rows] the begin of a row's positions; -1: not kept. NULL: none are kept */
};

/* Products and columns of some rows of C. */
struct spgemm_sample {
    uint64_t products, columns;
};

/* Rows that are summed as their columns are found: their sums in the places of the stash of
 * columns. starts NULL: none are. */
struct spgemm_sums {
    const void *a_values, *b_values; /* T */
    void *stash;                     /* T */
    int64_t *starts;                 /* [rows] -1: the row is not summed */
};

/* Shared memory of a team: sums of `value` bytes, keys; slots and numbers. */
#define SPGEMM_SUMMED_BYTES(value)                                                                 \
    (SPGEMM_SUMMED_COLUMNS * ((value) + 4) + SPGEMM_SUMMED_SLOTS * (4 + 1))

/* A bin of rows and the layout of the teams that compute it. */
struct spgemm_teams {
    const uint32_t *list; /* [list_count] rows; NULL: all */
    int64_t list_count;
    int64_t first_block, blocks; /* the blocks of the launch that compute the bin */
    int32_t kind;                /* enum spgemm_kind, for kernels that serve several */
    int32_t team, width;         /* threads of a team, and of its parts */
    int32_t long_row;            /* longer rows of B are walked by whole warps, or by all of them */
    int32_t singly;              /* each lane walks rows of B of its own, because they are short */
    /* hash: right shift of the 32-bit product, for 2^(32-shift) slots */
    int32_t shift;
    int64_t slots;      /* hash: of one table */
    int32_t words;      /* symbolic, windows: of one team; wider rows take several turns */
    int32_t team_bytes; /* values: shared memory of a team */
    int32_t pieces;     /* values: teams that share a row */
    /* values: columns of C that a team computes at once; listed: that a row has at most */
    int64_t most;
};

/* Several bins with consecutive blocks. Blocks of SPGEMM_MOST_THREADS of these kernels that
 * must fit a multiprocessor. */
enum { SPGEMM_SEVERAL_RESIDENT = 2 };
struct spgemm_several {
    int32_t bins;
    struct spgemm_teams bin[SPGEMM_MOST_BINS];
};

/* With `columns`, rows are written to columns + offsets[row], except stashed ones. Without,
 * counts[row] is set to the length, and columns are stored to stash + starts[row] as long as
 * there is space; starts[row] is -1 if there is none. */
struct spgemm_find {
    struct spgemm_structures s;
    const void *pair_offsets; /* P[rows of B + 1]: B compressed; NULL: not compressed */
    const struct spgemm_pair *pairs;
    struct spgemm_teams layout;
    const struct spgemm_window *windows;
    int32_t unsorted;
    int32_t bounded;      /* starts are given: every row has space there */
    int32_t *tables;      /* hash in global memory: one table per block, 8 bytes a slot */
    uint32_t *overflowed; /* attempts: list of rows that overflow the table */
    uint32_t *overflows;  /* attempts: their number */
    int64_t *counts, *starts;
    int64_t room;
    /* sorted rows: running sum of products and entries of D; its old value is where a block's
     * positions begin */
    uint64_t *work;
    uint64_t *used;   /* columns of the stash */
    uint32_t *missed; /* number of rows that did not fit */
    int32_t *stash;
    struct spgemm_kept kept; /* written while rows are counted */
    struct spgemm_sums sums; /* the same */
    const int64_t *offsets;
    int32_t *columns;
};
enum { SPGEMM_FIND_MOST_TEAMS = 64 };              /* the most teams per block */
enum { SPGEMM_LEAST_WIDTH = 4, SPGEMM_WARP = 32 }; /* the least and most lanes of a part */

/* Inputs and outputs of the values of rows whose columns are known. */
struct spgemm_values {
    struct spgemm_operands o;
    struct spgemm_teams layout;
    int32_t ordered; /* columns of every row of B and D ascend */
    struct spgemm_kept kept;
    struct spgemm_sums sums;
    struct spgemm_distinct j;
    struct spgemm_holed m;
    /* C's columns, expanded from node blocks along with the values; NULL: not requested */
    int32_t *expanded;
};

#endif
