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

static void use(spl__factor *a, spl__factor *b, const void *of_a, const void *of_b,
                int64_t distinct)
{
    *indices_of_a(a) = of_a;
    *indices_of_b(b) = of_b;
    *spl__inner_of_a(a) = *spl__inner_of_b(b) = distinct;
}

/* Two lists of inner indices on the host. */
static void free_both(spl__numbers both[2])
{
    spl__free(both[0].array);
    spl__free(both[1].array);
}

static spl_status copy(spl__account *account, const void *indices, spl__numbers *list)
{
    spl__watch *watch = spl__account_watch(account);
    SPL__TRY(spl__alloc(account, list->count, spl__index_size(list->type), &list->array));
    spl__copy_indices(watch, list->array, list->type, indices, list->type, list->count);
    return spl__watch_check(watch);
}

static void make_lists(const spl__factor *a, const spl__factor *b, spl__numbers both[2])
{
    both[0] = (spl__numbers){NULL, a->view.index_type, a->view.nnz};
    both[1] = (spl__numbers){NULL, b->view.index_type, b->view.nnz};
}

spl_status spl__inner_compact(spl__account *account, spl__factor *a, spl__factor *b,
                              void *arrays[2])
{
    spl__numbers both[2];
    int64_t distinct;
    make_lists(a, b, both);
    spl_status status = copy(account, *indices_of_a(a), &both[0]);
    if (status == SPL_OK)
        status = copy(account, *indices_of_b(b), &both[1]);
    if (status == SPL_OK)
        status = spl__renumber(account, both[0], both[1], &distinct);
    if (status != SPL_OK) {
        free_both(both);
        return status;
    }
    arrays[0] = both[0].array;
    arrays[1] = both[1].array;
    use(a, b, arrays[0], arrays[1], distinct);
    return SPL_OK;
}

/* ---- on devices ---- */

/* Moves indices out of range into it. Returns the position of the first one; -1: none. */
static int64_t bring_into_range(spl__watch *watch, spl__numbers list, int64_t length)
{
    int64_t first = -1;
    for (int64_t k = list.count - 1; k >= 0 && spl__watch_goes_on_at(watch, k); k--) {
        int64_t index = spl__index_at(list.array, list.type, k);
        if (index >= 0 && index < length)
            continue;
        spl__index_set(list.array, list.type, k, 0);
        first = k;
    }
    return first;
}

static spl_status fetch(spl__account *account, spl__queue *queue, const void *indices,
                        spl__numbers *list)
{
    size_t size = spl__index_size(list->type);
    SPL__TRY(spl__alloc(account, list->count, size, &list->array));
    return list->count > 0
               ? spl__queue_fetch(queue, list->array, indices, (size_t)list->count * size)
               : SPL_OK;
}

static spl_status send(spl__queue *queue, spl__numbers list, int64_t bad, spl__device_array *array)
{
    if (bad >= 0)
        spl__index_set(list.array, list.type, bad, -1);
    SPL__TRY(spl__queue_alloc(queue, list.count, spl__index_size(list.type), array));
    return list.count == 0 ? SPL_OK : spl__queue_copy(queue, array->data, list.array, array->bytes);
}

/* Renumbers lists that the host has just got, and gives them back. */
static spl_status renumber_and_send(spl__account *account, spl__queue *queue, spl__numbers both[2],
                                    int64_t length, int64_t *distinct, spl__device_array arrays[2])
{
    int64_t bad[2];
    for (int k = 0; k < 2; k++)
        bad[k] = bring_into_range(spl__account_watch(account), both[k], length);
    SPL__TRY(spl__watch_check(spl__account_watch(account)));
    SPL__TRY(spl__renumber(account, both[0], both[1], distinct));
    for (int k = 0; k < 2; k++)
        SPL__TRY(send(queue, both[k], bad[k], &arrays[k]));
    return spl__queue_wait(queue);
}

spl_status spl__inner_compact_on_device(spl__account *account, spl__queue *queue, spl__factor *a,
                                        spl__factor *b, spl__device_array arrays[2])
{
    spl__numbers both[2];
    int64_t distinct;
    make_lists(a, b, both);
    spl_status status = fetch(account, queue, *indices_of_a(a), &both[0]);
    if (status == SPL_OK)
        status = fetch(account, queue, *indices_of_b(b), &both[1]);
    if (status == SPL_OK)
        status = renumber_and_send(account, queue, both, *spl__inner_of_a(a), &distinct, arrays);
    free_both(both);
    if (status == SPL_OK)
        use(a, b, arrays[0].data, arrays[1].data, distinct);
    return status;
}
