/* SPDX-License-Identifier: Apache-2.0 */
/* once_memory.h: memory of one-shot products. */
#ifndef SPL_SPGEMM_CPU_ONCE_MEMORY_H
#define SPL_SPGEMM_CPU_ONCE_MEMORY_H

#include "core/memory.h"
#include "matrix/matrix.h"
#include "spgemm/product.h"

/* `bytes`, rounded up to whole lines of cache. */
static inline size_t spl__in_lines(size_t bytes)
{
    return (bytes + SPL__LINE - 1) / SPL__LINE * SPL__LINE;
}

/* Cuts the arrays of C off behind its first `nnz` entries. SPL_OUT_OF_MEMORY. */
static inline spl_status spl__once_shrink(spl_matrix *c, int64_t nnz)
{
    SPL__TRY(spl__shrink(&c->indices, (size_t)nnz * spl__index_size(c->view.index_type)));
    SPL__TRY(spl__shrink(&c->values, (size_t)nnz * spl__type_size(c->view.type)));
    c->view.nnz = nnz;
    c->view.indices = c->indices;
    c->view.values = c->values;
    return SPL_OK;
}

#endif
