/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of the table in api_calls.h whose operands are where the test computes: copied to its
 * device first, if it has one. */
#include "lib/api_calls.h"
#include "lib/on_device.h"

/* Where the test computes. */
static on_device home_of(spl_context *context)
{
    on_device s = {context, {SPL_HOST, 0}};
    spl_processor_info info = SPL_PROCESSOR_INFO_INIT;
    EXPECT_OK(spl_processor(context, spl_processor_count(context) - 1, &info));
    s.place = info.place;
    return s;
}

static spl_status copy_array(const on_device *s, const void *from, size_t bytes, const void **to)
{
    void *device_data = NULL;
    spl_status status =
        bytes > 0 ? spl_array_alloc(s->context, s->place, bytes, &device_data) : SPL_OK;
    *to = device_data;
    return status == SPL_OK && device_data
               ? spl_array_copy(s->context, s->place, device_data, host_place, from, bytes, NULL)
               : status;
}

static void sizes_of(const spl_sparse *csr, size_t bytes[3])
{
    bytes[0] = (size_t)(csr->rows + 1) * zoo_index_bytes(csr->offset_type);
    bytes[1] = (size_t)csr->nnz * zoo_index_bytes(csr->index_type);
    bytes[2] = (size_t)csr->nnz * zoo_type_bytes(csr->type);
}

static void drop(const on_device *s, const spl_sparse *device_view)
{
    size_t bytes[3];
    sizes_of(device_view, bytes);
    on_device_drop(s, device_view->offsets, bytes[0]);
    on_device_drop(s, device_view->indices, bytes[1]);
    on_device_drop(s, device_view->values, bytes[2]);
}

/* Nothing stays after a failure. */
static spl_status copy_to_device(const on_device *s, const spl_sparse *csr, spl_sparse *device_view)
{
    size_t bytes[3];
    sizes_of(csr, bytes);
    *device_view = *csr;
    device_view->place = s->place;
    device_view->offsets = device_view->indices = device_view->values = NULL;
    spl_status status = copy_array(s, csr->offsets, bytes[0], &device_view->offsets);
    if (status == SPL_OK)
        status = copy_array(s, csr->indices, bytes[1], &device_view->indices);
    if (status == SPL_OK)
        status = copy_array(s, csr->values, bytes[2], &device_view->values);
    if (status != SPL_OK)
        drop(s, device_view);
    return status;
}

static spl_status taken(const on_device *s, const spl_sparse *a, const spl_options *options,
                        spl_matrix **c)
{
    spl_plan *plan = NULL;
    spl_options keeping = *options;
    keeping.keep_result = keeping.check_inputs = 1;
    spl_status status = spl_spgemm_plan(s->context, a, a, NULL, &keeping, &plan);
    if (status == SPL_OK)
        status = spl_spgemm_execute(plan, NULL, NULL, NULL, NULL);
    if (status == SPL_OK)
        status = spl_spgemm_take(plan, c);
    spl_plan_destroy(plan);
    return status;
}

static spl_status square(const on_device *s, const spl_sparse *a, bool one_shot,
                         const spgemm_run *run)
{
    static char poison[64];
    spl_matrix *const before = (spl_matrix *)(void *)poison, *c = before;
    spl_status status = one_shot ? spl_spgemm(s->context, NULL, a, a, NULL, NULL, &run->options, &c)
                                 : taken(s, a, &run->options, &c);
    if (status != SPL_OK) {
        EXPECT(c == before);
        return status;
    }
    spl_sparse view = SPL_SPARSE_INIT;
    EXPECT_OK(spl_matrix_view(c, &view));
    EXPECT(view.place.kind == s->place.kind && view.place.ordinal == s->place.ordinal);
    spl_sparse host_view = on_device_copy_to_host(s, &view);
    expect_spgemm(run, &host_view);
    on_device_drop_copy(&host_view);
    spl_matrix_destroy(c);
    return SPL_OK;
}

/* variant: bit 0: 64-bit operands; bit 1: op(A) = A'; bit 2: one-shot. */
spl_status perform_resident(spl_context *context, const api_operands *operands,
                            const api_call *call, const spl_options *options)
{
    on_device s = home_of(context);
    const spl_sparse *csr = call->variant & 1 ? &operands->wide.view : &operands->csr.view;
    spgemm_run run = {csr, csr, NULL, *options, testing_scalars_of(1, 0), false};
    spl_sparse device_view;
    run.options.op_a = call->variant & 2 ? SPL_TRANSPOSE : SPL_NONE;
    spl_status status = copy_to_device(&s, csr, &device_view);
    if (status != SPL_OK)
        return status;
    status = square(&s, &device_view, call->variant & 4, &run);
    drop(&s, &device_view);
    return status;
}
