/* SPDX-License-Identifier: Apache-2.0 */
/* Sparloom on the CPU measured like its rivals. */
#include "bench_rival.h"
#include "typed_array.h"

#include <stdlib.h>

const char *const bench_operation_names[BENCH_OPERATIONS] = {"spmv", "spmm", "spgemm", "numeric"};

spl_dense bench_dense(const bench_problem *problem, int64_t rows, const void *values)
{
    spl_dense dense = SPL_DENSE_INIT;
    dense.type = problem->type;
    dense.order = problem->order;
    dense.rows = rows;
    dense.cols = problem->columns;
    dense.ld = problem->order == SPL_ROW_MAJOR ? problem->columns : rows;
    dense.values = (void *)values;
    return dense;
}

typedef struct own_contender {
    bench_problem problem;
    spl_context *context;
    spl_plan *plan;
    spl_matrix *c;
    spl_sparse view; /* numeric: arrays of C */
    int kept;        /* numeric: the plan had only a bound and keeps the values */
} own_contender;

static int own_threads;

static const char *start(const bench_target *target)
{
    own_threads = target->threads;
    return NULL;
}

static void discard(void *state)
{
    own_contender *o = state;
    spl_matrix_destroy(o->c);
    o->c = NULL;
}

static void release(void *state)
{
    own_contender *o = state;
    discard(o);
    spl_plan_destroy(o->plan);
    spl_context_destroy(o->context);
    free((void *)o->view.offsets);
    free((void *)o->view.indices);
    free((void *)o->view.values);
    free(o);
}

static own_contender *open_own(const bench_problem *problem)
{
    own_contender *o = calloc(1, sizeof *o);
    if (!o)
        return NULL;
    o->problem = *problem;
    spl_context_options options = SPL_CONTEXT_OPTIONS_INIT;
    options.threads = own_threads;
    if (spl_context_create(&options, &o->context) == SPL_OK)
        return o;
    release(o);
    return NULL;
}

static void *planned(own_contender *o, spl_status status)
{
    if (o && status == SPL_OK)
        return o;
    if (o)
        release(o);
    return NULL;
}

spl_options bench_own_options(const bench_problem *problem)
{
    spl_options options = SPL_OPTIONS_INIT;
    options.accuracy = problem->accuracy;
    options.executions = BENCH_EXPECTED_CALLS;
    return options;
}

static void *prepare_spmv(const bench_problem *problem)
{
    own_contender *o = open_own(problem);
    const spl_options options = bench_own_options(problem);
    return planned(o, o ? spl_spmv_plan(o->context, &o->problem.a, &options, &o->plan)
                        : SPL_OUT_OF_MEMORY);
}

static int run_spmv(void *state)
{
    own_contender *o = state;
    return spl_spmv_execute(o->plan, NULL, o->problem.x, NULL, o->problem.y, NULL) == SPL_OK;
}

static void *prepare_spmm(const bench_problem *problem)
{
    own_contender *o = open_own(problem);
    const spl_options options = bench_own_options(problem);
    return planned(
        o, o ? spl_spmm_plan(o->context, &o->problem.a, problem->columns, &options, &o->plan)
             : SPL_OUT_OF_MEMORY);
}

static int run_spmm(void *state)
{
    own_contender *o = state;
    spl_dense b = bench_dense(&o->problem, o->problem.a.cols, o->problem.x);
    spl_dense c = bench_dense(&o->problem, o->problem.a.rows, o->problem.y);
    return spl_spmm_execute(o->plan, NULL, &b, NULL, &c, NULL) == SPL_OK;
}

static void *prepare_spgemm(const bench_problem *problem)
{
    return open_own(problem);
}

static int run_spgemm(void *state)
{
    own_contender *o = state;
    return spl_spgemm(o->context, NULL, &o->problem.a, bench_right(&o->problem), NULL, NULL, NULL,
                      &o->c) == SPL_OK;
}

static int result_spgemm(void *state, spl_sparse *c)
{
    own_contender *o = state;
    return spl_matrix_view(o->c, c) == SPL_OK;
}

/* The structure of C as arrays; with a plan that has only a bound the first execution finds it. */
static spl_status export_structure(own_contender *o)
{
    spl_result shape = SPL_RESULT_INIT;
    spl_status status = spl_spgemm_result(o->plan, &shape);
    if (status == SPL_OK && !shape.exact) {
        status = spl_spgemm_execute(o->plan, NULL, NULL, NULL, NULL);
        o->kept = 1;
        status = status ? status : spl_spgemm_result(o->plan, &shape);
    }
    if (status != SPL_OK)
        return status;
    o->view = (spl_sparse)SPL_SPARSE_INIT;
    o->view.format = SPL_CSR;
    o->view.type = shape.type;
    o->view.offset_type = shape.offset_type;
    o->view.index_type = shape.index_type;
    o->view.rows = shape.rows;
    o->view.cols = shape.cols;
    o->view.nnz = shape.nnz;
    void *offsets = tool_array(shape.rows + 1, tool_index_bytes(shape.offset_type));
    void *indices = tool_array(shape.nnz, tool_index_bytes(shape.index_type));
    o->view.offsets = offsets;
    o->view.indices = indices;
    o->view.values = tool_array(shape.nnz, tool_type_bytes(shape.type));
    if (!offsets || !indices || !o->view.values)
        return SPL_OUT_OF_MEMORY;
    return spl_spgemm_export(o->plan, offsets, indices, NULL, NULL);
}

static void *prepare_numeric(const bench_problem *problem)
{
    own_contender *o = open_own(problem);
    spl_status status = SPL_OUT_OF_MEMORY;
    if (o)
        status = spl_spgemm_plan(o->context, &o->problem.a, bench_right(&o->problem), NULL, NULL,
                                 &o->plan);
    return planned(o, status ? status : export_structure(o));
}

static int run_numeric(void *state)
{
    own_contender *o = state;
    void *values = o->kept ? NULL : (void *)o->view.values;
    return spl_spgemm_execute(o->plan, NULL, NULL, values, NULL) == SPL_OK;
}

static int result_numeric(void *state, spl_sparse *c)
{
    own_contender *o = state;
    *c = o->view;
    return !o->kept ||
           spl_spgemm_export(o->plan, NULL, NULL, (void *)o->view.values, NULL) == SPL_OK;
}

const bench_rival bench_own = {
    .name = "sparloom",
    .start = start,
    .version = spl_version,
    .failure = spl_error_detail,
    .halves = 1,
    .integers = 1,
    .kernels =
        {
            [BENCH_SPMV] = {.prepare = prepare_spmv, .run = run_spmv, .release = release},
            [BENCH_SPMM] = {.prepare = prepare_spmm, .run = run_spmm, .release = release},
            [BENCH_SPGEMM] = {.prepare = prepare_spgemm,
                              .run = run_spgemm,
                              .result = result_spgemm,
                              .discard = discard,
                              .release = release},
            [BENCH_NUMERIC] = {.prepare = prepare_numeric,
                               .run = run_numeric,
                               .result = result_numeric,
                               .release = release},
        },
};
