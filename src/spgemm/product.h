/* SPDX-License-Identifier: Apache-2.0 */
/* product.h: the state of a product's plan on the CPU: what methods know about C besides the
 * problem. On a device: gpu/device_product.h. */
#ifndef SPL_SPGEMM_PRODUCT_H
#define SPL_SPGEMM_PRODUCT_H

#include "core/threads/parallel.h"
#include "plan/plan.h"

typedef struct spl__product {
    int64_t *work;        /* rows + 1: prefix sums over rows of products + entries of D */
    int64_t longest_work; /* largest work of a row */
    /* Per row whether it has the columns of the previous row, in the same order: see
     * identical_rows.h. For A only where D agrees. They may be the same array. */
    uint8_t *a_equals_previous, *b_equals_previous;
    /* rows + 1: the begin of each row in columns and values; written by the symbolic phase */
    int64_t *offsets;
    /* `capacity` columns of the plan's index type; allocated by the symbolic phase */
    void *columns;
    int64_t capacity; /* nnz(C), or its bound */
    /* the symbolic phase yields a bound only: the numeric phase finds columns, and the plan
     * keeps C */
    bool bounded;
    /* NULL: rows are consecutive. Else row i has lengths[i] <= offsets[i+1] - offsets[i]
     * columns, once known */
    int64_t *lengths;
    bool known;           /* columns (and lengths) are written */
    bool unsorted;        /* columns of a row are known, but not sorted */
    void *values;         /* `capacity` values, if the plan keeps them */
    bool computed;        /* values are written */
    int64_t least;        /* C has that many entries at least, as a search has found */
    const char *no_bound; /* why a bound is not applicable; NULL: it is */
    /* predicted extra seconds of the numeric phase after a bound */
    double bound_costs;
    double blocks_cost; /* the same if it has to make C's holed blocks itself */
    bool has_blocks;    /* in questions: that it need not */
    /* of a mask (dots.h): its positions, and the steps of dot products at them */
    double mask_positions, dot_steps;
    bool ascending; /* rows of A and B ascend, each column once; false: not looked at */
    bool single_b;  /* rows of B have one entry at most, as in plain aggregation */
    /* operands in holed blocks, or NULL: holed_operands.h */
    struct spl__holed *holed;
} spl__product;

spl__product *spl__product_of(const spl_plan *plan);

/* The upper bound of the columns of row i of C. */
static inline int64_t spl__row_bound(const spl__product *c, int64_t cols, int64_t i)
{
    int64_t work = c->work[i + 1] - c->work[i];
    return work < cols ? work : cols;
}
/* Columns of row i, once known. */
static inline int64_t spl__row_length(const spl__product *c, int64_t i)
{
    return c->lengths ? c->lengths[i] : c->offsets[i + 1] - c->offsets[i];
}
/* nnz(C), or its bound while columns are not known. */
int64_t spl__product_nnz(const spl_plan *plan);
/* Frees what is known of C: a symbolic phase that fails calls it, since another may follow. */
void spl__product_forget(spl_plan *plan);

/* ---- C on the host for callers: functions of spl__operation ---- */

spl__product_terms spl__product_terms_of(const spl_plan *plan);
spl__product_state spl__product_state_of(const spl_plan *plan);
spl_status spl__product_execute(spl_plan *plan, spl__call *call, const spl_stream *stream);
spl_status spl__product_export(spl_plan *plan, void *offsets, void *indices, void *values,
                               const spl_stream *stream);
spl_status spl__product_view(spl_plan *plan, spl_sparse *view);
spl_status spl__product_give(spl_plan *plan, const spl_sparse *header, spl_matrix **c);

/* ---- planning ---- */

/* Fills a_equals_previous and b_equals_previous. */
spl_status spl__find_repeated_rows(spl_plan *plan);
/* Fills work, longest_work and the features products, longest_products, bound_c.
 * SPL_INDEX_OVERFLOW, ... */
spl_status spl__count_work(spl_plan *plan);

/* Fills repeated_a and the features that are sampled. */
spl_status spl__sample_rows(spl_plan *plan);
/* Fills holed_block_size, block_fill_a and block_fill_b. */
void spl__sample_blocks(spl_plan *plan);
/* The estimate of nnz(C) for predictions. */
double spl__predicted_nnz(const spl_plan *plan);

/* Tells the plan's account what C of about `nnz` entries takes, and the phases that make it, as far
 * as they are to come. */
void spl__product_expect(spl_plan *plan, double nnz);

/* For plans of several processors, before there is a plan for any. spl__product_survey surveys
 * the rows of all operands and creates the plan's state (work, features), which must be freed
 * again, also after a failure. In between, the predicted seconds of all of C on the problem's
 * processor is available; INFINITY: not applicable. For a device the prediction is entry by
 * entry, because blocks have not been searched. */
spl_status spl__product_survey(spl_plan *plan);
double spl__product_predict(const spl_plan *plan);
void spl__product_survey_free(spl_plan *plan);

/* SPL_INDEX_OVERFLOW if nnz does not fit the requested type of offsets. */
spl_status spl__check_result_width(const spl_plan *plan, int64_t nnz);
/* The width of the offsets that spl_spgemm_export writes if C has `nnz` entries, or that bound. */
spl_index spl__offset_type_for(const spl_plan *plan, int64_t nnz);

/* ---- workspaces of threads ---- */

/* Allocates one workspace of `bytes` per thread, cleared if `clear`. If the budget or the
 * allocator allows fewer than *threads, but at least one, *threads is reduced. On failure
 * spl__workspaces_free cleans up. */
spl_status spl__workspaces_make(spl_plan *plan, int *threads, size_t bytes, bool clear,
                                void ***workspaces);
void spl__workspaces_free(const spl_plan *plan, void **workspaces);

/* The target work of a block of rows. */
int64_t spl__block_work(const spl_plan *plan);
/* Divides rows into blocks of that work. Runs of identical rows are not cut unless they are
 * long: a run that is cut is found twice and computed in fewer lanes. */
spl_status spl__row_blocks_make(spl_plan *plan, const spl__row_set *rows, spl__blocks *blocks);
/* The upper bound of the columns of a block, also by the mask. For blocks without a list of rows.
 */
int64_t spl__largest_block(const spl_plan *plan, const spl__blocks *blocks);

/* Bytes per thread to find the columns of any row with a hash set: see find_columns.h. */
size_t spl__finder_bytes(const spl_plan *plan);
/* The same for rows whose bound is at most `bound`. */
size_t spl__finder_bytes_for(const spl_plan *plan, int64_t bound);

/* State of the numeric methods: blocks of rows and one workspace per thread; for the first
 * execution after a bound also one finder or buffer per thread. */
typedef struct spl__numeric {
    spl__blocks blocks;
    int threads;
    void **workspaces;
    void **finders; /* NULL if columns are known, or the method finds them itself */
    /* `room` values and columns each, for threads that append rows (collect_rows.h) */
    void **buffers;
    /* at least the bound of a block; even, so that columns after values are aligned */
    int64_t room;
    void *shared; /* owned by the method, which frees it */
} spl__numeric;

/* The most rows that a numeric method may compute at once: numeric_rows.h. */
enum { SPL__MOST_ROWS_AT_ONCE = 8 };
/* The prefetch distance for rows of B, in entries of A, and the bytes of a cache line:
 * add_row.h. */
enum { SPL__AHEAD = 4, SPL__LINE = 64 };

/* Sets the begin of each row to the sum of the bounds of the rows before. */
void spl__product_set_bounds(spl_plan *plan);
/* Allocates the lengths of rows that begin at their bounds. */
spl_status spl__product_leave_gaps(spl_plan *plan);
/* Removes the gaps between rows once their lengths are known, in the same arrays. */
void spl__product_close_gaps(spl_plan *plan);
/* Allocates step->state with workspaces of `bytes` each, for fewer threads if the budget
 * requires it. finds_columns: the method finds columns itself. */
spl_status spl__numeric_prepare(spl__step *step, size_t bytes, bool finds_columns);
/* The threads of an execution: those that have workspaces, or one where waking others does not
 * pay. */
int spl__numeric_threads(const spl__step *step);
/* Why a numeric method cannot serve C whose columns are known and not in order. */
extern const char spl__known_unsorted[];
/* applicable: NULL if they are in order, or not known. */
const char *spl__needs_sorted(const spl__task *task);
/* Calls the kernel for the plan's combination of types: the method's parameters are a table. */
typedef spl_status (*spl__numeric_fn)(spl__step *step, const spl__call *call);
spl_status spl__numeric_execute(spl__step *step, const spl__call *call);
void spl__numeric_destroy(spl__step *step);
/* Seconds of one thread to find rows with a hash set: see find_columns.h. */
double spl__finding_seconds(const spl__machine *machine, double rows, double products,
                            double columns);
/* The least share of the work, `products`, that the busiest thread has, given that a row
 * (`longest`) is not divided. */
double spl__largest_share(const spl_plan *plan, double products, double longest);
/* Declares loops of all threads whose busiest one has so much of the work. */
void spl__count_loops(int loops, double share, spl__estimate *estimate);
/* Seconds of so many other loops that take `seconds` on one thread, which does them alone where
 * they are not worth waking others. */
double spl__short_loops(const spl_plan *plan, int loops, double seconds);
/* The accumulator slots that the busiest thread touches: its entries of C. */
double spl__touched_slots(const spl__task *task);
/* What the caches miss of a random access to one of so many bytes, in seconds. */
double spl__miss_seconds(const spl__machine *machine, double bytes);
/* Seconds to sum the task's rows in dense accumulators of which a row uses `span` slots. */
double spl__dense_seconds(const spl__task *task, double span);
/* The estimate of a numeric method with a table of `bytes` per thread, sized for the longest
 * row: seconds per product, and per inserted column of C. */
void spl__table_estimate(const spl__task *task, size_t bytes, double product, double column,
                         spl__estimate *estimate);
/* Adds the common cost of numeric methods to an estimate: visiting rows of A and of B. */
void spl__numeric_add_rows(const spl__task *task, spl__estimate *estimate);
/* Adds the cost of the first execution for methods that do not find columns themselves: the
 * search and the removal of gaps; nothing once columns are known. */
void spl__numeric_add_search(const spl__task *task, spl__estimate *estimate);

#endif
