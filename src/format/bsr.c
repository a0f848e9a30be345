/* SPDX-License-Identifier: Apache-2.0 */
#ifndef T
#include "format/bsr.h"

#include "core/checked.h"
#include "core/combination.h"
#include "core/lanes.h"
#include "core/threads/team_seconds.h"

#include <string.h>

#define SELF "format/bsr.c"
#include "core/each_type.h"

typedef int64_t (*count_fn)(const spl_sparse *csr, int size, int64_t row);
typedef bool (*ascend_fn)(spl__watch *watch, const spl_sparse *csr, int threads);
typedef bool (*count_rows_fn)(spl__watch *watch, const spl__bsr *bsr, const spl_sparse *csr,
                              int threads);
typedef void (*rows_fn)(spl__watch *watch, const spl__bsr *bsr, const spl_sparse *csr, int threads);
static const ascend_fn ascend[SPL__COMBINATIONS] = SPL__TABLE(ascend);
static const count_fn count_row[SPL__COMBINATIONS] = SPL__TABLE(count_row);
static const count_rows_fn count_rows[SPL__COMBINATIONS] = SPL__TABLE(count_rows);
static const rows_fn position_rows[SPL__COMBINATIONS] = SPL__TABLE(position_rows);
static const rows_fn fill_rows[SPL__COMBINATIONS] = SPL__TABLE(fill_rows);

static int combination(const spl_sparse *s)
{
    return spl__combination(s->type, s->offset_type, s->index_type);
}

static int structure(const spl_sparse *s)
{
    return spl__combination_of_structure(s);
}

static spl_status make(spl__account *account, int threads, const spl_sparse *csr, spl__bsr *b)
{
    spl__watch *watch = spl__account_watch(account);
    SPL__TRY(
        spl__alloc(account, b->block_rows + 1, spl__index_size(csr->offset_type), &b->offsets));
    if (!count_rows[structure(csr)](watch, b, csr, threads))
        return spl__fail(SPL_UNSUPPORTED, "BSR is made of rows whose columns ascend, each once");
    SPL__TRY(spl__watch_check(watch));
    b->blocks = spl__index_at(b->offsets, csr->offset_type, b->block_rows);
    SPL__TRY(spl__alloc(account, b->blocks, spl__index_size(csr->index_type), &b->indices));
    SPL__TRY(SPL__NEW(account, &b->masks, b->blocks));
    position_rows[structure(csr)](watch, b, csr, threads);
    return spl__watch_check(watch);
}

spl_status spl__bsr_make(spl__account *account, int threads, const spl_sparse *csr, int size,
                         spl__bsr *bsr)
{
    *bsr = (spl__bsr){
        .shape = *csr, .size = size, .block_rows = csr->rows / size + (csr->rows % size > 0)};
    bsr->shape.offsets = bsr->shape.indices = bsr->shape.values = NULL;
    spl_status status = make(account, threads, csr, bsr);
    if (status != SPL_OK)
        spl__bsr_free(bsr);
    return status;
}

spl_status spl__bsr_make_values(spl__account *account, spl__bsr *b)
{
    int64_t elements, size = (int64_t)spl__type_size(b->shape.type), zeros = SPL__LARGEST_BLOCK;
    if (!spl__mul_i64(b->blocks, (int64_t)b->size * b->size, &elements) ||
        elements > INT64_MAX - zeros)
        return spl__fail(SPL_OUT_OF_MEMORY, "%s blocks of %d x %d are more than can be addressed",
                         spl__thousands(b->blocks), b->size, b->size);
    SPL__TRY(spl__alloc(account, elements + zeros, (size_t)size, &b->values));
    memset((char *)b->values + elements * size, 0, (size_t)(zeros * size));
    return SPL_OK;
}

bool spl__bsr_serves(spl__watch *watch, const spl_sparse *csr, int threads)
{
    return ascend[structure(csr)](watch, csr, threads);
}

int64_t spl__bsr_count(const spl_sparse *csr, int size, int64_t first, int64_t last)
{
    int64_t blocks = 0;
    for (int64_t r = first; r < last && blocks >= 0; r++) {
        int64_t blocks_of_row = count_row[structure(csr)](csr, size, r);
        blocks = blocks_of_row < 0 ? blocks_of_row : blocks + blocks_of_row;
    }
    return blocks;
}

void spl__bsr_fill(spl__watch *watch, spl__bsr *bsr, const spl_sparse *csr, int threads)
{
    fill_rows[combination(csr)](watch, bsr, csr, threads);
}

void spl__bsr_free(spl__bsr *bsr)
{
    spl__free(bsr->offsets);
    spl__free(bsr->indices);
    spl__free(bsr->masks);
    spl__free(bsr->values);
    *bsr = (spl__bsr){0};
}

#else

#include "format/full_row.h"

/* ---- structure ---- */

static inline bool FN(row_ascends)(const spl_sparse *csr, int64_t i)
{
    const P *offsets = csr->offsets;
    const I *columns = csr->indices;
    int falls = 0;
    for (P q = offsets[i] + 1; q < offsets[i + 1]; q++)
        falls |= columns[q] <= columns[q - 1];
    return !falls;
}

static bool FN(ascend)(spl__watch *watch, const spl_sparse *csr, int threads)
{
    int all = 1;
#pragma omp parallel for num_threads(spl__team(spl__threads_for(csr->nnz, threads)))              \
    schedule(static) reduction(& : all)
    for (int64_t i = 0; i < csr->rows; i++)
        all &= !spl__watch_goes_on_at(watch, i) || FN(row_ascends)(csr, i);
    return all;
}

/* The rows of a row of blocks, whose blocks are visited from left to right; columns must ascend.
 * Sizes are compile-time constants in all callers. */
typedef struct FN(front) {
    const I *cursor[SPL__LARGEST_BLOCK], *end[SPL__LARGEST_BLOCK]; /* remaining entries */
    /* the column of blocks of the next entry; INT64_MAX: none is left */
    int64_t block[SPL__LARGEST_BLOCK];
} FN(front);

static SPL__INLINED void FN(look_ahead)(FN(front) *f, int size, int line)
{
    f->block[line] = f->cursor[line] < f->end[line] ? *f->cursor[line] / (I)size : INT64_MAX;
}

static SPL__INLINED void FN(begin_front)(FN(front) *f, const spl_sparse *csr, int size, int64_t row)
{
    const P *offsets = csr->offsets;
    const I *columns = csr->indices;
    for (int l = 0; l < size; l++) {
        int64_t i = row * size + l, line = spl__min_i64(i, csr->rows);
        f->cursor[l] = columns + offsets[line];
        f->end[l] = columns + offsets[line + (i < csr->rows)];
        FN(look_ahead)(f, size, l);
    }
}

/* The mask of a line's entries in that block. All candidates are tested without a branch,
 * because the end of the block's entries is unpredictable. */
static SPL__INLINED uint64_t FN(pass_line)(FN(front) *f, int size, int line, int64_t block)
{
    const I first = (I)(block * size);
    const I *cursor = f->cursor[line];
    const int64_t left = f->end[line] - cursor;
    uint64_t bits = 0;
    for (int j = 0; j < (left < size ? left : size); j++) {
        uint64_t k = (uint64_t)cursor[j] - (uint64_t)first;
        bits |= (uint64_t)(k < (uint64_t)size) << (k % 64);
        f->cursor[line] += k < (uint64_t)size;
    }
    FN(look_ahead)(f, size, line);
    return bits;
}

/* The next non-empty column of blocks, and its mask; INT64_MAX: none. */
static SPL__INLINED int64_t FN(next_block)(FN(front) *f, int size, uint64_t *mask)
{
    int64_t block = f->block[0];
    for (int l = 1; l < size; l++)
        block = spl__min_i64(block, f->block[l]);
    *mask = 0;
    for (int l = 0; l < size && block < INT64_MAX; l++)
        if (f->block[l] == block)
            *mask |= FN(pass_line)(f, size, l, block) << (l * size);
    return block;
}

static SPL__INLINED int64_t FN(write_full)(const spl_sparse *csr, int size, int64_t row, I *columns,
                                           uint64_t *masks)
{
    const P *begin = (const P *)csr->offsets + row * size;
    const I *first = (const I *)csr->indices + begin[0];
    const int64_t blocks = (int64_t)(begin[1] - begin[0]) / size;
    for (int64_t k = 0; columns && k < blocks; k++) {
        columns[k] = first[k * size] / (I)size;
        masks[k] = UINT64_MAX >> (64 - size * size);
    }
    return blocks;
}

/* Visits the blocks of a row of blocks, and writes them unless `columns` is NULL; returns their
 * number. */
static SPL__INLINED int64_t FN(walk_row_of)(const spl_sparse *csr, int size, int64_t row,
                                            I *columns, uint64_t *masks)
{
    FN(front) f;
    uint64_t mask;
    int64_t block, blocks = 0;
    if (FN(row_is_full)(csr, size, row))
        return FN(write_full)(csr, size, row, columns, masks);
    FN(begin_front)(&f, csr, size, row);
    for (; (block = FN(next_block)(&f, size, &mask)) < INT64_MAX; blocks++)
        if (columns) {
            columns[blocks] = (I)block;
            masks[blocks] = mask;
        }
    return blocks;
}

static int64_t FN(walk_row)(const spl_sparse *csr, int size, int64_t row, I *columns,
                            uint64_t *masks)
{
    switch (size) {
    case 2:
        return FN(walk_row_of)(csr, 2, row, columns, masks);
    case 3:
        return FN(walk_row_of)(csr, 3, row, columns, masks);
    case 4:
        return FN(walk_row_of)(csr, 4, row, columns, masks);
    case 5:
        return FN(walk_row_of)(csr, 5, row, columns, masks);
    case 6:
        return FN(walk_row_of)(csr, 6, row, columns, masks);
    default:
        return FN(walk_row_of)(csr, size, row, columns, masks);
    }
}

/* -1: columns do not ascend. */
static int64_t FN(count_row)(const spl_sparse *csr, int size, int64_t row)
{
    for (int64_t i = row * size; i < spl__min_i64((row + 1) * size, csr->rows); i++)
        if (!FN(row_ascends)(csr, i))
            return -1;
    return FN(walk_row)(csr, size, row, NULL, NULL);
}

/* Writes b->offsets; false: columns do not ascend. */
static bool FN(count_rows)(spl__watch *watch, const spl__bsr *b, const spl_sparse *csr, int threads)
{
    P *offsets = b->offsets;
    int ascend = 1;
    offsets[0] = 0;
#pragma omp parallel for num_threads(spl__team(spl__threads_for(4 * csr->nnz, threads)))           \
    schedule(static) reduction(&& : ascend)
    for (int64_t r = 0; r < b->block_rows; r++) {
        int64_t blocks = spl__watch_goes_on_at(watch, r) ? FN(count_row)(csr, b->size, r) : 0;
        ascend = ascend && blocks >= 0;
        offsets[r + 1] = (P)blocks;
    }
    for (int64_t r = 0; r < b->block_rows && ascend; r++)
        offsets[r + 1] += offsets[r];
    return ascend;
}

static void FN(position_rows)(spl__watch *watch, const spl__bsr *b, const spl_sparse *csr,
                              int threads)
{
    const P *offsets = b->offsets;
#pragma omp parallel for num_threads(spl__team(spl__threads_for(4 * csr->nnz, threads)))           \
    schedule(static)
    for (int64_t r = 0; r < b->block_rows; r++)
        if (spl__watch_goes_on_at(watch, r))
            FN(walk_row)(csr, b->size, r, (I *)b->indices + offsets[r], b->masks + offsets[r]);
}

/* ---- values ---- */

/* Fills a line of a block: the next values of `from` where bits are set, else zeros. The pattern
 * is unpredictable, so bits select what is loaded instead of branches. Sizes are compile-time
 * constants in all callers. */
static SPL__INLINED const T *FN(fill_line)(T *restrict to, const T *restrict from, uint64_t bits,
                                           int size)
{
    static const T zero = 0;
    if (bits == ((uint64_t)1 << size) - 1) {
        for (int j = 0; j < size; j++)
            to[j] = from[j];
        return from + size;
    }
    for (int j = 0; j < size; j++) {
        const T *const sources[2] = {&zero, from};
        to[j] = *sources[bits >> j & 1];
        from += bits >> j & 1;
    }
    return from;
}

static SPL__INLINED void FN(fill_row_of)(const spl__bsr *b, int size, const spl_sparse *csr,
                                         int64_t row)
{
    const P *offsets = b->offsets;
    const uint64_t line = ((uint64_t)1 << size) - 1;
    const T *from[SPL__LARGEST_BLOCK];
    for (int l = 0; l < size; l++)
        from[l] = (const T *)csr->values +
                  ((const P *)csr->offsets)[spl__min_i64(row * size + l, csr->rows)];
    T *to = (T *)b->values + (int64_t)offsets[row] * size * size;
    for (P k = offsets[row]; k < offsets[row + 1]; k++)
        for (int l = 0; l < size; l++, to += size)
            from[l] = FN(fill_line)(to, from[l], b->masks[k] >> (l * size) & line, size);
}

static void FN(fill_row)(const spl__bsr *b, const spl_sparse *csr, int64_t row)
{
    switch (b->size) {
    case 2:
        FN(fill_row_of)(b, 2, csr, row);
        break;
    case 3:
        FN(fill_row_of)(b, 3, csr, row);
        break;
    case 4:
        FN(fill_row_of)(b, 4, csr, row);
        break;
    case 5:
        FN(fill_row_of)(b, 5, csr, row);
        break;
    case 6:
        FN(fill_row_of)(b, 6, csr, row);
        break;
    default:
        FN(fill_row_of)(b, b->size, csr, row);
    }
}

static void FN(fill_rows)(spl__watch *watch, const spl__bsr *b, const spl_sparse *csr, int threads)
{
#pragma omp parallel for num_threads(spl__team(spl__threads_for(2 * csr->nnz, threads)))           \
    schedule(static)
    for (int64_t r = 0; r < b->block_rows; r++)
        if (spl__watch_goes_on_at(watch, r))
            FN(fill_row)(b, csr, r);
}

#endif
