/* SPDX-License-Identifier: Apache-2.0 */
/* slice_lines.h: sums over the lines of a slice of sliced ELL, see format/sliced_columns.h.
 *
 * A template: T, I, FN come from core/each_type.h, LANES from the method.
 * Source: see spmv_sliced_ell_cpu.c. */
#include "spmv/cpu/slice_lanes.h"

typedef I FN(positions) __attribute__((vector_size(SPL__REGISTER_BYTES / sizeof(T) * sizeof(I))));
typedef int16_t FN(distances)
    __attribute__((vector_size(SPL__REGISTER_BYTES / sizeof(T) * sizeof(int16_t))));

/* x at a distance from the diagonal: contiguous if rows are consecutive. */
static inline FN(lanes) FN(diagonal)(const T *x, const I *rows, I distance, bool consecutive, int r)
{
    const T *from = (const T *)((uintptr_t)x + (uintptr_t)distance * sizeof(T));
    return consecutive ? FN(load)(from + rows[0], r) : SPL__GATHER(from, rows + r * FN(WIDTH));
}

static inline FN(lanes) FN(near)(const T *x, const I *rows, const unsigned char *listed, int r)
{
    FN(distances) narrow;
    FN(positions) row;
    memcpy(&narrow, listed + r * sizeof narrow, sizeof narrow);
    memcpy(&row, rows + r * FN(WIDTH), sizeof row);
    row += __builtin_convertvector(narrow, FN(positions));
    return SPL__GATHER(x, (const I *)&row);
}

/* The arguments for the lines of a slice. `consecutive`, `prefetch` and `form` are compile-time
 * constants in all callers. */
typedef struct FN(slice) {
    const I *rows, *codes;
    const T *x;
    const char *values;
    int64_t step; /* bytes between the values of lines: 0 for a single line */
    int64_t full, lines;
    bool consecutive, prefetch; /* rows are consecutive; the matrix is larger than the caches */
    /* form of values: WHOLE, F32, or any other, stored as T */
    int form;
    T scale; /* for WHOLE */
} FN(slice);

/* Bytes of a value. */
static SPL__INLINED int64_t FN(width)(int form)
{
    return form == SPL__VALUES_WHOLE
               ? (int64_t)sizeof(int16_t)
               : (int64_t)(form == DEVICE_NARROW_F32 ? sizeof(float) : sizeof(T));
}

static inline FN(lanes) FN(widen_i16)(const int16_t *from)
{
    return _Generic((T)0, double : spl__widen_i16_f64, float : spl__widen_i16_f32)(from);
}

static inline FN(lanes) FN(widen_f32)(const float *from)
{
    return _Generic((T)0, double : spl__widen_f32_f64, float : spl__widen_f32_f32)(from);
}

/* Register r of a line of values. */
static SPL__INLINED FN(lanes) FN(value)(const char *line, int r, const int form, T scale)
{
    const char *from = line + r * FN(WIDTH) * FN(width)(form);
    if (form == SPL__VALUES_WHOLE)
        return scale * FN(widen_i16)((const void *)from);
    if (form == DEVICE_NARROW_F32)
        return FN(widen_f32)((const void *)from);
    return FN(load)((const void *)from, 0);
}

/* Register r of values as they are, 0 in the lanes that are not in `mask`. */
static SPL__INLINED FN(lanes) FN(masked_line)(const char *line, int r, unsigned mask)
{
    return SPL__LOAD_MASKED((const T *)(const void *)line + r * FN(WIDTH), mask);
}

/* Register r of line k of a slice. */
static SPL__INLINED FN(lanes) FN(value_of)(const FN(slice) *s, int64_t k, int r)
{
    return FN(value)(s->values + k * s->step, r, s->form, s->scale);
}

static SPL__INLINED void FN(add_diagonal)(FN(lanes) *sums, const FN(slice) *s, int64_t k)
{
    if (s->consecutive && s->prefetch)
        spl__prefetch_near((const char *)s->x +
                           ((int64_t)s->rows[0] + s->codes[k]) * (int64_t)sizeof(T));
#pragma GCC unroll 8
    for (int r = 0; r < FN(REGISTERS); r++)
        sums[r] +=
            FN(value_of)(s, k, r) * FN(diagonal)(s->x, s->rows, s->codes[k], s->consecutive, r);
}

static SPL__INLINED const unsigned char *FN(add_near)(FN(lanes) *sums, const FN(slice) *s,
                                                      int64_t k, const unsigned char *listed)
{
    if (s->prefetch)
        spl__prefetch(listed);
#pragma GCC unroll 8
    for (int r = 0; r < FN(REGISTERS); r++)
        sums[r] += FN(value_of)(s, k, r) * FN(near)(s->x, s->rows, listed, r);
    return listed + LANES * sizeof(int16_t);
}

static SPL__INLINED const unsigned char *FN(add_far)(FN(lanes) *sums, const FN(slice) *s, int64_t k,
                                                     const unsigned char *listed)
{
    if (s->prefetch)
        spl__prefetch(listed);
#pragma GCC unroll 8
    for (int r = 0; r < FN(REGISTERS); r++)
        sums[r] += FN(value_of)(s, k, r) * SPL__GATHER(s->x, (const I *)listed + r * FN(WIDTH));
    return listed + LANES * sizeof(I);
}

/* sums += the lines in which all lanes have an entry; returns the listing after them. */
static SPL__INLINED const unsigned char *FN(add_full)(FN(lanes) *sums, const FN(slice) *s,
                                                      const unsigned char *listed)
{
    for (int64_t k = 0; k < s->full; k++) {
        for (int64_t b = 0; s->prefetch && b < s->step; b += 64)
            spl__prefetch(s->values + k * s->step + b);
        if (s->codes[k] > SPL__LINE_FAR)
            FN(add_diagonal)(sums, s, k);
        else if (s->codes[k] == SPL__LINE_NEAR)
            listed = FN(add_near)(sums, s, k, listed);
        else
            listed = FN(add_far)(sums, s, k, listed);
    }
    return listed;
}

/* The same where only the first lanes have an entry: if all values are equal, the others have that
 * value too, but their products must be 0 even if it is Inf. */
static SPL__INLINED FN(lanes) FN(first_values)(const FN(slice) *s, int64_t k, int r, I count)
{
    if (s->step == 0)
        return FN(masked_line)(s->values, r, (1U << count) - 1);
    return FN(value_of)(s, k, r);
}

/* sums += the lines in which only the first lanes have an entry. */
static SPL__INLINED void FN(add_ragged)(FN(lanes) *sums, const FN(slice) *s,
                                        const unsigned char *listed)
{
    for (int64_t k = s->full; k < s->lines; k++, listed += LANES * sizeof(I)) {
#pragma GCC unroll 8
        for (int r = 0; r < FN(REGISTERS); r++) {
            const I *columns = (const I *)listed + r * FN(WIDTH);
            I count = s->codes[k] - r * FN(WIDTH);
            if (count >= FN(WIDTH))
                sums[r] += FN(value_of)(s, k, r) * SPL__GATHER(s->x, columns);
            else if (count > 0)
                sums[r] +=
                    FN(first_values)(s, k, r, count) * SPL__GATHER_FIRST(s->x, columns, count);
        }
    }
}
