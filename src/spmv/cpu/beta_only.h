/* SPDX-License-Identifier: Apache-2.0 */
/* beta_only.h: scaling by beta, and alpha = 0, for all methods of SpMV. A template: T, ACC and
 * FN come from core/each_type.h. */

#include "core/checked.h"
#include "core/integer.h"

/* beta*y, without reading y if beta is 0 */
static inline ACC FN(scaled)(ACC beta, const T *y)
{
    return beta == 0 ? 0 : SPL__TIMES(beta, WIDEN(*y));
}

/* Whether y = A*x is asked for. Its loops neither multiply by alpha nor ask about beta for each
 * row, which is a fifth of the time of rows of five entries. */
static inline bool FN(is_plain)(const spl__call *call)
{
    return *(const ACC *)call->alpha == 1 && *(const ACC *)call->beta == 0;
}

static inline void FN(scale_rows)(ACC beta, int64_t first, int64_t last, T *y)
{
    for (int64_t i = first; i < last; i++)
        y[i] = NARROW(FN(scaled)(beta, &y[i]));
}

/* y = beta*y. Apart, so that the usual call knows nothing of a parallel region. */
static SPL__APART void FN(scale)(ACC beta, int64_t rows, int threads, T *y)
{
    const int64_t piece = 65536;
    SPL__FOR_PARTS(p, (rows + piece - 1) / piece, threads,
                   FN(scale_rows)(beta, p * piece, spl__min_i64((p + 1) * piece, rows), y));
}

/* If alpha is 0: computes y = beta*y without reading A and x, and returns true. */
static inline bool FN(beta_only)(const spl__call *call, int64_t rows, int threads)
{
    const ACC beta = *(const ACC *)call->beta;
    T *y = call->y;
    if (*(const ACC *)call->alpha != 0)
        return false;
    FN(scale)(beta, rows, threads, y);
    return true;
}
