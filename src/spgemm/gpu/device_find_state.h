/* SPDX-License-Identifier: Apache-2.0 */
/* device_find_state.h: the state of the symbolic phase on a device while it runs, for the files
 * device_find*.c. */
#ifndef SPL_SPGEMM_GPU_DEVICE_FIND_STATE_H
#define SPL_SPGEMM_GPU_DEVICE_FIND_STATE_H

#include "spgemm/gpu/device_launches.h"
#include "spgemm/gpu/device_notes.h"
#include "spgemm/kernels/bins/spgemm_rows.k.h"
#include "spgemm/kernels/find/spgemm_find.k.h"

/* Bytes of a column, of a word of a window and of a slot of a hash table; columns of a word. */
enum {
    SPL__FIND_COLUMN = sizeof(int32_t),
    SPL__FIND_WORD = sizeof(uint32_t),
    SPL__FIND_SLOT = 8,
    SPL__FIND_WORD_COLUMNS = 32
};

typedef struct spl__finding {
    spl_plan *plan;
    spl__row_shapes shapes;
    bool attempt, bounded;
    bool sums;                 /* rows are counted and summed */
    bool counts_work, settled; /* before nnz(C) is known: work is counted, columns are copied */
    int64_t block_bytes;       /* of shared memory */
    spl__row_bins bins;
    spl__team_launches launches;
    struct spl__find_notes *notes; /* on the device */
    spl__device_array starts, stash, overflowed;
    int64_t room;
    int64_t most_overflowed, overflowed_first, overflowed_all; /* rows */
} spl__finding;

/* ---- device_find_teams.c ---- */

/* Shared memory of a team; its context is not used. */
int64_t spl__find_team_bytes(const void *context, const spl__row_shape *shape);
/* The number of words that cover all columns. */
int64_t spl__finding_words(const spl__finding *finding);
/* Whether the rows of the bin are tried with tables that may be too small for them. */
bool spl__finding_attempts(const spl__finding *finding, int bin);
/* Lays out the launches of all bins: a joint one for those that fit the device at once. */
spl_status spl__finding_lay_out(spl__finding *finding);

/* ---- device_find_overflow.c ---- */

/* Finds the rows of the last bin that overflowed their tables, in at most two attempts. */
spl_status spl__finding_retry(spl__finding *finding, struct spgemm_find *args);

/* ---- device_find_room.c ---- */

/* Allocates a stash in which every row has its upper bound [S1], rows consecutively. */
spl_status spl__finding_make_bounds(spl__finding *finding);
/* Allocates the stash of columns; none if memory is short. */
spl_status spl__finding_make_room(spl__finding *finding);
/* Allocates the kept positions of sorted rows' terms; none if memory is short or may become so. */
spl_status spl__finding_make_kept(spl__finding *finding);
/* C is counted: announces to the plan the bytes of its arrays, and of the stash that was wanted. */
void spl__finding_expect(const spl__finding *finding);
/* Copies columns from the stash to C. */
spl_status spl__finding_settle(spl__finding *finding);
/* The same before nnz(C) is known, to an array as large as the stash, unless memory is short. */
spl_status spl__finding_settle_early(spl__finding *finding);

#endif
