/* SPDX-License-Identifier: Apache-2.0 */
#ifndef T
#include "spgemm/cpu/once_blocks.h"

#include "core/checked.h"
#include "core/combination.h"
#include "machine/machine.h"
#include "matrix/view.h"
#include "structure/block_size.h"

#include <string.h>

/* Blocks of one size in some rows. */
typedef struct blocks {
    double fill;    /* entries per slot */
    double shifted; /* share of rows of blocks that have the columns of those before, shifted */
} blocks;

#define SELF "spgemm/cpu/once_blocks.c"
#include "core/each_type.h"

typedef double (*repeated_fn)(const spl_sparse *m);
static const repeated_fn repeated_of[SPL__COMBINATIONS] = SPL__TABLE(repeated);

typedef bool (*is_of_nodes_fn)(const spl_sparse *m);
static const is_of_nodes_fn is_of_nodes[SPL__COMBINATIONS] = SPL__TABLE(is_of_nodes);

typedef blocks (*look_fn)(const spl_sparse *m, int64_t size);
static const look_fn look[SPL__COMBINATIONS] = SPL__TABLE(look);

double spl__once_repeated(const spl_sparse *m)
{
    return repeated_of[spl__combination_of_structure(m)](m);
}

bool spl__once_is_of_nodes(const spl_sparse *m)
{
    return is_of_nodes[spl__combination_of_structure(m)](m);
}

static blocks look_at(const spl_sparse *m, int64_t size)
{
    return look[spl__combination_of_structure(m)](m, size);
}

/* Products that a plan saves if `gain` of them take as long as one of a block of `entries`. */
static bool pays(const spl_sparse *a, double work, double least, double gain, double entries,
                 bool regular)
{
    const spl__machine *m = &spl__machine_cpu;
    const double saved = work * (1 - 1 / gain), visits = (double)a->nnz / entries;
    return gain >= m->once_blocks && saved > least &&
           (regular || saved >= m->once_block_visit * visits);
}

/* Slots of blocks take `size` times less than products of entries, and those that are holes are in
 * vain. Where nodes are not of one size, rows that repeat others are not multiplied again. */
bool spl__once_blocks_pay(const spl_sparse *a, const spl_sparse *b, double work, double least)
{
    static const double REPEATED = 5.0 / 8; /* blocks of three */
    const bool same = spl__view_same_structure(a, b);
    if (work * (1 - 1.0 / SPL__BLOCK_MOST) <= least) /* it takes time to look */
        return false;
    for (int64_t size = 2; size <= SPL__BLOCK_MOST; size++) {
        if (a->rows % size != 0 || b->rows % size != 0 || b->cols % size != 0)
            continue;
        const blocks of_a = look_at(a, size), of_b = same ? of_a : look_at(b, size);
        if (pays(a, work, least, (double)size * of_a.fill * of_b.fill,
                 (double)(size * size) * of_a.fill, 2 * of_a.shifted >= 1 && 2 * of_b.shifted >= 1))
            return true;
    }
    const double repeated = spl__once_repeated(a), size = 1 / (1 - repeated);
    return repeated >= REPEATED && pays(a, work, least, size, size * size, false);
}

#else

#include "structure/row_equals_previous.h"

static double FN(repeated)(const spl_sparse *m)
{
    enum { ROWS = 32 };
    const int64_t first = spl__max_i64(0, m->rows / 2 - ROWS / 2),
                  end = spl__min_i64(first + ROWS, m->rows);
    const P *offsets = m->offsets;
    int64_t count = 0;
    for (int64_t i = first + 1; i < end; i++)
        count += offsets[i] < offsets[i + 1] && FN(row_equals_previous)(m, i);
    return (double)count / (double)spl__max_i64(1, end - first);
}

static bool FN(is_of_nodes)(const spl_sparse *m)
{
    enum { ROWS = 64, SHARE = 4 };
    const int64_t first = spl__max_i64(0, m->rows / 2 - ROWS / 2),
                  end = spl__min_i64(first + ROWS, m->rows);
    const P *offsets = m->offsets;
    const I *columns = m->indices;
    int64_t begins = 0, ends = 0;
    for (int64_t i = first + 1; i < end; i++) {
        const P before = offsets[i - 1], begin = offsets[i], last = offsets[i + 1];
        if (before == begin || begin == last)
            continue;
        begins += columns[before] == columns[begin];
        ends += columns[begin - 1] == columns[last - 1];
    }
    return SHARE * spl__min_i64(begins, ends) >= end - first;
}

/* Whether row i has the columns of row i - size, plus size. */
static bool FN(is_shifted_by)(const spl_sparse *m, int64_t i, int64_t size)
{
    const P *offsets = m->offsets;
    const I *columns = (const I *)m->indices + offsets[i],
            *before = (const I *)m->indices + offsets[i - size];
    const int64_t length = (int64_t)(offsets[i + 1] - offsets[i]);
    bool same = length == (int64_t)(offsets[i - size + 1] - offsets[i - size]);
    for (int64_t k = 0; same && k < length; k++)
        same = columns[k] - before[k] == (I)size;
    return same;
}

/* Blocks of `size` rows and columns, in a few stretches of rows. */
static blocks FN(look)(const spl_sparse *m, int64_t size)
{
    enum { STRETCHES = 3, ALIGNED = SPL__BLOCK_MULTIPLE, ROWS = ALIGNED / 5, SLOTS = 512 };
    const P *offsets = m->offsets;
    const I *columns = m->indices;
    const double share = 1 / (double)size; /* by multiplying, which takes less than dividing */
    int64_t slots[SLOTS], entries = 0, found = 0, rows = 0, shifted = 0;
    memset(slots, -1, sizeof slots);
    for (int64_t s = 0; s < STRETCHES; s++) {
        const int64_t first = m->rows / ALIGNED * (2 * s + 1) / (2 * STRETCHES) * ALIGNED,
                      end = spl__min_i64(first + ROWS, m->rows);
        for (int64_t i = first; i < end / size * size; i++) {
            const int64_t row = i / size * (m->cols / size + 1);
            rows += i >= size;
            shifted += i >= size && FN(is_shifted_by)(m, i, size);
            entries += (int64_t)(offsets[i + 1] - offsets[i]);
            for (P p = offsets[i]; p < offsets[i + 1]; p++) {
                const int64_t block = (int64_t)(((double)columns[p] + 0.5) * share),
                              key = block + row;
                found += slots[block % SLOTS] != key;
                slots[block % SLOTS] = key;
            }
        }
    }
    return (blocks){
        found > 0 ? (double)entries / (double)(found * size * size) : 0,
        (double)shifted / (double)spl__max_i64(1, rows),
    };
}

#endif
