/* SPDX-License-Identifier: Apache-2.0 */
/* spread.h: one plan over several processors [S2]: each computes some of the result's rows, with
 * plans of its own.
 *
 * The caller's plan prepares the operands by rows, on the processor that holds them. Parts have
 * slices of these, and plans for the slices: on the host for the CPU's threads and for SpGEMM,
 * which copies its operands to devices itself; else on the device, where the part keeps the
 * slices, x and y. If a device holds A, its part reads its rows, x and y in place; the data for
 * the others pass through the host (resident_rows.c, resident_dense.c). */
#ifndef SPL_PARTITION_SPREAD_H
#define SPL_PARTITION_SPREAD_H

#include "matrix/row_slice.h"
#include "partition/dense_image.h"
#include "plan/plan.h"

/* Rows of a part that one plan computes at once: all of them, unless they do not fit the device. */
typedef struct spl__spread_block {
    int64_t begin;            /* position in the spread's order of rows */
    spl__row_slice slices[2]; /* of A and D */
    spl_plan *plan;
} spl__spread_block;

/* Device memory for a part's streamed blocks, or for its single resident block. */
typedef struct spl__spread_slot {
    spl__device_array offsets, indices, values;
    void *full, *empty; /* events */
} spl__spread_slot;

/* Events recorded during one execution. SPL__LAST is the end of the last execution that ran on a
 * caller's stream. */
enum spl__spread_moment {
    SPL__BEGUN,
    SPL__READY,
    SPL__DONE,
    SPL__RETURNED,
    SPL__LAST,
    SPL__MOMENTS
};

typedef struct spl__spread_seconds {
    double transfer, execution;
} spl__spread_seconds;

typedef struct spl__spread_part {
    int32_t processor;
    int64_t begin, rows, work;
    char *method;        /* the ids of options.method for this processor; NULL: none */
    spl__device *device; /* NULL: the CPU */
    spl__spread_block *blocks;
    int64_t block_count;
    /* host image of rows of the result: in transit, or computed by the CPU */
    spl__image y;
    spl__spread_seconds predicted, measured; /* measured: for the CPU, and for sparse products */
    /* On a device, for dense operands: */
    bool lean;             /* its plans copy no values */
    bool in_place;         /* this device holds A */
    bool on_caller_stream; /* its last execution ran on a caller's stream, up to SPL__LAST */
    bool has_queue;        /* the queue has been made */
    spl__queue queue;
    /* streams: compute, and carry for copies of blocks; SpGEMM: carry copies results of other
     * parts */
    void *compute, *carry;
    bool lent; /* compute is the context's stream */
    void *moments[SPL__MOMENTS];
    spl__device_array device_x, device_y;
    spl__spread_slot slots[2];
    /* if another device holds A: the rows on the host; format 0: not needed */
    spl__row_slice host_rows;
    /* SpGEMM that does not fit the device: product_blocks.h */
    struct spl__product_blocks *passing;
} spl__spread_part;

/* An operand of a sparse product that a device holds. */
typedef struct spl__resident_operand {
    spl_sparse device_view; /* on the device */
    spl_sparse source;      /* the caller's view, whose arrays device_view may have */
    spl_sparse cut;         /* the same with offsets on the host, for slices */
    /* a copy on the host, which becomes the plan's operand; values: if other processors have
     * rows */
    void *offsets, *indices, *values;
    /* offsets of the slice that the device's own part reads in place */
    spl__device_array device_offsets;
} spl__resident_operand;

typedef struct spl__spread {
    spl__spread_part *parts;
    int32_t count;
    int64_t *order; /* rows of the result in the order of parts; NULL: natural order */
    spl_sparse a;   /* the plan's A, with offsets on the host */
    void *offsets;  /* ... which are a copy if a device holds A */
    spl__image x;   /* the host image of the right operand, from where devices fetch it */
    spl_order order_x, order_y;
    bool in_flight;    /* devices may be accessing images */
    int64_t held_runs; /* executions without transfers since the last wait */
    /* the number of executions between the recorded events; 0: one with transfers */
    int64_t averaged;
    bool keeps; /* SpGEMM: parts keep their values of C */
    /* SpGEMM: entries of C before each part, or their bound; count + 1 */
    int64_t *first;
    spl__resident_operand operands[3]; /* SpGEMM: A, B, D on a device */
} spl__spread;

/* The plan of a part's single or first block; NULL: it has no rows, or its blocks have only
 * temporary plans. */
static inline spl_plan *spl__spread_plan_of(const spl__spread_part *part)
{
    return part->block_count > 0 ? part->blocks[0].plan : NULL;
}

/* ---- shares: spread_rates.c, spread_shares.c ---- */

/* Predicted seconds of one execution on a processor with some rows: start + rows * row + work *
 * unit. Work is entries of A, or products. */
typedef struct spl__rates {
    spl__spread_seconds start, row, unit;
} spl__rates;
/* The rates of a processor, predicted by the cost model as if it computed all rows; INFINITY:
 * not applicable. */
void spl__processor_rates(spl_plan *plan, const spl__spread_part *part, double work,
                          spl__rates *rates);
/* Adds the transfers to and from the part's processor per execution. */
void spl__add_transfers(spl_plan *plan, const spl__spread_part *part, spl__rates *rates);
/* The work of a row. */
int64_t spl__spread_work_of(const spl_plan *plan, int64_t row);
/* Makes the parts with their processors and rows. SPL_INVALID_ARGUMENT, SPL_UNSUPPORTED, ... */
spl_status spl__spread_cut(spl_plan *plan, spl__spread *spread);

/* ---- parts ---- */

/* Divides the part's rows into blocks of at most weight `most` and at least one row; weight:
 * bytes of A, for SpGEMM rows and work. _count returns their number, _cut makes them, without
 * plans; on failure spl__spread_blocks_free cleans up. */
int64_t spl__spread_blocks_count(const spl_plan *plan, const spl__spread_part *part, double most);
spl_status spl__spread_blocks_cut(spl_plan *plan, spl__spread_part *part, double most);
/* Makes the part a single block, with a plan for its slices on the host. */
spl_status spl__spread_part_plan(spl_plan *plan, spl__spread_part *part);
/* Makes the plan of a block, for operands A, B, D (NULL: none) on the host or on the part's
 * device. */
spl_status spl__spread_block_plan(spl_plan *plan, spl__spread_part *part, spl__spread_block *block,
                                  const spl_sparse *const operands[3], bool once);
void spl__spread_blocks_free(spl__spread_part *part);

/* The matrix from which the part's rows are cut, and the number of the first row in it. Its rows
 * are in the order of parts, unless it is A itself. */
const spl_sparse *spl__spread_source(const spl_plan *plan, const spl__spread_part *part,
                                     int64_t *first);
/* The right operand of a sparse product that the part reads. */
const spl_sparse *spl__spread_right(const spl_plan *plan, const spl__spread_part *part);
/* The slice of A (operand 0) or D (2) that the block's plan reads, unless it is copied to a
 * device. */
spl_sparse spl__spread_slice(const spl_plan *plan, const spl__spread_part *part,
                             const spl__spread_block *block, int operand);
/* Updates the slices of operands that are not NULL to the new values of their source matrices. */
void spl__spread_block_update(const spl_plan *plan, const spl__spread_part *part,
                              spl__spread_block *block, const spl_sparse *const operands[3]);

/* A device's part of a dense product: its memory, its blocks and their plans. */
spl_status spl__device_part_make(spl_plan *plan, spl__spread_part *part);
void spl__device_part_free(spl__spread_part *part);
/* Orders the part's stream after executions on other streams. */
spl_status spl__device_part_rejoin(spl__spread_part *part);
/* Copies new values of A from the blocks' slices. */
spl_status spl__device_part_update(spl__spread_part *part);
/* Enqueues the product of all blocks to the stream of its queue; b and c are on the device. */
spl_status spl__device_part_run(spl_plan *plan, spl__spread_part *part, const spl__call *call,
                                const spl_dense *b, const spl_dense *c);

/* ---- dense products: spread_images.c, spread_dense.c, resident_dense.c ---- */

/* Makes host images of operands, after the parts. */
spl_status spl__spread_dense_make(spl_plan *plan, spl__spread *spread);
/* call->b, c NULL: the processors' distributed arrays. The plan must have been checked. Operands on
 * a device are ordered with `stream`. */
spl_status spl__spread_run_dense(spl_plan *plan, spl__call *call, const spl_stream *stream);
/* Waits for all devices. */
spl_status spl__spread_wait(spl_plan *plan);

/* ---- A on a device: resident_rows.c, of sparse products resident_product.c ---- */

/* The device that holds A; NULL: the host does. */
static inline spl__device *spl__spread_owner_of_a(const spl_plan *plan)
{
    return plan->problem.queue.device;
}
/* Makes spread->a. If a device holds A, only its offsets are copied to the host; waits for them. */
spl_status spl__resident_look(spl_plan *plan, spl__spread *spread);
/* Copies a part's rows from the device that holds A to the host, if needed there; and new
 * values, for all parts. Waits. */
spl_status spl__resident_rows_make(spl_plan *plan, spl__spread_part *part);
spl_status spl__resident_update(spl_plan *plan);
/* Whether the part computes a sparse product on the device that holds the operands. */
static inline bool spl__product_in_place(const spl_plan *plan, const spl__spread_part *part)
{
    return part->in_place && plan->problem.kind == SPL__KIND_spgemm;
}
/* Whether any part does not read its operands in place on a device. */
bool spl__spread_has_others(const spl__spread *spread);

/* ---- sparse products: spread_product.h ---- */

spl_status spl__spread_product_make(spl_plan *plan, spl__spread *spread);

/* ---- all kinds of products ---- */

int32_t spl__spread_part_count(const spl_plan *plan);
spl_status spl__spread_part_info(spl_plan *plan, int32_t number, spl_part_info *info);
void spl__spread_explain(const spl_plan *plan, spl__text *text);
/* Adds the counters of the plan's device and of the parts' devices. */
void spl__spread_count(const spl_plan *plan, spl_counters *counters);

/* The k-th plan of a part that has one. */
const spl_plan *spl__spread_inner(const spl_plan *plan, int32_t k);

#endif
