/* SPDX-License-Identifier: Apache-2.0 */
#include "spmv/stretches.h"

#include "core/lanes.h"

#include <math.h>

/* Rows of equal length that are a stretch: changing to another loop is mispredicted, which takes as
 * long as some rows. */
enum { LEAST_EQUAL = 16 };

/* What a stretch of rows of so many entries is called. */
static int64_t kind_of(int64_t length)
{
    if (length > SPL__LONG_ROW)
        return SPL__LONG_ROWS;
    return length <= SPL__MOST_EQUAL ? length : SPL__ANY_LENGTH;
}

/* The offset of row i; `wide` is a compile-time constant in both callers. */
static SPL__INLINED int64_t offset(const void *offsets, int64_t i, const bool wide)
{
    return wide ? ((const int64_t *)offsets)[i] : ((const int32_t *)offsets)[i];
}

/* The end of the rows from i on of one kind. */
static SPL__INLINED int64_t same_kind(const void *offsets, int64_t i, int64_t last, int64_t *kind,
                                      const bool wide)
{
    int64_t begin = offset(offsets, i, wide), end = offset(offsets, i + 1, wide);
    *kind = kind_of(end - begin);
    for (i++; i < last; i++) {
        begin = end, end = offset(offsets, i + 1, wide);
        if (kind_of(end - begin) != *kind)
            break;
    }
    return i;
}

/* Appends the stretches of rows first to last - 1 to the list, unless it is NULL; returns their
 * number. Too few rows of equal length are of any. */
static SPL__INLINED int64_t find(const void *offsets, int64_t first, int64_t last,
                                 spl__stretch *list, const bool wide)
{
    int64_t count = 0, before = SPL__LONG_ROWS, kind;
    for (int64_t i = first, end; i < last; i = end) {
        end = same_kind(offsets, i, last, &kind, wide);
        if (kind >= 0 && end - i < LEAST_EQUAL)
            kind = SPL__ANY_LENGTH;
        count += i == first || kind != before;
        before = kind;
        if (list)
            list[count - 1] = (spl__stretch){end, kind};
    }
    return count;
}

static int64_t find_in(const spl_sparse *a, int64_t first, int64_t last, spl__stretch *list)
{
    return a->offset_type == SPL_I64 ? find(a->offsets, first, last, list, true)
                                     : find(a->offsets, first, last, list, false);
}

spl_status spl__stretches_make(spl__account *account, const spl_sparse *a, int64_t work,
                               spl__stretches *s)
{
    SPL__TRY(spl__row_parts_make(account, a, work, &s->parts));
    const int64_t *row = s->parts.row;
    SPL__TRY(SPL__NEW(account, &s->first, s->parts.count + 1));
    s->first[0] = 0;
    for (int64_t r = 0; r < s->parts.count; r++)
        s->first[r + 1] = s->first[r] + find_in(a, row[r], row[r + 1], NULL);
    SPL__TRY(SPL__NEW(account, &s->list, s->first[s->parts.count]));
    for (int64_t r = 0; r < s->parts.count; r++)
        (void)find_in(a, row[r], row[r + 1], s->list + s->first[r]);
    return SPL_OK;
}

double spl__stretches_bytes(double rows, double entries, int64_t work)
{
    const double parts = fmax(1, (rows + entries) / (double)work), equal = 2 * rows / LEAST_EQUAL,
                 others = 2 * entries / SPL__LONG_ROW;
    return spl__counted_bytes(1, sizeof(spl__stretches)) +
           2 * spl__counted_bytes(parts + 1, sizeof(int64_t)) +
           spl__counted_bytes(parts + fmin(rows, equal + others), sizeof(spl__stretch));
}

void spl__stretches_free(spl__stretches *s)
{
    spl__row_parts_free(&s->parts);
    spl__free(s->first);
    spl__free(s->list);
}
