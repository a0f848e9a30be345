/* SPDX-License-Identifier: Apache-2.0 */
/* once_pieces.h: entries of C, kept in pieces of memory until it is known how many there are. So C
 * is held twice for a while, and never as much as it could have been. */
#ifndef SPL_SPGEMM_CPU_ONCE_PIECES_H
#define SPL_SPGEMM_CPU_ONCE_PIECES_H

#include "core/memory.h"

typedef struct spl__piece spl__piece;

/* Of one thread. Begins with the account and sizes, without pieces. */
typedef struct spl__pieces {
    spl__account *account;
    size_t index, value; /* bytes of a column, of a value */
    spl__piece *first, *last;
} spl__pieces;

/* Where entries begin; they may go on in the next pieces. */
typedef struct spl__piece_position {
    const spl__piece *piece;
    int64_t entry;
} spl__piece_position;

/* Appends entries. SPL_OUT_OF_MEMORY: some may have been appended. */
spl_status spl__pieces_append(spl__pieces *pieces, const void *columns, const void *values,
                              int64_t count, spl__piece_position *at);
/* Copies entries from `at` on. */
void spl__pieces_copy(const spl__pieces *pieces, spl__piece_position at, int64_t count,
                      void *columns, void *values);
void spl__pieces_free(spl__pieces *pieces);

#endif
