/* SPDX-License-Identifier: Apache-2.0 */
/* Intel oneMKL, inspector-executor sparse BLAS: hints and mkl_sparse_optimize as preparation; C
 * = A*A by mkl_sparse_spmm and mkl_sparse_order, since our rows are sorted. 32-bit indices only.
 * MKL uses the tool's own OpenMP runtime, so that idle threads of a second one do not spin;
 * MKL_THREADING_LAYER overrides this. */
#include <bench_rival.h>
#include <mkl_service.h>
#include <mkl_spblas.h>
#include <stdio.h>
#include <stdlib.h>

extern const bench_rival bench_mkl;

typedef struct mkl_state {
    bench_problem problem;
    sparse_matrix_t a, b, c; /* b: only if it is not A */
    struct matrix_descr general;
} mkl_state;

static const char *start(const bench_target *target)
{
    if (!getenv("MKL_THREADING_LAYER"))
        mkl_set_threading_layer(MKL_THREADING_GNU);
    mkl_set_num_threads(target->threads);
    return NULL;
}

static const char *version(void)
{
    static char text[32];
    MKLVersion found;
    mkl_get_version(&found);
    snprintf(text, sizeof text, "%d.%d.%d", found.MajorVersion, found.MinorVersion,
             found.UpdateVersion);
    return text;
}

static void discard(void *state)
{
    mkl_state *s = state;
    if (s->c)
        mkl_sparse_destroy(s->c);
    s->c = NULL;
}

static void release(void *state)
{
    mkl_state *s = state;
    discard(s);
    if (s->a)
        mkl_sparse_destroy(s->a);
    if (s->b)
        mkl_sparse_destroy(s->b);
    free(s);
}

static int create(const spl_sparse *a, sparse_matrix_t *matrix)
{
    MKL_INT rows = (MKL_INT)a->rows, cols = (MKL_INT)a->cols;
    MKL_INT *offsets = (MKL_INT *)a->offsets, *indices = (MKL_INT *)a->indices;
    if (a->type == SPL_F32)
        return mkl_sparse_s_create_csr(matrix, SPARSE_INDEX_BASE_ZERO, rows, cols, offsets,
                                       offsets + 1, indices,
                                       (float *)a->values) == SPARSE_STATUS_SUCCESS;
    return mkl_sparse_d_create_csr(matrix, SPARSE_INDEX_BASE_ZERO, rows, cols, offsets, offsets + 1,
                                   indices, (double *)a->values) == SPARSE_STATUS_SUCCESS;
}

static mkl_state *open_state(const bench_problem *problem)
{
    int narrow = problem->a.offset_type == SPL_I32 && bench_right(problem)->offset_type == SPL_I32;
    mkl_state *s = narrow ? calloc(1, sizeof *s) : NULL;
    if (!s)
        return NULL;
    s->problem = *problem;
    s->general.type = SPARSE_MATRIX_TYPE_GENERAL;
    if (create(&s->problem.a, &s->a) && (!problem->b || create(problem->b, &s->b)))
        return s;
    release(s);
    return NULL;
}

static void *prepare_spmv(const bench_problem *problem)
{
    mkl_state *s = open_state(problem);
    if (s) {
        mkl_sparse_set_mv_hint(s->a, SPARSE_OPERATION_NON_TRANSPOSE, s->general,
                               BENCH_EXPECTED_CALLS);
        mkl_sparse_optimize(s->a);
    }
    return s;
}

static sparse_layout_t layout_of(const bench_problem *problem)
{
    return problem->order == SPL_ROW_MAJOR ? SPARSE_LAYOUT_ROW_MAJOR : SPARSE_LAYOUT_COLUMN_MAJOR;
}

static void *prepare_spmm(const bench_problem *problem)
{
    mkl_state *s = open_state(problem);
    if (s) {
        mkl_sparse_set_mm_hint(s->a, SPARSE_OPERATION_NON_TRANSPOSE, s->general, layout_of(problem),
                               (MKL_INT)problem->columns, BENCH_EXPECTED_CALLS);
        mkl_sparse_optimize(s->a);
    }
    return s;
}

static void *prepare_spgemm(const bench_problem *problem)
{
    return open_state(problem);
}

static int run_spmv(void *state)
{
    mkl_state *s = state;
    const bench_problem *p = &s->problem;
    if (p->type == SPL_F32)
        return mkl_sparse_s_mv(SPARSE_OPERATION_NON_TRANSPOSE, 1, s->a, s->general, p->x, 0,
                               p->y) == SPARSE_STATUS_SUCCESS;
    return mkl_sparse_d_mv(SPARSE_OPERATION_NON_TRANSPOSE, 1, s->a, s->general, p->x, 0, p->y) ==
           SPARSE_STATUS_SUCCESS;
}

static int run_spmm(void *state)
{
    mkl_state *s = state;
    const bench_problem *p = &s->problem;
    MKL_INT k = (MKL_INT)p->columns;
    int by_rows = p->order == SPL_ROW_MAJOR;
    MKL_INT ldx = by_rows ? k : (MKL_INT)p->a.cols, ldy = by_rows ? k : (MKL_INT)p->a.rows;
    if (p->type == SPL_F32)
        return mkl_sparse_s_mm(SPARSE_OPERATION_NON_TRANSPOSE, 1, s->a, s->general, layout_of(p),
                               p->x, k, ldx, 0, p->y, ldy) == SPARSE_STATUS_SUCCESS;
    return mkl_sparse_d_mm(SPARSE_OPERATION_NON_TRANSPOSE, 1, s->a, s->general, layout_of(p), p->x,
                           k, ldx, 0, p->y, ldy) == SPARSE_STATUS_SUCCESS;
}

static int run_spgemm(void *state)
{
    mkl_state *s = state;
    return mkl_sparse_spmm(SPARSE_OPERATION_NON_TRANSPOSE, s->a, s->b ? s->b : s->a, &s->c) ==
               SPARSE_STATUS_SUCCESS &&
           mkl_sparse_order(s->c) == SPARSE_STATUS_SUCCESS;
}

static int result_spgemm(void *state, spl_sparse *c)
{
    mkl_state *s = state;
    sparse_index_base_t base;
    MKL_INT rows, cols, *starts, *ends, *indices;
    void *values;
    sparse_status_t status = s->problem.type == SPL_F32
                                 ? mkl_sparse_s_export_csr(s->c, &base, &rows, &cols, &starts,
                                                           &ends, &indices, (float **)&values)
                                 : mkl_sparse_d_export_csr(s->c, &base, &rows, &cols, &starts,
                                                           &ends, &indices, (double **)&values);
    if (status != SPARSE_STATUS_SUCCESS || base != SPARSE_INDEX_BASE_ZERO)
        return 0;
    *c = s->problem.a;
    c->rows = rows;
    c->cols = cols;
    c->nnz = starts[rows];
    c->offsets = starts;
    c->indices = indices;
    c->values = values;
    return 1;
}

const bench_rival bench_mkl = {
    .name = "mkl",
    .start = start,
    .version = version,
    .kernels =
        {
            [BENCH_SPMV] = {.prepare = prepare_spmv, .run = run_spmv, .release = release},
            [BENCH_SPMM] = {.prepare = prepare_spmm, .run = run_spmm, .release = release},
            [BENCH_SPGEMM] = {.prepare = prepare_spgemm,
                              .run = run_spgemm,
                              .result = result_spgemm,
                              .discard = discard,
                              .release = release},
        },
};
