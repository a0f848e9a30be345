/* SPDX-License-Identifier: Apache-2.0 */
/* mm_store.c: converts parsed lines to entries in the order of the file. Entries of symmetric
 * files are followed by their mirror images; zeros of arrays are dropped. */
#ifndef T
#include "io/matrix_market/mm_piece.h"

#include "core/combination.h"
#include "core/integer.h"

static bool mirrored(const spl__mm_header *header, int64_t row, int64_t col)
{
    return header->symmetry != SPL__MM_GENERAL && row != col;
}

#define SELF "io/matrix_market/mm_store.c"
#include "core/each_type.h"

void spl__mm_piece_store(const spl__mm_piece *piece, const spl__mm_header *header,
                         spl__entries *entries)
{
    static void (*const table[SPL__COMBINATIONS])(const spl__mm_piece *, const spl__mm_header *,
                                                  spl__entries *) = SPL__TABLE_IN_ALL(store);
    if (piece->stored == 0) /* then there may be no arrays */
        return;
    table[spl__combination(entries->type, SPL_I64, entries->index_type)](piece, header, entries);
}
#else
#define IN_HALVES
#define IN_INTEGERS
#ifdef INTEGER
#define PARSED         int64_t
#define VALUES(piece)  ((piece)->wholes)
#define NEGATED(value) SPL__TIMES((value), (int64_t)-1)
#else
#define PARSED         double
#define VALUES(piece)  ((piece)->values)
#define NEGATED(value) (-(value))
#endif
#ifdef HALF
#define ROUNDED(value) NARROW(spl__f32_to_odd(value))
#else
#define ROUNDED(value) ((T)(value))
#endif
static void FN(store)(const spl__mm_piece *piece, const spl__mm_header *header,
                      spl__entries *entries)
{
    I *rows = (I *)entries->rows + piece->to, *cols = (I *)entries->cols + piece->to;
    T *values = (T *)entries->values + piece->to;
    spl__mm_position position =
        header->array ? spl__mm_array_position(header, piece->first) : (spl__mm_position){0, 0};
    P k = 0;
    for (int64_t n = 0; n < piece->count; n++) {
        const PARSED value = VALUES(piece) ? VALUES(piece)[n] : 1;
        I row = (I)(header->array ? position.row : piece->rows[n]),
          col = (I)(header->array ? position.col : piece->cols[n]);
        if (header->array)
            spl__mm_array_advance(header, &position);
        if (header->array && value == 0)
            continue;
        rows[k] = row, cols[k] = col, values[k] = ROUNDED(value);
        k++;
        if (!mirrored(header, row, col))
            continue;
        rows[k] = col, cols[k] = row,
        values[k] = ROUNDED(header->symmetry == SPL__MM_SKEW ? NEGATED(value) : value);
        k++;
    }
}
#undef ROUNDED
#undef PARSED
#undef VALUES
#undef NEGATED
#endif
