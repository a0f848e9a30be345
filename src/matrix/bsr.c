/* SPDX-License-Identifier: Apache-2.0 */
#ifndef T
#include "matrix/bsr.h"

#include "core/checked.h"
#include "core/combination.h"

#include <stdlib.h>
#include <string.h>

#define SELF "matrix/bsr.c"
#include "core/each_type.h"

typedef int64_t (*count_fn)(const spl__bsr *bsr, const spl_sparse *csr, int64_t *seen);
typedef spl_status (*place_fn)(const spl__bsr *bsr, const spl_sparse *csr, int64_t *seen);
typedef void (*copy_fn)(const spl__bsr *bsr, const spl_sparse *csr);
typedef void (*unpack_fn)(const spl__bsr *bsr, spl_matrix *csr);
static const count_fn count_blocks[SPL__COMBINATIONS] = SPL__TABLE(count_blocks);
static const place_fn place_blocks[SPL__COMBINATIONS] = SPL__TABLE(place_blocks);
static const copy_fn copy_values[SPL__COMBINATIONS] = SPL__TABLE(copy_values);
static const unpack_fn unpack[SPL__COMBINATIONS] = SPL__TABLE(unpack);

static int combination(const spl_sparse *s)
{
    return spl__combination(s->type, s->offset_type, s->index_type);
}

/* `seen` has a number for each block column: the last block row that has a block there. */
static spl_status count(spl__account *account, const spl_sparse *csr, int64_t *seen, spl__bsr *b)
{
    SPL__TRY(spl__alloc(account, b->block_rows + 1, spl__index_size(csr->offset_type), &b->offsets));
    b->blocks = count_blocks[spl__combination_of_structure(csr)](b, csr, seen);
    return SPL_OK;
}

static spl_status make(spl__account *account, const spl_sparse *csr, int64_t *seen, spl__bsr *b)
{
    int64_t area = (int64_t)b->size * b->size, elements;
    SPL__TRY(count(account, csr, seen, b));
    if (!spl__mul_i64(b->blocks, area, &elements))
        return spl__fail(SPL_OUT_OF_MEMORY, "%s blocks of %d x %d are more than can be addressed",
                         spl__thousands(b->blocks), b->size, b->size);
    SPL__TRY(spl__alloc(account, b->blocks, spl__index_size(csr->index_type), &b->indices));
    SPL__TRY(SPL__NEW_ZERO(account, &b->masks, b->blocks));
    SPL__TRY(spl__alloc(account, elements, spl__type_size(csr->type), &b->values));
    return place_blocks[combination(csr)](b, csr, seen);
}

/* All of a matrix in blocks, or how many there are. */
static spl_status begin(spl__account *account, const spl_sparse *csr, int size,
                        spl_status (*step)(spl__account *, const spl_sparse *, int64_t *, spl__bsr *), spl__bsr *bsr)
{
    int64_t *seen, block_cols = csr->cols / size + (csr->cols % size > 0);
    *bsr = (spl__bsr){.shape = *csr, .size = size, .block_rows = csr->rows / size + (csr->rows % size > 0)};
    bsr->shape.offsets = bsr->shape.indices = bsr->shape.values = NULL;
    SPL__TRY(SPL__NEW(account, &seen, block_cols));
    spl_status status = step(account, csr, seen, bsr);
    spl__free(seen);
    if (status != SPL_OK)
        spl__bsr_free(bsr);
    return status;
}

spl_status spl__bsr_make(spl__account *account, const spl_sparse *csr, int size, spl__bsr *bsr)
{
    return begin(account, csr, size, make, bsr);
}

spl_status spl__bsr_count(spl__account *account, const spl_sparse *csr, int size, int64_t *blocks)
{
    spl__bsr bsr;
    SPL__TRY(begin(account, csr, size, count, &bsr));
    *blocks = bsr.blocks;
    spl__bsr_free(&bsr);
    return SPL_OK;
}

void spl__bsr_fill(spl__bsr *bsr, const spl_sparse *csr)
{
    copy_values[combination(csr)](bsr, csr);
}

spl_status spl__bsr_to_csr(spl__account *account, const spl__bsr *bsr, spl_matrix **csr)
{
    SPL__TRY(spl__matrix_new(account, &bsr->shape, csr));
    unpack[combination(&bsr->shape)](bsr, *csr);
    return SPL_OK;
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

static int FN(ascending)(const void *a, const void *b)
{
    I x = *(const I *)a, y = *(const I *)b;
    return (x > y) - (x < y);
}

/* First and behind the last entry of a block row. */
static inline P FN(row_begin)(const spl__bsr *b, const spl_sparse *csr, int64_t block_row)
{
    return ((const P *)csr->offsets)[spl__min_i64(block_row * b->size, csr->rows)];
}

/* Writes b->offsets; returns the number of blocks. */
static int64_t FN(count_blocks)(const spl__bsr *b, const spl_sparse *csr, int64_t *seen)
{
    const I *columns = csr->indices;
    P *offsets = b->offsets, count = 0;
    for (int64_t j = 0; j < (csr->cols + b->size - 1) / b->size; j++)
        seen[j] = -1;
    offsets[0] = 0;
    for (int64_t r = 0; r < b->block_rows; r++) {
        for (P p = FN(row_begin)(b, csr, r); p < FN(row_begin)(b, csr, r + 1); p++) {
            int64_t *last = &seen[columns[p] / b->size];
            count += *last != r;
            *last = r;
        }
        offsets[r + 1] = count;
    }
    return count;
}

/* The block of block row `r` that holds column j: it is there. */
static inline P FN(find_block)(const spl__bsr *b, int64_t r, I j)
{
    const P *offsets = b->offsets;
    const I *blocks = b->indices;
    P low = offsets[r], high = offsets[r + 1] - 1;
    I wanted = j / (I)b->size;
    while (low < high) {
        P middle = low + (high - low) / 2;
        if (blocks[middle] < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Lists and sorts the blocks of block row `r`, found after count_blocks left `seen` at higher or equal numbers. */
static void FN(list_blocks)(const spl__bsr *b, const spl_sparse *csr, int64_t r, int64_t *seen)
{
    const I *columns = csr->indices;
    const P *offsets = b->offsets;
    P next = offsets[r];
    for (P p = FN(row_begin)(b, csr, r); p < FN(row_begin)(b, csr, r + 1); p++) {
        I block = columns[p] / (I)b->size;
        if (seen[block] == r - b->block_rows)
            continue;
        seen[block] = r - b->block_rows; /* below 0: told from what count_blocks wrote */
        ((I *)b->indices)[next++] = block;
    }
    if (next > offsets[r])
        qsort((I *)b->indices + offsets[r], (size_t)(next - offsets[r]), sizeof(I), FN(ascending));
}

static spl_status FN(place_blocks)(const spl__bsr *b, const spl_sparse *csr, int64_t *seen)
{
    const P *offsets = csr->offsets;
    const I *columns = csr->indices;
    for (int64_t j = 0; j < (csr->cols + b->size - 1) / b->size; j++)
        seen[j] = b->block_rows;
    for (int64_t r = 0; r < b->block_rows; r++)
        FN(list_blocks)(b, csr, r, seen);
    for (int64_t i = 0; i < csr->rows; i++)
        for (P p = offsets[i]; p < offsets[i + 1]; p++) {
            uint64_t *mask = &b->masks[FN(find_block)(b, i / b->size, columns[p])];
            uint64_t bit = (uint64_t)1 << (i % b->size * b->size + columns[p] % b->size);
            if (*mask & bit)
                return spl__fail(SPL_UNSUPPORTED, "BSR holds a position once, row %lld has column %lld twice",
                                 (long long)i, (long long)columns[p]);
            *mask |= bit;
        }
    return SPL_OK;
}

static void FN(copy_values)(const spl__bsr *b, const spl_sparse *csr)
{
    const P *offsets = csr->offsets;
    const I *columns = csr->indices;
    const int64_t area = (int64_t)b->size * b->size;
    if (b->blocks > 0)
        memset(b->values, 0, (size_t)(b->blocks * area) * sizeof(T));
    for (int64_t i = 0; i < csr->rows; i++)
        for (P p = offsets[i]; p < offsets[i + 1]; p++) {
            T *block = (T *)b->values + FN(find_block)(b, i / b->size, columns[p]) * area;
            block[i % b->size * b->size + columns[p] % b->size] = ((const T *)csr->values)[p];
        }
}

/* Entries of one row of one block, appended at p. */
static P FN(unpack_line)(const spl__bsr *b, P block, int64_t line, spl_matrix *csr, P p)
{
    const T *values = (const T *)b->values + (int64_t)block * b->size * b->size + line * b->size;
    for (int j = 0; j < b->size; j++) {
        if (!(b->masks[block] >> (line * b->size + j) & 1))
            continue;
        ((I *)csr->indices)[p] = (I)(((const I *)b->indices)[block] * b->size + j);
        ((T *)csr->values)[p++] = values[j];
    }
    return p;
}

static void FN(unpack)(const spl__bsr *b, spl_matrix *csr)
{
    const P *blocks = b->offsets;
    P *offsets = csr->offsets, p = 0;
    offsets[0] = 0;
    for (int64_t i = 0; i < b->shape.rows; i++) {
        for (P k = blocks[i / b->size]; k < blocks[i / b->size + 1]; k++)
            p = FN(unpack_line)(b, k, i % b->size, csr, p);
        offsets[i + 1] = p;
    }
}

#endif
