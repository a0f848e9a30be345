/* SPDX-License-Identifier: Apache-2.0 */
/* part.h: a part computes the rows of one share on its processor. Its kind says how.
 *
 * A part has slices of the rows of A and D, and plans for the slices: one block of all rows, or
 * several if they do not fit a device together. */
#ifndef SPL_PARTITION_PART_H
#define SPL_PARTITION_PART_H

#include "matrix/row_slice.h"
#include "partition/dense_image.h"
#include "partition/division.h"
#include "plan/plan.h"

typedef struct spl__part spl__part;
struct spl__execution;

/* The stages of an execution, each for all parts before the next one. */
typedef enum spl__stage {
    SPL__BEGIN,   /* devices note the time */
    SPL__START,   /* devices enqueue all work up to results in their memory, ... */
    SPL__GIVE,    /* ... and copies of these to the host, unless that blocks */
    SPL__COMPUTE, /* the calling thread does its work */
    SPL__FINISH,  /* waits; results are in the caller's array */
    SPL__STAGES
} spl__stage;

typedef struct spl__part_kind {
    size_t size; /* of the kind's struct, which begins with a spl__part */
    spl_status (*make)(spl__part *part);
    /* Takes the new values of A, B, D, those that are not NULL, from where the part's rows come
     * from. */
    spl_status (*update)(spl__part *part, const spl_sparse *const changed[3]);
    /* NULL: nothing to do */
    spl_status (*run[SPL__STAGES])(spl__part *part, const struct spl__execution *execution);
    /* Records the end of executions that recorded nothing; NULL: there are none. */
    void (*mark)(spl__part *part);
    /* Waits for the part's device; NULL: for the queue of its plan. */
    spl_status (*wait)(spl__part *part);
    /* The seconds of the last timed execution, after a wait; NULL: part->measured. */
    spl__seconds (*seconds)(spl__part *part);
    /* Dense products. Copies bytes of x, from `offset` on, from the host to the part; NULL: it
     * reads them there. */
    spl_status (*send)(spl__part *part, const void *from, size_t offset, size_t bytes);
    /* The part's x and y of distributed operands; NULL: they are images on the host. */
    void (*held)(const spl__part *part, void **x, void **y);
    /* On a device: enqueues the product of all rows; b and c are there. */
    spl_status (*enqueue)(spl__part *part, const spl__call *call, const spl_dense *b,
                          const spl_dense *c);
    /* Sparse products: what is known about the part's rows of C; NULL: its plan says it. */
    spl__product_state (*state)(const spl__part *part);
    /* Writes these rows to arrays for offsets of `type`, columns and values, each unless NULL.
     * Offsets begin with the part's first entry, on a device with 0. */
    spl_status (*export)(spl__part *part, spl_index type, void *const to[3],
                         const spl_stream *stream);
    /* Frees what the kind has made, also after a failure. */
    void (*free)(spl__part *part);
} spl__part_kind;

/* Rows that one plan computes at once. */
typedef struct spl__part_block {
    int64_t begin;            /* in the order of rows of the division */
    spl__row_slice slices[3]; /* of A, D, and the mask of a sparse product */
    spl_plan *plan;           /* NULL: it is made when it is needed */
} spl__part_block;

struct spl__part {
    const spl__part_kind *kind;
    spl_plan *plan; /* of all parts */
    const spl__division *division;
    const spl__share *share;
    spl__device *device; /* the share's */
    /* The matrices from which rows of A and D are cut, those of A beginning with the row `first`;
     * B of a sparse product. */
    const spl_sparse *a, *b, *d;
    int64_t first;
    spl__part_block *blocks;
    int64_t block_count;
    spl__queue *queue; /* of a device, if the part itself has memory there; NULL: its plans have */
    int threads;       /* of plans */
    bool keeps;        /* plans keep C */
    /* sparse products: entries of C before the part's, or their bound */
    int64_t entries_before;
    /* dense products: one byte for each of the part's rows, not 0: the call's mask names it */
    uint8_t *named;
    spl__image image; /* the part's rows of the result on the host, in transit; data NULL: none */
    spl__row_slice host_rows; /* resident_rows.h; format 0: not needed */
    spl__seconds measured;    /* without `seconds` */
};

/* Makes a part without rows, which spl__part_free frees; kind->make makes the rest. */
spl_status spl__part_new(spl_plan *plan, const spl__division *division, const spl__share *share,
                         const spl__part_kind *kind, spl__part **part);
void spl__part_free(spl__part *part); /* NULL is allowed */

static inline bool spl__lacks_memory(spl_status status)
{
    return status == SPL_OVER_BUDGET || status == SPL_OUT_OF_MEMORY;
}

/* The plan of all rows, or of the first block; NULL: plans are made when they are needed. */
static inline spl_plan *spl__part_plan(const spl__part *part)
{
    return part->block_count > 0 ? part->blocks[0].plan : NULL;
}

/* ---- blocks ---- */

/* Cuts the rows into blocks of at most weight `most` and at least one row; weight: bytes of A, of a
 * sparse product rows and work. On failure spl__part_drop cleans up. */
spl_status spl__part_cut(spl__part *part, double most);
/* The number of these blocks. */
int64_t spl__part_count(const spl__part *part, double most);
/* Frees the blocks and their plans. */
void spl__part_drop(spl__part *part);
/* Makes the plan of a block, for operands A, B, D (NULL: none) on the host or on the part's
 * device. */
spl_status spl__part_plan_block(spl__part *part, spl__part_block *block,
                                const spl_sparse *const operands[3], bool once);
/* Makes one block of all rows, and its plan for operands on the host. */
spl_status spl__part_make_plan(spl__part *part);
/* Gives slices of the operands that are not NULL their new values. */
void spl__part_update_slices(spl__part *part, const spl_sparse *const changed[3]);
/* The same for a part of spl__part_make_plan, and its plan. */
spl_status spl__part_update_plan(spl__part *part, const spl_sparse *const changed[3]);

#endif
