/* SPDX-License-Identifier: Apache-2.0 */
#ifndef T
/* Small one-shot SpMM: see spmm_once.h. Not a method, since there is no plan to choose it. Rows
 * of C are summed up in registers, some columns at a time; where A is stored by columns, each entry
 * adds a multiple of a row of B to a row of C.
 *
 * Cost: nnz*columns multiplications, on one thread. */
#include "core/lanes.h"
#include "core/variant.h"
#include "spmm/spmm_once.h"

enum { WIDTH = 16 }; /* columns of which sums stay in registers */

typedef void (*kernel_fn)(const spl__once *once);

#define SELF "spmm/cpu/spmm_once_cpu.c"
#include "core/each_type.h"

SPL__KERNELS(spmm_once, kernel_fn, multiply, SPL__V3)

#ifndef SPL__VARIANT

bool spl__spmm_once_serves(const spl__once *once)
{
    return spl__once_is_small(once, once->b.cols) && (once->gather || spl__once_scatters(once));
}

spl_status spl__spmm_once(const spl__once *once)
{
    SPL__TRY(spl__once_check(once));
    kernel(spl__combination(once->a.type, once->a.offset_type, once->a.index_type))(once);
    return SPL_OK;
}

#endif
#else

/* C = beta*C, without reading C if beta is 0. */
static void FN(scale)(const spl_dense *c, T beta)
{
    for (int64_t i = 0; i < c->rows; i++) {
        T *to = (T *)c->values + i * c->ld;
        for (int64_t j = 0; j < c->cols; j++)
            to[j] = beta == 0 ? 0 : beta * to[j];
    }
}

/* C += alpha*op(A)*B after C = beta*C, by columns of op(A). alpha is 1 or -1. */
static void FN(scatter)(const spl__once *once)
{
    const P *offsets = once->a.offsets;
    const I *rows = once->a.indices;
    const T *restrict values = once->a.values;
    const T alpha = *(const T *)once->call.alpha;
    FN(scale)(&once->c, *(const T *)once->call.beta);
    for (int64_t i = 0; i < once->lines; i++)
        for (P p = offsets[i]; p < offsets[i + 1]; p++) {
            const T *restrict b = (const T *)once->b.values + i * once->b.ld;
            T *restrict c = (T *)once->c.values + rows[p] * once->c.ld;
            const T factor = alpha * values[p];
            for (int64_t j = 0; j < once->b.cols; j++)
                c[j] += factor * b[j];
        }
}

/* Row i of C, as many columns as there are sums, from the first one. */
static inline void FN(gather_row)(const spl__once *once, int64_t i, int64_t first, int width)
{
    const P *offsets = once->a.offsets;
    const I *columns = once->a.indices;
    const T *restrict values = once->a.values, *restrict b = (const T *)once->b.values + first;
    const T alpha = *(const T *)once->call.alpha, beta = *(const T *)once->call.beta;
    T *restrict c = (T *)once->c.values + i * once->c.ld + first, sums[WIDTH];
    for (int j = 0; j < width; j++)
        sums[j] = 0;
    for (P p = offsets[i]; p < offsets[i + 1]; p++) {
        const T *restrict row = b + columns[p] * once->b.ld, value = values[p];
        for (int j = 0; j < width; j++)
            sums[j] += value * row[j];
    }
    for (int j = 0; j < width; j++)
        c[j] = alpha * sums[j] + (beta == 0 ? 0 : beta * c[j]);
}

static void FN(multiply)(const spl__once *once)
{
    if (!once->gather) {
        FN(scatter)(once);
        return;
    }
    for (int64_t i = 0; i < once->lines; i++) {
        int64_t first = 0;
        for (; first + WIDTH <= once->b.cols; first += WIDTH)
            FN(gather_row)(once, i, first, WIDTH);
        if (first < once->b.cols)
            FN(gather_row)(once, i, first, (int)(once->b.cols - first));
    }
}

#endif
