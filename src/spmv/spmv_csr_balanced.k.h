/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of spmv/compute/gpu/csr_balanced: see spmv_csr_balanced_gpu.c. */
#ifndef T
#ifndef SPL_SPMV_CSR_BALANCED_K_H
#define SPL_SPMV_CSR_BALANCED_K_H
#include "device/scalars.h"

enum { SPMV_BALANCED_THREADS = 128, SPMV_BALANCED_ITEMS = 8 * SPMV_BALANCED_THREADS };

/* rows[b], b = 0..blocks: the first row that ends in block b or behind it. Block b has the items b*ITEMS and up of the merge of row ends and
 * entries; the entries before it are b*ITEMS - rows[b]. */
struct spmv_balanced_split_args {
    int64_t row_count, nnz, blocks;
    const void *offsets; /* P[row_count+1] */
    int64_t *rows;       /* [blocks+1] */
};

struct spmv_csr_balanced_args {
    int64_t row_count, nnz, blocks;
    const void *offsets, *columns, *values; /* P[row_count+1], I[nnz], T[nnz] */
    const void *x;
    void *y;
    spl__device_scalars scalars;
    const int64_t *rows;
    void *carries; /* T[blocks]: alpha times what block b found of row rows[b+1], which ends further on */
};

struct spmv_balanced_carry_args {
    int64_t row_count, blocks;
    const int64_t *rows;
    const void *carries;
    void *y;
};
#endif
#else

DEVICE void FN(balanced_split)(int64_t row_count, int64_t nnz, int64_t blocks, const P *RESTRICT offsets,
                               int64_t *RESTRICT rows)
{
    for (int64_t b = BLOCK * THREADS + THREAD; b <= blocks; b += BLOCKS * THREADS) {
        int64_t item = b * SPMV_BALANCED_ITEMS;
        if (item > row_count + nnz)
            item = row_count + nnz;
        int64_t low = item > nnz ? item - nnz : 0, high = item < row_count ? item : row_count;
        while (low < high) {
            const int64_t middle = (low + high) / 2;
            if (READ(&offsets[middle + 1]) <= item - 1 - middle)
                low = middle + 1;
            else
                high = middle;
        }
        rows[b] = low;
    }
}

KERNEL(spmv_balanced_split, SPMV_BALANCED_THREADS, args)
{
    FN(balanced_split)(args.row_count, args.nnz, args.blocks, (const P *)args.offsets, args.rows);
}

/* Lanes that sum up a row of the block: as many as the block's rows have entries, roughly. */
DEVICE int FN(balanced_width)(int64_t rows, int64_t entries)
{
    int width = 1;
    while (width < LANES && width * rows < entries)
        width *= 2;
    return width;
}

/* sum of products[begin..end) over the lanes of a group; the group's first lane has it */
DEVICE T FN(balanced_sum)(const T *products, int begin, int end, int width)
{
    T sum = 0;
    for (int p = begin + LANE % width; p < end; p += width)
        sum += products[p];
    for (int distance = width / 2; distance > 0; distance /= 2)
        sum += SHUFFLE_DOWN(GROUP_MASK(width), sum, distance, width);
    return sum;
}

/* Rows first..last end in this block; row `last` goes on in the next one. The block's entries are begin..end. */
DEVICE void FN(balanced_rows)(int64_t first, int64_t last, int64_t row_count, int64_t begin, int64_t end,
                              const T *products, const P *RESTRICT offsets, T *RESTRICT y, T *carry, T alpha, T beta)
{
    const int width = FN(balanced_width)(last - first + 1, end - begin);
    for (int64_t row = first + THREAD / width; row <= last; row += THREADS / width) {
        const bool whole = row < last;
        const int64_t start = row < row_count ? (int64_t)READ(&offsets[row]) : end;
        const int64_t from = start > begin ? start : begin, to = whole ? (int64_t)READ(&offsets[row + 1]) : end;
        const T sum = FN(balanced_sum)(products, (int)(from - begin), (int)(to - begin), width);
        if (LANE % width != 0)
            continue;
        if (whole)
            y[row] = alpha * sum + (beta == 0 ? 0 : beta * y[row]);
        else
            *carry = alpha * sum;
    }
}

KERNEL(spmv_csr_balanced, SPMV_BALANCED_THREADS, args)
{
    SHARED(T, products, SPMV_BALANCED_ITEMS);
    const I *RESTRICT columns = (const I *)args.columns;
    const T *RESTRICT values = (const T *)args.values, *RESTRICT x = (const T *)args.x;
    const T alpha = SCALAR(T, args.scalars.alpha), beta = SCALAR(T, args.scalars.beta);
    const int64_t first = args.rows[BLOCK], last = args.rows[BLOCK + 1];
    const int64_t items = (BLOCK + 1) * SPMV_BALANCED_ITEMS, all = args.row_count + args.nnz;
    const int64_t begin = BLOCK * SPMV_BALANCED_ITEMS - first, end = (items < all ? items : all) - last;
    for (int64_t p = begin + THREAD; p < end; p += THREADS)
        products[p - begin] = alpha == 0 ? 0 : READ(&values[p]) * READ(&x[READ(&columns[p])]);
    SYNC();
    FN(balanced_rows)
    (first, last, args.row_count, begin, end, products, (const P *)args.offsets, (T *)args.y, (T *)args.carries + BLOCK,
     alpha, beta);
}

/* The first block of those that carry to one row adds up what all of them carry, in their order. */
DEVICE void FN(balanced_carry)(int64_t row_count, int64_t blocks, const int64_t *RESTRICT rows,
                               const T *RESTRICT carries, T *RESTRICT y)
{
    for (int64_t b = BLOCK * THREADS + THREAD; b < blocks; b += BLOCKS * THREADS) {
        const int64_t row = rows[b + 1];
        T sum = 0;
        if (row >= row_count || (b > 0 && rows[b] == row))
            continue;
        for (int64_t k = b; k < blocks && rows[k + 1] == row; k++)
            sum += carries[k];
        y[row] += sum;
    }
}

KERNEL(spmv_balanced_carry, SPMV_BALANCED_THREADS, args)
{
    FN(balanced_carry)(args.row_count, args.blocks, args.rows, (const T *)args.carries, (T *)args.y);
}
#endif
