/* SPDX-License-Identifier: Apache-2.0 */
#ifndef T
/* Small one-shot SpMM: see spmm_once.h. Not a method, since there is no plan to choose it. Each
 * entry of A adds a multiple of a row of B to a row of C.
 *
 * Cost: nnz*columns multiplications, on one thread. */
#include "core/lanes.h"
#include "core/variant.h"
#include "spmm/spmm_once.h"

typedef void (*kernel_fn)(const spl__once *once);

#define SELF "spmm/cpu/spmm_once_cpu.c"
#include "core/each_type.h"

SPL__KERNELS(spmm_once, kernel_fn, multiply, SPL__V3)

#ifndef SPL__VARIANT

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

static void FN(multiply)(const spl__once *once)
{
    const P *offsets = once->a.offsets;
    const I *indices = once->a.indices;
    const T *restrict values = once->a.values, *restrict b = once->b.values;
    const T alpha = *(const T *)once->call.alpha;
    T *restrict c = once->c.values;
    FN(scale)(&once->c, *(const T *)once->call.beta);
    for (int64_t i = 0; i < once->lines; i++)
        for (P p = offsets[i]; p < offsets[i + 1]; p++) {
            const int64_t other = indices[p];
            const T *restrict row = b + (once->gather ? other : i) * once->b.ld;
            T *restrict sums = c + (once->gather ? i : other) * once->c.ld;
            const T factor = alpha * values[p];
            for (int64_t j = 0; j < once->b.cols; j++)
                sums[j] += factor * row[j];
        }
}

#endif
