/* SPDX-License-Identifier: Apache-2.0 */
#include "partition/device_slot.h"

#include "core/types.h"

static bool is_in_place(const spl_sparse *m)
{
    return m->place.kind != SPL_HOST;
}

spl_status spl__slot_make(spl__queue *queue, const spl_sparse *like, int64_t rows, int64_t nnz,
                          spl__device_slot *slot)
{
    const int64_t entries = is_in_place(like) ? 0 : nnz;
    SPL__TRY(spl__queue_alloc(queue, rows + 1, spl__index_size(like->offset_type), &slot->offsets));
    SPL__TRY(spl__queue_alloc(queue, entries, spl__index_size(like->index_type), &slot->indices));
    return spl__queue_alloc(queue, like->values ? entries : 0, spl__type_size(like->type),
                            &slot->values);
}

void spl__slot_free(spl__queue *queue, spl__device_slot *slot)
{
    spl__queue_free(queue, &slot->offsets);
    spl__queue_free(queue, &slot->indices);
    spl__queue_free(queue, &slot->values);
    if (slot->full)
        spl__queue_event_free(queue, slot->full);
    if (slot->empty)
        spl__queue_event_free(queue, slot->empty);
    slot->full = slot->empty = NULL;
}

spl_status spl__slot_fill_values(spl__queue *queue, const spl_sparse *m,
                                 const spl__device_slot *slot)
{
    return is_in_place(m) || !m->values ? SPL_OK
                                        : spl__queue_copy(queue, slot->values.data, m->values,
                                                          (size_t)m->nnz * spl__type_size(m->type));
}

spl_status spl__slot_fill(spl__queue *queue, const spl_sparse *m, const spl__device_slot *slot)
{
    SPL__TRY(spl__queue_copy(queue, slot->offsets.data, m->offsets,
                             (size_t)(m->rows + 1) * spl__index_size(m->offset_type)));
    if (!is_in_place(m))
        SPL__TRY(spl__queue_copy(queue, slot->indices.data, m->indices,
                                 (size_t)m->nnz * spl__index_size(m->index_type)));
    return spl__slot_fill_values(queue, m, slot);
}

spl_sparse spl__slot_view(const spl__queue *queue, const spl_sparse *m,
                          const spl__device_slot *slot)
{
    spl_sparse view = *m;
    view.place = queue->device->place;
    view.offsets = slot->offsets.data;
    if (is_in_place(m))
        return view;
    view.indices = slot->indices.data;
    view.values = m->values ? slot->values.data : NULL;
    return view;
}
