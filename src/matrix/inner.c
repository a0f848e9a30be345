/* SPDX-License-Identifier: Apache-2.0 */
#include "matrix/inner.h"

#include "core/checked.h"
#include "matrix/arrange.h"
#include "matrix/renumber.h"

int64_t *spl__inner_of_a(spl__factor *a)
{
    return a->transposed ? &a->view.rows : &a->view.cols;
}

int64_t *spl__inner_of_b(spl__factor *b)
{
    return b->transposed ? &b->view.cols : &b->view.rows;
}

/* The array of a view that holds the inner index of each entry, which are columns or rows of the
 * view; NULL: offsets hold them. */
static const void **inner_indices(spl_sparse *view, bool columns)
{
    if (view->format == SPL_COO)
        return columns ? &view->indices : &view->offsets;
    return columns == (view->format == SPL_CSR) ? &view->indices : NULL;
}

static const void **indices_of_a(spl__factor *a)
{
    return inner_indices(&a->view, !a->transposed);
}

static const void **indices_of_b(spl__factor *b)
{
    return inner_indices(&b->view, b->transposed);
}

/* Renumbering an entry costs about 50 times as much as an element of the offsets. */
bool spl__inner_is_far(const spl__factor *a, const spl__factor *b)
{
    enum { TIMES = 64, NEAR = 1 << 16 };
    spl__factor of_a = *a, of_b = *b;
    return indices_of_a(&of_a) && indices_of_b(&of_b) &&
           *spl__inner_of_a(&of_a) / TIMES > a->view.nnz + b->view.nnz + NEAR;
}

double spl__inner_bytes(const spl__factor *a, const spl__factor *b)
{
    return spl__counted_bytes((double)a->view.nnz, spl__index_size(a->view.index_type)) +
           spl__counted_bytes((double)b->view.nnz, spl__index_size(b->view.index_type));
}

static spl_status copy(spl__account *account, const void *indices, const spl_sparse *view,
                       void **array)
{
    spl_index type = view->index_type;
    spl__watch *watch = spl__account_watch(account);
    SPL__TRY(spl__alloc(account, view->nnz, spl__index_size(type), array));
    spl__copy_indices(watch, *array, type, indices, type, view->nnz);
    return spl__watch_check(watch);
}

spl_status spl__inner_compact(spl__account *account, spl__factor *a, spl__factor *b,
                              void *arrays[2])
{
    const void **of_a = indices_of_a(a), **of_b = indices_of_b(b);
    int64_t distinct;
    spl_status status = copy(account, *of_a, &a->view, &arrays[0]);
    if (status == SPL_OK)
        status = copy(account, *of_b, &b->view, &arrays[1]);
    if (status == SPL_OK)
        status =
            spl__renumber(account, (spl__numbers){arrays[0], a->view.index_type, a->view.nnz},
                          (spl__numbers){arrays[1], b->view.index_type, b->view.nnz}, &distinct);
    if (status != SPL_OK) {
        spl__free(arrays[0]);
        spl__free(arrays[1]);
        arrays[0] = arrays[1] = NULL;
        return status;
    }
    *of_a = arrays[0];
    *of_b = arrays[1];
    *spl__inner_of_a(a) = *spl__inner_of_b(b) = distinct;
    return SPL_OK;
}
