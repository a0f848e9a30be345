/* SPDX-License-Identifier: Apache-2.0 */
/* sliced_columns.h: the columns of a matrix in sliced ELL (format/sliced_ell.h), in fewer bytes.
 *
 * Entries k of all rows of a slice, a line, often lie on one diagonal: on stencils nearly always.
 * Then one integer suffices, column - row. Otherwise 16 bits per entry suffice if each column is
 * near its row; else columns are stored unchanged.
 *
 * Line k of slice s has number begin[s]/lanes + k; codes[number] tells how its columns are stored:
 *   k < full[s]    near  `lanes` integers of 16 bits, column - row, in the slice's listing
 *                  far   `lanes` columns in the slice's listing
 *                  else  column - row of all of them
 *   k >= full[s]   the number of lanes with an entry; `lanes` columns, padding included, in the
 *                  slice's listing
 *   slice with holes: column - row of all lanes with an entry
 * The listing of slice s begins at byte code_offsets[s] of `listed`.
 *
 * Source: narrow column deltas: [S2]; diagonals within slices: compare D. Langr, P. Tvrdik, IEEE
 * TPDS 27(2), 2016 (a survey of formats). */
#ifndef SPL_FORMAT_SLICED_COLUMNS_H
#define SPL_FORMAT_SLICED_COLUMNS_H

#include "format/sliced_ell.h"

#include <stdbool.h>

/* Codes of the two kinds of listed lines, in I: below any difference of a column and a row. */
#define SPL__LINE_NEAR (sizeof(I) == 4 ? (I)INT32_MIN : (I)INT64_MIN)
#define SPL__LINE_FAR  (SPL__LINE_NEAR + 1)

/* What all lines of a slice have in common. */
typedef enum spl__slice_kind {
    SPL__SLICE_MIXED,
    SPL__SLICE_FAR,   /* those without padding are far */
    SPL__SLICE_HOLED, /* on diagonals, with a mask */
    SPL__SLICE_WHOLE  /* on diagonals, without padding; rows are consecutive */
} spl__slice_kind;

typedef struct spl__sliced_columns {
    int64_t lines;
    void *codes;           /* lines, of the columns' type */
    int64_t *code_offsets; /* slices + 1 */
    unsigned char *kinds;  /* slices; spl__slice_kind */
    unsigned char *listed; /* code_offsets[slices] bytes */
} spl__sliced_columns;

/* Compresses the columns of `sliced`, which are not needed afterwards. Without `narrow` there
 * are no near lines: widening 16 bits costs more than it saves where everything stays in caches.
 * On failure frees everything. SPL_OUT_OF_MEMORY, SPL_OVER_BUDGET. */
spl_status spl__sliced_columns_make(spl__account *account, const spl__sliced_ell *sliced,
                                    bool narrow, int threads, spl__sliced_columns *columns);
void spl__sliced_columns_free(spl__sliced_columns *columns);

#endif
