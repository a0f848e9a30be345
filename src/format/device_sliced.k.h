/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of device_sliced.c: convert a matrix on a device to sliced ELL, one warp per slice. */
#ifndef T
#ifndef SPL_FORMAT_DEVICE_SLICED_K_H
#define SPL_FORMAT_DEVICE_SLICED_K_H
#include "format/device_narrow_values.k.h"

enum { DEVICE_SLICED_THREADS = 256 };

/* Input of the sort: rows[i] = i; keys[i] order by windows, then by falling length; rows in no
 * slice count as empty. */
struct sliced_keys_args {
    /* slots: lanes of all slices, including unused ones of the last */
    int64_t row_count, slots, window, limit;
    const void *offsets; /* P[row_count+1] */
    int64_t *keys;       /* [slots] */
    int32_t *rows;
};

/* The matrix and the order of its rows, for all kernels here. */
struct sliced_matrix {
    int64_t row_count, slices, limit;
    const void *offsets, *columns, *values; /* P[row_count+1], I[nnz], T[nnz] */
    const int32_t *rows;                    /* the row of each slot; NULL: in order */
};

/* lines[s], bytes[s] = lines and bytes of codes of slice s; 0 for s = slices. listed[slot] = the
 * row of the slot, or -1, unless NULL; may be the array `rows`. */
struct sliced_measure_args {
    struct sliced_matrix m;
    int64_t *lines, *bytes; /* [slices+1] */
    int32_t *listed;
};

struct sliced_codes_args {
    struct sliced_matrix m;
    const int64_t *begin, *code_offsets; /* prefix sums of these */
    int32_t *bases;
    uint8_t *codes;
};

struct sliced_values_args {
    struct sliced_matrix m;
    const int64_t *begin;
    void *to; /* T */
};

/* Codes of values are packed into words of four lines per lane: lines member + (4*g + u)*team, u
 * = 0..3, which one of the `team` warps takes in sequence. So a warp loads a full memory line at
 * once. Word member + g*team of slice s is at: */
#define SLICED_WORDS_FROM(begin, slice, team) ((begin) / 4 + (slice) * (team))
#define SLICED_WORDS(lines, team)             (((lines) + 4 * (team)-1) / (4 * (team)) * (team))

struct sliced_narrow_values_args {
    struct sliced_values_args values;
    /* tells the form: T, words of codes, float, or nothing */
    const struct device_narrow_found *found;
    int32_t team;
};
#endif
#else
#define IN_HALVES /* 16-bit floats are copied unchanged */
#include "format/value_codes.h"

DEVICE void FN(make_keys)(int64_t row_count, int64_t slots, int64_t window, int64_t limit,
                          const P *RESTRICT offsets, int64_t *RESTRICT keys, int32_t *RESTRICT rows)
{
    for (int64_t i = BLOCK * THREADS + THREAD; i < slots; i += BLOCKS * THREADS) {
        const int64_t length =
            i < row_count ? (int64_t)(READ(&offsets[i + 1]) - READ(&offsets[i])) : 0;
        keys[i] = i / window * (limit + 1) + (length <= limit ? limit - length : limit);
        rows[i] = (int32_t)i;
    }
}

KERNEL(sliced_keys, DEVICE_SLICED_THREADS, args)
{
    FN(make_keys)(args.row_count, args.slots, args.window, args.limit, (const P *)args.offsets,
                  args.keys, args.rows);
}

/* This lane's row of a slice. */
typedef struct FN(slice_row) {
    int64_t row, begin; /* -1: none */
    int length;
} FN(slice_row);

DEVICE FN(slice_row) FN(slice_row_of)(const struct sliced_matrix *m, int64_t slice)
{
    const P *RESTRICT offsets = (const P *)m->offsets;
    const int64_t position = slice * LANES + LANE;
    FN(slice_row) r = {m->rows ? (int64_t)m->rows[position] : position, 0, 0};
    if (r.row < 0 || r.row >= m->row_count ||
        READ(&offsets[r.row + 1]) - READ(&offsets[r.row]) > m->limit) {
        r.row = -1;
        return r;
    }
    r.begin = READ(&offsets[r.row]);
    r.length = (int)(READ(&offsets[r.row + 1]) - r.begin);
    return r;
}

DEVICE int FN(most_of_warp)(int v)
{
    for (int distance = LANES / 2; distance > 0; distance /= 2) {
        const int other = SHUFFLE_XOR(GROUP_MASK(LANES), v, distance);
        v = other > v ? other : v;
    }
    return v;
}

/* One line: this lane's column (-1: none), and the least column. */
typedef struct FN(slice_line) {
    int32_t column, base;
} FN(slice_line);

DEVICE FN(slice_line) FN(slice_line_of)(const FN(slice_row) *r, int k, const I *RESTRICT columns)
{
    FN(slice_line) line;
    line.column = k < r->length ? READ(&columns[r->begin + k]) : -1;
    line.base = INT32_MAX - FN(most_of_warp)(line.column >= 0 ? INT32_MAX - line.column : -1);
    return line;
}

/* The bytes per code of the line. */
DEVICE int FN(line_needs)(const FN(slice_line) *line)
{
    const int span = FN(most_of_warp)(line->column >= 0 ? line->column - line->base : -1);
    const lane_mask unaligned =
        BALLOT(GROUP_MASK(LANES), line->column < 0 || line->column - line->base != LANE);
    if (!unaligned)
        return 0;
    return span < UINT8_MAX ? 1 : span < UINT16_MAX ? 2 : 4;
}

DEVICE void FN(measure_slices)(const struct sliced_measure_args *args)
{
    const struct sliced_matrix *m = &args->m;
    for (int64_t s = BLOCK * (THREADS / LANES) + WARP; s <= m->slices;
         s += BLOCKS * (THREADS / LANES)) {
        int lines = 0, bytes = 0;
        if (s < m->slices) {
            const FN(slice_row) r = FN(slice_row_of)(m, s);
            lines = FN(most_of_warp)(r.length);
            for (int k = 0; k < lines && bytes < 4; k++) {
                const FN(slice_line) line = FN(slice_line_of)(&r, k, (const I *)m->columns);
                const int needs = FN(line_needs)(&line);
                bytes = needs > bytes ? needs : bytes;
            }
            if (args->listed)
                args->listed[s * LANES + LANE] = (int32_t)r.row;
        }
        if (LANE == 0) {
            args->lines[s] = lines;
            args->bytes[s] = (int64_t)lines * bytes * LANES;
        }
    }
}

KERNEL(sliced_measure, DEVICE_SLICED_THREADS, args)
{
    FN(measure_slices)(&args);
}

DEVICE void FN(put_code)(uint8_t *codes, int64_t position, int bytes, const FN(slice_line) *line)
{
    const int32_t code = line->column < 0 || bytes == 4 ? line->column : line->column - line->base;
    if (bytes == 1)
        codes[position] = (uint8_t)code;
    else if (bytes == 2)
        ((uint16_t *)codes)[position] = (uint16_t)code;
    else if (bytes == 4)
        ((int32_t *)codes)[position] = code;
}

DEVICE void FN(make_codes)(const struct sliced_codes_args *args)
{
    const struct sliced_matrix *m = &args->m;
    for (int64_t s = BLOCK * (THREADS / LANES) + WARP; s < m->slices;
         s += BLOCKS * (THREADS / LANES)) {
        const int64_t begin = READ(&args->begin[s]), code_offset = READ(&args->code_offsets[s]);
        const int lines = (int)(READ(&args->begin[s + 1]) - begin);
        const int bytes =
            lines > 0
                ? (int)((READ(&args->code_offsets[s + 1]) - code_offset) / ((int64_t)lines * LANES))
                : 0;
        const FN(slice_row) r = FN(slice_row_of)(m, s);
        for (int k = 0; k < lines; k++) {
            const FN(slice_line) line = FN(slice_line_of)(&r, k, (const I *)m->columns);
            FN(put_code)(args->codes + code_offset, (int64_t)k * LANES + LANE, bytes, &line);
            if (LANE == 0)
                args->bases[begin + k] = line.base;
        }
    }
}

KERNEL(sliced_codes, DEVICE_SLICED_THREADS, args)
{
    FN(make_codes)(&args);
}

DEVICE void FN(copy_values)(const struct sliced_matrix *m, const int64_t *RESTRICT begin,
                            const T *RESTRICT values, T *RESTRICT to)
{
    for (int64_t s = BLOCK * (THREADS / LANES) + WARP; s < m->slices;
         s += BLOCKS * (THREADS / LANES)) {
        const int64_t first = READ(&begin[s]);
        const int lines = (int)(READ(&begin[s + 1]) - first);
        const FN(slice_row) r = FN(slice_row_of)(m, s);
        for (int k = 0; k < lines; k++)
            to[(first + k) * LANES + LANE] =
                k < r.length ? READ(&values[r.begin + k]) : NARROW((ACC)0);
    }
}

KERNEL(sliced_values, DEVICE_SLICED_THREADS, args)
{
    FN(copy_values)(&args.m, args.begin, (const T *)args.m.values, (T *)args.to);
}

/* Four codes of a lane: every team-th line from `line` on. */
DEVICE uint32_t FN(word_of_codes)(const FN(slice_row) *r, int line, int team,
                                  const T *RESTRICT values,
                                  const struct device_narrow_found *RESTRICT found)
{
    uint32_t word = 0;
    for (int u = 0; u < 4; u++) {
        const int k = line + u * team;
        if (k < r->length)
            word |= (uint32_t)FN(value_code)(found, READ(&values[r->begin + k])) << (8 * u);
    }
    return word;
}

DEVICE void FN(copy_codes)(const struct sliced_matrix *m, const int64_t *RESTRICT begin,
                           const struct device_narrow_found *RESTRICT found, int team,
                           uint32_t *RESTRICT to)
{
    const T *RESTRICT values = (const T *)m->values;
    for (int64_t s = BLOCK * (THREADS / LANES) + WARP; s < m->slices;
         s += BLOCKS * (THREADS / LANES)) {
        const int64_t first = READ(&begin[s]);
        const int lines = (int)(READ(&begin[s + 1]) - first);
        const FN(slice_row) r = FN(slice_row_of)(m, s);
        for (int w = 0; w < SLICED_WORDS(lines, team); w++)
            to[(SLICED_WORDS_FROM(first, s, team) + w) * LANES + LANE] =
                FN(word_of_codes)(&r, w % team + w / team * 4 * team, team, values, found);
    }
}

DEVICE void FN(copy_rounded)(const struct sliced_matrix *m, const int64_t *RESTRICT begin,
                             float *RESTRICT to)
{
    const T *RESTRICT values = (const T *)m->values;
    for (int64_t s = BLOCK * (THREADS / LANES) + WARP; s < m->slices;
         s += BLOCKS * (THREADS / LANES)) {
        const int64_t first = READ(&begin[s]);
        const int lines = (int)(READ(&begin[s + 1]) - first);
        const FN(slice_row) r = FN(slice_row_of)(m, s);
        for (int k = 0; k < lines; k++)
            to[(first + k) * LANES + LANE] =
                k < r.length ? (float)WIDEN(READ(&values[r.begin + k])) : 0;
    }
}

KERNEL(sliced_narrow_values, DEVICE_SLICED_THREADS, args)
{
    const struct sliced_values_args *v = &args.values;
    const int32_t form = READ(&args.found->form);
    if (form == DEVICE_NARROW_CODED)
        FN(copy_codes)(&v->m, v->begin, args.found, args.team, (uint32_t *)v->to);
    else if (form == DEVICE_NARROW_F32)
        FN(copy_rounded)(&v->m, v->begin, (float *)v->to);
    else if (form != DEVICE_NARROW_ONE)
        FN(copy_values)(&v->m, v->begin, (const T *)v->m.values, (T *)v->to);
}
#endif
