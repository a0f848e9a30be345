/* SPDX-License-Identifier: Apache-2.0 */
#ifndef T
/* spmm/compute/cpu/register_blocked: C = alpha*A*B + beta*C, a tile of one row of C at a time in registers.
 *
 * For row i and a tile of columns, the entries of row i are walked once; each adds a_ik times as many neighbouring elements of B's row k. C is
 * read and written once. Rows are cut into parts of equal rows + entries, columns into panels, so that one long row does not fall
 * to one thread alone if there are many columns. Any other storage than row major for both B and C goes through strides.
 *
 * Cost: per panel, A once; nnz*K elements of B from wherever they are cached. Memory: one integer per part.
 * Source: the CPU counterpart of S4 (a warp keeps 32 columns of C in registers, its rows' entries staged);
 *         register tiling: M. Lam, E. Rothberg, M. Wolf, ASPLOS'91.
 * Differs: the tile is 8 registers wide; tiles of 4, 2 and 1 registers for what is left of K take 2 and 4 entries at a time. */
#include "core/checked.h"
#include "core/lanes.h"
#include "core/variant.h"
#include "matrix/merge_path.h"
#include "plan/plan.h"

#include <string.h>

enum { REGISTERS = 8, PANEL_TILES = 4, PART_WORK = 2048 };

#define ALWAYS_INLINE static inline __attribute__((always_inline))
#ifdef __clang__
#define UNROLL /* clang unrolls these loops by itself; told to, it takes minutes with sanitizers */
#else
#define UNROLL _Pragma("GCC unroll 8") /* early enough for the sums to become registers */
#endif

#define SELF "spmm/spmm_register_blocked_cpu.c"
#include "core/each_type.h"

typedef void (*kernel_fn)(const spl__row_parts *r, int threads, const spl_sparse *a, const spl__call *call);
SPL__KERNELS(spmm_register_blocked, kernel_fn, multiply, SPL__V4)

#ifndef SPL__VARIANT

static void estimate(const spl__task *task, spl__estimate *e)
{
    const spl__features *f = &task->plan->features;
    const spl__machine *m = task->plan->machine;
    double threads = spl__assumed_threads(&task->plan->problem);
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
    spl__text_add(text, "  parts of rows %s, tile of columns %d registers of %s\n", spl__thousands(r->count), REGISTERS,
                  spl__variant_name(spl__variant_up_to(SPL__V4)));
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
    .revision = 2,
    .attributes = SPL__DETERMINISTIC | SPL__IN_PLACE,
    .estimate = estimate,
    .prepare = prepare,
    .execute = execute,
    .explain = explain,
    .destroy = destroy,
};

#endif
#else

typedef T FN(lanes) __attribute__((vector_size(SPL__REGISTER_BYTES)));

enum { FN(WIDTH) = SPL__REGISTER_BYTES / sizeof(T), FN(TILE) = REGISTERS * FN(WIDTH) };

/* One row of C. Strides count elements: of B from row to row, of B and C from column to column. */
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

/* sum[t] += a_ip * register t of B's row, for entry p */
ALWAYS_INLINE void FN(add_entry)(const FN(row) * r, P p, const T *b, const int registers, FN(lanes) * sum)
{
    const T *line = b + r->columns[p] * r->b_row;
    const T value = r->values[p];
    FN(lanes) lanes;
    UNROLL
    for (int t = 0; t < registers; t++) {
        memcpy(&lanes, line + t * FN(WIDTH), sizeof lanes);
        sum[t] += value * lanes;
    }
}

/* `registers` registers of C from column j on, B and C row major. Narrow tiles take several entries at a time, each into sums of its
 * own, so that additions do not wait for each other. */
ALWAYS_INLINE void FN(tile)(const FN(row) * r, int64_t j, const int registers, const int entries)
{
    FN(lanes) sum[REGISTERS], old;
    const T *b = r->b + j;
    P p = r->begin;
    UNROLL
    for (int t = 0; t < registers * entries; t++)
        sum[t] = (FN(lanes)){0};
    for (; r->end - p >= entries; p += entries) {
        UNROLL
        for (int e = 0; e < entries; e++)
            FN(add_entry)(r, p + e, b, registers, sum + e * registers);
    }
    for (; p < r->end; p++)
        FN(add_entry)(r, p, b, registers, sum);
    UNROLL
    for (int t = registers; t < registers * entries; t++)
        sum[t % registers] += sum[t];
    UNROLL
    for (int t = 0; t < registers; t++) {
        T *c = r->c + j + t * FN(WIDTH);
        sum[t] *= r->alpha;
        if (r->beta != 0) {
            memcpy(&old, c, sizeof old);
            sum[t] += r->beta * old;
        }
        memcpy(c, &sum[t], sizeof old);
    }
}

/* One column, any storage. */
static void FN(column)(const FN(row) * r, int64_t j)
{
    const T *b = r->b + j * r->b_column;
    T *c = r->c + j * r->c_column;
    ACC sum = 0;
    for (P p = r->begin; p < r->end; p++)
        sum += r->values[p] * b[r->columns[p] * r->b_row];
    *c = r->alpha * sum + (r->beta == 0 ? 0 : r->beta * *c);
}

/* Four columns, any storage: A's entries are read once for them. */
static void FN(four_columns)(const FN(row) * r, int64_t j)
{
    const T *b = r->b + j * r->b_column;
    T *c = r->c + j * r->c_column;
    ACC sum[4] = {0};
    for (P p = r->begin; p < r->end; p++)
        for (int t = 0; t < 4; t++)
            sum[t] += r->values[p] * b[r->columns[p] * r->b_row + t * r->b_column];
    for (int t = 0; t < 4; t++)
        c[t * r->c_column] = r->alpha * sum[t] + (r->beta == 0 ? 0 : r->beta * c[t * r->c_column]);
}

/* Columns j..end of one row: full tiles, then smaller ones, if both B and C are row major; then the rest. */
static void FN(sweep)(const FN(row) * r, int64_t j, int64_t end)
{
    if (r->b_column == 1 && r->c_column == 1) {
        for (; j + FN(TILE) <= end; j += FN(TILE))
            FN(tile)(r, j, REGISTERS, 1);
        for (; j + FN(TILE) / 2 <= end; j += FN(TILE) / 2)
            FN(tile)(r, j, REGISTERS / 2, 2);
        for (; j + FN(TILE) / 4 <= end; j += FN(TILE) / 4)
            FN(tile)(r, j, REGISTERS / 4, 4);
        for (; j + FN(WIDTH) <= end; j += FN(WIDTH))
            FN(tile)(r, j, 1, 4);
    }
    for (; j + 4 <= end; j += 4)
        FN(four_columns)(r, j);
    for (; j < end; j++)
        FN(column)(r, j);
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
        FN(sweep)(&r, j, end);
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
