/* SPDX-License-Identifier: Apache-2.0 */
/* Sparloom on a device measured like its rivals: operands are copied to the device during
 * preparation, runs enqueue and return. SpGEMM is the one-shot call, whose C stays on the
 * device. */
#include "bench_rival.h"
#include "placed_array.h"
#include "typed_array.h"

#include <stdlib.h>

typedef struct resident {
    bench_problem problem;
    spl_context *context;
    tool_placed_matrix a, b, c; /* b: only if it is not A */
    void *x, *y;
    size_t x_bytes, y_bytes;
    size_t operands; /* device bytes of A, B, x and y */
    spl_plan *plan;
    spl_matrix *product; /* spgemm: C on the device */
    spl_sparse fetched;  /* C on the host */
} resident;

static bench_target target;

static const char *start(const bench_target *wanted)
{
    target = *wanted;
    return NULL;
}

/* --------------------------------------------------------------------------------------- arrays */

static spl_status fetch(resident *r, const void *from, size_t bytes, void *to)
{
    spl_place host = {SPL_HOST, 0};
    return bytes ? spl_array_copy(r->context, host, to, target.place, from, bytes, NULL) : SPL_OK;
}

/* -------------------------------------------------------------------------------- begin and end */

static void forget_fetched(resident *r)
{
    free((void *)r->fetched.offsets);
    free((void *)r->fetched.indices);
    free((void *)r->fetched.values);
    r->fetched = (spl_sparse)SPL_SPARSE_INIT;
}

static void discard(void *state)
{
    resident *r = state;
    spl_matrix_destroy(r->product);
    r->product = NULL;
}

static void release(void *state)
{
    resident *r = state;
    spl_plan_destroy(r->plan);
    spl_matrix_destroy(r->product);
    if (r->context) {
        tool_drop_matrix(r->context, &r->c);
        tool_drop_matrix(r->context, &r->b);
        tool_drop_matrix(r->context, &r->a);
        tool_drop(r->context, target.place, r->x, r->x_bytes);
        tool_drop(r->context, target.place, r->y, r->y_bytes);
    }
    spl_context_destroy(r->context);
    forget_fetched(r);
    free(r);
}

static spl_status put_operands(resident *r)
{
    const bench_problem *p = &r->problem;
    spl_context_options options = SPL_CONTEXT_OPTIONS_INIT;
    spl_memory_info memory = SPL_MEMORY_INFO_INIT;
    options.threads = target.threads;
    options.devices = target.devices;
    spl_status status = spl_context_create(&options, &r->context);
    if (status == SPL_OK)
        status = tool_put_matrix(r->context, target.place, &p->a, &r->a);
    if (status == SPL_OK && p->b)
        status = tool_put_matrix(r->context, target.place, p->b, &r->b);
    if (status == SPL_OK && r->x_bytes)
        status = tool_put(r->context, target.place, p->x, r->x_bytes, &r->x);
    if (status == SPL_OK && r->y_bytes)
        status = tool_put(r->context, target.place, p->y, r->y_bytes, &r->y);
    if (status == SPL_OK)
        status = spl_memory(r->context, target.place, &memory);
    r->operands = memory.live;
    return status;
}

static void *prepare(const bench_problem *problem)
{
    resident *r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    r->problem = *problem;
    r->fetched = r->a.view = r->b.view = r->c.view = (spl_sparse)SPL_SPARSE_INIT;
    if (problem->operation == BENCH_SPMV || problem->operation == BENCH_SPMM) {
        size_t row = (size_t)problem->columns * tool_type_bytes(problem->type);
        r->x_bytes = (size_t)problem->a.cols * row;
        r->y_bytes = (size_t)problem->a.rows * row;
    }
    if (put_operands(r) == SPL_OK)
        return r;
    release(r);
    return NULL;
}

static int await(void *state)
{
    resident *r = state;
    return spl_sync(r->context, NULL) == SPL_OK;
}

static double peak(void *state)
{
    resident *r = state;
    spl_memory_info memory = SPL_MEMORY_INFO_INIT;
    return spl_memory(r->context, target.place, &memory) == SPL_OK
               ? (double)memory.peak - (double)r->operands
               : 0;
}

/* ------------------------------------------------------------------------------- dense operands */

static int plan_spmv(void *state)
{
    resident *r = state;
    const spl_options options = bench_own_options(&r->problem);
    return spl_spmv_plan(r->context, &r->a.view, &options, &r->plan) == SPL_OK;
}

static int run_spmv(void *state)
{
    resident *r = state;
    return spl_spmv_execute(r->plan, NULL, r->x, NULL, r->y, NULL) == SPL_OK;
}

static int plan_spmm(void *state)
{
    resident *r = state;
    spl_options options = bench_own_options(&r->problem);
    options.dense_order = r->problem.order;
    return spl_spmm_plan(r->context, &r->a.view, r->problem.columns, &options, &r->plan) == SPL_OK;
}

static int run_spmm(void *state)
{
    resident *r = state;
    spl_dense b = bench_dense(&r->problem, r->problem.a.cols, r->x);
    spl_dense c = bench_dense(&r->problem, r->problem.a.rows, r->y);
    b.place = c.place = target.place;
    return spl_spmm_execute(r->plan, NULL, &b, NULL, &c, NULL) == SPL_OK;
}

static int result_dense(void *state, spl_sparse *c)
{
    (void)c;
    resident *r = state;
    return fetch(r, r->y, r->y_bytes, r->problem.y) == SPL_OK;
}

/* -------------------------------------------------------------------------------- sparse result */

static spl_sparse header_of(const spl_result *shape)
{
    spl_sparse header = SPL_SPARSE_INIT;
    header.format = SPL_CSR;
    header.type = shape->type;
    header.offset_type = shape->offset_type;
    header.index_type = shape->index_type;
    header.rows = shape->rows;
    header.cols = shape->cols;
    header.nnz = shape->nnz;
    return header;
}

/* The right operand on the device. */
static const spl_sparse *right_of(const resident *r)
{
    return r->problem.b ? &r->b.view : &r->a.view;
}

/* Makes the plan and allocates C, whose structure is exact: devices have no bounds. */
static spl_status plan_product(resident *r)
{
    spl_result shape = SPL_RESULT_INIT;
    spl_status status = spl_spgemm_plan(r->context, &r->a.view, right_of(r), NULL, NULL, &r->plan);
    if (status == SPL_OK)
        status = spl_spgemm_result(r->plan, &shape);
    if (status == SPL_OK && !shape.exact)
        return SPL_UNSUPPORTED;
    spl_sparse header = header_of(&shape);
    return status == SPL_OK ? tool_put_matrix(r->context, target.place, &header, &r->c) : status;
}

static spl_status multiply(resident *r)
{
    return spl_spgemm_execute(r->plan, NULL, NULL, (void *)r->c.view.values, NULL);
}

static spl_status write_structure(resident *r)
{
    return spl_spgemm_export(r->plan, (void *)r->c.view.offsets, (void *)r->c.view.indices, NULL,
                             NULL);
}

static int run_spgemm(void *state)
{
    resident *r = state;
    return spl_spgemm(r->context, NULL, &r->a.view, right_of(r), NULL, NULL, NULL, &r->product) ==
           SPL_OK;
}

static int plan_numeric(void *state)
{
    resident *r = state;
    return plan_product(r) == SPL_OK && write_structure(r) == SPL_OK;
}

static int run_numeric(void *state)
{
    return multiply(state) == SPL_OK;
}

/* Copies C to the host. */
static int fetch_matrix(resident *r, const spl_sparse *device_view, spl_sparse *c)
{
    size_t offset_bytes =
        (size_t)(device_view->rows + 1) * tool_index_bytes(device_view->offset_type);
    size_t index_bytes = (size_t)device_view->nnz * tool_index_bytes(device_view->index_type);
    size_t value_bytes = (size_t)device_view->nnz * tool_type_bytes(device_view->type);
    void *offsets = tool_array((int64_t)offset_bytes, 1),
         *indices = tool_array((int64_t)index_bytes, 1);
    void *values = tool_array((int64_t)value_bytes, 1);
    forget_fetched(r);
    r->fetched = *device_view;
    r->fetched.place = (spl_place){SPL_HOST, 0};
    r->fetched.offsets = offsets;
    r->fetched.indices = indices;
    r->fetched.values = values;
    *c = r->fetched;
    return offsets && indices && values &&
           fetch(r, device_view->offsets, offset_bytes, offsets) == SPL_OK &&
           fetch(r, device_view->indices, index_bytes, indices) == SPL_OK &&
           fetch(r, device_view->values, value_bytes, values) == SPL_OK;
}

static int result_spgemm(void *state, spl_sparse *c)
{
    resident *r = state;
    spl_sparse device_view = SPL_SPARSE_INIT;
    return spl_matrix_view(r->product, &device_view) == SPL_OK && fetch_matrix(r, &device_view, c);
}

static int result_numeric(void *state, spl_sparse *c)
{
    resident *r = state;
    return fetch_matrix(r, &r->c.view, c);
}

const bench_rival bench_own_device = {
    .name = "sparloom",
    .start = start,
    .version = spl_version,
    .failure = spl_error_detail,
    .halves = 1,
    .kernels =
        {
            [BENCH_SPMV] = {.prepare = prepare,
                            .plan = plan_spmv,
                            .run = run_spmv,
                            .wait = await,
                            .result = result_dense,
                            .release = release,
                            .peak = peak},
            [BENCH_SPMM] = {.prepare = prepare,
                            .plan = plan_spmm,
                            .run = run_spmm,
                            .wait = await,
                            .result = result_dense,
                            .release = release,
                            .peak = peak},
            [BENCH_SPGEMM] = {.prepare = prepare,
                              .run = run_spgemm,
                              .wait = await,
                              .result = result_spgemm,
                              .discard = discard,
                              .release = release,
                              .peak = peak},
            [BENCH_NUMERIC] = {.prepare = prepare,
                               .plan = plan_numeric,
                               .run = run_numeric,
                               .wait = await,
                               .result = result_numeric,
                               .release = release,
                               .peak = peak},
        },
};
