/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of y = op(A)*x, x and y sparse: see spmv/frontier/frontier_device.c. */
#ifndef T
#ifndef SPL_SPMV_KERNELS_SPMV_FRONTIER_K_H
#define SPL_SPMV_KERNELS_SPMV_FRONTIER_K_H
#include "problem/row_choice.h"

enum { FRONTIER_THREADS = 256 };

/* What the steps of a product share. Products have a key: the number of the vector in the bits from
 * row_bits on, the row of op(A) below. */
struct frontier_args {
    int64_t rows, inner, vectors, count, products;
    const void *offsets;  /* P[inner + 1], of rows of op(A)' */
    const int32_t *index; /* [nnz] rows of op(A) */
    const void *values;   /* T[nnz], or NULL */
    /* x: vector k has the entries x_offsets[k]..x_offsets[k + 1]; NULL: one has all. x_values NULL:
     * an entry's value is its index. */
    const int64_t *x_offsets;
    const int32_t *x;
    const void *x_values;
    int64_t *begin; /* [count + 1] products of the entries before */
    uint64_t
        *wrong; /* 0; else 2*(count - e) + outside, of the first entry e that is wrong, or -1 */
    /* of each product: its key, of 64 bits if `wide`, else 32; its term; 1 if an entry of y begins
     * with it, in the end the entries before: [products + 1] */
    void *keys;
    void *terms;
    int64_t *kept;
    struct row_choice mask; /* of vector 0 */
    void *into;             /* T[vectors * rows], or NULL */
    int32_t *y;
    void *y_values;
    int64_t *y_offsets; /* [vectors + 1], or NULL */
    int32_t semiring, row_bits, wide;
};
#endif
#else
#define IN_INTEGERS
#include "problem/semiring.h"

/* The last k of 0..count - 1 with begin[k] <= value; begin[0] is not above it. */
DEVICE int64_t FN(frontier_find)(const int64_t *RESTRICT begin, int64_t count, int64_t value)
{
    int64_t low = 0, high = count;
    while (high - low > 1) {
        const int64_t middle = low + (high - low) / 2;
        if (READ(&begin[middle]) <= value)
            low = middle;
        else
            high = middle;
    }
    return low;
}

DEVICE int64_t FN(frontier_vector)(const struct frontier_args *f, int64_t entry)
{
    return f->x_offsets ? FN(frontier_find)(f->x_offsets, f->vectors, entry) : 0;
}

DEVICE uint64_t FN(frontier_key)(const struct frontier_args *f, int64_t i)
{
    return f->wide ? READ(&((const uint64_t *)f->keys)[i]) : READ(&((const uint32_t *)f->keys)[i]);
}

/* Whether x's offsets go from 0 to count and do not descend. */
DEVICE bool FN(frontier_is_cut)(const struct frontier_args *f, int64_t k)
{
    const int64_t begin = READ(&f->x_offsets[k]);
    return begin >= 0 && begin <= f->count && (k > 0 || begin == 0) &&
           (k < f->vectors ? begin <= READ(&f->x_offsets[k + 1]) : begin == f->count);
}

/* Checks x, and counts the products of its entries. */
KERNEL_OF(struct frontier_args, frontier_measure, FRONTIER_THREADS, f)
{
    const P *RESTRICT offsets = (const P *)f.offsets;
    const int64_t first = BLOCK * THREADS + THREAD, step = BLOCKS * THREADS;
    for (int64_t k = first; f.x_offsets && k <= f.vectors; k += step)
        if (!FN(frontier_is_cut)(&f, k))
            ATOMIC_MAX(f.wrong, UINT64_MAX);
    for (int64_t e = first; e < f.count; e += step) {
        const int64_t j = READ(&f.x[e]);
        const bool outside = j < 0 || j >= f.inner;
        bool descends = false;
        if (e > 0 && READ(&f.x[e - 1]) >= j)
            descends = !f.x_offsets || READ(&f.x_offsets[FN(frontier_vector)(&f, e)]) != e;
        if (outside || descends)
            ATOMIC_MAX(f.wrong, 2 * (uint64_t)(f.count - e) + outside);
        f.begin[e] = outside ? 0 : (int64_t)(READ(&offsets[j + 1]) - READ(&offsets[j]));
    }
}

DEVICE T FN(frontier_term)(const struct frontier_args *f, int64_t e, int64_t p, int32_t semiring)
{
    const T factor = !spl__semiring_reads_b(semiring) ? 0
                     : f->x_values                    ? READ(&((const T *)f->x_values)[e])
                                                      : (T)READ(&f->x[e]);
    const T value = spl__semiring_reads_a(semiring) ? READ(&((const T *)f->values)[p]) : 0;
    return SPL__SEMIRING_PRODUCT(T, semiring, value, factor);
}

/* A thread per product. */
KERNEL_OF(struct frontier_args, frontier_expand, FRONTIER_THREADS, f)
{
    const P *RESTRICT offsets = (const P *)f.offsets;
    for (int64_t i = BLOCK * THREADS + THREAD; i < f.products; i += BLOCKS * THREADS) {
        /* of equal begins the last: entries before have no products */
        const int64_t e = FN(frontier_find)(f.begin, f.count, i),
                      p = (int64_t)READ(&offsets[READ(&f.x[e])]) + i - READ(&f.begin[e]);
        const uint64_t row = (uint64_t)READ(&f.index[p]),
                       key = (uint64_t)FN(frontier_vector)(&f, e) << f.row_bits | row;
        if (f.wide)
            ((uint64_t *)f.keys)[i] = key;
        else
            ((uint32_t *)f.keys)[i] = (uint32_t)key;
        ((T *)f.terms)[i] = FN(frontier_term)(&f, e, p, f.semiring);
    }
}

/* Sums the products with the key of product i, which is the first of them. */
DEVICE T FN(frontier_sum)(const struct frontier_args *f, int64_t i, uint64_t key)
{
    const T *const terms = (const T *)f->terms;
    T sum = SPL__SEMIRING_NONE(T, f->semiring);
    if (f->semiring == SPL_PLUS_TIMES)
        sum = 0;
    do
        SPL__SEMIRING_JOIN(f->semiring, sum, terms[i]);
    while (++i < f->products && FN(frontier_key)(f, i) == key);
    return sum;
}

/* "add"s the sum into its element's old value; false: that stays as it is. */
DEVICE bool FN(frontier_changes)(const struct frontier_args *f, int64_t element, T *sum)
{
    const T old = ((const T *)f->into)[element];
    T joined = *sum;
    SPL__SEMIRING_JOIN(f->semiring, joined, old);
    *sum = joined;
    const double now = (double)joined, before = (double)old; /* NaN is what differs from itself */
    return joined != old && !(now != now && before != before);
}

/* A thread per product: the first of a key sums them, in the order of x, into its own place. */
KERNEL_OF(struct frontier_args, frontier_sums, FRONTIER_THREADS, f)
{
    const int64_t words = f.rows / 64 + (f.rows % 64 > 0);
    for (int64_t i = BLOCK * THREADS + THREAD; i < f.products; i += BLOCKS * THREADS) {
        const uint64_t key = FN(frontier_key)(&f, i);
        const int64_t vector = (int64_t)(key >> f.row_bits),
                      row = (int64_t)(key & (((uint64_t)1 << f.row_bits) - 1));
        struct row_choice mask = f.mask;
        mask.bits = mask.bits ? mask.bits + vector * words : mask.bits;
        mask.bytes = mask.bytes ? mask.bytes + vector * f.rows : mask.bytes;
        f.kept[i] = 0;
        if ((i > 0 && FN(frontier_key)(&f, i - 1) == key) || !ROW_IS_CHOSEN(mask, row))
            continue;
        T sum = FN(frontier_sum)(&f, i, key);
        f.kept[i] = !f.into || FN(frontier_changes)(&f, vector * f.rows + row, &sum);
        ((T *)f.terms)[i] = sum;
    }
}

/* The first product whose key is not below `key`. */
DEVICE int64_t FN(frontier_from)(const struct frontier_args *f, uint64_t key)
{
    int64_t low = 0, high = f->products;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (FN(frontier_key)(f, middle) < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* y and `into`. */
KERNEL_OF(struct frontier_args, frontier_write, FRONTIER_THREADS, f)
{
    const int64_t first = BLOCK * THREADS + THREAD, step = BLOCKS * THREADS;
    for (int64_t k = first; f.y_offsets && k <= f.vectors; k += step)
        f.y_offsets[k] = READ(&f.kept[FN(frontier_from)(&f, (uint64_t)k << f.row_bits)]);
    for (int64_t i = first; i < f.products; i += step) {
        const int64_t place = READ(&f.kept[i]);
        if (READ(&f.kept[i + 1]) == place)
            continue;
        const uint64_t key = FN(frontier_key)(&f, i);
        const int64_t vector = (int64_t)(key >> f.row_bits),
                      row = (int64_t)(key & (((uint64_t)1 << f.row_bits) - 1));
        const T sum = READ(&((const T *)f.terms)[i]);
        f.y[place] = (int32_t)row;
        if (f.y_values)
            ((T *)f.y_values)[place] = sum;
        if (f.into)
            ((T *)f.into)[vector * f.rows + row] = sum;
    }
}
#endif
