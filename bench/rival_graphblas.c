/* SPDX-License-Identifier: Apache-2.0 */
/* SuiteSparse:GraphBLAS. Importing the matrix is the preparation. SpMV and SpMM are y += A*x into a
 * full y, which is its fastest way and starts from zero before the run that is checked. C = A*A
 * ends with GrB_Matrix_wait, which sorts the rows. */
#include <GraphBLAS.h>
#include <bench_rival.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const bench_rival bench_graphblas;

typedef struct grb_state {
    bench_problem problem;
    GrB_Matrix a, b, x, y, c; /* b: only if it is not A */
    GrB_Semiring semiring;
    GrB_BinaryOp plus;
    GrB_Type type;
    GrB_Index *offsets, *indices; /* of the exported result */
    void *values;
} grb_state;

static const char *start(const bench_target *target)
{
    omp_set_num_threads(target->threads); /* GrB_init takes OpenMP's number of threads */
    return GrB_init(GrB_NONBLOCKING) == GrB_SUCCESS ? NULL : "GrB_init failed";
}

static const char *version(void)
{
    static char text[32];
    unsigned major = 0, minor = 0;
    int number[3] = {0};
    if (GxB_Global_Option_get(GxB_LIBRARY_VERSION, number) == GrB_SUCCESS)
        snprintf(text, sizeof text, "%d.%d.%d", number[0], number[1], number[2]);
    else if (GrB_getVersion(&major, &minor) == GrB_SUCCESS)
        snprintf(text, sizeof text, "API %u.%u", major, minor);
    return text;
}

static void discard(void *state)
{
    grb_state *s = state;
    GrB_Matrix_free(&s->c);
    free(s->offsets);
    free(s->indices);
    free(s->values);
    s->offsets = s->indices = NULL;
    s->values = NULL;
}

static void release(void *state)
{
    grb_state *s = state;
    discard(s);
    GrB_Matrix_free(&s->a);
    GrB_Matrix_free(&s->b);
    GrB_Matrix_free(&s->x);
    GrB_Matrix_free(&s->y);
    free(s);
}

static GrB_Index *widened(const void *array, spl_index type, int64_t count)
{
    GrB_Index *wide = malloc((size_t)(count ? count : 1) * sizeof *wide);
    for (int64_t i = 0; wide && i < count; i++)
        wide[i] = (GrB_Index)(type == SPL_I32 ? ((const int32_t *)array)[i]
                                              : ((const int64_t *)array)[i]);
    return wide;
}

static int import(grb_state *s, const spl_sparse *a, GrB_Matrix *matrix)
{
    GrB_Index rows = (GrB_Index)a->rows, cols = (GrB_Index)a->cols, nnz = (GrB_Index)a->nnz;
    GrB_Index *offsets = widened(a->offsets, a->offset_type, a->rows + 1);
    GrB_Index *indices = widened(a->indices, a->index_type, a->nnz);
    GrB_Info info = GrB_OUT_OF_MEMORY;
    if (offsets && indices && s->problem.type == SPL_F32)
        info = GrB_Matrix_import_FP32(matrix, s->type, rows, cols, offsets, indices, a->values,
                                      rows + 1, nnz, nnz, GrB_CSR_FORMAT);
    else if (offsets && indices)
        info = GrB_Matrix_import_FP64(matrix, s->type, rows, cols, offsets, indices, a->values,
                                      rows + 1, nnz, nnz, GrB_CSR_FORMAT);
    free(offsets);
    free(indices);
    return info == GrB_SUCCESS && GrB_Matrix_wait(*matrix, GrB_MATERIALIZE) == GrB_SUCCESS;
}

static grb_state *open_state(const bench_problem *problem)
{
    grb_state *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    int single = problem->type == SPL_F32;
    s->problem = *problem;
    s->type = single ? GrB_FP32 : GrB_FP64;
    s->semiring = single ? GrB_PLUS_TIMES_SEMIRING_FP32 : GrB_PLUS_TIMES_SEMIRING_FP64;
    s->plus = single ? GrB_PLUS_FP32 : GrB_PLUS_FP64;
    if (import(s, &s->problem.a, &s->a) && (!problem->b || import(s, problem->b, &s->b)))
        return s;
    release(s);
    return NULL;
}

typedef GrB_Info (*import_function)(GrB_Matrix *, GrB_Type, GrB_Index, GrB_Index, void **,
                                    GrB_Index, bool, const GrB_Descriptor);

static int by_rows(const grb_state *s)
{
    return s->problem.order == SPL_ROW_MAJOR;
}

static import_function import_of(const grb_state *s)
{
    return by_rows(s) ? GxB_Matrix_import_FullR : GxB_Matrix_import_FullC;
}

/* A full matrix; zero without values. */
static int import_full(grb_state *s, GrB_Matrix *matrix, int64_t rows, const void *values)
{
    size_t bytes = (size_t)rows * (size_t)s->problem.columns * (s->problem.type == SPL_F32 ? 4 : 8);
    void *array = calloc(bytes ? bytes : 1, 1);
    if (!array)
        return 0;
    if (values)
        memcpy(array, values, bytes);
    GrB_Info info = import_of(s)(matrix, s->type, (GrB_Index)rows, (GrB_Index)s->problem.columns,
                                 &array, bytes, false, NULL);
    free(array);
    return info == GrB_SUCCESS;
}

static void *prepare_dense(const bench_problem *problem)
{
    grb_state *s = open_state(problem);
    if (!s || (import_full(s, &s->x, problem->a.cols, problem->x) &&
               import_full(s, &s->y, problem->a.rows, NULL)))
        return s;
    release(s);
    return NULL;
}

static int run_dense(void *state)
{
    grb_state *s = state;
    return GrB_mxm(s->y, NULL, s->plus, s->semiring, s->a, s->x, NULL) == GrB_SUCCESS &&
           GrB_Matrix_wait(s->y, GrB_MATERIALIZE) == GrB_SUCCESS;
}

/* Takes the array out of y, copies it, and gives it back. */
static int result_dense(void *state, spl_sparse *c)
{
    (void)c;
    grb_state *s = state;
    void *array = NULL;
    GrB_Type type;
    GrB_Index rows, cols, bytes;
    bool iso = false;
    GrB_Info info =
        by_rows(s)
            ? GxB_Matrix_export_FullR(&s->y, &type, &rows, &cols, &array, &bytes, &iso, NULL)
            : GxB_Matrix_export_FullC(&s->y, &type, &rows, &cols, &array, &bytes, &iso, NULL);
    if (info != GrB_SUCCESS || iso)
        return 0;
    memcpy(s->problem.y, array, (size_t)rows * cols * (s->problem.type == SPL_F32 ? 4 : 8));
    return import_of(s)(&s->y, type, rows, cols, &array, bytes, iso, NULL) == GrB_SUCCESS;
}

static void *prepare_spgemm(const bench_problem *problem)
{
    return open_state(problem);
}

static int run_spgemm(void *state)
{
    grb_state *s = state;
    GrB_Index rows = (GrB_Index)s->problem.a.rows, cols = (GrB_Index)bench_right(&s->problem)->cols;
    return GrB_Matrix_new(&s->c, s->type, rows, cols) == GrB_SUCCESS &&
           GrB_mxm(s->c, NULL, NULL, s->semiring, s->a, s->b ? s->b : s->a, NULL) == GrB_SUCCESS &&
           GrB_Matrix_wait(s->c, GrB_MATERIALIZE) == GrB_SUCCESS;
}

static int result_spgemm(void *state, spl_sparse *c)
{
    grb_state *s = state;
    GrB_Index n_offsets, n_indices, n_values;
    if (GrB_Matrix_exportSize(&n_offsets, &n_indices, &n_values, GrB_CSR_FORMAT, s->c) !=
        GrB_SUCCESS)
        return 0;
    s->offsets = malloc((n_offsets + 1) * sizeof *s->offsets);
    s->indices = malloc((n_indices + 1) * sizeof *s->indices);
    s->values = malloc((n_values + 1) * sizeof(double));
    if (!s->offsets || !s->indices || !s->values)
        return 0;
    GrB_Info info = s->problem.type == SPL_F32
                        ? GrB_Matrix_export_FP32(s->offsets, s->indices, s->values, &n_offsets,
                                                 &n_indices, &n_values, GrB_CSR_FORMAT, s->c)
                        : GrB_Matrix_export_FP64(s->offsets, s->indices, s->values, &n_offsets,
                                                 &n_indices, &n_values, GrB_CSR_FORMAT, s->c);
    *c = s->problem.a;
    c->cols = bench_right(&s->problem)->cols;
    c->nnz = (int64_t)s->offsets[s->problem.a.rows];
    c->offset_type = c->index_type = SPL_I64;
    c->offsets = s->offsets;
    c->indices = s->indices;
    c->values = s->values;
    return info == GrB_SUCCESS;
}

const bench_rival bench_graphblas = {
    .name = "graphblas",
    .start = start,
    .version = version,
    .kernels =
        {
            [BENCH_SPMV] = {.prepare = prepare_dense,
                            .run = run_dense,
                            .result = result_dense,
                            .release = release},
            [BENCH_SPMM] = {.prepare = prepare_dense,
                            .run = run_dense,
                            .result = result_dense,
                            .release = release},
            [BENCH_SPGEMM] = {.prepare = prepare_spgemm,
                              .run = run_spgemm,
                              .result = result_spgemm,
                              .discard = discard,
                              .release = release},
        },
};
