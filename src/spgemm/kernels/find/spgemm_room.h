/* SPDX-License-Identifier: Apache-2.0 */
/* spgemm_room.h: the destination of a row's columns. */
#ifndef SPL_SPGEMM_KERNELS_SPGEMM_ROOM_H
#define SPL_SPGEMM_KERNELS_SPGEMM_ROOM_H

#include "spgemm/kernels/spgemm_team.h"

/* Whether the row was stashed when it was counted. */
DEVICE bool spgemm_is_settled(const struct spgemm_find *f, int64_t row)
{
    return f->columns && f->starts && f->starts[row] >= 0;
}

/* Reserves `count` columns of the stash; -1: it is full. */
DEVICE int64_t spgemm_take_room(const struct spgemm_find *f, int64_t count)
{
    if (f->room == 0 || count > f->room)
        return -1;
    const int64_t start = (int64_t)ATOMIC_ADD(f->used, (uint64_t)count);
    return start + count <= f->room ? start : -1;
}

DEVICE void spgemm_note_row(const struct spgemm_find *f, int64_t row, int64_t count, int64_t start)
{
    f->counts[row] = count;
    if (f->starts && !f->bounded)
        f->starts[row] = start;
    if (f->room > 0 && start < 0)
        ATOMIC_ADD(f->missed, 1);
}

/* Stores the length of a row. Returns the destination of its columns, NULL if they are not
 * stored now. *position is shared by the team, which must synchronise before the next use. */
DEVICE int32_t *spgemm_columns_destination(const struct spgemm_find *f, const spgemm_team *t,
                                           int64_t row, int64_t count, int64_t *position)
{
    if (f->columns)
        return f->columns + f->offsets[row];
    if (t->rank == 0) {
        *position = f->bounded ? f->starts[row] : spgemm_take_room(f, count);
        spgemm_note_row(f, row, count, *position);
    }
    spgemm_team_sync(t);
    return *position >= 0 ? f->stash + *position : (int32_t *)0;
}

#endif
