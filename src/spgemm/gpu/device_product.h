/* SPDX-License-Identifier: Apache-2.0 */
/* device_product.h: C on a device: the counterpart of product.h for plans of a device. */
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

/* The matrices that the symbolic and the numeric phase multiply: the operands, or their compact
 * forms: node blocks, holed blocks, or A and D with identical rows merged. */
typedef struct spl__device_factors {
    spl_sparse a, b, d; /* d has no rows if the product has no D */
    int32_t block;      /* rows and columns of a block; 1: no blocks */
    /* rows represent groups of identical rows, entries of A represent runs of columns */
    bool distinct;
    bool holed; /* blocks are holed blocks */
    spl__device_blocks a_blocks, b_blocks, d_blocks;
    spl__device_distinct_rows a_distinct, d_distinct;
    bool square; /* B has A's structure: b_holed has only values */
    spl__device_holed a_holed, b_holed, d_holed;
    /* masks: of C's blocks. odd: set if an execution meets numbers that are not finite */
    spl__device_array masks, odd;
    spl__device_array offsets, columns; /* C's structure of blocks, or of groups of rows, whose
                                           columns are forgotten once C has them */
    spl__device_array c_offsets;        /* C's offsets while C is still in merged rows */
    int64_t nnz;                        /* of C */
    int64_t blocks_of_c;                /* for holed blocks */
} spl__device_factors;

/* The average number of rows, entries (of A, B and C) and products of the operands that one row,
 * entry or product of the compact form represents. All are 1 where the operands are multiplied
 * as they are. */
typedef struct spl__device_times {
    double rows, a, b, c, products;
} spl__device_times;

/* One bin of rows and its kernel configuration: teams of `team` threads in blocks of `threads`. */
typedef struct spl__row_shape {
    int32_t kind; /* enum spgemm_kind */
    int32_t team, threads;
    /* the longest row in columns, or the largest window in bytes (0: as many as fit a block) */
    int64_t most;
    int64_t most_work; /* the most products of a row */
    int64_t sparsest;  /* the most words of 32 columns per column of a window */
    int32_t rows;      /* the most rows that a merged row may represent; 0: any number */
} spl__row_shape;

typedef struct spl__row_shapes {
    spl__row_shape shape[SPGEMM_MOST_GROUPS]; /* the last one takes all remaining rows */
    int32_t count;
} spl__row_shapes;

/* Shared memory of a window, in bytes. */
typedef struct spl__window_bytes {
    int32_t word, entry; /* per word of 32 columns, and per column of C */
} spl__window_bytes;

/* Groups of rows that were enqueued before the method was chosen, so that their sizes reach the
 * host together with other numbers: this saves a synchronisation. */
typedef struct spl__early_groups {
    spl__row_shapes shapes; /* count 0: there are none */
    spl__window_bytes bytes;
    bool known;
    spl__device_array group_of, rows;
    struct spgemm_group_sums *sums; /* on the device, zero at first */
    struct spgemm_group_sums found; /* their copy on the host, once it has arrived */
} spl__early_groups;

struct spl__device_product {
    spl__device_factors factors;
    spl__device_array offsets; /* int64_t[rows+1] */
    spl__device_array columns; /* int32_t[nnz] */
    spl__device_array values;  /* T[nnz], if the plan keeps values, or is staged */
    /* int32_t[rows+1]: narrow offsets for the export of a staged plan, or for a matrix that is
     * handed over */
    spl__device_array narrow;
    spl__device_array kept_slots, kept_starts; /* spgemm_kept; empty: no positions are kept */
    /* during the symbolic phase: of the compact form */
    int64_t nnz;
    bool unsorted;  /* columns of a row come in any order */
    bool ordered;   /* columns of every row of B and D ascend */
    bool uses_kept; /* the numeric method reads kept positions */
    /* rows were stored at their bounds, which [S1] takes for their lengths */
    bool bounded;
    /* columns of C have not been expanded from its blocks yet */
    bool defers_columns;
    /* sum of the bounds of rows, once counted */
    int64_t bound;
    /* upper bound of a row's work that is known without counting; INT64_MAX: none */
    int64_t most_work;
    /* During planning, once counted: for each row of C the work (products + entries of D) and
     * the window of its columns; B compressed, if that saves enough. */
    spl__device_array work, windows;       /* int64_t[rows], struct spgemm_window[rows] */
    spl__device_array pair_offsets, pairs; /* P[rows of B + 1], struct spgemm_pair[] */
    int64_t words_of_b;                    /* pairs of B, compressed or not */
    double pairs_of_entry;                 /* of B as the kernels read it; 1: not compressed */
    spl__early_groups early;
};

/* Plans the product on a device. */
spl_status spl__device_product_plan(spl_plan *plan);
void spl__device_product_free(spl_plan *plan);
/* Frees C's structure. */
void spl__device_product_forget(spl_plan *plan);

/* Structures of the factors, for kernels. */
struct spgemm_structures spl__device_structures(const spl_plan *plan);
/* Structures of the operands themselves, whatever the factors are. */
struct spgemm_structures spl__device_own_structures(const spl_plan *plan);
/* The structure of C as far as it is known. With a compact form these are its rows, offsets and
 * columns. */
const int64_t *spl__device_offsets(const spl_plan *plan);
const int32_t *spl__device_columns(const spl_plan *plan);

/* ---- compact forms: device_factors.c ---- */

/* Looks for node blocks, holed blocks and identical rows, unless a forced method does not
 * support them. */
spl_status spl__device_factors_make(spl_plan *plan);
/* Expands C from its compact form. */
spl_status spl__device_factors_expand(spl_plan *plan);
void spl__device_factors_free(spl_plan *plan);
spl__device_times spl__device_times_of(const spl_plan *plan);
/* Whether the factors are the operands themselves. */
bool spl__device_factors_plain(const spl_plan *plan);
/* For methods without support for compact forms: why they are not applicable, or NULL. */
const char *spl__not_plain(const spl__task *task);
extern const char spl__known_by_blocks[], spl__known_by_rows[];

/* device_product_blocks.c: makes the node block form, if all operands consist of blocks of
 * `size`. */
spl_status spl__device_blocks_factors(spl_plan *plan, int32_t size);
/* Expands C from its blocks. A one-shot product leaves the columns to the execution, which
 * writes them along with the values. */
spl_status spl__device_blocks_expand(spl_plan *plan);
/* The array for columns that have not been expanded yet, NULL if they have. The caller must
 * write them. */
int32_t *spl__device_blocks_take_columns(spl_plan *plan);
/* Expands columns that have not been expanded yet. */
spl_status spl__device_blocks_settle(spl_plan *plan);
/* device_product_distinct.c: merges identical rows if that pays or is `wanted`; else changes
 * nothing. */
spl_status spl__device_distinct_rows_factors(spl_plan *plan, bool wanted);
/* Computes C's offsets from those of merged rows; *nnz, on the device, becomes the last one.
 * Enqueues. */
spl_status spl__device_distinct_rows_offsets(spl_plan *plan, int64_t *nnz);
spl_status spl__device_distinct_rows_expand(spl_plan *plan);
struct spgemm_distinct spl__device_distinct_rows_values(const spl_plan *plan);

/* device_product_holed.c: makes holed blocks if they are predicted to pay, or `wanted`; else
 * changes nothing. */
spl_status spl__device_holed_factors(spl_plan *plan, bool wanted);
/* Computes the masks of C's blocks, in the row groups of a numeric step that is being prepared.
 * Enqueues. */
spl_status spl__device_holed_find(const spl__step *step);
/* Expands C from its blocks and their masks. Waits once. */
spl_status spl__device_holed_expand(spl_plan *plan);
struct spgemm_holed spl__device_holed_values(const spl_plan *plan);
/* fill_all begins an execution: copies the operands' values into blocks with zeros in the holes.
 * exactly ends it: if a value is not finite, all values are computed again entry by entry, since
 * such a number times a hole would give an entry NaN. Both enqueue. */
spl_status spl__device_holed_fill_all(spl_plan *plan, const spl__call *call);
spl_status spl__device_holed_exactly(spl_plan *plan, const spl__call *call);
/* B's values with zeros in the holes. */
const void *spl__device_holed_right(const spl_plan *plan);
/* The share of the slots of A's blocks that are entries. */
double spl__device_holed_share(const spl_plan *plan);
void spl__device_holed_forget(spl_plan *plan);

/* The structures and all that the numeric phase reads besides. Offsets and columns are those of
 * the compact form of C, but with merged rows the columns are C's own. */
struct spgemm_operands spl__device_operands(const spl_plan *plan, const spl__call *call);

/* The instance of a kernel for the types of the plan. */
spl_status spl__product_kernel(const spl_plan *plan, const char *name, const spl__kernel **kernel);
/* Launches a kernel of spgemm_rows.k.h with a thread for each of `items`, or as many as fill the
 * device. */
spl_status spl__product_launch(spl_plan *plan, const char *name, int64_t items, const void *args,
                               size_t bytes);

/* For spl_spgemm_export: arrays of the caller, on the host or on the device; NULL: not
 * requested. */
spl_status spl__device_product_export(spl_plan *plan, void *offsets, void *indices, void *values);

/* Hands over C, computed on the device that holds A, as a matrix of the plan's account. It takes
 * the plan's arrays where their types are those of the header. Waits; afterwards the plan can
 * only be freed. */
spl_status spl__device_product_give(spl_plan *plan, const spl_sparse *header, spl_matrix **c);

/* Frees kept positions that the numeric method does not use. */
void spl__device_kept_free(spl_plan *plan);

/* Counts work and windows of rows, unless that is done. */
spl_status spl__device_count_work(spl_plan *plan);

/* ---- groups of rows ---- */

/* All rows in order of their groups; group g has rows[first[g]..first[g+1]). */
typedef struct spl__device_groups {
    /* uint32_t[rows of C]; NULL: one group has all rows, in natural order */
    spl__device_array rows;
    int64_t first[SPGEMM_MOST_GROUPS + 1];
    int64_t longest[SPGEMM_MOST_GROUPS]; /* columns of the longest row, or their bound */
    /* products and entries of D; a row counts for SPGEMM_MOST_COUNTED at most */
    int64_t work[SPGEMM_MOST_GROUPS];
    double row_of_b[SPGEMM_MOST_GROUPS]; /* average products per entry of A */
} spl__device_groups;

/* Slots of a hash table for that many columns: a power of two, at least twice as many and at
 * least `least`. */
int64_t spl__table_slots(int64_t columns, int64_t least);
/* The right shift that turns a hash of 32 bits into a slot. */
int32_t spl__table_shift(int64_t slots);

/* Whether `most` is in bytes. */
bool spl__shape_has_bytes(const spl__row_shape *shape);
/* Dynamic shared memory that a block may request. */
int64_t spl__block_bytes(const spl_plan *plan);
/* Halves the number of teams per block until their shared memory, team_bytes each, fits the
 * limit. */
void spl__row_shape_fit_block(spl__row_shape *shape, int64_t team_bytes, int64_t limit);
/* Reduces shapes to the limits of the device. bytes_of: shared memory of a team. Shapes that do
 * not fit take no rows, except the last, which computes rows in parts. */
typedef int64_t (*spl__team_bytes)(const void *context, const spl__row_shape *shape);
void spl__row_shapes_fit(spl__row_shapes *shapes, const spl_plan *plan, spl__team_bytes bytes_of,
                         const void *context);
/* Groups rows by the lengths of C's rows if these are `known`, else by work. Waits once, unless
 * the groups were enqueued early. */
spl_status spl__device_groups_make(spl_plan *plan, const spl__row_shapes *shapes,
                                   spl__window_bytes bytes, bool known, spl__device_groups *groups);
void spl__device_groups_free(spl_plan *plan, spl__device_groups *groups);

/* Lets the method that is likely to be chosen enqueue its groups early. sums: on the device,
 * zero. */
spl_status spl__device_early_groups_begin(spl_plan *plan, spl__phase phase,
                                          struct spgemm_group_sums *sums);
/* Fetches a struct whose first `bytes` bytes are the caller's own, followed by the sums if early
 * groups were enqueued. */
spl_status spl__device_early_groups_fetch(spl_plan *plan, void *to, const void *from, size_t bytes,
                                          const struct spgemm_group_sums *sums);
void spl__device_early_groups_free(spl_plan *plan);
/* For methods: enqueues early the groups that spl__device_groups_make will be called for. Does
 * nothing where memory is short or rows need not be inspected. */
spl_status spl__device_groups_enqueue_early(spl_plan *plan, const spl__row_shapes *shapes,
                                            spl__window_bytes bytes, bool known);

/* The list of a group's rows, for a kernel. */
const uint32_t *spl__device_group_list(const spl__device_groups *groups, int g);
/* Adds a line that says how many rows each group has and how they are computed. joined: one bit
 * per group of the joint launch. */
void spl__device_groups_explain(const spl__row_shapes *shapes, const spl__device_groups *groups,
                                unsigned joined, spl__text *text);
/* Calls `launch` for each group that has rows, the longest rows first, on concurrent branches of
 * the queue. `joined`: one bit per group of a joint launch, for which `launch` is called once,
 * with the last of them. */
typedef spl_status (*spl__group_fn)(void *context, int g);
spl_status spl__device_groups_each(spl_plan *plan, const spl__device_groups *groups,
                                   unsigned joined, spl__group_fn launch, void *context);
/* Lanes of a part of a team: a power of two, about the average length of the rows of B. */
int32_t spl__part_width(double row_of_b, int32_t least, int32_t most);
/* Enlarges the teams of a group that has few rows with many products, up to a whole block,
 * because the rest of the device would wait for them. The group gets at most `threads` threads
 * of a multiprocessor. */
void spl__widen_teams(const spl_plan *plan, const spl__device_groups *groups, int g,
                      int32_t threads, spl__row_shape *shape);
/* Whether each lane should walk rows of B of its own, because these are short and the group's
 * rows of A are long: plain aggregates. */
bool spl__walks_singly(const spl__device_groups *groups, int g);
/* The longest row of B that one part of a team walks alone; INT32_MAX: no limit. */
int32_t spl__long_row(const spl_plan *plan, int32_t team, int32_t width);

/* ---- kernels for groups of rows ---- */

/* The state of a numeric method with kernels of its own. */
typedef struct spl__row_kernels {
    spl__row_shapes shapes;
    spl__device_groups groups;
    const spl__kernel *kernels[SPGEMM_MOST_GROUPS]; /* NULL: no rows */
    spl__device_array extra;                        /* an array of the method's own */
} spl__row_kernels;

/* The parameters of the launch for a group. */
typedef struct spl__group_launch {
    const spl__kernel *kernel;
    const spl__row_shape *shape;
    const uint32_t *list;
    int64_t list_count, longest;
    double row_of_b;
} spl__group_launch;

/* Groups the rows of C by their known lengths and looks up the kernel of each group. */
spl_status spl__row_kernels_prepare(spl__step *step, const spl__row_shapes *shapes,
                                    spl__team_bytes bytes_of,
                                    const char *(*kernel_of)(const spl__row_shape *shape));
spl__group_launch spl__row_kernels_launch(const spl__row_kernels *rows, int g);
void spl__row_kernels_explain(const spl__step *step, spl__text *text);
void spl__row_kernels_destroy(spl__step *step);

/* ---- what methods share ---- */

/* The parameters in which methods differ in the cost model: steps of a warp per product and per
 * row, launches, and whether one team finds rows of very many columns with hash tables. */
typedef struct spl__device_costs {
    double product, row, launches;
    bool hashes_long;
} spl__device_costs;

void spl__device_find_estimate(const spl__task *task, spl__device_costs costs,
                               spl__estimate *estimate);
/* The state of a symbolic method: its groups, for explanations. */
spl_status spl__device_find_prepare(spl__step *step);
/* Options of the symbolic phase. ATTEMPT: the last shape is a hash table that rows may overflow,
 * see device_find.c. UNSORTED: hashed columns may come in any order. BOUNDED: columns are stored
 * at the upper bounds of rows, so that none is found twice. */
enum { SPL__FIND_ATTEMPT = 1, SPL__FIND_UNSORTED = 2, SPL__FIND_BOUNDED = 4 };
/* Enqueues early the groups that spl__device_find needs first. */
spl_status spl__device_find_enqueue_early(const spl__task *task, const spl__row_shapes *shapes);
/* The symbolic phase with those shapes: C's offsets and columns. */
spl_status spl__device_find(spl__step *step, const spl__row_shapes *shapes, unsigned flags);
/* Compresses B to words of 32 columns with their bits (the pairs of [S1]), unless that is done. */
spl_status spl__device_compress_b(spl_plan *plan);
void spl__device_find_explain(const spl__step *step, spl__text *text);
void spl__device_find_destroy(spl__step *step);

/* Kernels of a numeric method: one per enum spgemm_kind, and one for shapes of few rows. sums:
 * the number of sums per column of C in shared memory, at most most_rows for merged rows (0:
 * these are not supported). own_bytes: shared memory of a team for anything else. */
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
/* Enqueues early the groups that the numeric phase needs first. */
spl_status spl__device_values_enqueue_early(const spl__task *task, const spl__row_shapes *shapes,
                                            const spl__value_kernels *kernels);
spl_status spl__device_values_execute(spl__step *step, const spl__call *call);
/* Launches the step's kernels for the given values of the same structures. `instead` replaces
 * each kernel; it must need no more shared memory. */
spl_status spl__device_values_launch(const spl__step *step, const struct spgemm_operands *operands,
                                     const spl__kernel *instead);
void spl__device_values_explain(const spl__step *step, spl__text *text);
void spl__device_values_destroy(spl__step *step);

#endif
