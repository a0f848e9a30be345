/* SPDX-License-Identifier: Apache-2.0 */
/* Kernel of spgemm/numeric/gpu/dots: see numeric_dots_gpu.c. */
#ifndef T
#ifndef SPL_SPGEMM_KERNELS_MASKS_SPGEMM_DOTS_K_H
#define SPL_SPGEMM_KERNELS_MASKS_SPGEMM_DOTS_K_H
#include "spgemm/kernels/masks/spgemm_masked.h"

enum { SPGEMM_DOTS_THREADS = 256 };

/* Values of C at `positions` positions. o.s.b_offsets and o.s.b_columns are those of B', whose rows
 * ascend, each column once. */
struct spgemm_dots_args {
    struct spgemm_operands o;
    int64_t positions;
    const int32_t *rows; /* of the positions */
    /* P: entry k of B' is entry b_from[k] of the values of B; NULL: entry k */
    const void *b_from;
    int32_t searches_a; /* rows of A ascend, each column once: they can be searched, too */
    int32_t semiring;
};
#endif
#else
#define IN_INTEGERS
#include "spgemm/kernels/masks/spgemm_masked_team.h"

/* The two rows of each lane's position, and the sums. */
typedef struct FN(dots) {
    int64_t ends[SPGEMM_DOTS_THREADS]; /* of the walked entries, all lanes' in one sequence */
    P walked[SPGEMM_DOTS_THREADS], searched[SPGEMM_DOTS_THREADS]; /* first entries */
    int32_t length[SPGEMM_DOTS_THREADS];                          /* of the row that is searched */
    int32_t walks_a[SPGEMM_DOTS_THREADS];
    T sums[SPGEMM_DOTS_THREADS];
} FN(dots);

/* Reads the rows of position p, of which the shorter one is walked. Returns its length. */
DEVICE int64_t FN(dots_begin)(const struct spgemm_dots_args *args, FN(dots) *d, int64_t p)
{
    const P *RESTRICT a_offsets = (const P *)args->o.s.a_offsets;
    const P *RESTRICT b_offsets = (const P *)args->o.s.b_offsets;
    d->sums[THREAD] = SPL__SEMIRING_NONE(T, args->semiring);
    if (p >= args->positions)
        return 0;
    const int32_t row = READ(&args->rows[p]), column = READ(&args->o.columns[p]);
    const P of_a = READ(&a_offsets[row]), of_b = READ(&b_offsets[column]),
            length_a = READ(&a_offsets[row + 1]) - of_a,
            length_b = READ(&b_offsets[column + 1]) - of_b;
    const bool walks_a = !args->searches_a || length_a <= length_b;
    d->walks_a[THREAD] = walks_a;
    d->walked[THREAD] = walks_a ? of_a : of_b;
    d->searched[THREAD] = walks_a ? of_b : of_a;
    d->length[THREAD] = (int32_t)(walks_a ? length_b : length_a);
    return length_a == 0 || length_b == 0 ? 0 : (int64_t)(walks_a ? length_a : length_b);
}

/* Each lane's length and those of the lanes before it. */
DEVICE int64_t FN(dots_end)(int64_t length)
{
    for (int step = 1; step < LANES; step *= 2) {
        const int64_t before = SHUFFLE_UP(GROUP_MASK(LANES), length, step, LANES);
        length += LANE >= step ? before : 0;
    }
    return length;
}

/* The lane whose walked entries have number t. */
DEVICE int FN(dots_owner)(const int64_t *ends, int64_t t)
{
    int low = 0;
    UNROLL for (int step = LANES / 2; step > 0; step /= 2)
    {
        if (ends[low + step - 1] <= t)
            low += step;
    }
    return low;
}

/* The entry of `column` among `length` ascending ones from `begin` on; -1: it is not there. */
DEVICE int64_t FN(dots_find)(const I *RESTRICT columns, int64_t begin, int32_t length, I column)
{
    int32_t low = 0;
    for (int32_t high = length; high - low > 1;) {
        const int32_t middle = low + (high - low) / 2;
        if (READ(&columns[begin + middle]) <= column)
            low = middle;
        else
            high = middle;
    }
    return READ(&columns[begin + low]) == column ? begin + low : -1;
}

/* "multiply" of entry a of A and entry b of B'. */
DEVICE T FN(dots_product)(const struct spgemm_dots_args *args, int64_t a, int64_t b)
{
    const int32_t semiring = args->semiring;
    const P *RESTRICT from = (const P *)args->b_from;
    T of_a = spl__semiring_reads_a(semiring) ? READ(&((const T *)args->o.a_values)[a]) : 0,
      of_b = 0;
    if (semiring == SPL_PLUS_TIMES)
        of_a = SPL__TIMES(SCALAR_OF_ANY(T, args->o.scalars.alpha), of_a);
    if (spl__semiring_reads_b(semiring))
        of_b = READ(&((const T *)args->o.b_values)[from ? (int64_t)READ(&from[b]) : b]);
    return SPL__SEMIRING_PRODUCT(T, semiring, of_a, of_b);
}

/* Walked entry number t, unless that is beyond `total`, which lane `owner` of this warp has.
 * Returns whether it meets one, and their product. */
DEVICE bool FN(dots_meet)(const struct spgemm_dots_args *args, const FN(dots) *d, int64_t t,
                          int owner, T *product)
{
    const int k = WARP * LANES + owner;
    const bool walks_a = d->walks_a[k] != 0;
    const I *RESTRICT a_columns = (const I *)args->o.s.a_columns;
    const I *RESTRICT b_columns = (const I *)args->o.s.b_columns;
    const int64_t entry = (int64_t)d->walked[k] + t - (owner > 0 ? d->ends[k - 1] : 0);
    const I column = READ(&(walks_a ? a_columns : b_columns)[entry]);
    const int64_t other =
        FN(dots_find)(walks_a ? b_columns : a_columns, d->searched[k], d->length[k], column);
    if (other >= 0)
        *product = FN(dots_product)(args, walks_a ? entry : other, walks_a ? other : entry);
    return other >= 0;
}

/* Adds the products of all lanes to the sums of their owners; floating-point numbers in the order
 * of the lanes. */
DEVICE void FN(dots_add)(FN(dots) *d, bool met, int owner, T product, const int32_t semiring)
{
#ifdef INTEGER
    if (met)
        FN(masked_join)(&d->sums[WARP * LANES + owner], product, semiring);
#else
    lane_mask left = BALLOT(GROUP_MASK(LANES), met);
    while (left != 0) {
        const int lane = FIRST_BIT(left);
        const int whose = SHUFFLE(GROUP_MASK(LANES), owner, lane);
        const T value = SHUFFLE(GROUP_MASK(LANES), product, lane);
        if (LANE == whose)
            FN(masked_join)(&d->sums[THREAD], value, semiring);
        left &= left - 1;
    }
#endif
}

KERNEL(spgemm_dots, SPGEMM_DOTS_THREADS, args)
{
    SHARED(FN(dots), d, 1);
    const int64_t warps = BLOCKS * (THREADS / LANES);
    const bool multiplies =
        args.semiring != SPL_PLUS_TIMES || SCALAR_OF_ANY(T, args.o.scalars.alpha) != 0;
    for (int64_t first = (BLOCK * (THREADS / LANES) + WARP) * LANES; first < args.positions;
         first += warps * LANES) {
        const int64_t end = FN(dots_end)(FN(dots_begin)(&args, d, first + LANE)),
                      total = multiplies ? SHUFFLE(GROUP_MASK(LANES), end, LANES - 1) : 0;
        d->ends[THREAD] = end;
        SYNC_WARP(GROUP_MASK(LANES));
        for (int64_t t = LANE; t - LANE < total; t += LANES) {
            const int owner = t < total ? FN(dots_owner)(&d->ends[WARP * LANES], t) : 0;
            T product = 0;
            const bool met = t < total && FN(dots_meet)(&args, d, t, owner, &product);
            FN(dots_add)(d, met, owner, product, args.semiring);
        }
        SYNC_WARP(GROUP_MASK(LANES));
        if (first + LANE < args.positions)
            ((T *)args.o.values)[first + LANE] = d->sums[THREAD];
        SYNC_WARP(GROUP_MASK(LANES));
    }
}
#endif
