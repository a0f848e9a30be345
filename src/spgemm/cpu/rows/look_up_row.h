/* SPDX-License-Identifier: Apache-2.0 */
/* look_up_row.h: the product of a row of A, whose columns are written into an array of positions,
 * with a row of B: dot products of A*B' without a transpose. A template; the includer defines
 * POSITION, as for meet_row.h.
 *
 * Cost: a look at a number per entry of the row of B; where that row is far longer, a search in it
 * per entry of A's. */

#include "spgemm/cpu/rows/gallop.h"

/* A row of A, whose positions are written down. */
typedef struct FN(looked_up) {
    const POSITION *positions;
    const I *columns;
    const T *values;
    P length;
    T alpha;
} FN(looked_up);

/* Adds the product of the row's k-th entry. */
static inline __attribute__((always_inline)) T FN(added)(const FN(looked_up) *a, size_t k,
                                                         const T *b, T sum, int32_t semiring)
{
    const T x = !spl__semiring_reads_a(semiring) ? 0
                : semiring == SPL_PLUS_TIMES     ? SPL__TIMES(a->alpha, a->values[k])
                                                 : a->values[k];
    const T y = spl__semiring_reads_b(semiring) ? *b : 0;
    SPL__SEMIRING_ADD(T, semiring, sum, x, y);
    return sum;
}

/* Its product with a row of B; *met: they share a column. */
static inline __attribute__((always_inline)) T
FN(look_up)(const FN(looked_up) *a, const spl_sparse *b, int64_t j, int32_t semiring, bool *met)
{
    const P *offsets = b->offsets;
    const I *columns = b->indices;
    const T *values = b->values;
    T sum = SPL__SEMIRING_NONE(T, semiring);
    *met = false;
    for (P q = offsets[j]; q < offsets[j + 1]; q++) {
        const POSITION k = a->positions[columns[q]];
        *met |= k != 0;
        if (semiring == SPL_PLUS_PAIR) /* hits are hard to foresee */
            sum += (T)(k != 0);
        else if (k != 0)
            sum = FN(added)(a, (size_t)k - 1, values + q, sum, semiring);
    }
    return sum;
}

/* The same where the row of B is far longer: it is searched for the entries of A's. */
static inline __attribute__((always_inline)) T
FN(search)(const FN(looked_up) *a, const spl_sparse *b, int64_t j, int32_t semiring, bool *met)
{
    const P *offsets = b->offsets;
    const int64_t length = (int64_t)(offsets[j + 1] - offsets[j]);
    const I *columns = (const I *)b->indices + offsets[j];
    const T *values = spl__semiring_reads_b(semiring) ? (const T *)b->values + offsets[j] : NULL;
    T sum = SPL__SEMIRING_NONE(T, semiring);
    int64_t q = 0;
    *met = false;
    for (P k = 0; k < a->length && q < length; k++) {
        if (columns[q] < a->columns[k])
            q = FN(gallop)(columns, q + 1, length, a->columns[k]);
        if (q == length || columns[q] != a->columns[k])
            continue;
        *met = true;
        sum = FN(added)(a, (size_t)k, values ? values + q : NULL, sum, semiring);
    }
    return sum;
}
