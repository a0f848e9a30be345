/* SPDX-License-Identifier: Apache-2.0 */
#ifndef T
/* spgemm/symbolic/cpu/bitmap_windowed: the exact structure of C = A*B + D, each row a bitmap of
 * which only the row's window is read.
 *
 * As spgemm/symbolic/cpu/bitmap, but compressed rows of B store their lowest and highest word, so
 * the window of a row of C is known before it is filled, and only the window is read. On meshes it
 * is narrow. If it is much wider than the words in it, a summary with one bit per touched word is
 * kept and read instead: wide rows with few columns then cost little, however wide C is.
 *
 * Cost: one OR per pair of compressed B (with a summary: two), and per row of C a scan of its
 * window (/ 64); identical rows are copied. Memory: nnz(C) columns twice, compressed B, and per
 * thread cols * (1 + 1/64) bits. Source: S1, symbolic phase for dense B. Differs: window and
 * summary; no limit of columns. */
#include "core/checked.h"
#include "spgemm/cpu/exact.h"

/* The most words of a window per OR-ed word for which scanning beats the summary. */
enum { SPARSE_WINDOW = 4 };

#define SELF "spgemm/cpu/symbolic_bitmap_windowed_cpu.c"
#include "core/each_type.h"

/* The bitmap, followed by the summary: bit w is set if word w was touched. */
static size_t workspace(const spl_plan *plan)
{
    int64_t words = spl__words_of(plan->problem.cols);
    return (size_t)(words + spl__words_of(words)) * sizeof(uint64_t);
}

static const spl__exact_fn kernels[SPL__COMBINATIONS] = SPL__TABLE(find_rows);
static const spl__exact_method parameters = {
    .find = kernels, .workspace = workspace, .clear = true, .compresses = true, .sorts = true};

static void estimate(const spl__task *task, spl__estimate *e)
{
    const spl_plan *plan = task->plan;
    const spl__machine *m = plan->machine;
    spl__exact_work work = spl__exact_predict(plan);
    double window = plan->features.span_sampled / SPL__WORD_BITS + 1;
    bool summary = window > SPARSE_WINDOW * work.pairs / (work.rows + 1);
    double pair = m->bitmap_pair + (summary ? m->bitmap_summary : 0);
    double scans = work.rows * (summary ? window / SPL__WORD_BITS + 1 : window);
    double serial = work.pairs * pair + scans * m->bitmap_scan + work.words * m->bitmap_word +
                    work.columns * m->bitmap_column + work.rows * m->bitmap_row +
                    work.rows_b * m->compressed_row_b;
    spl__exact_estimate(task, serial, e);
}

const spl__method spl__spgemm_symbolic_cpu_bitmap_windowed = {
    .summary = "exact structure by a bitmap per row, read only where the row has columns",
    .source = "S1, symbolic phase for dense B",
    .revision = 1,
    .attributes = SPL__DETERMINISTIC | SPL__IN_PLACE,
    .parameters = &parameters,
    .estimate = estimate,
    .prepare = spl__exact_prepare,
    .execute = spl__exact_execute,
    .explain = spl__exact_explain,
};

#else

#include "spgemm/cpu/rows/compressed_rows.h"

typedef struct FN(window) {
    int64_t lowest, highest; /* words */
    int64_t pairs;           /* words to be OR-ed */
} FN(window);

static inline FN(window) FN(window_of)(const spl__exact_view *view, int64_t i)
{
    const spl__problem *p = view->problem;
    const P *a_offsets = p->a.csr.offsets, *d_offsets = p->d.csr.offsets;
    const I *d_columns = p->d.csr.indices;
    const spl__compressed_row *row = NULL;
    FN(window) w = {INT64_MAX, -1, 0};
    for (P q = a_offsets[i]; (row = FN(next_row)(view, &q, a_offsets[i + 1], row));) {
        w.lowest = spl__min_i64(w.lowest, row->lowest);
        w.highest = spl__max_i64(w.highest, row->highest);
        w.pairs += row->end - row->begin;
    }
    for (P q = p->has_d ? d_offsets[i] : 0; p->has_d && q < d_offsets[i + 1]; q++, w.pairs++) {
        w.lowest = spl__min_i64(w.lowest, d_columns[q] >> SPL__WORD_SHIFT);
        w.highest = spl__max_i64(w.highest, d_columns[q] >> SPL__WORD_SHIFT);
    }
    return w;
}

/* Marks the words that row i of C touches. */
static inline void FN(fill_summary)(const spl__exact_view *view, int64_t i,
                                    uint64_t *restrict summary)
{
    const spl__problem *p = view->problem;
    const P *a_offsets = p->a.csr.offsets, *d_offsets = p->d.csr.offsets;
    const I *restrict ids = view->b->ids, *d_columns = p->d.csr.indices;
    const spl__compressed_row *row = NULL;
    for (P q = a_offsets[i]; (row = FN(next_row)(view, &q, a_offsets[i + 1], row));)
        for (int64_t k = row->begin; k < row->end; k++)
            summary[ids[k] >> SPL__WORD_SHIFT] |= FN(bit_of)(ids[k]);
    for (P q = p->has_d ? d_offsets[i] : 0; p->has_d && q < d_offsets[i + 1]; q++)
        summary[d_columns[q] >> (2 * SPL__WORD_SHIFT)] |=
            FN(bit_of)(d_columns[q] >> SPL__WORD_SHIFT);
}

/* Writes the columns of the words that are marked in summary[first..last]; clears both. */
static inline I *FN(empty_summary)(uint64_t *restrict bitmap, uint64_t *restrict summary,
                                   int64_t first, int64_t last, I *restrict out)
{
    for (int64_t s = first; s <= last; s++) {
        for (uint64_t marks = summary[s]; marks; marks &= marks - 1) {
            int64_t id = (s << SPL__WORD_SHIFT) + __builtin_ctzll(marks);
            out = FN(unpack_word)(bitmap[id], id, out);
            bitmap[id] = 0;
        }
        summary[s] = 0;
    }
    return out;
}

static inline int64_t FN(find_row)(const spl__exact_view *view, void *workspace, int64_t i, I *out)
{
    uint64_t *bitmap = workspace, *summary = bitmap + spl__words_of(view->problem->cols);
    FN(window) w = FN(window_of)(view, i);
    if (w.highest < 0)
        return 0;
    FN(fill_bitmap)(view, i, bitmap);
    if (w.highest - w.lowest < SPARSE_WINDOW * w.pairs)
        return FN(empty_bitmap)(bitmap, w.lowest, w.highest, out) - out;
    FN(fill_summary)(view, i, summary);
    return FN(empty_summary)(bitmap, summary, w.lowest >> SPL__WORD_SHIFT,
                             w.highest >> SPL__WORD_SHIFT, out) -
           out;
}

#include "spgemm/cpu/rows/exact_rows.h"

#endif
