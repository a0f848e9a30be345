/* SPDX-License-Identifier: Apache-2.0 */
/* spread.h: one plan over several processors [S2]: each computes some of the result's rows, by
 * plans of its own.
 *
 * The plan that callers see makes the operands ready where they live, as rows. Parts hold slices of
 * those, and plans for the slices: on the host for the CPU's threads and for SpGEMM, which carries
 * its own operands to devices, else on the device, where the part keeps the slices, x and y. Where
 * a device holds A, its part reads its rows, x and y there, in place; what the others need goes by
 * way of the host (resident_rows.c, resident_dense.c). */
#ifndef SPL_PARTITION_SPREAD_H
#define SPL_PARTITION_SPREAD_H

#include "matrix/row_slice.h"
#include "partition/dense_image.h"
#include "plan/plan.h"

/* Rows of a part that one plan computes at once: all of them, unless the device has no room. */
typedef struct spl__spread_block {
    int64_t begin;            /* in the spread's order of rows */
    spl__row_slice slices[2]; /* of A and D */
    spl_plan *plan;
} spl__spread_block;

/* Device memory through which a part's blocks pass in turn, or where its one block stays. */
typedef struct spl__spread_slot {
    spl__device_array offsets, indices, values;
    void *full, *empty; /* events */
} spl__spread_slot;

/* Events recorded during one execution. SPL__LAST is the end of the last execution that ran on a
 * caller's stream. */
enum spl__spread_moment { SPL__BEGUN, SPL__READY, SPL__DONE, SPL__HOME, SPL__LAST, SPL__MOMENTS };

typedef struct spl__spread_seconds {
    double transfer, execution;
} spl__spread_seconds;

typedef struct spl__spread_part {
    int32_t processor;
    int64_t begin, rows, work;
    char *method;        /* those ids of options.method that are for this processor; NULL: none */
    spl__device *device; /* NULL: the CPU */
    spl__spread_block *blocks;
    int64_t block_count;
    /* rows of the result on their way, or of the CPU's own */
    spl__image y;
    spl__spread_seconds predicted, measured; /* measured: of the CPU, and of products */
    /* On a device, for dense operands: */
    bool lean;             /* its plans copy no values */
    bool in_place;         /* A lives there */
    bool on_caller_stream; /* its last execution ran on a caller's stream, up to SPL__LAST */
    bool has_queue;        /* the queue is made */
    spl__queue queue;
    void *compute, *carry; /* streams: of all work but the carrying of blocks, and of that; SpGEMM:
                              of what others computed, beside the part in place */
    bool lent;             /* compute is the context's own */
    void *moments[SPL__MOMENTS];
    spl__device_array device_x, device_y;
    spl__spread_slot slots[2];
    /* A on a device, which is not this part's: the rows on the host; format 0: not needed there */
    spl__row_slice host_rows;
    /* SpGEMM on a device that has no room for all: product_blocks.h */
    struct spl__product_blocks *passing;
} spl__spread_part;

/* An operand of a sparse product, if it lives on a device. */
typedef struct spl__resident_operand {
    spl_sparse device_view; /* as it lives there */
    spl_sparse source;      /* the caller's, whose arrays it may have */
    spl_sparse cut;         /* the same with offsets on the host: what slices are cut from */
    void *offsets, *indices, *values; /* a copy on the host, which the plan's operand is then;
                                         values: if somebody computes there */
    /* those of the slice that the device's own part reads in place */
    spl__device_array device_offsets;
} spl__resident_operand;

typedef struct spl__spread {
    spl__spread_part *parts;
    int32_t count;
    int64_t *order; /* rows of the result in the order of parts; NULL: as they are */
    spl_sparse a;   /* the plan's A, with offsets on the host wherever the rest lives */
    void *offsets;  /* ... which are a copy if A lives on a device */
    spl__image x;   /* the right operand, from where all devices fetch it */
    spl_order order_x, order_y;
    bool in_flight;    /* devices may be at work on images */
    int64_t held_runs; /* executions since the last wait that carried nothing */
    /* executions that the moments stand for; 0: one that carried something */
    int64_t averaged;
    bool keeps; /* SpGEMM: parts keep their values of C */
    /* SpGEMM: entries of C before each part, or their bound; count + 1 */
    int64_t *first;
    spl__resident_operand operands[3]; /* SpGEMM of A, B, D on a device */
} spl__spread;

/* The plan of a part whose rows are all computed at once, or of its first block; NULL: it has no
 * rows, or its blocks have no plans that last. */
static inline spl_plan *spl__spread_plan_of(const spl__spread_part *part)
{
    return part->block_count > 0 ? part->blocks[0].plan : NULL;
}

/* spl__plan_make for one processor or several, as options say; what is too large for its device
 * goes there in blocks. */
spl_status spl__spread_or_plan_make(spl_context *context, const spl__request *request,
                                    spl_plan **plan);

/* ---- shares: spread_rates.c, spread_shares.c ---- */

/* Predicted seconds of one execution on a processor that has rows: start + rows * row + work *
 * unit. Work is entries of A, or products. */
typedef struct spl__rates {
    spl__spread_seconds start, row, unit;
} spl__rates;
/* The seam for measured rates: predicted by the cost model as if the processor computed all rows;
 * INFINITY if it cannot serve. */
void spl__processor_rates(spl_plan *plan, const spl__spread_part *part, double work,
                          spl__rates *rates);
/* Adds what is carried to and from the part's processor in each execution. */
void spl__add_transfers(spl_plan *plan, const spl__spread_part *part, spl__rates *rates);
/* The work of a row. */
int64_t spl__spread_work_of(const spl_plan *plan, int64_t row);
/* Parts with their processors, and which rows they get.
 * SPL_INVALID_ARGUMENT, SPL_UNSUPPORTED, ... */
spl_status spl__spread_cut(spl_plan *plan, spl__spread *spread);

/* ---- parts ---- */

/* The part's rows as blocks of at most that weight each, but of one row at least: bytes of A,
 * SpGEMM: rows and work. Their number; and the blocks, without plans; on failure
 * spl__spread_blocks_free cleans up. */
int64_t spl__spread_blocks_count(const spl_plan *plan, const spl__spread_part *part, double most);
spl_status spl__spread_blocks_cut(spl_plan *plan, spl__spread_part *part, double most);
/* The whole part as one block, with a plan for its slices on the host. */
spl_status spl__spread_part_plan(spl_plan *plan, spl__spread_part *part);
/* The plan of a block, for operands A, B, D (NULL: none) on the host or on the part's device. */
spl_status spl__spread_block_plan(spl_plan *plan, spl__spread_part *part, spl__spread_block *block,
                                  const spl_sparse *const operands[3], bool once);
void spl__spread_blocks_free(spl__spread_part *part);

/* The matrix that the part's rows are cut from, and the number of the first row in it: they are in
 * order there, unless it is A itself. */
const spl_sparse *spl__spread_source(const spl_plan *plan, const spl__spread_part *part,
                                     int64_t *first);
/* The right operand of a sparse product, as the part reads it. */
const spl_sparse *spl__spread_right(const spl_plan *plan, const spl__spread_part *part);
/* The slice of A (operand 0) or D (2) that the block's plan reads, unless it is carried to a
 * device. */
spl_sparse spl__spread_slice(const spl_plan *plan, const spl__spread_part *part,
                             const spl__spread_block *block, int operand);
/* The slices of operands that are not NULL have the new values of the matrices that they are cut
 * from. */
void spl__spread_block_update(const spl_plan *plan, const spl__spread_part *part,
                              spl__spread_block *block, const spl_sparse *const operands[3]);

/* A device's part of a dense product: its memory, its blocks and their plans. */
spl_status spl__device_part_make(spl_plan *plan, spl__spread_part *part);
void spl__device_part_free(spl__spread_part *part);
/* Its own stream goes on behind what has run elsewhere. */
spl_status spl__device_part_rejoin(spl__spread_part *part);
/* New values of A, from its blocks' slices. */
spl_status spl__device_part_update(spl__spread_part *part);
/* Enqueues the product of all blocks to the stream of its queue; b and c are on the device. */
spl_status spl__device_part_run(spl_plan *plan, spl__spread_part *part, const spl__call *call,
                                const spl_dense *b, const spl_dense *c);

/* ---- dense products: spread_images.c, spread_dense.c, resident_dense.c ---- */

/* Images of operands on the host, once the parts are there. */
spl_status spl__spread_dense_make(spl_plan *plan, spl__spread *spread);
/* b, c NULL: what processors hold. The plan must have been checked. Operands on a device are in
 * order with `stream`. */
spl_status spl__spread_run_dense(spl_plan *plan, const spl__call *call, const spl_dense *b,
                                 const spl_dense *c, const spl_stream *stream);
/* Waits for all devices. */
spl_status spl__spread_wait(spl__spread *spread);

/* ---- A on a device: resident_rows.c, of sparse products resident_product.c ---- */

/* The device that holds A; NULL: the host does. */
static inline spl__device *spl__spread_owner_of_a(const spl_plan *plan)
{
    return plan->problem.queue.device;
}
/* Makes spread->a. Of A on a device only the offsets come to the host; waits for them. */
spl_status spl__resident_look(spl_plan *plan, spl__spread *spread);
/* A part's rows, from the device that holds A to the host, if it needs them there; and their new
 * values, for all parts. Waits. */
spl_status spl__resident_rows_make(spl_plan *plan, spl__spread_part *part);
spl_status spl__resident_update(spl_plan *plan);
/* Whether the part computes rows of a sparse product where its operands live. */
static inline bool spl__product_in_place(const spl_plan *plan, const spl__spread_part *part)
{
    return part->in_place && plan->problem.kind == SPL__KIND_spgemm;
}
/* Whether somebody has rows who does not read operands where they live on a device. */
bool spl__spread_has_others(const spl__spread *spread);

/* ---- sparse products: spread_product.h ---- */

spl_status spl__spread_product_make(spl_plan *plan, spl__spread *spread);

/* ---- what all plans have ---- */

spl_status spl__spread_update(spl_plan *plan, const spl_sparse *const operands[3]);
spl_status spl__spread_part_info(spl_plan *plan, int32_t number, spl_part_info *info);
void spl__spread_explain(const spl_plan *plan, spl__text *text);
/* Adds what parts' devices did. */
void spl__spread_count(const spl_plan *plan, spl_counters *counters);

/* What plans of parts have some of: their sum, and whose is the one with that number, which becomes
 * its own; *steps: the steps before the owner's. */
typedef int32_t (*spl__count_fn)(const spl_plan *plan);
int32_t spl__spread_sum(const spl_plan *plan, spl__count_fn count);
const spl_plan *spl__spread_owner(const spl_plan *plan, spl__count_fn count, int32_t *number,
                                  int32_t *steps);
int32_t spl__steps_of(const spl_plan *plan);
int32_t spl__candidates_of(const spl_plan *plan);

#endif
