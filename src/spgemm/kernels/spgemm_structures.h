/* SPDX-License-Identifier: Apache-2.0 */
/* spgemm_structures.h: what the kernels of SpGEMM and the host code that launches
 * them both name. */
#ifndef SPL_SPGEMM_KERNELS_SPGEMM_STRUCTURES_H
#define SPL_SPGEMM_KERNELS_SPGEMM_STRUCTURES_H

#include "device/scalars.h"

#include <stdint.h>

enum {
    SPGEMM_MOST_GROUPS = 18,
    SPGEMM_MOST_THREADS = 512,
    SPGEMM_ROWS_THREADS = 256,
    SPGEMM_KEYS = 4
};
/* Numbers of terms in a row that is sorted: they stand in keys below the column, which has the
 * other bits of a positive int32_t. */
enum { SPGEMM_TERM_BITS = 7, SPGEMM_MOST_KEYED_COLUMNS = 1 << (31 - SPGEMM_TERM_BITS) };
enum {
    SPGEMM_ROW_LANES = 8,
    SPGEMM_LONG_ROW = 256,
    SPGEMM_MOST_LATER = 64
};                                 /* lanes for a row; too long for them; how many may wait */
enum { SPGEMM_FEW_PRODUCTS = 32 }; /* of a row: they are sorted or searched, whatever they are */
/* What kernels say that have smaller blocks, but want 64 registers a thread at most, so that
 * several blocks share a multiprocessor. */
enum { SPGEMM_FEW_REGISTERS = 1024 };
enum { SPGEMM_SPREAD_BYTES = 12 }; /* shared memory for a word of 64 columns */
/* Shared memory of a listed window: its words of bits, a bit for each, and 2 bytes for each in the
 * lists of its parts of 32 lanes (spgemm_listed.h). */
#define SPGEMM_SUMMARY_WORDS(words) (((words) + 31) / 32)
#define SPGEMM_LISTED_BYTES(words, parts)                                                          \
    (4 * (words) + 4 * SPGEMM_SUMMARY_WORDS(words) + 64 * (SPGEMM_SUMMARY_WORDS(words) + (parts)))

/* Structures of C = A*B + D. d_offsets NULL: no D. */
struct spgemm_structures {
    int64_t rows, cols;                /* of C */
    const void *a_offsets, *a_columns; /* P, I */
    const void *b_offsets, *b_columns;
    const void *d_offsets, *d_columns;
};

/* Of C = alpha*A*B + beta*D all that computing values needs, columns of C included. */
struct spgemm_operands {
    struct spgemm_structures s;
    const void *a_values, *b_values, *d_values; /* T */
    spl__device_scalars scalars;
    const int64_t *offsets; /* [rows + 1] */
    const int32_t *columns; /* of C */
    void *values;           /* T, of C */
};

/* Where values lie whose structures are those of structure/device_distinct_rows.h; all NULL:
 * structures are those of the operands. */
struct spgemm_distinct {
    const int32_t *firsts;             /* [groups + 1] the first row of each group of rows */
    const int32_t *run_starts;         /* of A's runs in their rows */
    const void *a_offsets, *d_offsets; /* P, of the operands themselves */
    const int64_t *offsets;            /* of C itself */
};

/* C's blocks have holes: which places are entries, and where its rows begin. masks NULL: C has all
 * places of its blocks. */
struct spgemm_holed {
    const uint64_t *masks;
    const int64_t *offsets; /* [rows of C + 1] */
    int32_t size;
};

/* Least and largest column of a row; first > last if it has none. */
struct spgemm_window {
    int32_t first, last;
};
#define SPGEMM_NO_WINDOW                                                                           \
    {                                                                                              \
        INT32_MAX, -1                                                                              \
    }

/* 32 columns from 32*word on: bit i stands for column 32*word + i. The columns of B in such pairs:
 * its compressed form in [S1]. */
struct spgemm_pair {
    int32_t word;
    uint32_t bits;
};

/* How a row of C is found, or how its values find their places. */
enum spgemm_kind {
    SPGEMM_SORT,   /* its products are sorted in registers, SPGEMM_KEYS per lane */
    SPGEMM_KEPT,   /* the place of every product was kept when the row was found */
    SPGEMM_SEARCH, /* the columns of C are searched by halving */
    SPGEMM_WINDOW, /* a bit for each column from the first to the last */
    /* the same, but only for words that have columns, found by a bit for each word */
    SPGEMM_NESTED,
    SPGEMM_SPREAD, /* the same with words of 64 columns, and sums in C itself */
    SPGEMM_HASH,   /* a hash table */
    SPGEMM_CHAIN,  /* a hash table whose slots lead to chains */
    SPGEMM_CHUNK,  /* sums for one chunk of columns after another */
    /* WINDOW for teams that are blocks, where few words have columns: these are listed, if there is
       room (spgemm_listed.h) */
    SPGEMM_LISTED,
    SPGEMM_KINDS
};

/* A group of rows: it takes those of at most `most` columns (or bytes, if it is one of windows) and
 * most_work products, and of windows those with at most `sparsest` words of 32 columns per column.
 * Where rows stand for several, it takes those that stand for at most `rows`; 0: any. */
struct spgemm_group {
    int32_t kind, rows;
    int64_t most, most_work, sparsest;
};

/* Of rows that were sorted: the places that their entries of D and their products, in this order,
 * have among the columns of C. */
struct spgemm_kept {
    uint8_t *slots;
    int64_t *starts; /* [rows] where a row's begin; -1: they are not kept. NULL: no row's are */
};

/* A group of rows, and the teams of threads that compute them. */
struct spgemm_teams {
    const uint32_t *list; /* [list_count] rows; NULL: all */
    int64_t list_count;
    int64_t first_block, blocks; /* of the launch: those that compute the group */
    int32_t kind;                /* enum spgemm_kind, for kernels that serve several */
    int32_t team, width;         /* threads of a team, and of its parts */
    int32_t long_row;            /* rows of B that are longer go to warps in turn, or to all */
    int32_t singly;              /* rows of B are so short that each lane has one of its own */
    int32_t shift;               /* hash: of a product of 32 bits, for 2^(32-shift) slots */
    int64_t slots;               /* hash: of one table */
    int32_t words;               /* finding, windows: of one team; wider rows take several turns */
    int32_t team_bytes;          /* values: in shared memory */
    int32_t pieces;              /* values: teams that share a row */
    int64_t most;                /* values: columns of C that a team computes at once */
};

/* Several groups, whose blocks lie one behind the other. Blocks of SPGEMM_MOST_THREADS that a
 * multiprocessor shall hold of their kernels. */
enum { SPGEMM_SEVERAL_RESIDENT = 2 };
struct spgemm_several {
    int32_t groups;
    struct spgemm_teams group[SPGEMM_MOST_GROUPS];
};

/* With `columns`, rows are written to columns + offsets[row], but those that were put aside before.
 * Without, counts[row] is set to their length, and their columns are put aside, from aside +
 * starts[row] on, as long as there is room; starts[row] is -1 if not. */
struct spgemm_find {
    struct spgemm_structures s;
    const void *pair_offsets; /* P[rows of B + 1]: B compressed; NULL: it is not */
    const struct spgemm_pair *pairs;
    struct spgemm_teams layout;
    const struct spgemm_window *windows;
    int32_t unsorted;
    int32_t placed;       /* starts are given: every row has room there */
    int32_t *tables;      /* hash in global memory: a table per block, of 8 bytes a slot */
    uint32_t *overflowed; /* attempts: lists rows with more words than the table takes */
    uint32_t *overflows;  /* attempts: their number */
    int64_t *counts, *starts;
    int64_t room;
    uint64_t *work;   /* rows that are sorted: sum of products and entries of D; a block's places
                         begin where it found the sum */
    uint64_t *used;   /* of the room */
    uint32_t *missed; /* counts rows that there was no room for */
    int32_t *stash;
    struct spgemm_kept kept; /* while rows are counted */
    const int64_t *offsets;
    int32_t *columns;
};
enum { SPGEMM_FIND_MOST_TEAMS = 64 };              /* teams of a block */
enum { SPGEMM_LEAST_WIDTH = 4, SPGEMM_WARP = 32 }; /* lanes of a part, least and most */

/* Rows of C whose columns are known, and what their values are computed from. */
struct spgemm_values {
    struct spgemm_operands o;
    struct spgemm_teams layout;
    int32_t ordered; /* columns of every row of B and D ascend */
    struct spgemm_kept kept;
    struct spgemm_distinct j;
    struct spgemm_holed m;
    /* C's own columns, which its full blocks give, to be written beside its values;
     * NULL: not now */
    int32_t *expanded;
};

#endif
