/* SPDX-License-Identifier: Apache-2.0 */
/* parts.h: the parts of a plan over several processors, and an execution of them [S2].
 *
 * The caller's plan prepares the operands by rows, on the processor that holds them; parts have
 * slices of these. On a device a part keeps its slices, x and y; a device that holds A reads its
 * rows, x and y in place, and the data for the others pass through the host (resident_rows.h,
 * resident_dense.h, resident_operands.h). */
#ifndef SPL_PARTITION_PARTS_H
#define SPL_PARTITION_PARTS_H

#include "partition/part.h"
#include "partition/resident_operands.h"

/* plan->spread */
typedef struct spl__spread {
    spl__division division;
    spl__part **parts; /* of each share; NULL: it has no rows */
    /* of dense products: the host image of the right operand, from where devices fetch it; the
     * orders of the last call's operands; whether devices may be accessing images */
    spl__image x;
    /* ... where the mask of rows is brought from the device that holds A; NULL: the host does */
    void *mask;
    spl_order order_x, order_y;
    bool in_flight;
    /* of sparse products: whether parts keep C; whether some began with a bound; entries of C, or
     * their bound */
    bool keeps, bounded;
    int64_t nnz;
    /* ... with operands on a device: these, a stream for values of other parts, and an event: the
     * begin of the last execution */
    spl__resident_operand operands[3];
    void *carry, *begun;
} spl__spread;

/* The next part, the first after NULL; NULL: there are no more. */
spl__part *spl__parts_next(const spl__spread *spread, const spl__part *part);
/* The CPU's part; NULL: it has no rows. */
spl__part *spl__parts_cpu(const spl__spread *spread);
/* Frees all parts. */
void spl__parts_free(spl__spread *spread);

typedef struct spl__execution {
    spl_plan *plan;
    spl__spread *spread;
    const spl__call *call;
    int threads;              /* of the calling thread's work */
    const spl_stream *stream; /* the caller's */
    /* dense products: the call's operands, and whether they are read: alpha is not 0; beta is not,
     * or a mask leaves rows as they are */
    const spl_dense *b, *c;
    bool reads_b, reads_c;
} spl__execution;

/* Sparse products: what is known about the part's rows of C. */
spl__product_state spl__part_state(const spl__part *part);
/* Sparse products: where the part's values of C go, in the caller's array or, if that is on another
 * device, the part's image; NULL: to the plan's. */
void *spl__part_values(const spl__part *part, const spl__execution *e);
/* Runs a stage of one part, or of all. */
spl_status spl__part_run(spl__part *part, spl__stage stage, const spl__execution *e);
spl_status spl__parts_run(spl__stage stage, const spl__execution *e);
/* Copies bytes of x, from `offset` on, from the host to all parts that need them there. */
spl_status spl__parts_send(const spl__spread *spread, const void *from, size_t offset,
                           size_t bytes);
/* Waits for all devices. */
spl_status spl__parts_wait(spl_plan *plan);
/* Ends an execution that the plan has entered: counts it, or after a failure waits until no
 * device accesses the caller's arrays. Returns `status`. */
spl_status spl__parts_end(const spl__execution *e, spl_status status);

/* ---- kinds of parts, a file each ---- */

/* Dense products: the calling thread; a device with room for its rows; one through which they pass
 * in blocks. */
extern const spl__part_kind spl__part_cpu, spl__part_device, spl__part_blocks;
/* Sparse products: the CPU, or a device that copies its rows itself; the device that holds the
 * operands; one through which rows pass in blocks. */
extern const spl__part_kind spl__part_product_cpu, spl__part_product_device,
    spl__part_product_in_place, spl__part_product_blocks;

/* ---- dense operands ---- */

/* The bytes of `rows` rows like those of m, without gaps. */
size_t spl__rows_bytes(const spl_dense *m, int64_t rows);
/* B, and the part's rows of C, in distributed form at a place: without gaps, in the order of the
 * last call's. */
spl_dense spl__held_b(const spl__execution *e, spl_place place, void *values);
spl_dense spl__held_c(const spl__execution *e, const spl__part *part, spl_place place,
                      void *values);
/* The part's rows of the caller's C: as rows in the order of parts, and as a matrix, in natural
 * order. */
spl__dense_rows spl__rows_of_result(const spl__execution *e, const spl__part *part);
spl_dense spl__rows_within(const spl_dense *c, const spl__part *part);
/* The call for the part's rows: with its own part of the mask of rows, if there is one, which must
 * be on the host: written to part->named and described by *rows. */
spl__call spl__part_call(spl__part *part, const spl__execution *e, spl_row_mask *rows);

#endif
