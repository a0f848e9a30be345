/* SPDX-License-Identifier: Apache-2.0 */
/* zeros.c: zeros for small arrays of plans on a device.
 *
 * A fill costs the host 4 us (H200), a small one-shot product takes 60. So a device keeps pages of
 * zeros for plans that work in its own stream only, one for each; when none is left and none is
 * lent, all are filled by one operation. The order of that stream is sufficient: the work of plans
 * that have returned their pages comes before the fill, that of the next ones after it. */
#include "core/checked.h"
#include "device/device.h"

/* ---- pages of a device ---- */

/* Makes all pages zeros. */
static spl_status fill_pages(spl__device *device)
{
    enum { BYTES = SPL__ZERO_PAGES * SPL__ZERO_PAGE_BYTES };
    const spl__driver *d = device->driver;
    spl__zero_pages *pages = &device->zeros;
    void *memory = pages->memory;
    if (!memory)
        SPL__TRY(
            spl__device_check(device, d->alloc(device->handle, BYTES, device->stream, &memory)));
    pages->memory = memory;
    pages->next = SPL__ZERO_PAGES; /* none, until they are filled */
    SPL__TRY(spl__device_check(device,
                               d->fill(device->handle, pages->memory, 0, BYTES, device->stream)));
    pages->next = 0;
    return SPL_OK;
}

/* Whether there is a page, maybe after all were filled. */
static bool have_page(spl__device *device)
{
    spl__zero_pages *pages = &device->zeros;
    if (pages->memory && pages->next < SPL__ZERO_PAGES)
        return true;
    return atomic_load(&pages->lent) == 0 && fill_pages(device) == SPL_OK;
}

/* NULL: none can be had now. */
static void *take_page(spl__device *device)
{
    spl__zero_pages *pages = &device->zeros;
    void *page = NULL;
    if (atomic_flag_test_and_set(&pages->busy))
        return NULL;
    if (have_page(device)) {
        page = pages->memory + (ptrdiff_t)pages->next++ * SPL__ZERO_PAGE_BYTES;
        atomic_fetch_add(&pages->lent, 1);
    }
    atomic_flag_clear(&pages->busy);
    return page;
}

void spl__zeros_free(spl__device *device)
{
    spl__zero_pages *pages = &device->zeros;
    if (atomic_flag_test_and_set(&pages->busy))
        return;
    if (pages->memory && atomic_load(&pages->lent) == 0) {
        device->driver->free(device->handle, pages->memory, device->stream);
        pages->memory = NULL;
    }
    atomic_flag_clear(&pages->busy);
}

/* ---- zeros of a queue ---- */

/* Pages are the driver's memory: a caller's allocator is asked for each plan's own. */
static bool may_have_page(const spl__queue *queue)
{
    return !queue->device->allocator && queue->stream == queue->device->stream;
}

spl_status spl__queue_share_zeros(spl__queue *queue)
{
    if (spl__queue_has_budget(queue))
        return SPL_OK;
    queue->zeros_lent = 0;
    void *page = may_have_page(queue) ? take_page(queue->device) : NULL;
    queue->zeros_kept = page != NULL;
    if (page) {
        queue->zeros = (spl__device_array){page, SPL__ZERO_PAGE_BYTES};
        return SPL_OK;
    }
    SPL__TRY(spl__queue_alloc(queue, SPL__ZERO_PAGE_BYTES, 1, &queue->zeros));
    return spl__queue_fill(queue, queue->zeros.data, 0, SPL__ZERO_PAGE_BYTES);
}

bool spl__zeros_borrow(spl__queue *queue, size_t bytes, spl__device_array *array)
{
    enum { ALIGNED = 256 };
    if (bytes > queue->zeros.bytes - queue->zeros_lent)
        return false;
    *array = (spl__device_array){(char *)queue->zeros.data + queue->zeros_lent, bytes};
    bytes = (bytes + ALIGNED - 1) / ALIGNED * ALIGNED;
    queue->zeros_lent = spl__min_size(queue->zeros.bytes, queue->zeros_lent + bytes);
    return true;
}

bool spl__zeros_are_borrowed(const spl__queue *queue, const spl__device_array *array)
{
    const uintptr_t zeros = (uintptr_t)queue->zeros.data, data = (uintptr_t)array->data;
    return data - zeros < queue->zeros.bytes && array != &queue->zeros;
}

void spl__zeros_return(spl__queue *queue)
{
    if (!queue->zeros_kept) {
        spl__queue_free(queue, &queue->zeros);
        return;
    }
    queue->zeros = (spl__device_array){NULL, 0};
    queue->zeros_kept = false;
    atomic_fetch_sub(&queue->device->zeros.lent, 1);
}
