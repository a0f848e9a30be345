/* SPDX-License-Identifier: Apache-2.0 */
/* device_part.h: a device's part of a dense product: a stream, x and y there, and how these get
 * there and back. Its rows of A are in a slot, or pass through two; if this device holds A, they
 * are read in place, with separate offsets. */
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
    spl__device_array x, y;
    spl__device_slot slots[2]; /* of blocks by turns */
    void *carry;               /* stream that copies blocks in every execution; NULL: they stay */
    bool lean;                 /* plans copy no values */
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

/* Copies bytes of x, from `offset` on, from the host to all devices that need them. */
spl_status spl__device_parts_send(const spl__spread *spread, const void *from, size_t offset,
                                  size_t bytes);

/* Makes all but rows; then rows in blocks of at most weight `most`, and frees these again. */
spl_status spl__device_part_make(spl__device_part *d);
spl_status spl__device_part_make_rows(spl__device_part *d, double most);
void spl__device_part_free_rows(spl__device_part *d);

/* Initialises a spl__part_kind but for `make`. */
#define SPL__ON_DEVICE                                                                             \
    .size = sizeof(spl__device_part), .update = spl__device_part_update,                           \
    .run = {spl__device_part_begin, spl__device_part_start, spl__device_part_give, NULL,           \
            spl__device_part_finish},                                                              \
    .mark = spl__device_part_mark, .wait = spl__device_part_wait,                                  \
    .seconds = spl__device_part_seconds, .enqueue = spl__device_part_enqueue,                      \
    .free = spl__device_part_free
spl_status spl__device_part_update(spl__part *part, const spl_sparse *const changed[3]);
spl_status spl__device_part_begin(spl__part *part, const spl__execution *e);
spl_status spl__device_part_start(spl__part *part, const spl__execution *e);
spl_status spl__device_part_give(spl__part *part, const spl__execution *e);
spl_status spl__device_part_finish(spl__part *part, const spl__execution *e);
void spl__device_part_mark(spl__part *part);
spl_status spl__device_part_wait(spl__part *part);
spl__seconds spl__device_part_seconds(spl__part *part);
spl_status spl__device_part_enqueue(spl__part *part, const spl__call *call, const spl_dense *b,
                                    const spl_dense *c);
void spl__device_part_free(spl__part *part);

#endif
