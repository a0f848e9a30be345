/* SPDX-License-Identifier: Apache-2.0 */
#ifndef T
/* spgemm/symbolic/cpu/hash_compressed: the exact structure of C = A*B + D, each row a hash table
 * from words of 64 columns to masks.
 *
 * B is compressed (compress.h). The table's key is the number of a word, its value the OR of that
 * word's masks. The numbers are sorted, not the columns: a mask holds its columns in order. exact.h
 * is the driver.
 *
 * Cost: one hash insertion per pair of compressed B, one sort of a row's words; identical rows
 * are copied. Memory: nnz(C) columns twice, compressed B, and per thread a table of twice the
 * words that the longest row can have. Source: S1, symbolic phase for dense B and n > 65536
 * (open addressing, h = (h+1) & mask). Differs: columns are written at once, not only counted by
 * popcount; no breakpoint as a fallback, since the table always holds a row. */
#include "core/checked.h"
#include "spgemm/cpu/exact.h"
#include "spgemm/cpu/rows/column_hash.h"

#define SELF "spgemm/cpu/symbolic_hash_compressed_cpu.c"
#include "core/each_type.h"

/* Masks, keys, the row's words and scratch for their sort: see FN(table). */
static size_t workspace(const spl_plan *plan)
{
    int64_t bound =
        spl__min_i64(spl__product_of(plan)->longest_work, spl__words_of(plan->problem.cols));
    size_t size = spl__index_size(plan->problem.a.csr.index_type);
    return (size_t)spl__slots_for(bound) * (sizeof(uint64_t) + size) + 2 * (size_t)bound * size;
}

static const spl__exact_fn kernels[SPL__COMBINATIONS] = SPL__TABLE(find_rows);
static const spl__exact_method parameters = {
    .find = kernels, .workspace = workspace, .compresses = true};

static void estimate(const spl__task *task, spl__estimate *e)
{
    const spl__machine *m = task->plan->machine;
    spl__exact_work work = spl__exact_predict(task->plan);
    double serial = work.rows * m->hash_row + work.pairs * m->hash_pair +
                    work.words * m->hash_column + work.columns * m->bitmap_column +
                    work.rows_b * m->compressed_row_b;
    spl__exact_estimate(task, serial, e);
}

const spl__method spl__spgemm_symbolic_cpu_hash_compressed = {
    .summary = "exact structure by a hash table of words per row, from compressed B",
    .source = "S1, symbolic phase for dense B, n > 65536",
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

#define ELEMENT    I
#define COLUMN(e)  (e)
#define SORT(name) FN(name##_words)
#include "spgemm/cpu/rows/stable_sort.h"

typedef struct FN(table) {
    uint64_t *masks; /* slots */
    I *keys;         /* slots; -1: empty */
    I *words;        /* the keys in order of arrival */
    int64_t slots, count;
    int shift;
} FN(table);

/* The upper bound of the words of row i of C. */
static inline int64_t FN(words_bound)(const spl__exact_view *view, int64_t i)
{
    const spl__problem *p = view->problem;
    const P *a_offsets = p->a.csr.offsets, *d_offsets = p->d.csr.offsets;
    const spl__compressed_row *row = NULL;
    int64_t pairs = p->has_d ? d_offsets[i + 1] - d_offsets[i] : 0;
    for (P q = a_offsets[i]; (row = FN(next_row)(view, &q, a_offsets[i + 1], row));)
        pairs += row->end - row->begin;
    return spl__min_i64(pairs, spl__words_of(p->cols));
}

static inline FN(table) FN(empty_table)(void *workspace, int64_t bound)
{
    int64_t slots = spl__slots_for(bound);
    uint64_t *masks = workspace;
    I *keys = (I *)(masks + slots);
    for (int64_t s = 0; s < slots; s++)
        keys[s] = -1;
    return (FN(table)){masks, keys, keys + slots, slots, 0, spl__slot_shift(slots)};
}

static inline int64_t FN(find_slot)(const FN(table) *t, I key)
{
    int64_t slot = spl__slot(key, t->shift);
    while (t->keys[slot] != key && t->keys[slot] != -1)
        slot = (slot + 1) & (t->slots - 1);
    return slot;
}

static inline void FN(add_word)(FN(table) *t, I key, uint64_t mask)
{
    int64_t slot = FN(find_slot)(t, key);
    if (t->keys[slot] == key) {
        t->masks[slot] |= mask;
        return;
    }
    t->keys[slot] = key;
    t->masks[slot] = mask;
    t->words[t->count++] = key;
}

static inline void FN(fill_table)(const spl__exact_view *view, int64_t i, FN(table) *t)
{
    const spl__problem *p = view->problem;
    const P *a_offsets = p->a.csr.offsets, *d_offsets = p->d.csr.offsets;
    const I *ids = view->b->ids, *d_columns = p->d.csr.indices;
    const spl__compressed_row *row = NULL;
    for (P q = a_offsets[i]; (row = FN(next_row)(view, &q, a_offsets[i + 1], row));)
        for (int64_t k = row->begin; k < row->end; k++)
            FN(add_word)(t, ids[k], view->b->masks[k]);
    for (P q = p->has_d ? d_offsets[i] : 0; p->has_d && q < d_offsets[i + 1]; q++)
        FN(add_word)(t, d_columns[q] >> SPL__WORD_SHIFT, FN(bit_of)(d_columns[q]));
}

static inline int64_t FN(find_row)(const spl__exact_view *view, void *workspace, int64_t i, I *out)
{
    int64_t bound = FN(words_bound)(view, i);
    FN(table) t = FN(empty_table)(workspace, bound);
    I *cursor = out;
    FN(fill_table)(view, i, &t);
    if (!view->problem->options.unsorted)
        FN(sort_words)(t.words, t.count, t.words + bound);
    for (int64_t k = 0; k < t.count; k++)
        cursor = FN(unpack_word)(t.masks[FN(find_slot)(&t, t.words[k])], t.words[k], cursor);
    return cursor - out;
}

#include "spgemm/cpu/rows/exact_rows.h"

#endif
