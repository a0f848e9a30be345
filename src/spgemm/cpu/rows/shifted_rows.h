/* SPDX-License-Identifier: Apache-2.0 */
/* shifted_rows.h: whether rows repeat those before, shifted by a column, as on grids: repeat_row.h.
 */
#ifndef SPL_SPGEMM_CPU_ROWS_SHIFTED_ROWS_H
#define SPL_SPGEMM_CPU_ROWS_SHIFTED_ROWS_H

#include "matrix/view.h"

#include <math.h>

/* How many of `samples` rows have the columns of the row before plus one; none in a matrix with no
 * more rows. row_neighbours.h compares 2,048 rows, which takes as long as a small product; these
 * few are at distances that are no multiples of a grid's. */
static inline int spl__count_shifted(const spl_sparse *m, int samples)
{
    enum { MOST = 64 }; /* longer rows are not compared */
    static const double golden_ratio = 0.61803398874989485;
    int shifted = 0;
    for (int s = 0; s < samples && m->rows > samples; s++) {
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
    return shifted;
}

/* Whether most rows are shifted: a grid. */
static inline bool spl__is_shifted(const spl_sparse *m)
{
    enum { SAMPLES = 16 };
    return 2 * spl__count_shifted(m, SAMPLES) > SAMPLES;
}

/* Whether all but few are: a band, or a grid with long lines, at whose ends shapes change. */
static inline bool spl__is_shifted_throughout(const spl_sparse *m)
{
    enum { SAMPLES = 64 };
    return spl__count_shifted(m, SAMPLES) == SAMPLES;
}

#endif
