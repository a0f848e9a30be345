/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of spmv/compute/gpu/csr_balanced: see spmv_csr_balanced_gpu.c. */
#ifndef T
#ifndef SPL_SPMV_CSR_BALANCED_K_H
#define SPL_SPMV_CSR_BALANCED_K_H
#include "spmv/spmv_long_rows.k.h"

enum { SPMV_BALANCED_THREADS = 128, SPMV_BALANCED_ITEMS = 8 * SPMV_BALANCED_THREADS };

/* Row r begins at item offsets[r] + r: entries and rows count alike. rows[b], b = 0..blocks: the first row that begins at item b*ITEMS or behind. */
struct spmv_balanced_split_args {
    int64_t row_count, blocks;
    const void *offsets; /* P[row_count+1] */
    int64_t *rows;       /* [blocks+1] */
};

/* Rows of more than ITEMS entries are long. */
struct spmv_csr_balanced_args {
    struct spmv_csr a;
    struct spmv_long_rows long_rows;
    const int64_t *rows;
};
#endif
#else

#include "spmv/long_row_piece.h"

DEVICE void FN(balanced_split)(int64_t row_count, int64_t blocks, const P *RESTRICT offsets, int64_t *RESTRICT rows)
{
    for (int64_t b = BLOCK * THREADS + THREAD; b <= blocks; b += BLOCKS * THREADS) {
        int64_t low = 0, high = row_count;
        while (low < high) {
            const int64_t middle = (low + high) / 2;
            if (READ(&offsets[middle]) + middle < b * SPMV_BALANCED_ITEMS)
                low = middle + 1;
            else
                high = middle;
        }
        rows[b] = low;
    }
}

KERNEL(spmv_balanced_split, SPMV_BALANCED_THREADS, args)
{
    FN(balanced_split)(args.row_count, args.blocks, (const P *)args.offsets, args.rows);
}

/* products[p] = values[p] * x[columns[p]] of `count` entries, loads of several under way together */
enum { FN(PRODUCTS_AT_ONCE) = 4 };
DEVICE void FN(balanced_products)(int count, const I *RESTRICT columns, const T *RESTRICT values, const T *RESTRICT x,
                                  T *RESTRICT products)
{
    for (int p = THREAD; p < count; p += FN(PRODUCTS_AT_ONCE) * THREADS) {
        I column[FN(PRODUCTS_AT_ONCE)];
        T value[FN(PRODUCTS_AT_ONCE)];
        UNROLL for (int u = 0; u < FN(PRODUCTS_AT_ONCE); u++)
        {
            const bool inside = p + u * THREADS < count;
            column[u] = inside ? READ_ONCE(&columns[p + u * THREADS]) : -1;
            value[u] = inside ? READ_ONCE(&values[p + u * THREADS]) : (T)0;
        }
        UNROLL for (int u = 0; u < FN(PRODUCTS_AT_ONCE); u++)
        {
            if (column[u] >= 0)
                products[p + u * THREADS] = value[u] * READ(&x[column[u]]);
        }
    }
}

/* Lanes that sum up a row of the block: as many as the block's rows have entries, roughly. */
DEVICE int FN(balanced_width)(int64_t rows, int entries)
{
    int width = 1;
    while (width < LANES && width * rows < entries)
        width *= 2;
    return width;
}

/* Sum of products[begin..end) over `width` lanes, in the first of them. */
DEVICE T FN(balanced_sum)(const T *products, int begin, int end, int width)
{
    T sum = 0;
    for (int p = begin + LANE % width; p < end; p += width)
        sum += products[p];
    return FN(group_sum)(sum, width);
}

/* Rows first..last of the block, whose entries begin at `begin`; rows that are long for their group are left to the whole warp. */
enum { FN(LATE) = 8 };
DEVICE void FN(balanced_rows)(int64_t first, int64_t last, int64_t begin, int width, const T *products,
                              const P *RESTRICT offsets, T *RESTRICT y, T alpha, T beta)
{
    for (int64_t base = first + WARP * (LANES / width); base < last; base += THREADS / width) {
        const int64_t row = base + LANE / width;
        const int from = row < last ? (int)(READ(&offsets[row]) - begin) : 0;
        const int to = row < last ? (int)(READ(&offsets[row + 1]) - begin) : 0;
        const bool late = to - from > FN(LATE) * width, leads = LANE % width == 0;
        const T sum = FN(balanced_sum)(products, from, late ? from : to, width);
        if (leads && !late && row < last)
            FN(store_row)(&y[row], sum, alpha, beta);
        for (lane_mask left = BALLOT(GROUP_MASK(LANES), late && leads); left; left &= left - 1) {
            const int lane = FIRST_BIT(left);
            const int late_from = SHUFFLE(GROUP_MASK(LANES), from, lane), late_to = SHUFFLE(GROUP_MASK(LANES), to, lane);
            const T late_sum = FN(balanced_sum)(products, late_from, late_to, LANES);
            if (LANE == 0)
                FN(store_row)(&y[base + lane / width], late_sum, alpha, beta);
        }
    }
}

DEVICE void FN(balanced_block)(int64_t block, const struct spmv_csr *a, const int64_t *RESTRICT rows, T *products,
                               T alpha, T beta)
{
    const P *RESTRICT offsets = (const P *)a->offsets;
    const int64_t first = READ(&rows[block]), end = READ(&rows[block + 1]);
    if (first == end)
        return;
    /* A row that is long is the block's last one. */
    const int64_t begin = READ(&offsets[first]), start = READ(&offsets[end - 1]), stop = READ(&offsets[end]);
    const bool ends_long = stop - start > SPMV_BALANCED_ITEMS;
    const int64_t last = ends_long ? end - 1 : end;
    const int count = (int)((ends_long ? start : stop) - begin);
    if (alpha != 0)
        FN(balanced_products)
    (count, (const I *)a->columns + begin, (const T *)a->values + begin, (const T *)a->x, products);
    else
        for (int p = THREAD; p < count; p += THREADS)
            products[p] = 0;
    SYNC();
    FN(balanced_rows)
    (first, last, begin, FN(balanced_width)(last - first, count), products, offsets, (T *)a->y, alpha, beta);
}

KERNEL(spmv_csr_balanced, SPMV_BALANCED_THREADS, args)
{
    SHARED(T, products, 2 * SPMV_BALANCED_ITEMS);
    const T alpha = SCALAR(T, args.a.scalars.alpha), beta = SCALAR(T, args.a.scalars.beta);
    const int64_t pieces = FN(piece_blocks)(&args.long_rows), piece = BLOCK * (THREADS / LANES) + WARP;
    if (BLOCK >= pieces)
        FN(balanced_block)(BLOCK - pieces, &args.a, args.rows, products, alpha, beta);
    else if (piece < args.long_rows.pieces)
        FN(long_piece)(&args.long_rows, piece, &args.a, alpha, beta);
}
#endif
