/* SPDX-License-Identifier: Apache-2.0 */
/* device_matrix.c: owned matrices whose arrays are on a device. */
#include "core/types.h"
#include "matrix/matrix.h"

/* A matrix without arrays, whose memory follows the queue's stream. */
static spl_status make_empty(spl__account *account, const spl__queue *queue,
                             const spl_sparse *header, spl_matrix **matrix)
{
    spl_matrix *m;
    SPL__TRY(SPL__NEW_ZERO(account, &m, 1));
    spl__queue_init(&m->queue, queue->device, 0, queue->threads);
    m->queue.stream = queue->stream;
    m->view = *header;
    m->view.size = sizeof m->view;
    m->view.place = queue->device->place;
    *matrix = m;
    return SPL_OK;
}

static void show_arrays(spl_matrix *m)
{
    m->view.offsets = m->offsets = m->device_arrays[0].data;
    m->view.indices = m->indices = m->device_arrays[1].data;
    m->view.values = m->values = m->device_arrays[2].data;
}

spl_status spl__device_matrix_new(spl__account *account, const spl__queue *queue,
                                  const spl_sparse *header, spl_matrix **matrix)
{
    spl_matrix *m;
    const int64_t counts[] = {spl__offsets_count(header), header->nnz, header->nnz};
    const size_t sizes[] = {spl__index_size(spl__offsets_type(header)),
                            spl__index_size(header->index_type), spl__type_size(header->type)};
    SPL__TRY(make_empty(account, queue, header, &m));
    for (int k = 0; k < 3; k++) {
        spl_status status = spl__queue_alloc(&m->queue, counts[k], sizes[k], &m->device_arrays[k]);
        if (status != SPL_OK) {
            spl_matrix_destroy(m);
            return status;
        }
    }
    show_arrays(m);
    *matrix = m;
    return SPL_OK;
}

spl_status spl__device_matrix_around(spl__account *account, spl__queue *queue,
                                     const spl_sparse *header, spl__device_array *const arrays[3],
                                     spl_matrix **matrix)
{
    SPL__TRY(make_empty(account, queue, header, matrix));
    for (int k = 0; k < 3; k++)
        (*matrix)->device_arrays[k] = spl__queue_pass(queue, arrays[k], &(*matrix)->queue);
    show_arrays(*matrix);
    return SPL_OK;
}

/* The caller's streams may be destroyed: memory is freed in the order of the context's stream. */
spl_status spl__device_matrix_settle(spl_matrix *matrix, spl__queue *queue)
{
    SPL__TRY(spl__queue_wait(queue));
    matrix->queue.stream = queue->device->stream;
    return SPL_OK;
}

void spl__device_matrix_free_arrays(spl_matrix *matrix)
{
    for (int k = 0; k < 3; k++)
        spl__queue_free(&matrix->queue, &matrix->device_arrays[k]);
}
