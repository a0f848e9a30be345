/* SPDX-License-Identifier: Apache-2.0 */
/* device_part.h: what kinds of a device's part of a dense product share: a stream, x and y there,
 * and how these get there and back. How rows of A get there is the kind's (part_device.c,
 * part_blocks.c). For their files only: nobody else knows this struct. */
#ifndef SPL_PARTITION_DEVICE_PART_H
#define SPL_PARTITION_DEVICE_PART_H

#include "partition/device_slot.h"
#include "partition/parts.h"

/* Events recorded during one execution. SPL__LAST is the end of the last execution that ran on a
 * caller's stream. */
typedef enum spl__moment {
    SPL__BEGUN,
    SPL__READY,
    SPL__DONE,
    SPL__RETURNED,
    SPL__LAST,
    SPL__MOMENTS
} spl__moment;

typedef struct spl__device_part {
    spl__part part;
    spl__queue queue;
    void *compute; /* stream */
    bool lent;     /* ... which is the context's */
    void *moments[SPL__MOMENTS];
    bool on_caller_stream; /* the last execution ran on a caller's stream, up to SPL__LAST */
    /* executions of distributed operands since the last mark, and between the recorded events (0:
     * one with transfers): a record costs a GPU two microseconds */
    int64_t held_runs, averaged;
    spl__device_array x, y, named; /* named: part.named there */
    bool lean;                     /* plans copy no values */
} spl__device_part;

/* The part of a dense product, which must be on a device. */
static inline spl__device_part *spl__device_part_of(const spl__part *part)
{
    return (spl__device_part *)part;
}
/* Notes the time in the queue's current stream. */
void spl__device_part_note(spl__device_part *d, spl__moment moment);
/* Orders the part's stream after executions on other streams. */
spl_status spl__device_part_rejoin(spl__device_part *d);

/* ---- for a kind's make and free ---- */

/* Makes all but rows. */
spl_status spl__device_part_make(spl__device_part *d);
/* Waits for executions, before rows are freed; not at all if nothing was made: then it returns
 * false. */
bool spl__device_part_settle(spl__device_part *d);
/* Frees all but rows. */
void spl__device_part_free(spl__device_part *d);

/* Enqueues the product of the part's rows, those that the call's mask names. */
spl_status spl__device_part_enqueue(spl__device_part *d, const spl__execution *e,
                                    const spl_dense *b, const spl_dense *c);

/* ---- rows of A in slots: part_rows.c ---- */

/* Whether plans are made within the execution: in a one-shot call, while the CPU computes, and if A
 * is copied from the host. */
bool spl__device_part_plans_late(const spl__device_part *d);
/* Makes a slot for the largest block. */
spl_status spl__device_part_slot(spl__device_part *d, spl__device_slot *slot);
/* Makes the plan of a block that is being copied to its slot. */
spl_status spl__device_part_plan(spl__device_part *d, spl__part_block *block,
                                 const spl__device_slot *slot);
/* Enqueues the product of the block; c: of all rows. */
spl_status spl__device_part_multiply(spl__device_part *d, const spl__part_block *block,
                                     const spl__call *call, const spl_dense *b, const spl_dense *c);
/* Lets the block's plan take the values that are being copied to its slot. */
spl_status spl__device_part_renew(spl__device_part *d, const spl__part_block *block,
                                  const spl__device_slot *slot);

/* ---- the kind's functions ---- */

/* Initialises a spl__part_kind but for size, make, update, enqueue and free. */
#define SPL__ON_DEVICE                                                                             \
    .run = {spl__device_part_begin, spl__device_part_start, spl__device_part_give, NULL,           \
            spl__device_part_finish},                                                              \
    .mark = spl__device_part_mark, .wait = spl__device_part_wait,                                  \
    .seconds = spl__device_part_seconds, .send = spl__device_part_send,                            \
    .held = spl__device_part_held
spl_status spl__device_part_begin(spl__part *part, const spl__execution *e);
spl_status spl__device_part_start(spl__part *part, const spl__execution *e);
spl_status spl__device_part_give(spl__part *part, const spl__execution *e);
spl_status spl__device_part_finish(spl__part *part, const spl__execution *e);
void spl__device_part_mark(spl__part *part);
spl_status spl__device_part_wait(spl__part *part);
spl__seconds spl__device_part_seconds(spl__part *part);
spl_status spl__device_part_send(spl__part *part, const void *from, size_t offset, size_t bytes);
void spl__device_part_held(const spl__part *part, void **x, void **y);

#endif
