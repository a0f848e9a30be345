/* SPDX-License-Identifier: Apache-2.0 */
#ifndef T
/* spgemm/numeric/cpu/one_pass: values (and columns, if they are not known) of C = alpha*A*B +
 * beta*D in one pass.
 *
 * A row of up to 64 products is expanded; keys of column and position are sorted in registers
 * (sort_keys.h) and neighbours of equal column added up. The position makes the sort stable: the
 * terms of a sum keep their order.
 *
 * A longer row uses a dense accumulator as wide as C, all zero between rows. With every product its
 * column's bit is set in a bitmap, the byte of the bitmap's word in an array of marks, and one of
 * the 64 bits of `top`, each of which covers a stretch of marks. Traversing from `top` down to the
 * bits gives the columns in order; touched elements are cleared on the way. Marks are bytes because
 * a store has no dependency, whereas OR-ing a bit into a recently written word waits for that
 * store.
 *
 * Cost: short rows: per product, writing it, its share of the sort, and adding it up. Long rows:
 * per product an addition and an OR to memory and a store; per row a scan of the touched
 * stretches of marks; per word and column of C, unpacking it; clearing the accumulator once per
 * thread that meets a long row. Memory per thread: cols values, and cols * (1/8 + 1/64) bytes;
 * almost nothing where no row is long. Source: S1, upper bound and ESC, for the short rows; J.
 * Gilbert, C. Moler, R. Schreiber, Sparse matrices in MATLAB, SIAM J. Matrix Anal. Appl. 13(1),
 * 1992 (the "SPA"), for the long ones. Differs: a sorting network; a hierarchy of marks takes
 * the place of the SPA's list of columns and of its sort. */
#include "core/variant.h"
#include "spgemm/cpu/compress.h"
#include "spgemm/cpu/sort_keys.h"
#include "spgemm/product.h"

#include <math.h>
#include <omp.h>
#include <string.h>

/* A key is column * 64 + position. */
enum { PLACE_BITS = 6, MOST_KEY_COLUMNS = 1 << (32 - PLACE_BITS) };
_Static_assert(SPL__MOST_KEYS <= 1 << PLACE_BITS, "a place must fit its bits");

/* Eight bytes as a number whose lowest byte is the first. */
static inline uint64_t in_memory_order(uint64_t eight)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    return __builtin_bswap64(eight);
#else
    return eight;
#endif
}

/* log2 of the columns per bit of `top`: at least the eight marks that are read together. */
static int top_shift(int64_t cols)
{
    int shift = SPL__WORD_SHIFT + 3;
    while ((cols - 1) >> shift >= SPL__WORD_BITS)
        shift++;
    return shift;
}

/* Marks are padded to whole stretches. */
static inline int64_t marks_of(int64_t cols)
{
    int shift = top_shift(cols);
    return ((cols >> shift) + 1) << (shift - SPL__WORD_SHIFT);
}

/* Whether a row of C with up to `work` products is sorted in registers. */
static inline bool is_short(int64_t work, int64_t cols)
{
    return work <= SPL__MOST_KEYS && cols <= MOST_KEY_COLUMNS;
}

/* The head of a thread's workspace. */
typedef struct workspace_head {
    /* the arrays for long rows, which not every thread meets, have been cleared */
    _Alignas(SPL__LINE) bool cleared;
} workspace_head;

#define SELF "spgemm/cpu/numeric_one_pass_cpu.c"
#include "core/each_type.h"

typedef spl_status (*compute_fn)(spl__step *step, const spl__call *call);
SPL__KERNELS(spgemm_one_pass, compute_fn, collect, SPL__V4)

#ifndef SPL__VARIANT

/* A short row's keys and terms. */
static size_t short_workspace(const spl__problem *p)
{
    return sizeof(workspace_head) +
           SPL__MOST_KEYS * (sizeof(uint32_t) + spl__type_size(p->a.csr.type));
}

/* A long row's accumulator, bitmap and marks. */
static size_t long_workspace(const spl__problem *p)
{
    size_t value = spl__type_size(p->a.csr.type), words = (size_t)spl__words_of(p->cols);
    return words * (SPL__WORD_BITS * value + sizeof(uint64_t)) + (size_t)marks_of(p->cols);
}

/* Whether any row is long. */
static bool some_are_long(const spl_plan *plan)
{
    return !is_short(spl__product_of(plan)->longest_work, plan->problem.cols);
}

/* The expected share of threads that meet a long row, from evenly spaced samples. */
static double threads_with_long_rows(const spl_plan *plan)
{
    enum { LOOKS = 1024 };
    const spl__product *c = spl__product_of(plan);
    int64_t rows = plan->problem.rows, stride = rows / LOOKS + 1, found = 0;
    for (int64_t i = 0; i < rows; i += stride)
        found += !is_short(c->work[i + 1] - c->work[i], plan->problem.cols);
    double expected = some_are_long(plan) ? fmax(1, (double)(found * stride)) : 0;
    return fmin(1, expected / spl__assumed_threads(&plan->problem));
}

static void estimate(const spl__task *task, spl__estimate *e)
{
    const spl_plan *plan = task->plan;
    const spl__machine *m = plan->machine;
    const spl__features *f = &plan->features;
    double threads = spl__assumed_threads(&plan->problem);
    double bytes = some_are_long(plan) ? (double)long_workspace(&plan->problem) : 0;
    double mean = task->rows.products / ((double)task->rows.count + 1),
           stretches = fmin(mean, SPL__WORD_BITS);
    double stretch = ldexp(1, top_shift(plan->problem.cols) - SPL__WORD_SHIFT - 3);
    double scans = fmin(stretches * stretch, f->span_sampled / (8 * SPL__WORD_BITS) + 1);
    double columns = task->rows.nnz_c * (m->marked_column + f->words_sampled * m->marked_word);
    double near = f->span_sampled * (double)spl__type_size(plan->problem.a.csr.type);
    double miss = (near > m->near_bytes ? m->dense_near_miss : 0) +
                  (near > m->cache_bytes ? m->dense_miss : 0);
    double product =
        m->marked_product + (mean > SPL__MOST_KEYS ? (1 - f->pairs_sampled) * m->marked_again : 0);
    e->seconds = (task->rows.products * product + columns + task->rows.nnz_c * miss) *
                     spl__largest_share(plan, task->rows.products, task->rows.longest_products) +
                 (double)task->rows.count * scans * m->marked_scan / threads;
    spl__estimate_scratch((double)short_workspace(&plan->problem) + bytes, INFINITY, e);
    e->touched *= threads_with_long_rows(plan);
    spl__numeric_add_rows(task, e);
}

static spl_status prepare(spl__step *step)
{
    const spl_plan *plan = step->task.plan;
    size_t bytes = short_workspace(&plan->problem) +
                   (some_are_long(plan) ? long_workspace(&plan->problem) : 0);
    SPL__TRY(spl__numeric_prepare(step, bytes, true));
    const spl__numeric *n = step->state;
    for (int t = 0; t < n->threads; t++)
        *(workspace_head *)n->workspaces[t] = (workspace_head){.cleared = false};
    return SPL_OK;
}

static spl_status execute(spl__step *step, const spl__call *call)
{
    return kernel(step->task.plan->problem.combination)(step, call);
}

const spl__method spl__spgemm_numeric_cpu_one_pass = {
    .summary = "columns and values at once: short rows sorted in registers, long ones accumulated "
               "and marked",
    .source = "S1, upper bound and ESC; J. Gilbert, C. Moler, R. Schreiber, SIMAX 1992",
    .revision = 1,
    .attributes = SPL__DETERMINISTIC | SPL__IN_PLACE,
    .applicable = spl__needs_sorted,
    .estimate = estimate,
    .prepare = prepare,
    .execute = execute,
    .destroy = spl__numeric_destroy,
};

#endif
#else

typedef struct FN(accumulator) {
    uint32_t *keys; /* NULL: a long row */
    T *terms;
    int64_t count;
    ACC *dense;
    uint64_t *bits;
    uint8_t *marks;
    uint64_t top;
    int shift;
} FN(accumulator);

static inline FN(accumulator) FN(begin_row)(const spl__problem *p, int64_t work, void *workspace)
{
    workspace_head *head = workspace;
    int64_t words = spl__words_of(p->cols);
    uint32_t *keys = (uint32_t *)(head + 1);
    T *terms = (T *)(keys + SPL__MOST_KEYS);
    ACC *dense = terms + SPL__MOST_KEYS;
    uint64_t *bits = (uint64_t *)(dense + words * SPL__WORD_BITS);
    uint8_t *marks = (uint8_t *)(bits + words);
    if (is_short(work, p->cols)) {
        spl__keys_start(keys);
        return (FN(accumulator)){.keys = keys, .terms = terms};
    }
    if (!head->cleared) {
        memset(dense, 0, (size_t)((char *)(marks + marks_of(p->cols)) - (char *)dense));
        head->cleared = true;
    }
    return (FN(accumulator)){NULL, terms, 0, dense, bits, marks, 0, top_shift(p->cols)};
}

/* ---- short rows ---- */

static inline void FN(expand)(FN(accumulator) *sums, const I *restrict columns,
                              const T *restrict values, int64_t count, ACC scale)
{
    uint32_t *restrict keys = sums->keys + sums->count, position = (uint32_t)sums->count;
    T *restrict terms = sums->terms + sums->count;
    for (int64_t k = 0; k < count; k++) {
        keys[k] = (uint32_t)columns[k] << PLACE_BITS | (position + (uint32_t)k);
        terms[k] = scale * values[k];
    }
    sums->count += count;
}

/* Adds up terms of equal column; returns the number of columns. Every term is stored, the last
 * of a column finally: no branch to predict. */
static inline int64_t FN(join_terms)(const FN(accumulator) *sums, I *restrict columns,
                                     T *restrict values)
{
    const uint32_t *restrict keys = sums->keys;
    const T *restrict terms = sums->terms;
    uint32_t last = UINT32_MAX;
    int64_t position = -1;
    ACC sum = 0;
    for (int64_t k = 0; k < sums->count; k++) {
        uint32_t column = keys[k] >> PLACE_BITS;
        ACC term = terms[keys[k] & (SPL__MOST_KEYS - 1)];
        sum = (column == last ? sum : 0) + term;
        position += column != last;
        last = column;
        values[position] = sum;
        if (columns)
            columns[position] = (I)column;
    }
    return position + 1;
}

/* ---- long rows ---- */

static inline void FN(mark)(FN(accumulator) *sums, const I *restrict columns, int64_t count)
{
    uint64_t *restrict bits = sums->bits, top = sums->top;
    uint8_t *restrict marks = sums->marks;
    int shift = sums->shift;
    for (int64_t k = 0; k < count; k++) {
        I column = columns[k];
        bits[column >> SPL__WORD_SHIFT] |= (uint64_t)1 << (column & (SPL__WORD_BITS - 1));
        marks[column >> SPL__WORD_SHIFT] = 1;
        top |= (uint64_t)1 << (column >> shift);
    }
    sums->top = top;
}

/* Not inlined, so that the code for short rows keeps its registers. */
static __attribute__((noinline)) void FN(accumulate)(FN(accumulator) *sums,
                                                     const I *restrict columns,
                                                     const T *restrict values, int64_t count,
                                                     ACC scale)
{
    ACC *restrict dense = sums->dense;
    FN(mark)(sums, columns, count);
    for (int64_t k = 0; k < count; k++)
        dense[columns[k]] += scale * values[k];
}

/* The output position of a row's columns and values. */
typedef struct FN(exit) {
    I *columns; /* NULL: columns are known */
    T *values;
} FN(exit);

static inline void FN(empty_word)(const FN(accumulator) *sums, int64_t word, FN(exit) *out)
{
    ACC *restrict dense = sums->dense + (word << SPL__WORD_SHIFT);
    I first = (I)(word << SPL__WORD_SHIFT);
    for (uint64_t bits = sums->bits[word]; bits; bits &= bits - 1) {
        int bit = __builtin_ctzll(bits);
        *out->values++ = dense[bit];
        dense[bit] = 0;
        if (out->columns)
            *out->columns++ = (I)(first + bit);
    }
    sums->bits[word] = 0;
}

/* Processes the marks first..last, in groups of eight: bytes that are 0 or 1. */
static inline void FN(empty_stretch)(const FN(accumulator) *sums, int64_t first, int64_t last,
                                     FN(exit) *out)
{
    for (int64_t mark = first; mark < last; mark += 8) {
        uint64_t eight;
        memcpy(&eight, sums->marks + mark, sizeof eight);
        if (!eight)
            continue;
        memset(sums->marks + mark, 0, sizeof eight);
        for (eight = in_memory_order(eight); eight; eight &= eight - 1)
            FN(empty_word)(sums, mark + (__builtin_ctzll(eight) >> 3), out);
    }
}

static __attribute__((noinline)) int64_t FN(unpack)(const FN(accumulator) *sums, I *columns,
                                                    T *values)
{
    FN(exit) out = {columns, values};
    int shift = sums->shift - SPL__WORD_SHIFT;
    for (uint64_t top = sums->top; top; top &= top - 1) {
        int64_t stretch = __builtin_ctzll(top);
        FN(empty_stretch)(sums, stretch << shift, (stretch + 1) << shift, &out);
    }
    return out.values - values;
}

/* ---- both ---- */

/* Adds columns without values, where alpha or beta is zero. */
static __attribute__((noinline)) void FN(add_zeros)(FN(accumulator) *sums, const I *columns,
                                                    int64_t count)
{
    static const T zero = 0;
    if (!sums->keys)
        FN(mark)(sums, columns, count);
    for (int64_t k = 0; sums->keys && k < count; k++)
        FN(expand)(sums, columns + k, &zero, 1, 0);
}

static inline void FN(add_scaled)(FN(accumulator) *sums, const I *restrict columns,
                                  const T *restrict values, int64_t count, ACC scale)
{
    if (!values)
        FN(add_zeros)(sums, columns, count);
    else if (sums->keys)
        FN(expand)(sums, columns, values, count, scale);
    else
        FN(accumulate)(sums, columns, values, count, scale);
}

static inline int64_t FN(end_row)(const FN(accumulator) *sums, I *columns, T *values)
{
    if (!sums->keys)
        return FN(unpack)(sums, columns, values);
    spl__sort_keys(sums->keys, sums->count);
    return FN(join_terms)(sums, columns, values);
}

#include "spgemm/cpu/collect_rows.h"

#endif
