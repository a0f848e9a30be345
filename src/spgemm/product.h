/* SPDX-License-Identifier: Apache-2.0 */
/* product.h: what the methods of SpGEMM know about C, besides the problem: the plan's state. */
#ifndef SPL_SPGEMM_PRODUCT_H
#define SPL_SPGEMM_PRODUCT_H

#include "core/parallel.h"
#include "plan/plan.h"

typedef struct spl__product {
    int64_t *work;        /* rows + 1: prefix sums over rows of products + entries of D */
    int64_t longest_work; /* largest work of a row */
    /* Whether a row holds the columns of the row before, in the same order: see identical_rows.h.
     * Of A only where D agrees. They may be one array. */
    uint8_t *a_equals_previous, *b_equals_previous;
    /* rows + 1: where row i begins in columns and values; the symbolic phase allocates and writes
     * it */
    int64_t *offsets;
    /* capacity columns of the plan's index type; the symbolic phase allocates it */
    void *columns;
    int64_t capacity; /* nnz(C), or its bound */
    /* the symbolic phase gave a bound: the numeric phase finds columns, and the plan keeps C */
    bool bounded;
    /* NULL: rows lie one behind the other. Else row i has lengths[i] <= offsets[i+1] - offsets[i]
     * columns, once known */
    int64_t *lengths;
    bool known;           /* columns (and lengths) are written */
    bool unsorted;        /* columns of a row are known, but come in no order */
    void *values;         /* capacity values, if the plan keeps them */
    bool computed;        /* values are written */
    const char *no_bound; /* why a bound cannot serve; NULL: it can */
    /* seconds: what the numeric phase is predicted to take longer if it begins with a bound */
    double bound_costs;
    double blocks_cost;  /* the same if it has to make the blocks with holes of C itself */
    bool expects_blocks; /* predictions suppose that it does */
    /* in blocks with holes; NULL if nothing is: holed_operands.h */
    struct spl__holed *holed;
    /* on a device: C; the host's arrays are NULL then: device_product.h */
    struct spl__device_product *device_c;
} spl__product;

spl__product *spl__product_of(const spl_plan *plan);

/* Largest number of columns that row i of C can have. */
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
/* The plan's own array of values, where the plan computes; NULL if it keeps none. */
void *spl__kept_values(const spl_plan *plan);
/* nnz(C), or its bound while columns are not known. */
int64_t spl__product_nnz(const spl_plan *plan);

/* ---- C for callers ---- */

/* What a plan says about C from the beginning. Executions do not change it: it may be read while
 * one is in flight. */
typedef struct spl__product_terms {
    int64_t capacity; /* nnz(C) or its bound */
    bool bounded;     /* it is a bound */
    bool keeps;       /* the plan keeps values of C */
} spl__product_terms;
spl__product_terms spl__product_terms_of(const spl_plan *plan);

/* What is known about C, as entry points need it. */
typedef struct spl__product_state {
    int64_t nnz;   /* or its bound */
    bool known;    /* it is no bound */
    bool bounded;  /* the plan began with a bound */
    bool keeps;    /* the plan keeps values of C */
    bool computed; /* and they are there */
    spl_index offset_type;
} spl__product_state;
spl__product_state spl__product_state_of(const spl_plan *plan);
/* Computes the values of C: into an array of the caller, NULL: into the plan's. */
spl_status spl__product_execute(spl_plan *plan, const spl__call *call, void *values,
                                const spl_stream *stream);
/* Writes C to arrays of the caller, each unless NULL; rows lie one behind the other. */
spl_status spl__product_export(spl_plan *plan, void *offsets, void *indices, void *values,
                               const spl_stream *stream);

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
/* nnz(C) as predictions take it, before it is known. */
double spl__predicted_nnz(const spl_plan *plan);

/* For plans of several processors, before any of them has a plan: looks at the rows of all
 * operands, which makes the plan's state (work, features), and frees it again, also after a
 * failure; in between, the seconds that the problem's processor is predicted to take for all of C,
 * INFINITY if it cannot: the CPU, or a device, there entry by entry, because nobody has looked for
 * blocks. */
spl_status spl__product_survey(spl_plan *plan);
double spl__product_predict(spl_plan *plan);
void spl__product_survey_free(spl_plan *plan);

/* SPL_INDEX_OVERFLOW if nnz entries do not fit the offsets the caller asked for. */
spl_status spl__check_result_width(const spl_plan *plan, int64_t nnz);
/* The width of the offsets that spl_spgemm_export writes. */
spl_index spl__result_offset_type(const spl_plan *plan);

/* ---- workspaces of threads ---- */

/* One workspace of `bytes` for each of *threads, set to zero if `clear`. If the budget, or the
 * allocator, has fewer, but one, *threads becomes their number. On failure spl__workspaces_free
 * cleans up. */
spl_status spl__workspaces_make(spl_plan *plan, int *threads, size_t bytes, bool clear,
                                void ***workspaces);
void spl__workspaces_free(const spl_plan *plan, void **workspaces);

/* The work that a block of rows should have. */
int64_t spl__block_work(const spl_plan *plan);
/* Cuts rows into blocks of that work, not within a run of rows that repeat unless it is long: one
 * that is cut is found twice, and computed in fewer lanes. */
spl_status spl__row_blocks_make(spl_plan *plan, const spl__row_set *rows, spl__blocks *blocks);
/* The most columns that the rows of a block can have. Blocks of rows without a list. */
int64_t spl__largest_block(const spl_plan *plan, const spl__blocks *blocks);

/* Bytes that a thread needs to find the columns of any one row with a hash
 * set: see find_columns.h. */
size_t spl__finder_bytes(const spl_plan *plan);
/* The same for rows whose bound is at most `bound`. */
size_t spl__finder_bytes_for(const spl_plan *plan, int64_t bound);

/* State of the numeric methods: blocks of rows, and per thread one workspace, and for the first
 * execution after a bound one finder or one buffer. */
typedef struct spl__numeric {
    spl__blocks blocks;
    int threads;
    void **workspaces;
    void **finders; /* NULL if columns are known, or the method finds them itself */
    /* `room` values and columns each, for threads that append rows (collect_rows.h) */
    void **buffers;
    /* at least what a block can have; even, so that columns behind values are aligned */
    int64_t room;
    void *shared; /* the method's own; it frees it */
} spl__numeric;

/* Rows that a numeric method may compute at once: numeric_rows.h. */
enum { SPL__MOST_TOGETHER = 8 };
/* How many entries of A ahead of its use a row of B is sent for, and the bytes of a line of the
 * cache: add_row.h. */
enum { SPL__AHEAD = 4, SPL__LINE = 64 };

/* Lets each row begin where the bounds of those before it end. */
void spl__product_set_bounds(spl_plan *plan);
/* Room for the lengths of rows, where each begins at the place that its bound gives it. */
spl_status spl__product_leave_gaps(spl_plan *plan);
/* Moves the rows, once known, up behind each other, in the same arrays. */
void spl__product_close_gaps(spl_plan *plan);
/* Makes step->state with workspaces of `bytes` each, for fewer threads where they do not fit the
 * budget. finds_columns: the method does so itself. */
spl_status spl__numeric_prepare(spl__step *step, size_t bytes, bool finds_columns);
void spl__numeric_destroy(spl__step *step);
/* Seconds of one thread to find rows with a hash set: see find_columns.h. */
double spl__finding_seconds(const spl__machine *machine, double rows, double products,
                            double columns);
/* The part of the work on rows with that many products, `longest` of them in one row, that some
 * thread has at least: a row is not shared. */
double spl__largest_share(const spl_plan *plan, double products, double longest);
/* Entries of C that the thread with most work adds up: places that it touches in an accumulator. */
double spl__touched_slots(const spl__task *task);
/* Seconds to add up the task's rows in dense accumulators of which a row uses `span` places. */
double spl__dense_seconds(const spl__task *task, double span);
/* The estimate of a numeric method with a table of `bytes` per thread, sized for its longest row:
 * seconds of one product, and of entering one column of C. */
void spl__table_estimate(const spl__task *task, size_t bytes, double product, double column,
                         spl__estimate *estimate);
/* Adds to an estimate what numeric methods have in common: going from row to row of A, and to rows
 * of B. */
void spl__numeric_add_rows(const spl__task *task, spl__estimate *estimate);
/* And the search for columns in the first execution of methods that do not find them themselves,
 * and closing the gaps that it leaves; nothing once they are known. */
void spl__numeric_add_search(const spl__task *task, spl__estimate *estimate);

#endif
