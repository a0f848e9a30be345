/* SPDX-License-Identifier: Apache-2.0 */
#include "spgemm/cpu/once_pieces.h"

#include "core/checked.h"

#include <string.h>

enum { ENTRIES = 2048 }; /* of a piece */

/* Its columns and then its values follow. */
struct spl__piece {
    spl__piece *next;
    int64_t used;
    char *columns, *values;
};

static spl_status add_piece(spl__pieces *p)
{
    spl__piece *piece;
    SPL__TRY(spl__alloc(p->account, 1, sizeof *piece + ENTRIES * (p->index + p->value),
                        (void **)&piece));
    *piece = (spl__piece){.values = (char *)(piece + 1)}; /* the larger ones first: aligned */
    piece->columns = piece->values + ENTRIES * p->value;
    if (p->last)
        p->last->next = piece;
    else
        p->first = piece;
    p->last = piece;
    return SPL_OK;
}

spl_status spl__pieces_append(spl__pieces *p, const void *columns, const void *values,
                              int64_t count, spl__piece_position *at)
{
    const char *column = columns, *value = values;
    if (count > 0 && (!p->last || p->last->used == ENTRIES))
        SPL__TRY(add_piece(p));
    *at = (spl__piece_position){p->last, p->last ? p->last->used : 0};
    while (count > 0) {
        if (p->last->used == ENTRIES)
            SPL__TRY(add_piece(p));
        spl__piece *to = p->last;
        const size_t used = (size_t)to->used,
                     more = (size_t)spl__min_i64(count, ENTRIES - to->used);
        memcpy(to->columns + used * p->index, column, more * p->index);
        memcpy(to->values + used * p->value, value, more * p->value);
        to->used += (int64_t)more;
        column += more * p->index;
        value += more * p->value;
        count -= (int64_t)more;
    }
    return SPL_OK;
}

void spl__pieces_copy(const spl__pieces *p, spl__piece_position at, int64_t count, void *columns,
                      void *values)
{
    char *column = columns, *value = values;
    while (count > 0) {
        const size_t from = (size_t)at.entry,
                     more = (size_t)spl__min_i64(count, at.piece->used - at.entry);
        memcpy(column, at.piece->columns + from * p->index, more * p->index);
        memcpy(value, at.piece->values + from * p->value, more * p->value);
        column += more * p->index;
        value += more * p->value;
        count -= (int64_t)more;
        at = (spl__piece_position){at.piece->next, 0};
    }
}

void spl__pieces_free(spl__pieces *p)
{
    while (p->first) {
        spl__piece *next = p->first->next;
        spl__free(p->first);
        p->first = next;
    }
    p->last = NULL;
}
