/* SPDX-License-Identifier: Apache-2.0 */
#ifndef T
/* spmv/compute/cpu/sliced_ell: y = alpha*A*x + beta*y on a copy of A in sliced ELL, see
 * format/sliced_ell.h, with compressed columns, see format/sliced_columns.h.
 *
 * The rows of a slice advance together, one line of entries at a time, with one vector instruction
 * for all lanes: rows need not be long, and there is no reduction across lanes. A line on a
 * diagonal needs no columns, and if the slice's rows are consecutive, x is loaded instead of
 * gathered and y is stored contiguously. After the end of the slice's shortest row the number of
 * lanes with an entry is stored per line; padding is never multiplied. A copy is made in the plan
 * and refreshed when values are announced; if all values are equal, a single line is stored. For
 * matrices beyond the caches, values that are 16-bit integers times a power of two, or f64 that f32
 * represents, are stored in that form (format/narrow_values.h) and converted back exactly.
 *
 * Neighbours that nearly fill the diagonals they are on, as on grids and in bands, also with holes
 * and across the ends of grid lines, form slices on diagonals instead (format/diagonal_slices.h):
 * x is loaded with a mask, y stored contiguously; nothing is gathered.
 *
 * Cost: 0 to stored*value, 0 to stored*index bytes of columns, rows*(index+y) streamed; x loaded
 * or gathered. Memory: the same without y, and stored*index more while the plan is made. Source:
 * M. Kreutzer, G. Hager, G. Wellein, H. Fehske, A. Bishop, SIAM J. Sci. Comput. 36(5), 2014;
 * narrow columns: [S2]. Differs: padding is skipped instead of multiplied by zero, so that NaN
 * and Inf in x are harmless; columns are compressed line by line. */
#include "core/checked.h"
#include "core/lanes.h"
#include "core/threads/parallel.h"
#include "core/variant.h"
#include "format/narrow_values.h"
#include "format/sliced_columns.h"
#include "spmv/row_steps.h"

#include <math.h>
#include <string.h>

typedef struct state {
    spl__sliced_ell sliced;
    spl__sliced_columns columns;
    spl__blocks parts; /* of slices */
    bool prefetch;     /* the data do not stay in the caches: prefetch */
    bool narrow;       /* values may be narrow: the executions amortise the scan */
    bool in_order;     /* slices begin with rows 0, LANES, 2*LANES, ...: these need not be read */
    bool filled;       /* before, values are those that the plan has looked at */
    /* All equal: sliced.values holds a single line. Narrow: the values of each part are
     * consecutive from the begin of the part. */
    spl__narrow_form form;
    double scale; /* 2^form.exponent */
} state;

enum { PART_ENTRIES = 16384, NARROW_FROM = 4, LANES = SPL__SLICE_LANES };

#define SELF "spmv/cpu/spmv_sliced_ell_cpu.c"
#include "core/each_type.h"

typedef void (*kernel_fn)(const state *s, spl__sweep sweep, const spl__call *call);
SPL__KERNELS(spmv_sliced_ell, kernel_fn, multiply, SPL__V4)

#ifndef SPL__VARIANT

/* The least fill of diagonals with slices of their own. Where everything stays in caches, masked
 * loads of x are so much faster than gathers that half of them may be for nothing; from memory
 * positions without an entry cost as much as columns. */
static double least_fill(const spl_plan *plan)
{
    const spl_sparse *a = &plan->problem.a.csr;
    const double bytes = (double)a->nnz * (double)spl__type_size(a->type);
    return bytes > plan->machine->cache_bytes ? plan->machine->spmv_diagonal_far_fill
                                              : plan->machine->spmv_diagonal_fill;
}

/* The share of entries in such slices. */
static double on_diagonals(const spl__task *task)
{
    const spl__features *f = &task->plan->features;
    return f->diagonal_fill_sampled >= least_fill(task->plan) ? f->diagonals_sampled : 0;
}

/* The share of the other entries in lines on a diagonal, on which all lanes of a slice must be.
 * Rows that do not continue the one before are neighbours of others that do not, on the edges of a
 * mesh or a band, or are sorted into slices of their own: not all LANES - 1 chances are
 * independent. */
static double on_whole_diagonals(const spl__task *task)
{
    const double chances = 4;
    return pow(task->plan->features.shifted_sampled, chances);
}

/* Bytes that narrow values save. */
static double spared(const spl__task *task)
{
    const spl__features *f = &task->plan->features;
    if (task->plan->problem.a.value_form.form == DEVICE_NARROW_AS_THEY_ARE)
        return 0;
    return f->nnz_a * ((double)spl__type_size(task->plan->problem.a.csr.type) - f->value_bytes);
}

/* Padding in slices of sliced ELL proper, which have so many entries: what a few windows of rows
 * have, and lines that the longest row has for itself. */
static double padding(const spl__task *task, double entries)
{
    const spl__features *f = &task->plan->features;
    if (entries <= 0)
        return 0;
    return fmax(entries * (1 / f->sliced_fill_sampled - 1), f->longest_row_a * (LANES - 1));
}

/* The part of the rows in slices of sliced ELL proper: the share `others` of them. */
static double seconds_of_others(const spl__task *task, double others, double padding)
{
    const spl__features *f = &task->plan->features;
    const spl__machine *m = task->plan->machine;
    const double uneven = spl__spmv_uneven(task), entries = f->nnz_a * others;
    const double diagonal = entries * on_whole_diagonals(task);
    const double x = f->inner * (double)spl__type_size(task->plan->problem.a.csr.type);
    const double loads = x > m->near_bytes && !spl__gathers_pay ? m->spmv_sliced_loads : 0;
    return (entries - diagonal + padding) * (m->spmv_sliced_entry + loads) +
           diagonal * m->spmv_sliced_diagonal + entries * uneven * m->spmv_sliced_uneven +
           f->rows * others * (m->spmv_sliced_row + m->spmv_apart_row * uneven);
}

static void estimate(const spl__task *task, spl__estimate *e)
{
    const spl__features *f = &task->plan->features;
    const spl__machine *m = task->plan->machine;
    const spl_sparse *a = &task->plan->problem.a.csr;
    const double value = (double)spl__type_size(a->type),
                 index = (double)spl__index_size(a->index_type);
    const double on = on_diagonals(task), others = 1 - on,
                 whole = others * on_whole_diagonals(task);
    const double positions = f->nnz_a * on / f->diagonal_fill_sampled,
                 holes = positions - f->nnz_a * on;
    const double padded = padding(task, f->nnz_a * others);
    spl__spmv_work work = {.bytes = spl__spmv_entry_bytes(task) + f->rows * index + holes * value +
                                    padded * (value + index)};
    work.other_bytes = work.bytes;
    work.bytes -= f->nnz_a * (on + whole) * index + spared(task);
    work.stream = 1 + (m->spmv_one_stream - 1) * (on + whole);
    work.seconds = positions * value / sizeof(double) * m->spmv_diagonal_position +
                   f->rows * on * m->spmv_diagonal_row + seconds_of_others(task, others, padded);
    work.converted = f->nnz_a + f->rows + padded / 3 + holes * m->spmv_convert_hole;
    work.largest = LANES * f->longest_row_a * m->spmv_sliced_entry;
    spl__spmv_predict(task, &work, e);
}

static bool is_in_order(const spl__sliced_ell *s)
{
    bool is = true;
    for (int64_t k = 0; k < s->slices && is; k++)
        is = spl__index_at(s->rows, s->shape.index_type, k * LANES) == k * LANES;
    return is;
}

static spl_status prepare(spl__step *step)
{
    const spl__problem *p = &step->task.plan->problem;
    spl__account *account = &step->task.plan->account;
    state *s;
    SPL__TRY(SPL__NEW_ZERO(account, &s, 1));
    step->state = s;
    double bytes = (double)p->a.csr.nnz * (double)spl__type_size(p->a.csr.type);
    s->prefetch = bytes > step->task.plan->machine->cache_bytes;
    s->narrow = s->prefetch && spl__values_may_be_narrow(step->task.plan);
    bool narrow = bytes > NARROW_FROM * step->task.plan->machine->cache_bytes;
    SPL__TRY(spl__sliced_ell_make(account, &p->a.csr, LANES, SPL__SLICE_WINDOW,
                                  least_fill(step->task.plan), p->threads, &s->sliced));
    s->in_order = is_in_order(&s->sliced);
    SPL__TRY(spl__sliced_columns_make(account, &s->sliced, narrow, p->threads, &s->columns));
    spl__free(s->sliced.indices);
    s->sliced.indices = NULL;
    return spl__blocks_make(account, s->sliced.begin, NULL, s->sliced.slices, PART_ENTRIES,
                            &s->parts);
}

/* Stores values part by part, so that threads work in parallel without another array. */
static void store_narrow(const state *s, int threads)
{
    const size_t size = spl__type_size(s->sliced.shape.type);
#pragma omp parallel for num_threads(spl__team(s->parts.count > 1 ? threads : 1)) schedule(static)
    for (int64_t b = 0; b < s->parts.count; b++) {
        int64_t begin = s->sliced.begin[s->parts.begin[b]],
                end = s->sliced.begin[s->parts.begin[b + 1]];
        spl__narrow_values_store(&s->form, s->sliced.shape.type,
                                 (char *)s->sliced.values + (size_t)begin * size, end - begin);
    }
}
_Static_assert(LANES % SPL__NARROWED_AT_ONCE == 0, "slices are whole");

static void update(spl__step *step)
{
    spl__watch *watch = spl__account_watch(&step->task.plan->account);
    const spl__problem *p = &step->task.plan->problem;
    state *s = step->state;
    const size_t size = spl__type_size(p->a.csr.type);
    if (!s->filled && s->narrow && p->a.value_form.form != DEVICE_NARROW_AS_THEY_ARE)
        s->form = p->a.value_form;
    else
        s->form = spl__narrow_values_find(&p->a.csr, s->narrow, p->threads);
    s->filled = true;
    s->scale = ldexp(1, s->form.exponent);
    bool same = s->form.form == DEVICE_NARROW_ONE;
    if (!same)
        spl__sliced_ell_fill(watch, &s->sliced, &p->a.csr, p->threads);
    if (!same && s->form.form != DEVICE_NARROW_AS_THEY_ARE)
        store_narrow(s, p->threads);
    for (size_t lane = 0; same && lane < LANES; lane++)
        memcpy((char *)s->sliced.values + lane * size, p->a.csr.values, size);
}

static spl_status execute(spl__step *step, const spl__call *call)
{
    const spl__problem *p = &step->task.plan->problem;
    kernel(p->combination)(step->state, spl__step_sweep(step), call);
    return SPL_OK;
}

static void explain(const spl__step *step, spl__text *text)
{
    const state *s = step->state;
    double all = (double)s->sliced.begin[s->sliced.slices],
           bytes = (double)s->columns.code_offsets[s->sliced.slices];
    bytes += (double)s->columns.lines * (double)spl__index_size(s->sliced.shape.index_type);
    spl__text_add(
        text,
        "  slices %s of %d rows, %.3g %% on diagonals with holes; %.3g %% of what is stored are "
        "entries, %.3g bytes of columns for each",
        spl__thousands(s->sliced.slices), LANES,
        s->sliced.slices > 0 ? 100 * (double)s->sliced.on_diagonals / (double)s->sliced.slices : 0,
        all > 0 ? 100 * (double)s->sliced.shape.nnz / all : 100,
        all > 0 ? bytes / (double)s->sliced.shape.nnz : 0);
    spl__narrow_form_explain(&s->form, text);
    spl__text_add(text, "\n");
}

static void destroy(spl__step *step)
{
    state *s = step->state;
    if (!s)
        return;
    spl__sliced_ell_free(&s->sliced);
    spl__sliced_columns_free(&s->columns);
    spl__blocks_free(&s->parts);
    spl__free(s);
}

const spl__method spl__spmv_compute_cpu_sliced_ell = {
    .summary = "sliced ELL: a copy in slices of rows, lanes in step, columns compressed",
    .source = "M. Kreutzer et al., SIAM J. Sci. Comput. 36(5), 2014; S2",
    .revision = 5,
    .attributes = SPL__DETERMINISTIC,
    .applicable = spl__spmv_needs_row_numbers,
    .estimate = estimate,
    .prepare = prepare,
    .update = update,
    .execute = execute,
    .explain = explain,
    .destroy = destroy,
};

#endif
#else

#include "spmv/cpu/beta_only.h"
#include "spmv/cpu/slice_lines.h"

/* What is a compile-time constant in the loops over slices. */
typedef struct FN(way) {
    bool prefetch; /* the matrix is larger than the caches */
    bool one_line; /* all values are equal */
    int form;      /* of values: WHOLE, F32, or as they are */
} FN(way);

/* Bytes between the values of lines. */
static SPL__INLINED int64_t FN(step)(const FN(way) way)
{
    return way.one_line ? 0 : LANES * FN(width)(way.form);
}

/* The values from entry q of a part on; for equal values always the single line. */
static SPL__INLINED const char *FN(values_of)(const state *s, int64_t part, int64_t q,
                                              const FN(way) way)
{
    int64_t begin = s->sliced.begin[s->parts.begin[part]];
    const char *values = s->sliced.values;
    if (way.one_line)
        return values;
    return values + begin * (int64_t)sizeof(T) + (q - begin) * FN(width)(way.form);
}

static SPL__INLINED void FN(fetch_line)(const char *line, const T *x, const FN(way) way)
{
    for (int64_t b = 0; way.prefetch && b < FN(step)(way); b += 64)
        spl__prefetch(line + b);
    if (way.prefetch)
        spl__prefetch_near(x);
}

#include "spmv/cpu/slices_far.h"
#include "spmv/cpu/slices_on_diagonals.h"

static SPL__INLINED FN(slice) FN(slice_of)(const state *s, int64_t part, int64_t k,
                                           const spl__call *call, const bool consecutive,
                                           const FN(way) way)
{
    const int64_t q = s->sliced.begin[k];
    return (FN(slice)){.rows = (const I *)s->sliced.rows + k * LANES,
                       .codes = (const I *)s->columns.codes + q / LANES,
                       .values = FN(values_of)(s, part, q, way),
                       .x = call->x,
                       .step = FN(step)(way),
                       .full = s->sliced.full[k],
                       .lines = (s->sliced.begin[k + 1] - q) / LANES,
                       .consecutive = consecutive,
                       .prefetch = way.prefetch,
                       .form = way.form,
                       .scale = (T)s->scale};
}

static SPL__INLINED void FN(multiply_slice)(const state *s, int64_t part, int64_t k,
                                            const spl__call *call, const bool consecutive,
                                            const FN(way) way)
{
    const T alpha = *(const T *)call->alpha, beta = *(const T *)call->beta;
    const FN(slice) slice = FN(slice_of)(s, part, k, call, consecutive, way);
    FN(lanes) sums[FN(REGISTERS)] = {{0}};
    T *y = call->y;
    const unsigned char *listed = s->columns.listed + s->columns.code_offsets[k];
    listed = FN(add_full)(sums, &slice, listed);
    if (consecutive && way.prefetch)
        spl__prefetch_near(y + slice.rows[0]);
    if (consecutive) {
        FN(store_consecutive)(sums, alpha, beta, y + slice.rows[0]);
    } else {
        FN(add_ragged)(sums, &slice, listed);
        FN(store_scattered)(sums, alpha, beta, slice.rows, y);
    }
}

/* Whether the slice's rows are consecutive; rows of equal length ascend. */
static inline bool FN(consecutive)(const spl__sliced_ell *s, int64_t slice)
{
    const I *rows = (const I *)s->rows + slice * LANES;
    return s->begin[slice + 1] - s->begin[slice] == s->full[slice] * LANES &&
           rows[LANES - 1] - rows[0] == LANES - 1;
}

static SPL__INLINED void FN(multiply_slices)(const state *s, int64_t part, int64_t k, int64_t end,
                                             const spl__call *call, const FN(way) way)
{
    for (; k < end; k++)
        if (FN(consecutive)(&s->sliced, k))
            FN(multiply_slice)(s, part, k, call, true, way);
        else
            FN(multiply_slice)(s, part, k, call, false, way);
}

/* Calls `multiply` in the way of storing values, a compile-time constant. */
#define IN_ITS_WAY(multiply, s, ...)                                                               \
    do {                                                                                           \
        if ((s)->form.form == DEVICE_NARROW_ONE && !(s)->prefetch)                                 \
            multiply(s, __VA_ARGS__, (FN(way)){false, true, DEVICE_NARROW_AS_THEY_ARE});           \
        else if ((s)->form.form == DEVICE_NARROW_ONE)                                              \
            multiply(s, __VA_ARGS__, (FN(way)){true, true, DEVICE_NARROW_AS_THEY_ARE});            \
        else if (!(s)->prefetch)                                                                   \
            multiply(s, __VA_ARGS__, (FN(way)){false, false, DEVICE_NARROW_AS_THEY_ARE});          \
        else if ((s)->form.form == SPL__VALUES_WHOLE)                                              \
            multiply(s, __VA_ARGS__, (FN(way)){true, false, SPL__VALUES_WHOLE});                   \
        else if (sizeof(T) > sizeof(float) && (s)->form.form == DEVICE_NARROW_F32)                 \
            multiply(s, __VA_ARGS__, (FN(way)){true, false, DEVICE_NARROW_F32});                   \
        else                                                                                       \
            multiply(s, __VA_ARGS__, (FN(way)){true, false, DEVICE_NARROW_AS_THEY_ARE});           \
    } while (0)

static SPL__APART void FN(any_slices)(const state *s, int64_t part, int64_t k, int64_t end,
                                      const spl__call *call)
{
    IN_ITS_WAY(FN(multiply_slices), s, part, k, end, call);
}

static SPL__APART void FN(slices_on_diagonals)(const state *s, int64_t part, int64_t k, int64_t end,
                                               const spl__call *call)
{
    IN_ITS_WAY(FN(multiply_on_diagonals), s, part, k, end, call);
}
#undef IN_ITS_WAY

/* The loop for slice k. */
typedef void (*FN(loop_fn))(const state *s, int64_t part, int64_t k, int64_t end,
                            const spl__call *call);
static inline FN(loop_fn) FN(loop_of)(const state *s, int64_t k)
{
    const unsigned char kind = s->columns.kinds[k];
    if (kind == SPL__SLICE_HOLED || kind == SPL__SLICE_WHOLE)
        return FN(slices_on_diagonals);
    const bool plain = !s->prefetch && s->form.form == DEVICE_NARROW_AS_THEY_ARE;
    return plain && kind == SPL__SLICE_FAR ? FN(far_slices) : FN(any_slices);
}

static void FN(multiply_part)(const state *s, int64_t part, const spl__call *call)
{
    const int64_t end = s->parts.begin[part + 1];
    for (int64_t k = s->parts.begin[part], next; k < end; k = next) {
        const FN(loop_fn) loop = FN(loop_of)(s, k);
        for (next = k + 1; next < end && FN(loop_of)(s, next) == loop;)
            next++;
        loop(s, part, k, next, call);
    }
}

static void FN(multiply)(const state *s, spl__sweep sweep, const spl__call *call)
{
    if (FN(beta_only)(call, s->sliced.shape.rows, sweep.threads))
        return;
    SPL__SWEEP_PARTS(b, s->parts.count, sweep,
                     if (spl__watch_goes_on(call->watch)) FN(multiply_part)(s, b, call));
}

#endif
