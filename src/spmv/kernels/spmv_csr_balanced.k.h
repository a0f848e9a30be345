/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of spmv/compute/gpu/csr_balanced: see spmv_csr_balanced_gpu.c. */
#ifndef T
#ifndef SPL_SPMV_KERNELS_SPMV_CSR_BALANCED_K_H
#define SPL_SPMV_KERNELS_SPMV_CSR_BALANCED_K_H
#include "format/device_narrow_values.k.h"
#include "spmv/kernels/spmv_long_rows.k.h"

enum { SPMV_BALANCED_THREADS = 128, SPMV_BALANCED_ITEMS = 4 * SPMV_BALANCED_THREADS };

/* The share of a block: its rows that are not long, and their entries. */
struct spmv_balanced_share {
    int64_t row, entry; /* the first row and entry */
    int32_t rows, entries;
};

/* Row r begins at item offsets[r] + r: rows and entries are both items. Share b has the rows
 * that begin in items b*ITEMS to (b+1)*ITEMS - 1. Rows of more than ITEMS entries are long; such
 * a row is the last of its share. */
struct spmv_balanced_split_args {
    int64_t row_count, blocks;
    const void *offsets;                /* P[row_count+1] */
    struct spmv_balanced_share *shares; /* [blocks] */
};

struct spmv_csr_balanced_args {
    struct spmv_csr a;
    struct spmv_long_rows long_rows;
    const struct spmv_balanced_share *shares;
};

/* The same; if all values of A are equal, they are not read. */
struct spmv_balanced_one_value_args {
    struct spmv_csr_balanced_args balanced;
    const struct device_narrow_found *found;
};
#endif
#else

#define IN_HALVES
#include "spmv/kernels/long_row_piece.h"

/* The first row that begins at or after the item. */
DEVICE int64_t FN(row_from)(int64_t item, int64_t row_count, const P *RESTRICT offsets)
{
    int64_t low = 0, high = row_count;
    while (low < high) {
        const int64_t middle = (low + high) / 2;
        if (READ(&offsets[middle]) + middle < item)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

DEVICE void FN(balanced_split)(int64_t row_count, int64_t blocks, const P *RESTRICT offsets,
                               struct spmv_balanced_share *RESTRICT shares)
{
    for (int64_t b = BLOCK * THREADS + THREAD; b < blocks; b += BLOCKS * THREADS) {
        const int64_t first = FN(row_from)(b * SPMV_BALANCED_ITEMS, row_count, offsets);
        int64_t end = FN(row_from)((b + 1) * SPMV_BALANCED_ITEMS, row_count, offsets);
        if (end > first && READ(&offsets[end]) - READ(&offsets[end - 1]) > SPMV_BALANCED_ITEMS)
            end--;
        shares[b].row = first;
        shares[b].entry = READ(&offsets[first]);
        shares[b].rows = (int32_t)(end - first);
        shares[b].entries = (int32_t)(READ(&offsets[end]) - READ(&offsets[first]));
    }
}

KERNEL(spmv_balanced_split, SPMV_BALANCED_THREADS, args)
{
    FN(balanced_split)(args.row_count, args.blocks, (const P *)args.offsets, args.shares);
}

/* products[p] = values[p] * x[columns[p]] for `count` entries; several loads overlap.
 * `one_value`: as in row_lanes.h. */
enum { FN(PRODUCTS_AT_ONCE) = 4 };
DEVICE void FN(balanced_products)(int count, const I *RESTRICT columns, const T *RESTRICT values,
                                  const T *RESTRICT x, ACC *RESTRICT products, bool one_value)
{
    const T constant = one_value ? READ(values) : NARROW((ACC)0);
    for (int p = THREAD; p < count; p += FN(PRODUCTS_AT_ONCE) * THREADS) {
        I column[FN(PRODUCTS_AT_ONCE)];
        T value[FN(PRODUCTS_AT_ONCE)];
        UNROLL for (int u = 0; u < FN(PRODUCTS_AT_ONCE); u++)
        {
            const bool valid = p + u * THREADS < count;
            column[u] = valid ? READ_ONCE(&columns[p + u * THREADS]) : -1;
            value[u] = valid && !one_value ? READ_ONCE(&values[p + u * THREADS]) : constant;
        }
        UNROLL for (int u = 0; u < FN(PRODUCTS_AT_ONCE); u++)
        {
            if (column[u] >= 0)
                products[p + u * THREADS] = WIDEN(value[u]) * WIDEN(READ(&x[column[u]]));
        }
    }
}

/* Lanes per row of the block: as many as let all rows be summed at once, but no more than rows
 * have entries. */
DEVICE int FN(balanced_width)(int rows, int entries)
{
    int width = 1;
    while (width < LANES && 2 * width * rows <= THREADS && width * rows < entries)
        width *= 2;
    return width;
}

/* Sum of products[begin..end) over `width` lanes, in the first of them. */
DEVICE ACC FN(balanced_sum)(const ACC *products, int begin, int end, int width)
{
    ACC sum = 0;
    for (int p = begin + LANE % width; p < end; p += width)
        sum += products[p];
    return FN(group_sum)(sum, width);
}

/* Row r of the block's `rows` rows has the products ends[r]..ends[r+1). Rows that are long for
 * their group are left to the whole warp. */
enum { FN(LATE) = 16 };
DEVICE void FN(balanced_rows)(int rows, int width, const ACC *products, const int32_t *ends, T *y,
                              ACC alpha, ACC beta)
{
    for (int base = WARP * (LANES / width); base < rows; base += THREADS / width) {
        const int row = base + LANE / width;
        const int from = row < rows ? ends[row] : 0, to = row < rows ? ends[row + 1] : 0;
        const bool is_long = to - from > FN(LATE) * width, leads = LANE % width == 0;
        const ACC sum = FN(balanced_sum)(products, from, is_long ? from : to, width);
        if (leads && !is_long && row < rows)
            FN(store_row)(&y[row], sum, alpha, beta);
        for (lane_mask pending = BALLOT(GROUP_MASK(LANES), is_long && leads); pending;
             pending &= pending - 1) {
            const int long_row = base + FIRST_BIT(pending) / width;
            const ACC long_sum =
                FN(balanced_sum)(products, ends[long_row], ends[long_row + 1], LANES);
            if (LANE == 0)
                FN(store_row)(&y[long_row], long_sum, alpha, beta);
        }
    }
}

DEVICE void FN(share_products)(const struct spmv_csr *a, int64_t entry, int entries, ACC *products,
                               bool one_value)
{
    const I *RESTRICT columns = (const I *)a->columns + entry;
    const T *RESTRICT values = (const T *)a->values, *RESTRICT x = (const T *)a->x;
    if (one_value)
        FN(balanced_products)(entries, columns, values, x, products, true);
    else
        FN(balanced_products)(entries, columns, values + entry, x, products, false);
}

DEVICE void FN(balanced_block)(const struct spmv_balanced_share *RESTRICT share,
                               const struct spmv_csr *a, ACC *products, int32_t *ends, ACC alpha,
                               ACC beta, bool one_value)
{
    const int64_t row = READ(&share->row), entry = READ(&share->entry);
    const int rows = READ(&share->rows), entries = READ(&share->entries);
    const P *RESTRICT offsets = (const P *)a->offsets + row;
    for (int r = THREAD; r <= rows && rows > 0; r += THREADS)
        ends[r] = (int32_t)(READ(&offsets[r]) - entry);
    if (alpha != 0)
        FN(share_products)(a, entry, entries, products, one_value);
    else
        for (int p = THREAD; p < entries; p += THREADS)
            products[p] = 0;
    SYNC();
    FN(balanced_rows)(rows, FN(balanced_width)(rows, entries), products, ends, (T *)a->y + row,
                      alpha, beta);
}

DEVICE void FN(balanced_work)(const struct spmv_csr_balanced_args *args, const struct spmv_csr *a,
                              ACC *products, int32_t *ends, bool one_value)
{
    const ACC alpha = SCALAR(ACC, a->scalars.alpha), beta = SCALAR(ACC, a->scalars.beta);
    const int64_t pieces = FN(piece_blocks)(&args->long_rows),
                  piece = BLOCK * (THREADS / LANES) + WARP;
    if (BLOCK >= pieces)
        FN(balanced_block)(&args->shares[BLOCK - pieces], a, products, ends, alpha, beta,
                           one_value);
    else if (piece < args->long_rows.pieces)
        FN(long_piece)(&args->long_rows, piece, a, alpha, beta, one_value);
}

KERNEL(spmv_csr_balanced, SPMV_BALANCED_THREADS, args)
{
    SHARED(ACC, products, 2 * SPMV_BALANCED_ITEMS);
    SHARED(int32_t, ends, SPMV_BALANCED_ITEMS + 1);
    FN(balanced_work)(&args, &args.a, products, ends, false);
}

KERNEL(spmv_balanced_one_value, SPMV_BALANCED_THREADS, args)
{
    SHARED(ACC, products, 2 * SPMV_BALANCED_ITEMS);
    SHARED(int32_t, ends, SPMV_BALANCED_ITEMS + 1);
    const bool one_value = READ(&args.found->form) == DEVICE_NARROW_ONE;
    struct spmv_csr a = args.balanced.a;
    a.values = one_value ? args.found->values : a.values;
    FN(balanced_work)(&args.balanced, &a, products, ends, one_value);
}
#endif
