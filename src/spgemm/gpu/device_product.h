/* SPDX-License-Identifier: Apache-2.0 */
/* device_product.h: C on a device: the counterpart of product.h for plans that
 * a device computes. */
#ifndef SPL_SPGEMM_GPU_DEVICE_PRODUCT_H
#define SPL_SPGEMM_GPU_DEVICE_PRODUCT_H

#include "format/device_holed.h"
#include "matrix/matrix.h"
#include "spgemm/kernels/spgemm_blocks.k.h"
#include "spgemm/kernels/spgemm_bounds.k.h"
#include "spgemm/kernels/spgemm_breakpoint.k.h"
#include "spgemm/kernels/spgemm_esc.k.h"
#include "spgemm/kernels/spgemm_find.k.h"
#include "spgemm/kernels/spgemm_groups.k.h"
#include "spgemm/kernels/spgemm_holed.k.h"
#include "spgemm/kernels/spgemm_identical_rows.k.h"
#include "spgemm/kernels/spgemm_rows.k.h"
#include "spgemm/kernels/spgemm_sort.k.h"
#include "spgemm/kernels/spgemm_tiles.k.h"
#include "spgemm/kernels/spgemm_values.k.h"
#include "spgemm/product.h"
#include "structure/device_blocks.h"
#include "structure/device_distinct_rows.h"

/* What phases work on: the operands, or their structures of blocks, or A and D with rows joined,
 * and the operand B. */
typedef struct spl__device_factors {
    spl_sparse a, b, d; /* d has no rows if there is no D */
    int32_t block;      /* rows and columns of a block; 1: no blocks */
    bool distinct;      /* rows are groups of rows, entries of A are runs */
    bool holed;         /* blocks have holes */
    spl__device_blocks a_blocks, b_blocks, d_blocks;
    spl__device_distinct_rows a_distinct, d_distinct;
    bool square; /* B has A's structure, b_holed but values */
    spl__device_holed a_holed, b_holed, d_holed;
    /* of C's blocks; whether an execution meets numbers that are not finite */
    spl__device_array masks, odd;
    spl__device_array offsets, columns; /* C's structure of blocks, or of groups of rows, whose
                                           columns are forgotten once C has them */
    spl__device_array c_offsets;        /* of joined rows: C's offsets, until they are its own */
    int64_t nnz;                        /* the same: of C */
    int64_t blocks_of_c;                /* where these have holes */
} spl__device_factors;

/* How many of the operands one of what phases work on stands for, on average: rows of A, entries of
 * each, products; 1 where they are the operands. */
typedef struct spl__device_times {
    double rows, a, b, c, products;
} spl__device_times;

/* A group of rows and how they are computed: by teams of `team` threads in blocks of `threads`. */
typedef struct spl__row_shape {
    int32_t kind; /* enum spgemm_kind */
    int32_t team, threads;
    /* columns of a row, or bytes of its window, which are 0 for as many as fit a block */
    int64_t most;
    int64_t most_work; /* products of a row */
    int64_t sparsest;  /* words of 32 columns per column that a window may have */
    int32_t rows;      /* that a joined row may stand for; 0: any number */
} spl__row_shape;

typedef struct spl__row_shapes {
    spl__row_shape shape[SPGEMM_MOST_GROUPS]; /* the last one takes all rows that are left */
    int32_t count;
} spl__row_shapes;

/* What a window needs in shared memory. */
typedef struct spl__window_bytes {
    int32_t word, entry; /* per word of 32 columns, and per column of C */
} spl__window_bytes;

/* Groups of rows that were enqueued before anybody asked for them, so that their sizes come to the
 * host along with other numbers: a wait less. */
typedef struct spl__early_groups {
    spl__row_shapes shapes; /* count 0: there are none */
    spl__window_bytes bytes;
    bool known;
    spl__device_array group_of, rows;
    struct spgemm_group_sums *sums; /* on the device, zero before */
    struct spgemm_group_sums found; /* the same on the host, once it has arrived */
} spl__early_groups;

struct spl__device_product {
    spl__device_factors factors;
    spl__device_array offsets; /* int64_t[rows+1] */
    spl__device_array columns; /* int32_t[nnz] */
    spl__device_array values;  /* T[nnz], if the plan keeps them, or if it is staged */
    /* int32_t[rows+1]: offsets as a staged plan exports them, or as they are given away */
    spl__device_array narrow;
    spl__device_array kept_slots, kept_starts; /* spgemm_kept; empty: no row's places are kept */
    /* while columns are found: of the structure of blocks */
    int64_t nnz;
    bool unsorted;  /* columns of a row come in any order */
    bool ordered;   /* columns of every row of B and D ascend */
    bool uses_kept; /* the numeric method looks at kept places */
    /* rows were found by their bounds: to [S1] these are their lengths */
    bool bounded;
    /* columns of C are still to be expanded from those of its blocks */
    bool expands_late;
    /* sum of the bounds of rows, once they are counted */
    int64_t bound;
    /* of a row, as far as known without counting; INT64_MAX: not known */
    int64_t most_work;
    /* While the plan is made, once they are counted. For each row of C: products + entries of D,
     * and the window of its columns. B compressed, if that saves much. */
    spl__device_array work, windows;       /* int64_t[rows], struct spgemm_window[rows] */
    spl__device_array pair_offsets, pairs; /* P[rows of B + 1], struct spgemm_pair[] */
    int64_t words_of_b;                    /* pairs of B, compressed or not */
    double pairs_of_entry;                 /* of B as it is read: 1 if it is not compressed */
    spl__early_groups early;
};

/* The operation's plan, on a device. */
spl_status spl__device_product_plan(spl_plan *plan);
void spl__device_product_free(spl_plan *plan);
/* Frees C's structure. */
void spl__device_product_forget(spl_plan *plan);

/* Structures of what phases work on, for kernels. */
struct spgemm_structures spl__device_structures(const spl_plan *plan);
/* The same of the operands themselves, whatever stands for them. */
struct spgemm_structures spl__device_own_structures(const spl_plan *plan);
/* C's structure, as far as it is found: its rows, offsets and columns are those of blocks, if
 * phases work on these. */
const int64_t *spl__device_offsets(const spl_plan *plan);
const int32_t *spl__device_columns(const spl_plan *plan);

/* ---- blocks and joined rows: device_factors.c ---- */

/* Looks for blocks, then for rows to join, unless methods are asked for that know none. */
spl_status spl__device_factors_make(spl_plan *plan);
/* C from its structure of blocks, or of groups of rows. */
spl_status spl__device_factors_expand(spl_plan *plan);
void spl__device_factors_free(spl_plan *plan);
spl__device_times spl__device_times_of(const spl_plan *plan);
/* Whether phases work on the operands themselves. */
bool spl__device_factors_plain(const spl_plan *plan);
/* For methods that compute entry by entry: why they are not applicable where phases work on
 * something else. */
const char *spl__not_plain(const spl__task *task);
extern const char spl__known_by_blocks[], spl__known_by_rows[];

/* device_product_blocks.c: if all operands are made of blocks of `size` */
spl_status spl__device_blocks_factors(spl_plan *plan, int32_t size);
/* C from its structure of blocks; columns of a one-shot product are left to the execution, which
 * writes them beside values. */
spl_status spl__device_blocks_expand(spl_plan *plan);
/* Where columns go that are still to be expanded, NULL if they are there. Whoever
 * asks writes them. */
int32_t *spl__device_blocks_take_columns(spl_plan *plan);
/* They are there when this has been done. */
spl_status spl__device_blocks_settle(spl_plan *plan);
/* device_product_distinct.c: joins rows, if that pays or is `wanted`; else nothing changes. */
spl_status spl__device_distinct_rows_factors(spl_plan *plan, bool wanted);
/* C's offsets from those of groups of rows; *nnz, there, becomes their last. Enqueues. */
spl_status spl__device_distinct_rows_offsets(spl_plan *plan, int64_t *nnz);
spl_status spl__device_distinct_rows_expand(spl_plan *plan);
struct spgemm_distinct spl__device_distinct_rows_values(const spl_plan *plan);

/* device_product_holed.c: blocks with holes, if that is predicted to pay, or `wanted`; else nothing
 * changes. */
spl_status spl__device_holed_factors(spl_plan *plan, bool wanted);
/* The masks of C's blocks, by the kernels' groups of a numeric method's step that is being
 * prepared. Enqueues. */
spl_status spl__device_holed_find(const spl__step *step);
/* C from its structure of blocks and their masks. Waits once. */
spl_status spl__device_holed_expand(spl_plan *plan);
struct spgemm_holed spl__device_holed_values(const spl_plan *plan);
/* What an execution begins with: the operands' values with zeros in the holes; and ends with: all
 * values once more, entry by entry, where a number is not finite, whose product with a hole would
 * be an entry of C. Both enqueue. */
spl_status spl__device_holed_fill_all(spl_plan *plan, const spl__call *call);
spl_status spl__device_holed_exactly(spl_plan *plan, const spl__call *call);
/* B's values with zeros in the holes. */
const void *spl__device_holed_right(const spl_plan *plan);
/* The share of the places of A's blocks that are entries. */
double spl__device_holed_share(const spl_plan *plan);
void spl__device_holed_forget(spl_plan *plan);

/* And all that computing values needs; offsets and columns are C's as phases know it, but columns
 * C's own where rows are joined. */
struct spgemm_operands spl__device_operands(const spl_plan *plan, const spl__call *call);

/* The instance of a kernel for the types of the plan. */
spl_status spl__product_kernel(const spl_plan *plan, const char *name, const spl__kernel **kernel);
/* Launches a kernel of spgemm_rows.k.h with a thread for each of `items`, or as many as fill the
 * device. */
spl_status spl__product_launch(spl_plan *plan, const char *name, int64_t items, const void *args,
                               size_t bytes);

/* For spl_spgemm_export: arrays of the caller, on the host or on the device. NULL: not wanted. */
spl_status spl__device_product_export(spl_plan *plan, void *offsets, void *indices, void *values);

/* C, computed on the device where A lives, as a matrix of the plan's account, with the plan's own
 * arrays where their types are the header's. Waits; the plan can only be freed afterwards. */
spl_status spl__device_product_give(spl_plan *plan, const spl_sparse *header, spl_matrix **c);

/* Places that no method of the numeric phase asked for. */
void spl__device_kept_free(spl_plan *plan);

/* Counts work and windows of rows, unless they are. */
spl_status spl__device_count_work(spl_plan *plan);

/* ---- groups of rows ---- */

/* All rows in the order of their groups; group g has rows[first[g]..first[g+1]). */
typedef struct spl__device_groups {
    /* uint32_t[rows of C]; NULL: one group has all rows, in their own order */
    spl__device_array rows;
    int64_t first[SPGEMM_MOST_GROUPS + 1];
    int64_t longest[SPGEMM_MOST_GROUPS]; /* columns of the longest row, or their bound */
    /* products and entries of D, of each row SPGEMM_MOST_COUNTED at most */
    int64_t work[SPGEMM_MOST_GROUPS];
    double row_of_b[SPGEMM_MOST_GROUPS]; /* products per entry of A, about */
} spl__device_groups;

/* The slots of a hash table for that many columns, a power of two, at least twice as many, and not
 * less than `least`. */
int64_t spl__table_slots(int64_t columns, int64_t least);
/* What a hash of 32 bits is shifted by for it. */
int32_t spl__table_shift(int64_t slots);

/* Whether `most` is in bytes. */
bool spl__shape_has_bytes(const spl__row_shape *shape);
/* Shared memory that a block may ask for at launch. */
int64_t spl__block_bytes(const spl_plan *plan);
/* Halves the teams of a block while their shared memory, team_bytes each, exceeds the limit. */
void spl__row_shape_fit_block(spl__row_shape *shape, int64_t team_bytes, int64_t limit);
/* Cuts shapes down to what the device gives a block; bytes_of: what a team needs. Shapes that do
 * not fit take no rows, but the last, which takes parts of them. */
typedef int64_t (*spl__team_bytes)(const void *context, const spl__row_shape *shape);
void spl__row_shapes_fit(spl__row_shapes *shapes, const spl_plan *plan, spl__team_bytes bytes_of,
                         const void *context);
/* Groups rows by the length of C's rows if `known`, else by their work. Waits once, unless they
 * were enqueued ahead. */
spl_status spl__device_groups_make(spl_plan *plan, const spl__row_shapes *shapes,
                                   spl__window_bytes bytes, bool known, spl__device_groups *groups);
void spl__device_groups_free(spl_plan *plan, spl__device_groups *groups);

/* Lets the method that is likely to be chosen for the phase enqueue its groups; sums: on the
 * device, zero. */
spl_status spl__device_early_groups_begin(spl_plan *plan, spl__phase phase,
                                          struct spgemm_group_sums *sums);
/* Fetches a struct of which the first `bytes` bytes are the caller's own and the sums follow, if
 * groups are on their way. */
spl_status spl__device_early_groups_fetch(spl_plan *plan, void *to, const void *from, size_t bytes,
                                          const struct spgemm_group_sums *sums);
void spl__device_early_groups_free(spl_plan *plan);
/* For methods: what spl__device_groups_make is going to be asked for. Where memory is short, or
 * rows need not be looked at, nothing happens. */
spl_status spl__device_groups_enqueue_early(spl_plan *plan, const spl__row_shapes *shapes,
                                            spl__window_bytes bytes, bool known);

/* The rows of a group for a kernel. */
const uint32_t *spl__device_group_list(const spl__device_groups *groups, int g);
/* Adds a line: how many rows each group has, and how they are computed. joined: a bit for each
 * group that one kernel computes together with others. */
void spl__device_groups_explain(const spl__row_shapes *shapes, const spl__device_groups *groups,
                                unsigned joined, spl__text *text);
/* Calls `launch` for each group that has rows, the longest rows first; what it enqueues runs side
 * by side. `joined`: a bit for each group that has rows and is computed with others: for all of
 * them it is called once, with the last one. */
typedef spl_status (*spl__group_fn)(void *context, int g);
spl_status spl__device_groups_each(spl_plan *plan, const spl__device_groups *groups,
                                   unsigned joined, spl__group_fn launch, void *context);
/* Lanes for a part of a team, a power of two: about as many as a row of B has entries. */
int32_t spl__part_width(double row_of_b, int32_t least, int32_t most);
/* Where a group has a few rows with many products, larger teams than the shape's, up to what a
 * block has: all others would wait for them. No more than so many threads of a multiprocessor for
 * the group. */
void spl__widen_teams(const spl_plan *plan, const spl__device_groups *groups, int g,
                      int32_t threads, spl__row_shape *shape);
/* Whether rows of B are so short, those of a group's rows of A so many, that each lane should walk
 * some of its own: plain aggregates. */
bool spl__walks_singly(const spl__device_groups *groups, int g);
/* The longest row of B that one part of a team should walk alone; INT32_MAX: any. */
int32_t spl__long_row(const spl_plan *plan, int32_t team, int32_t width);

/* ---- kernels for groups of rows ---- */

/* The state of a numeric method with kernels of its own. */
typedef struct spl__row_kernels {
    spl__row_shapes shapes;
    spl__device_groups groups;
    const spl__kernel *kernels[SPGEMM_MOST_GROUPS]; /* NULL: no rows */
    spl__device_array extra;                        /* what the method needs besides */
} spl__row_kernels;

/* What a launch for a group is made of. */
typedef struct spl__group_launch {
    const spl__kernel *kernel;
    const spl__row_shape *shape;
    const uint32_t *list;
    int64_t list_count, longest;
    double row_of_b;
} spl__group_launch;

/* Groups the rows of C, by the lengths that are known, and looks up the kernel of each group. */
spl_status spl__row_kernels_prepare(spl__step *step, const spl__row_shapes *shapes,
                                    spl__team_bytes bytes_of,
                                    const char *(*kernel_of)(const spl__row_shape *shape));
spl__group_launch spl__row_kernels_launch(const spl__row_kernels *rows, int g);
void spl__row_kernels_explain(const spl__step *step, spl__text *text);
void spl__row_kernels_destroy(spl__step *step);

/* ---- what methods share ---- */

/* What tells methods apart in predictions: steps of a warp for each product of its lanes and for
 * each row, launches; and whether a row of very many columns is found by one team
 * with hash tables. */
typedef struct spl__device_costs {
    double product, row, launches;
    bool hashes_long;
} spl__device_costs;

void spl__device_find_estimate(const spl__task *task, spl__device_costs costs,
                               spl__estimate *estimate);
/* The state of a symbolic method: its groups, for explanations. */
spl_status spl__device_find_prepare(spl__step *step);
/* How rows are found besides their shapes. ATTEMPT: the last shape is a hash table that its rows
 * may overflow, see device_find.c; UNSORTED: hashed columns may come in any order; BOUNDED: columns
 * are put aside where the bounds of rows give them room, so that none is found twice. */
enum { SPL__FIND_ATTEMPT = 1, SPL__FIND_UNSORTED = 2, SPL__FIND_BOUNDED = 4 };
/* What spl__device_find asks for first. */
spl_status spl__device_find_enqueue_early(const spl__task *task, const spl__row_shapes *shapes);
/* The symbolic phase with those shapes: C's offsets and columns. */
spl_status spl__device_find(spl__step *step, const spl__row_shapes *shapes, unsigned flags);
/* Makes B's words of 32 columns with their bits, the pairs of [S1], unless they are there. */
spl_status spl__device_compress_b(spl_plan *plan);
void spl__device_find_explain(const spl__step *step, spl__text *text);
void spl__device_find_destroy(spl__step *step);

/* Kernels of a numeric method, per enum spgemm_kind, and of shapes for few rows; how many sums a
 * column of C has in shared memory, at most this many times for joined rows (0: rows are not
 * joined), and what a team has there besides. */
typedef struct spl__value_kernels {
    const char *of_kind[SPGEMM_KINDS], *of_few_rows;
    int32_t sums, most_rows, own_bytes;
} spl__value_kernels;
extern const spl__value_kernels spl__entry_values;

void spl__device_values_estimate(const spl__task *task, spl__device_costs costs,
                                 spl__estimate *estimate);
/* The state of a numeric method: kernels and groups. */
spl_status spl__device_values_prepare(spl__step *step, const spl__row_shapes *shapes,
                                      const spl__value_kernels *kernels);
/* What it asks for first. */
spl_status spl__device_values_enqueue_early(const spl__task *task, const spl__row_shapes *shapes,
                                            const spl__value_kernels *kernels);
spl_status spl__device_values_execute(spl__step *step, const spl__call *call);
/* Launches the step's kernels, or `instead` of each, which asks for no more shared memory, for
 * other values of the same structures. */
spl_status spl__device_values_launch(const spl__step *step, const struct spgemm_operands *operands,
                                     const spl__kernel *instead);
void spl__device_values_explain(const spl__step *step, spl__text *text);
void spl__device_values_destroy(spl__step *step);

#endif
