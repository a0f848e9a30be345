/* SPDX-License-Identifier: Apache-2.0 */
/* spgemm_slot_rows.h: rows of C found in hash tables of columns, by teams of at most a warp. Part
 * of the templates of kernel files: read once per combination of types, without a guard, after
 * spgemm_find_rows.h and spgemm_sort_rows.h. */

#include "spgemm/kernels/find/spgemm_slots.h"

/* Finds one row in the team's table, where its columns are sorted in runs. Returns their number.
 * whole: the team as one part. */
DEVICE int32_t FN(find_in_slots)(const struct spgemm_find *f, const spgemm_team *t,
                                 const spgemm_team *whole, int64_t row, const spgemm_set *set)
{
    spgemm_clear_slots(t, set);
    FN(insert_all)(set, t, SPGEMM_SLOTS, f, row);
    spgemm_team_sync(t);
    const int32_t count = spgemm_gather_columns(whole, set);
    spgemm_sort_columns(whole, set->keys, count);
    return count;
}

/* Finds the rows of a bin. A block reserves space for all its rows at once. */
DEVICE void FN(find_rows_in_slots)(const struct spgemm_find *f, int32_t *tables,
                                   spgemm_found *found)
{
    spgemm_team t = spgemm_team_of(f->layout.team, f->layout.width);
    const spgemm_team whole = spgemm_team_of(f->layout.team, f->layout.team);
    const int64_t teams = THREADS / t.size;
    t.long_row = f->layout.long_row;
    spgemm_set set = spgemm_set_in((uint32_t *)tables, 0, (int32_t *)0, (int64_t *)0);
    set.keys = tables + t.number * f->layout.slots;
    set.slots = f->layout.slots;
    set.shift = f->layout.shift;
    for (int64_t first = (BLOCK - f->layout.first_block) * teams; first < f->layout.list_count;
         first += f->layout.blocks * teams) {
        const bool has_row = first + t.number < f->layout.list_count;
        const int64_t row = has_row ? spgemm_row_at(f->layout.list, first + t.number) : 0;
        int32_t count = 0;
        if (has_row && !spgemm_is_settled(f, row))
            count = FN(find_in_slots)(f, &t, &whole, row, &set);
        const spgemm_destination to =
            spgemm_destination_of(f, &whole, has_row, row, count, 0, found);
        if (!f->columns && has_row && t.rank == 0)
            spgemm_note_row(f, row, count, to.columns);
        if (to.columns >= 0)
            spgemm_write_columns(&whole, set.keys, count,
                                 (f->columns ? f->columns : f->stash) + to.columns);
        spgemm_team_sync(&t); /* the next row clears the table */
    }
}
