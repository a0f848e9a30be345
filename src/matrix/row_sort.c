/* SPDX-License-Identifier: Apache-2.0 */
/* row_sort.c: the plain counting sort, and the case that nothing is to be sorted. */
#include "matrix/row_sort.h"

#include "core/checked.h"
#include "core/threads/team.h"
#include "core/threads/team_seconds.h"

enum { BLOCK = 1 << 14, SMALL = 1 << 15, FEW_ROWS = 512 };

/* ---- nothing to sort ---- */

SPL__SPECIALISED bool ascends(const void *key, spl_index type, int64_t from, int64_t to)
{
    int64_t descents = 0;
    for (int64_t p = from; p < to; p++)
        descents += spl__index_at(key, type, p) < spl__index_at(key, type, p - 1);
    return descents == 0;
}

bool spl__row_sort_idle(int threads, const spl__row_sort *s)
{
    bool fine = true;
    int64_t blocks = (s->count + BLOCK - 1) / BLOCK;
#pragma omp parallel for num_threads(spl__team(spl__threads_for(s->count, threads)))               \
    reduction(&& : fine)
    for (int64_t b = 0; b < blocks; b++) {
        int64_t from = b ? b * BLOCK : 1, to = spl__min_i64(s->count, (b + 1) * BLOCK);
        if (!fine || !spl__watch_goes_on(s->watch))
            continue;
        fine = s->type == SPL_I32 ? ascends(s->key, SPL_I32, from, to)
                                  : ascends(s->key, SPL_I64, from, to);
    }
    return fine;
}

/* offsets[i] = p for every row i that begins at entry p: the rows after that of entry p - 1, up
 * to that of entry p. */
static void fill_offsets(const spl__row_sort *s, int64_t from, int64_t to)
{
    for (int64_t p = from; p < to; p++) {
        int64_t row = p ? spl__index_at(s->key, s->type, p - 1) + 1 : 0;
        for (int64_t last = spl__index_at(s->key, s->type, p); row <= last; row++)
            spl__index_set(s->offsets, s->offset_type, row, p);
    }
}

void spl__row_sort_offsets(int threads, const spl__row_sort *s)
{
    int64_t blocks = (s->count + BLOCK - 1) / BLOCK;
#pragma omp parallel for num_threads(spl__team(spl__threads_for(s->count, threads)))
    for (int64_t b = 0; b < blocks; b++)
        if (spl__watch_goes_on(s->watch))
            fill_offsets(s, b * BLOCK, spl__min_i64(s->count, (b + 1) * BLOCK));
    int64_t row = s->count ? spl__index_at(s->key, s->type, s->count - 1) + 1 : 0;
    for (; row <= s->rows; row++)
        spl__index_set(s->offsets, s->offset_type, row, s->count);
}

/* ---- the plain counting sort ----
 * While entries are placed, offsets[i+1] is where the next entry of row i goes; afterwards it is
 * where row i ends. */

SPL__SPECIALISED void store(const spl__row_sort *s, int64_t p, int64_t column, spl_index type,
                            spl_index offset_type, spl_index index_type)
{
    int64_t row = spl__index_at(s->key, type, p),
            slot = spl__index_at(s->offsets, offset_type, row + 1);
    spl__index_set(s->offsets, offset_type, row + 1, slot + 1);
    spl__index_set(s->indices, index_type, slot, column);
    spl__row_sort_store(s, slot, spl__row_sort_load(s, p));
}

SPL__SPECIALISED void sort_plainly(const spl__row_sort *s, spl_index type, spl_index offset_type,
                                   spl_index index_type)
{
    for (int64_t i = 0; i <= s->rows; i++)
        spl__index_set(s->offsets, offset_type, i, 0);
    for (int64_t p = 0; p < s->count && spl__watch_goes_on_at(s->watch, p); p++) {
        int64_t row = spl__index_at(s->key, type, p);
        spl__index_set(s->offsets, offset_type, row + 1,
                       spl__index_at(s->offsets, offset_type, row + 1) + 1);
    }
    for (int64_t i = 1, next = 0; i <= s->rows; i++) {
        int64_t length = spl__index_at(s->offsets, offset_type, i);
        spl__index_set(s->offsets, offset_type, i, next);
        next += length;
    }
    if (s->other)
        for (int64_t p = 0; p < s->count && spl__watch_goes_on_at(s->watch, p); p++)
            store(s, p, spl__index_at(s->other, type, p), type, offset_type, index_type);
    else
        for (int64_t line = 0, p = 0; line < s->lines; line++)
            for (int64_t end = spl__index_at(s->line_offsets, s->line_type, line + 1);
                 p < end && spl__watch_goes_on_at(s->watch, p); p++)
                store(s, p, line, type, offset_type, index_type);
}

spl_status spl__row_sort_run(spl__account *account, int threads, const spl__row_sort *s)
{
    if (s->count >= SMALL && (s->rows > FEW_ROWS || threads > 1)) {
        spl_status status = spl__row_buckets(account, threads, s);
        if (status != SPL_OVER_BUDGET)
            return status;
    }
    bool narrow = s->type == SPL_I32 && s->offset_type == SPL_I32 && s->index_type == SPL_I32;
    bool wide = s->type == SPL_I64 && s->offset_type == SPL_I64 && s->index_type == SPL_I64;
    if (narrow)
        sort_plainly(s, SPL_I32, SPL_I32, SPL_I32);
    else if (wide)
        sort_plainly(s, SPL_I64, SPL_I64, SPL_I64);
    else
        sort_plainly(s, s->type, s->offset_type, s->index_type);
    return spl__watch_check(s->watch);
}
