/* SPDX-License-Identifier: Apache-2.0 */
#include "problem/mask.h"

#include "core/watch.h"
#include "sparloom/algebra.h"
#include "structure/csr_survey.h"

static spl_status fetch_array(spl__account *account, spl__queue *queue, const void **array,
                              int64_t count, size_t size, void **fetched)
{
    SPL__TRY(spl__alloc(account, count, size, fetched));
    if (count > 0 && !spl__device_holds(queue->device, *array))
        return spl__fail(SPL_INVALID_ARGUMENT, "the mask's arrays are not in the memory of %s",
                         queue->device->properties.name);
    if (count > 0)
        SPL__TRY(spl__queue_fetch(queue, *fetched, *array, (size_t)count * size));
    *array = *fetched;
    return SPL_OK;
}

/* Whether a mask on the queue's device can be read there. Waits once. */
static spl_status look(spl__queue *queue, const spl_sparse *view, bool *in_order)
{
    spl__row_survey survey = {0};
    *in_order = false;
    if (view->format != SPL_CSR || view->index_type != SPL_I32 || view->nnz == 0 ||
        !spl__device_holds(queue->device, view->offsets) ||
        !spl__device_holds(queue->device, view->indices))
        return SPL_OK;
    SPL__TRY(spl__device_survey(queue, view, view, "mask", SPL__LOOK_NO_FURTHER, &survey));
    *in_order = survey.ascends;
    return SPL_OK;
}

/* Leaves a mask on the queue's device, or copies it to the host, where it is prepared. */
static spl_status fetch(spl__account *account, spl__queue *queue, bool to_host, spl_sparse *view,
                        spl__mask *mask)
{
    const spl__device *device = queue->device;
    bool in_order = false;
    if (!device || device->place.kind != view->place.kind ||
        device->place.ordinal != view->place.ordinal)
        return spl__fail(SPL_UNSUPPORTED, "the mask is neither on the host nor on the device that "
                                          "multiplies");
    if (!to_host)
        SPL__TRY(look(queue, view, &in_order));
    if (in_order) {
        mask->resident = *view;
        return SPL_OK;
    }
    view->place = (spl_place){SPL_HOST, 0};
    SPL__TRY(fetch_array(account, queue, &view->offsets, spl__offsets_count(view),
                         spl__index_size(spl__offsets_type(view)), &mask->fetched[0]));
    return fetch_array(account, queue, &view->indices, view->nnz, spl__index_size(view->index_type),
                       &mask->fetched[1]);
}

static spl_status read_mask(spl__account *account, spl__queue *queue, int threads,
                            const spl_options *options, spl__mask_shape shape, spl_sparse *view,
                            spl__mask *mask)
{
    SPL__TRY(spl__pattern_read_anywhere(view, options->mask, "mask"));
    if (view->place.kind != SPL_HOST)
        SPL__TRY(fetch(account, queue, shape.on_host, view, mask));
    if (view->rows != shape.rows || view->cols != shape.cols)
        return spl__fail(SPL_SHAPE_MISMATCH, "op(A)*op(B) is %lld x %lld, the mask is %lld x %lld",
                         (long long)shape.rows, (long long)shape.cols, (long long)view->rows,
                         (long long)view->cols);
    return mask->resident.format
               ? SPL_OK
               : spl__view_check(spl__account_watch(account), threads, view, "mask");
}

/* Fills mask->offsets with the numbers of distinct columns if the columns of each row are in
 * order; false: they are not. */
static bool count_distinct(spl__watch *watch, const spl_sparse *csr, spl__mask *mask)
{
    int64_t count = mask->offsets[0] = 0;
    for (int64_t i = 0, p = 0; i < csr->rows && spl__watch_goes_on_at(watch, i); i++) {
        int64_t begin = p, end = spl__offset_at(csr, i + 1);
        for (; p < end; p++) {
            if (p > begin && spl__entry_index(csr, p) < spl__entry_index(csr, p - 1))
                return false;
            count += p == begin || spl__entry_index(csr, p) != spl__entry_index(csr, p - 1);
        }
        mask->offsets[i + 1] = count;
    }
    return true;
}

/* Copies each column of a row once. */
static spl_status copy_distinct(spl__account *account, const spl_sparse *csr, spl__mask *mask)
{
    spl__watch *watch = spl__account_watch(account);
    SPL__TRY(spl__alloc(account, mask->offsets[csr->rows], spl__index_size(csr->index_type),
                        &mask->distinct));
    int64_t to = 0;
    for (int64_t i = 0, p = 0; i < csr->rows && spl__watch_goes_on_at(watch, i); i++) {
        int64_t begin = p, end = spl__offset_at(csr, i + 1);
        for (; p < end; p++)
            if (p == begin || spl__entry_index(csr, p) != spl__entry_index(csr, p - 1))
                spl__index_set(mask->distinct, csr->index_type, to++, spl__entry_index(csr, p));
    }
    mask->columns = mask->distinct;
    return spl__watch_check(watch);
}

spl_status spl__mask_make(spl__account *account, spl__queue *queue, int threads,
                          const spl_options *options, spl__mask_shape shape, spl__mask *mask)
{
    spl_sparse view;
    spl__watch *watch = spl__account_watch(account);
    if (!options->mask)
        return SPL_OK;
    SPL__TRY(read_mask(account, queue, threads, options, shape, &view, mask));
    mask->given = true;
    mask->complement = options->mask_complement;
    mask->full = options->mask_pattern == SPL_MASK_FULL;
    if (mask->resident.format)
        return SPL_OK;
    spl_index offset_type = view.nnz > INT32_MAX ? SPL_I64 : SPL_I32;
    if (shape.index_type == SPL_I64 || (view.format != SPL_COO && view.offset_type == SPL_I64))
        offset_type = SPL_I64; /* no narrower than they are, or than columns */
    SPL__TRY(spl__arrange(account, threads, &view, false, offset_type, shape.index_type,
                          &mask->arrangement));
    SPL__TRY(SPL__NEW(account, &mask->offsets, view.rows + 1));
    if (!count_distinct(watch, &mask->arrangement.csr, mask)) {
        SPL__TRY(spl__arrange_sort(account, threads, &mask->arrangement));
        count_distinct(watch, &mask->arrangement.csr, mask);
    }
    SPL__TRY(spl__watch_check(watch));
    const spl_sparse *csr = &mask->arrangement.csr;
    mask->columns = csr->indices;
    return mask->offsets[csr->rows] < csr->nnz ? copy_distinct(account, csr, mask) : SPL_OK;
}

spl_sparse spl__mask_view(const spl__mask *mask, spl__mask_shape shape)
{
    return (spl_sparse){.size = sizeof(spl_sparse),
                        .format = SPL_CSR,
                        .type = SPL_F32,
                        .offset_type = SPL_I64,
                        .index_type = shape.index_type,
                        .rows = shape.rows,
                        .cols = shape.cols,
                        .nnz = mask->offsets[shape.rows],
                        .offsets = mask->offsets,
                        .indices = mask->columns};
}

void spl__mask_free(spl__mask *mask)
{
    spl__arrange_free(&mask->arrangement);
    spl__free(mask->offsets);
    spl__free(mask->distinct);
    spl__free(mask->fetched[0]);
    spl__free(mask->fetched[1]);
    mask->fetched[0] = mask->fetched[1] = NULL;
    mask->arrangement = (spl__arrangement){0};
    mask->resident = (spl_sparse){0};
    mask->offsets = NULL;
    mask->columns = mask->distinct = NULL;
}
