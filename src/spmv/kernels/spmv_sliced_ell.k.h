/* SPDX-License-Identifier: Apache-2.0 */
/* Kernel of spmv/compute/gpu/sliced_ell: see spmv_sliced_ell_gpu.c; the format:
 * format/device_sliced.h. */
#ifndef T
#ifndef SPL_SPMV_KERNELS_SPMV_SLICED_ELL_K_H
#define SPL_SPMV_KERNELS_SPMV_SLICED_ELL_K_H
#include "format/device_sliced.k.h"
#include "spmv/kernels/spmv_long_rows.k.h"

/* Launched with THREADS, compiled for MOST: the faster way, by a tenth on an H100, to limit
 * registers to 40. */
enum { SPMV_SLICED_THREADS = 128, SPMV_SLICED_MOST = 256, SPMV_SLICED_RESIDENT = 6 };

/* `team` warps (a power of two, at most those of a block) share a slice and take its lines in
 * turn. */
struct spmv_sliced_ell_args {
    struct spmv_csr a; /* structure and values, for long rows only */
    struct spmv_long_rows long_rows;
    int64_t slices;
    const int32_t *rows; /* [slices*LANES], -1: none; NULL: in order */
    const int64_t *begin, *code_offsets;
    const int32_t *bases;
    const uint8_t *codes;
    const void *values; /* T */
    int32_t team;
};

/* The same with values in the form that was found. */
struct spmv_sliced_narrow_args {
    struct spmv_sliced_ell_args sliced;
    const struct device_narrow_found *found;
};
#endif
#else

#define IN_HALVES
#include "format/value_codes.h"
#include "spmv/kernels/long_row_piece.h"

/* Values of a slice. `form` is a compile-time constant in all callers. */
typedef struct FN(slice_values) {
    /* T or float, line by line, or words of codes: format/device_sliced.k.h */
    const void *data;
    const struct device_narrow_found *found;
    ACC constant;
    int form;
} FN(slice_values);

/* One value in stored form; the form determines the member. */
typedef struct FN(stored_value) {
    T value;
    float rounded;
    uint8_t code;
} FN(stored_value);

/* Loads the value of the line at `position`, number `u` of those that are loaded together;
 * `word` has their codes. */
DEVICE FN(stored_value) FN(slice_load)(const FN(slice_values) *v, int position, uint32_t word,
                                       int u)
{
    FN(stored_value) s = {NARROW((ACC)0), 0, 0};
    if (v->form == DEVICE_NARROW_CODED)
        s.code = (uint8_t)(word >> (8 * u));
    else if (v->form == DEVICE_NARROW_F32)
        s.rounded = READ_ONCE((const float *)v->data + position);
    else if (v->form != DEVICE_NARROW_ONE)
        s.value = READ_ONCE((const T *)v->data + position);
    return s;
}

DEVICE ACC FN(slice_value)(const FN(slice_values) *v, const FN(stored_value) *s)
{
    if (v->form == DEVICE_NARROW_ONE)
        return v->constant;
    if (v->form == DEVICE_NARROW_CODED)
        return WIDEN(FN(value_coded)(v->found, s->code));
    if (v->form == DEVICE_NARROW_F32)
        return (ACC)s->rounded;
    return WIDEN(s->value);
}

/* This lane's column in a line, -1: none. `bytes` is a compile-time constant in all callers. */
DEVICE int32_t FN(slice_column)(const uint8_t *RESTRICT codes, const int32_t *RESTRICT bases,
                                int line, int bytes)
{
    const int position = line * LANES + LANE;
    if (bytes == 4)
        return READ_ONCE((const int32_t *)codes + position);
    const int32_t base = READ(&bases[line]);
    if (bytes == 0)
        return base + LANE;
    const int32_t code = bytes == 1 ? (int32_t)READ_ONCE(codes + position)
                                    : (int32_t)READ_ONCE((const uint16_t *)codes + position);
    return code == (bytes == 1 ? UINT8_MAX : UINT16_MAX) ? -1 : base + code;
}

/* This lane's sum over every step-th line from `first` on; the loads of as many lines as a word
 * has codes overlap. */
enum { FN(LINES_AT_ONCE) = sizeof(uint32_t) };
DEVICE ACC FN(slice_sum)(int first, int lines, int step, int bytes, const uint8_t *RESTRICT codes,
                         const int32_t *RESTRICT bases, const FN(slice_values) *values,
                         const T *RESTRICT x)
{
    const FN(stored_value) padding = {NARROW((ACC)0), 0, 0};
    ACC sum = 0;
    for (int k = first; k < lines; k += FN(LINES_AT_ONCE) * step) {
        int32_t column[FN(LINES_AT_ONCE)];
        FN(stored_value) value[FN(LINES_AT_ONCE)];
        uint32_t word = 0;
        if (values->form == DEVICE_NARROW_CODED)
            word = (uint32_t)READ_ONCE((const int32_t *)values->data +
                                       ((k - first) / FN(LINES_AT_ONCE) + first) * LANES + LANE);
        UNROLL for (int u = 0; u < FN(LINES_AT_ONCE); u++)
        {
            const int line = k + u * step;
            column[u] = line < lines ? FN(slice_column)(codes, bases, line, bytes) : -1;
            value[u] =
                line < lines ? FN(slice_load)(values, line * LANES + LANE, word, u) : padding;
        }
        UNROLL for (int u = 0; u < FN(LINES_AT_ONCE); u++)
        {
            if (column[u] >= 0)
                sum += FN(slice_value)(values, &value[u]) * WIDEN(READ(&x[column[u]]));
        }
    }
    return sum;
}

DEVICE FN(slice_values) FN(values_of_slice)(const struct spmv_sliced_ell_args *args, int64_t begin,
                                            int64_t slice, int form,
                                            const struct device_narrow_found *found)
{
    FN(slice_values) v = {(const T *)args->values + begin * LANES, found, 0, form};
    if (form == DEVICE_NARROW_CODED)
        v.data =
            (const uint32_t *)args->values + SLICED_WORDS_FROM(begin, slice, args->team) * LANES;
    if (form == DEVICE_NARROW_F32)
        v.data = (const float *)args->values + begin * LANES;
    if (form == DEVICE_NARROW_ONE)
        v.constant = WIDEN(FN(value_coded)(found, 0));
    return v;
}

/* This lane's part of a slice's sums, of warp `member` of the team. */
DEVICE ACC FN(slice_part_in)(const struct spmv_sliced_ell_args *args, int64_t slice, int member,
                             int form, const struct device_narrow_found *found)
{
    const int64_t begin = READ(&args->begin[slice]), code_offset = READ(&args->code_offsets[slice]);
    const int lines = (int)(READ(&args->begin[slice + 1]) - begin);
    const int64_t bytes = READ(&args->code_offsets[slice + 1]) - code_offset,
                  line_bytes = (int64_t)lines * LANES;
    const uint8_t *RESTRICT codes = args->codes + code_offset;
    const int32_t *RESTRICT bases = args->bases + begin;
    const FN(slice_values) v = FN(values_of_slice)(args, begin, slice, form, found);
    const T *RESTRICT x = (const T *)args->a.x;
    if (bytes == line_bytes)
        return FN(slice_sum)(member, lines, args->team, 1, codes, bases, &v, x);
    if (bytes == 0)
        return FN(slice_sum)(member, lines, args->team, 0, codes, bases, &v, x);
    if (bytes == 2 * line_bytes)
        return FN(slice_sum)(member, lines, args->team, 2, codes, bases, &v, x);
    return FN(slice_sum)(member, lines, args->team, 4, codes, bases, &v, x);
}

DEVICE ACC FN(slice_part)(const struct spmv_sliced_ell_args *args, int64_t slice, int member,
                          int form, const struct device_narrow_found *found)
{
    if (form == DEVICE_NARROW_ONE)
        return FN(slice_part_in)(args, slice, member, DEVICE_NARROW_ONE, found);
    if (form == DEVICE_NARROW_CODED)
        return FN(slice_part_in)(args, slice, member, DEVICE_NARROW_CODED, found);
    if (form == DEVICE_NARROW_F32)
        return FN(slice_part_in)(args, slice, member, DEVICE_NARROW_F32, found);
    return FN(slice_part_in)(args, slice, member, DEVICE_NARROW_AS_THEY_ARE, found);
}

/* Adds the team's parts of a lane's sum in the order of its warps; the result is in the team's
 * first warp. Every thread of the block takes part. */
DEVICE ACC FN(team_sum)(ACC sum, int team, ACC *sums)
{
    if (team == 1)
        return sum;
    sums[THREAD] = sum;
    SYNC();
    if (WARP % team != 0)
        return 0;
    for (int w = 1; w < team; w++)
        sum += sums[THREAD + w * LANES];
    return sum;
}

DEVICE void FN(multiply_slices)(const struct spmv_sliced_ell_args *args, int64_t block, ACC *sums,
                                int form, const struct device_narrow_found *found)
{
    const int team = args->team;
    const int64_t slice = (block * (THREADS / LANES) + WARP) / team,
                  position = slice * LANES + LANE;
    const ACC alpha = SCALAR(ACC, args->a.scalars.alpha), beta = SCALAR(ACC, args->a.scalars.beta);
    int64_t row = -1;
    ACC sum = 0;
    if (slice < args->slices) {
        row = args->rows                ? (int64_t)READ_ONCE(&args->rows[position])
              : position < args->a.rows ? position
                                        : -1;
        if (alpha != 0)
            sum = FN(slice_part)(args, slice, WARP % team, form, found);
    }
    sum = FN(team_sum)(sum, team, sums);
    if (row >= 0 && WARP % team == 0)
        FN(store_row)((T *)args->a.y + row, sum, alpha, beta);
}

/* Computes a piece of a long row; its values are read from A, unless all are equal. */
DEVICE void FN(multiply_piece)(const struct spmv_sliced_ell_args *args, int64_t piece, int form,
                               const struct device_narrow_found *found)
{
    const ACC alpha = SCALAR(ACC, args->a.scalars.alpha), beta = SCALAR(ACC, args->a.scalars.beta);
    struct spmv_csr a = args->a;
    if (form == DEVICE_NARROW_ONE)
        a.values = found->values;
    if (piece < args->long_rows.pieces)
        FN(long_piece)(&args->long_rows, piece, &a, alpha, beta, form == DEVICE_NARROW_ONE);
}

DEVICE void FN(multiply_block)(const struct spmv_sliced_ell_args *args, ACC *sums, int form,
                               const struct device_narrow_found *found)
{
    const int64_t pieces = FN(piece_blocks)(&args->long_rows);
    if (BLOCK >= pieces)
        FN(multiply_slices)(args, BLOCK - pieces, sums, form, found);
    else
        FN(multiply_piece)(args, BLOCK * (THREADS / LANES) + WARP, form, found);
}

KERNEL_RESIDENT(spmv_sliced_ell, SPMV_SLICED_MOST, SPMV_SLICED_RESIDENT, args)
{
    SHARED(ACC, sums, SPMV_SLICED_MOST);
    FN(multiply_block)(&args, sums, DEVICE_NARROW_AS_THEY_ARE, 0);
}

KERNEL_RESIDENT(spmv_sliced_narrow, SPMV_SLICED_MOST, SPMV_SLICED_RESIDENT, args)
{
    SHARED(ACC, sums, SPMV_SLICED_MOST);
    FN(multiply_block)(&args.sliced, sums, READ(&args.found->form), args.found);
}
#endif
