/* SPDX-License-Identifier: Apache-2.0 */
#ifndef T
/* spgemm/numeric/cpu/dense_marked: values (and columns, where nobody found them before) of C = alpha*A*B + beta*D in one pass.
 *
 * A dense accumulator as wide as C, all zero between rows. Beside every product its column's bit is set in a bitmap, the byte that stands for
 * the bitmap's word in an array of marks, and one of the 64 bits of `top`, each of which stands for a stretch of marks. Going down from
 * `top` to the bits gives the columns in order, and every place that was touched is set to zero on the way. Marks are bytes because a
 * store waits for nothing, while OR-ing a bit into a word that was written just before does: neighbouring columns share marks.
 *
 * Cost: per product two additions or ORs to memory and a store; per row a look at the stretches of marks it touched; per word and column
 * of C, unpacking it. Memory per thread: cols values, and cols * (1/8 + 1/64) bytes.
 * Source: J. Gilbert, C. Moler, R. Schreiber, Sparse matrices in MATLAB, SIAM J. Matrix Anal. Appl. 13(1), 1992 (the "SPA"); one pass after
 *         an upper bound: S1.
 * Differs: a hierarchy of marks takes the place of the list of columns and of its sort. */
#include "core/combination.h"
#include "spgemm/compress.h"
#include "spgemm/product.h"

#include <math.h>
#include <omp.h>
#include <string.h>

/* Eight bytes as a number whose lowest byte is the first. */
static inline uint64_t in_memory_order(uint64_t eight)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    return __builtin_bswap64(eight);
#else
    return eight;
#endif
}

/* Columns that a bit of `top` stands for, as a shift: at least the eight marks that are looked at together. */
static int top_shift(int64_t cols)
{
    int shift = SPL__WORD_SHIFT + 3;
    while ((cols - 1) >> shift >= SPL__WORD_BITS)
        shift++;
    return shift;
}

#define SELF "spgemm/numeric_dense_marked_cpu.c"
#include "core/each_type.h"

typedef spl_status (*compute_fn)(spl__step *step, const spl__call *call);
static const compute_fn compute_kernels[SPL__COMBINATIONS] = SPL__TABLE(collect);

static const char *applicable(const spl__task *task)
{
    return spl__product_of(task->plan)->unsorted ? "the columns of C are known and not in order" : NULL;
}

/* Marks are padded to whole stretches. */
static int64_t marks_of(int64_t cols)
{
    int shift = top_shift(cols);
    return ((cols >> shift) + 1) << (shift - SPL__WORD_SHIFT);
}

/* The accumulator, the bitmap, the marks. */
static size_t workspace(const spl__problem *p)
{
    int64_t words = spl__words_of(p->cols);
    return (size_t)spl__words_of(p->cols) * SPL__WORD_BITS * spl__type_size(p->a.csr.type) +
           (size_t)words * sizeof(uint64_t) + (size_t)marks_of(p->cols);
}

static void estimate(const spl__task *task, spl__estimate *e)
{
    const spl_plan *plan = task->plan;
    const spl__machine *m = plan->machine;
    const spl__features *f = &plan->features;
    double threads = spl__assumed_threads(&plan->problem), bytes = (double)workspace(&plan->problem);
    double mean = task->rows.products / ((double)task->rows.count + 1), stretches = fmin(mean, SPL__WORD_BITS);
    double stretch = ldexp(1, top_shift(plan->problem.cols) - SPL__WORD_SHIFT - 3);
    double scans = fmin(stretches * stretch, f->span_sampled / (8 * SPL__WORD_BITS) + 1);
    double columns = task->rows.nnz_c * (m->marked_column + f->words_sampled * m->marked_word);
    double near = f->span_sampled * (double)spl__type_size(plan->problem.a.csr.type);
    double miss = (near > m->near_bytes ? m->dense_near_miss : 0) + (near > m->cache_bytes ? m->dense_miss : 0);
    e->seconds = (task->rows.products * m->marked_product + columns + task->rows.nnz_c * miss +
                  (double)task->rows.count * scans * m->marked_scan) /
                 threads;
    e->bytes = threads * bytes;
    spl__numeric_add_rows(task, e);
}

static spl_status prepare(spl__step *step)
{
    return spl__numeric_prepare(step, workspace(&step->task.plan->problem),
                                SPL__NUMERIC_FINDS_COLUMNS | SPL__NUMERIC_CLEARS);
}

static spl_status execute(spl__step *step, const spl__call *call)
{
    return compute_kernels[step->task.plan->problem.combination](step, call);
}

const spl__method spl__spgemm_numeric_cpu_dense_marked = {
    .summary = "dense accumulator with a hierarchy of marks: columns and values at once",
    .source = "J. Gilbert, C. Moler, R. Schreiber, SIMAX 1992; S1 (one pass after an upper bound)",
    .revision = 1,
    .attributes = SPL__DETERMINISTIC | SPL__IN_PLACE,
    .applicable = applicable,
    .estimate = estimate,
    .prepare = prepare,
    .execute = execute,
    .destroy = spl__numeric_destroy,
};

#else

typedef struct FN(accumulator) {
    ACC *dense;
    uint64_t *bits;
    uint8_t *marks;
    uint64_t top;
    int shift;
} FN(accumulator);

static inline FN(accumulator) FN(begin_row)(const spl__problem *p, void *workspace)
{
    int64_t words = spl__words_of(p->cols);
    ACC *dense = workspace;
    uint64_t *bits = (uint64_t *)(dense + words * SPL__WORD_BITS);
    return (FN(accumulator)){dense, bits, (uint8_t *)(bits + words), 0, top_shift(p->cols)};
}

static inline void FN(add_scaled)(FN(accumulator) * sums, const I *restrict columns, const T *restrict values,
                                  int64_t count, ACC scale)
{
    ACC *restrict dense = sums->dense;
    uint64_t *restrict bits = sums->bits, top = sums->top;
    uint8_t *restrict marks = sums->marks;
    int shift = sums->shift;
    for (int64_t k = 0; k < count; k++) {
        I column = columns[k];
        bits[column >> SPL__WORD_SHIFT] |= (uint64_t)1 << (column & (SPL__WORD_BITS - 1));
        marks[column >> SPL__WORD_SHIFT] = 1;
        top |= (uint64_t)1 << (column >> shift);
    }
    for (int64_t k = 0; values && k < count; k++)
        dense[columns[k]] += scale * values[k];
    sums->top = top;
}

/* Where the columns and values of a row go next. */
typedef struct FN(exit) {
    I *columns; /* NULL: known already */
    T *values;
} FN(exit);

static inline void FN(empty_word)(const FN(accumulator) * sums, int64_t word, FN(exit) * out)
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

/* Marks first..last, whole eights of them: numbers whose bytes are 0 or 1. */
static inline void FN(empty_stretch)(const FN(accumulator) * sums, int64_t first, int64_t last, FN(exit) * out)
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

static inline int64_t FN(end_row)(const FN(accumulator) * sums, I *columns, T *values)
{
    FN(exit) out = {columns, values};
    int shift = sums->shift - SPL__WORD_SHIFT;
    for (uint64_t top = sums->top; top; top &= top - 1) {
        int64_t stretch = __builtin_ctzll(top);
        FN(empty_stretch)(sums, stretch << shift, (stretch + 1) << shift, &out);
    }
    return out.values - values;
}

#include "spgemm/collect_rows.h"

#endif
