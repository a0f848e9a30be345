/* SPDX-License-Identifier: Apache-2.0 */
#ifndef T
/* spmm/compute/cpu/register_blocked: C = alpha*A*B + beta*C, a tile of one row of C at a time in registers.
 *
 * For row i and TILE columns, the entries of row i are walked once; each adds a_ik times TILE neighbouring elements of B's row k. C is
 * read and written once. Rows are cut into parts of equal rows + entries, columns into panels, so that one long row does not fall
 * to one thread alone if there are many columns. Any other storage than row major for both B and C goes through strides.
 *
 * Cost: per panel, A once; nnz*K elements of B from wherever they are cached. Memory: one integer per part.
 * Source: the CPU counterpart of S4 (a warp keeps 32 columns of C in registers, its rows' entries staged);
 *         register tiling: M. Lam, E. Rothberg, M. Wolf, ASPLOS'91.
 * Differs: the tile is 128 bytes wide, with half, quarter and eighth tiles for what is left of K. */
#include "core/checked.h"
#include "core/variant.h"
#include "matrix/merge_path.h"
#include "plan/plan.h"

enum { TILE_BYTES = 128, PANEL_TILES = 4, PART_WORK = 2048 };

#define ALWAYS_INLINE static inline __attribute__((always_inline))

#define SELF "spmm/spmm_register_blocked_cpu.c"
#include "core/each_type.h"

typedef void (*kernel_fn)(const spl__row_parts *r, int threads, const spl_sparse *a, const spl__call *call);
SPL__KERNELS(spmm_register_blocked, kernel_fn, multiply, SPL__V4)

#ifndef SPL__VARIANT

static void estimate(const spl__task *task, spl__estimate *e)
{
    const spl__features *f = &task->plan->features;
    const spl__machine *m = task->plan->machine;
    double threads = task->plan->problem.threads;
    double element = (double)spl__type_size(task->plan->problem.a.csr.type);
    double seconds =
        f->nnz_a * f->cols * m->spmm_element * element / 4 + 2 * f->rows * f->cols * element / m->bandwidth;
    e->seconds = seconds / threads + (threads > 1 ? m->parallel_start : 0);
    e->bytes = 8.0 * (1 + (f->nnz_a + f->rows) / PART_WORK);
}

static spl_status prepare(spl__step *step)
{
    spl__account *account = &step->task.plan->account;
    const spl_sparse *a = &step->task.plan->problem.a.csr;
    spl__row_parts *r;
    SPL__TRY(SPL__NEW_ZERO(account, &r, 1));
    step->state = r;
    return spl__row_parts_make(account, a, PART_WORK, r);
}

static spl_status execute(spl__step *step, const spl__call *call)
{
    const spl__problem *p = &step->task.plan->problem;
    kernel(p->combination)(step->state, p->threads, &p->a.csr, call);
    return SPL_OK;
}

static void explain(const spl__step *step, spl__text *text)
{
    const spl__row_parts *r = step->state;
    spl__text_add(text, "  parts of rows %s, tile of columns %d bytes\n", spl__thousands(r->count), TILE_BYTES);
}

static void destroy(spl__step *step)
{
    spl__row_parts *r = step->state;
    if (!r)
        return;
    spl__row_parts_free(r);
    spl__free(r);
}

const spl__method spl__spmm_compute_cpu_register_blocked = {
    .summary = "row by row, a tile of columns in registers",
    .source = "after S4; M. Lam, E. Rothberg, M. Wolf, ASPLOS'91",
    .revision = 1,
    .attributes = SPL__DETERMINISTIC | SPL__IN_PLACE,
    .estimate = estimate,
    .prepare = prepare,
    .execute = execute,
    .explain = explain,
    .destroy = destroy,
};

#endif
#else

enum { FN(TILE) = TILE_BYTES / sizeof(T) };

/* One row of C in the columns of one tile. Strides count elements: of B from row to row, of B and C from column to column. */
typedef struct FN(row) {
    const I *columns;
    const T *values;
    P begin, end;
    const T *b;
    int64_t b_row, b_column;
    T *c;
    int64_t c_column;
    T alpha, beta;
} FN(row);

/* c[0..width) = alpha * (row of A times B) + beta * c. `width` is a constant where it matters. */
ALWAYS_INLINE void FN(tile)(const FN(row) * r, int64_t j, const int width, int64_t b_column, int64_t c_column)
{
    ACC sum[FN(TILE)];
    const T *b = r->b + j * b_column;
    T *c = r->c + j * c_column;
    for (int t = 0; t < width; t++)
        sum[t] = 0;
    for (P p = r->begin; p < r->end; p++) {
        const T *line = b + r->columns[p] * r->b_row;
        T value = r->values[p];
        for (int t = 0; t < width; t++)
            sum[t] += value * line[t * b_column];
    }
    for (int t = 0; t < width; t++)
        c[t * c_column] = r->alpha * sum[t] + (r->beta == 0 ? 0 : r->beta * c[t * c_column]);
}

/* Columns begin..end of one row: full tiles, then smaller ones. */
ALWAYS_INLINE void FN(sweep)(const FN(row) * r, int64_t j, int64_t end, int64_t b_column, int64_t c_column)
{
    for (; j + FN(TILE) <= end; j += FN(TILE))
        FN(tile)(r, j, FN(TILE), b_column, c_column);
    for (; j + FN(TILE) / 2 <= end; j += FN(TILE) / 2)
        FN(tile)(r, j, FN(TILE) / 2, b_column, c_column);
    for (; j + FN(TILE) / 4 <= end; j += FN(TILE) / 4)
        FN(tile)(r, j, FN(TILE) / 4, b_column, c_column);
    for (; j + FN(TILE) / 8 <= end; j += FN(TILE) / 8)
        FN(tile)(r, j, FN(TILE) / 8, b_column, c_column);
    for (; j < end; j++)
        FN(tile)(r, j, 1, b_column, c_column);
}

/* Rows of one part in the columns of one panel. */
static void FN(multiply_part)(const spl_sparse *a, const spl__call *call, int64_t first, int64_t last, int64_t j,
                              int64_t end)
{
    const spl_dense *b = call->b, *c = call->c;
    const P *offsets = a->offsets;
    bool b_rows = b->order == SPL_ROW_MAJOR, c_rows = c->order == SPL_ROW_MAJOR;
    FN(row) r = {.columns = a->indices, .values = a->values, .b = b->values};
    r.alpha = *(const T *)call->alpha;
    r.beta = *(const T *)call->beta;
    r.b_row = b_rows ? b->ld : 1;
    r.b_column = b_rows ? 1 : b->ld;
    r.c_column = c_rows ? 1 : c->ld;
    for (int64_t i = first; i < last; i++) {
        r.begin = r.alpha == 0 ? 0 : offsets[i]; /* alpha = 0 reads no values */
        r.end = r.alpha == 0 ? 0 : offsets[i + 1];
        r.c = (T *)c->values + i * (c_rows ? c->ld : 1);
        if (b_rows && c_rows)
            FN(sweep)(&r, j, end, 1, 1);
        else
            FN(sweep)(&r, j, end, r.b_column, r.c_column);
    }
}

static void FN(multiply)(const spl__row_parts *r, int threads, const spl_sparse *a, const spl__call *call)
{
    const int64_t columns = call->c->cols, panel = PANEL_TILES * FN(TILE);
    const int64_t panels = (columns + panel - 1) / panel;
#pragma omp parallel for schedule(dynamic) num_threads(threads) if (r->count * panels > 1)
    for (int64_t task = 0; task < r->count * panels; task++) {
        int64_t part = task % r->count, j = task / r->count * panel;
        FN(multiply_part)(a, call, r->row[part], r->row[part + 1], j, spl__min_i64(j + panel, columns));
    }
}

#endif
