/* SPDX-License-Identifier: Apache-2.0 */
/* shifted_rows.h: whether rows repeat those before, shifted by a column, as on grids: repeat_row.h.
 */
#ifndef SPL_SPGEMM_CPU_ROWS_SHIFTED_ROWS_H
#define SPL_SPGEMM_CPU_ROWS_SHIFTED_ROWS_H

#include "matrix/view.h"

#include <math.h>

/* Whether at least `least` of `samples` rows have the columns of the row before plus one; false for
 * a matrix with no more rows than samples. row_neighbours.h compares 2,048 rows, which takes as
 * long as a small product; these few are at distances that are no multiples of a grid's. */
static inline bool spl__are_shifted(const spl_sparse *m, int samples, int least)
{
    enum { MOST = 64 }; /* longer rows are not compared */
    static const double golden_ratio = 0.61803398874989485;
    int shifted = 0;
    for (int s = 0; m->rows > samples && shifted < least && shifted + samples - s >= least; s++) {
        const double part = fmod((double)(s + 1) * golden_ratio, 1);
        const int64_t i = 1 + (int64_t)(part * (double)(m->rows - 2));
        const int64_t before = spl__index_at(m->offsets, m->offset_type, i - 1),
                      begin = spl__index_at(m->offsets, m->offset_type, i), length = begin - before;
        bool same = length > 0 && length <= MOST &&
                    spl__index_at(m->offsets, m->offset_type, i + 1) - begin == length;
        for (int64_t k = 0; same && k < length; k++)
            same = spl__index_at(m->indices, m->index_type, begin + k) ==
                   spl__index_at(m->indices, m->index_type, before + k) + 1;
        shifted += same;
    }
    return shifted >= least;
}

/* Whether most rows are shifted: a grid. */
static inline bool spl__is_shifted(const spl_sparse *m)
{
    enum { SAMPLES = 16 };
    return spl__are_shifted(m, SAMPLES, SAMPLES / 2 + 1);
}

/* Whether nearly all of not too few are: a band, or a grid whose lines are not short. */
static inline bool spl__is_shifted_mostly(const spl_sparse *m)
{
    enum { SAMPLES = 16, LEAST = 64 };
    return m->rows >= LEAST && spl__are_shifted(m, SAMPLES, SAMPLES - 1);
}

/* Whether all but few are: a band, or a grid with long lines, at whose ends shapes change. */
static inline bool spl__is_shifted_throughout(const spl_sparse *m)
{
    enum { SAMPLES = 64 };
    return spl__are_shifted(m, SAMPLES, SAMPLES);
}

#endif
