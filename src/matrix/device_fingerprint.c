/* SPDX-License-Identifier: Apache-2.0 */
#include "matrix/device_fingerprint.h"

#include "core/types.h"
#include "matrix/device_fingerprint.k.h"
#include "matrix/view.h"

/* Adds the print of an array to *sum. Elements have 4 or 8 bytes. `salt` tells arrays apart that
 * add to one sum. */
static spl_status add(spl__queue *queue, const void *array, int64_t count, size_t size,
                      uint64_t salt, uint64_t *sum)
{
    const spl__kernel *kernel;
    struct device_fingerprint_args args = {count * (int64_t)(size / sizeof(uint32_t)), salt, array,
                                           sum};
    /* the same for all types */
    SPL__TRY(spl__queue_kernel(queue, "device_fingerprint", SPL_F64, SPL_I64, &kernel));
    int64_t blocks = spl__blocks_for(queue, args.words, DEVICE_FINGERPRINT_THREADS);
    return SPL__LAUNCH(queue, &args, kernel, blocks, DEVICE_FINGERPRINT_THREADS);
}

spl_status spl__device_fingerprint(spl__queue *queue, const spl_sparse *view, void *room,
                                   spl__fingerprints *fingerprints)
{
    spl__fingerprints *device_fingerprints = room;
    size_t offset = spl__index_size(spl__offsets_type(view)),
           index = spl__index_size(view->index_type);
    if (spl__queue_captures(queue))
        return spl__fail(SPL_UNSUPPORTED,
                         "options.check_inputs waits for what it finds, which a stream that is "
                         "recorded into a graph cannot");
    SPL__TRY(spl__queue_fill(queue, device_fingerprints, 0, sizeof *device_fingerprints));
    SPL__TRY(add(queue, view->offsets, spl__offsets_count(view), offset, 0,
                 &device_fingerprints->structure));
    SPL__TRY(add(queue, view->indices, view->nnz, index, 1, &device_fingerprints->structure));
    if (view->values)
        SPL__TRY(add(queue, view->values, view->nnz, spl__type_size(view->type), 2,
                     &device_fingerprints->values));
    return spl__queue_fetch(queue, fingerprints, device_fingerprints, sizeof *fingerprints);
}
