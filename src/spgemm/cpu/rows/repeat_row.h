/* SPDX-License-Identifier: Apache-2.0 */
/* repeat_row.h: rows of C that repeat an earlier one, shifted: on a regular grid, rows of A and the
 * rows of B that they select have the same columns as those before, but for a shift. Part of the
 * template of one_pass, with AVX-512 and columns of 32 bits.
 *
 * A thread keeps the shape of a row: columns relative to the first one of A's row, and which
 * entries of each row of B go to which lanes of C's row. A row that turns out to have that shape
 * needs no sort: comparing columns takes a step per 16. Sums are those of the sorted row, bit by
 * bit, so that it does not matter which thread has seen which shape. */

enum { FN(SHAPE_LANES) = SPL__KEY_LANES * sizeof(float) / sizeof(T) };

/* Whether columns, less `base`, are the `count` that are given. */
static inline bool FN(are_shifted)(const int32_t *columns, int32_t base, const int32_t *relative,
                                   int64_t count)
{
    __mmask16 differ = 0;
    for (int64_t k = 0; k < count; k += SPL__KEY_LANES) {
        const __mmask16 some = spl__first_lanes(count - k);
        const __m512i shifted =
            _mm512_sub_epi32(_mm512_maskz_loadu_epi32(some, columns + k), _mm512_set1_epi32(base));
        differ |= _mm512_mask_cmpneq_epi32_mask(some, shifted, _mm512_loadu_si512(relative + k));
    }
    return differ == 0;
}

/* Whether row i has the shape. */
static inline bool FN(has_shape)(const spl__shape *s, const spl_sparse *a, const spl_sparse *b,
                                 int64_t i)
{
    const P *a_offsets = a->offsets, *b_offsets = b->offsets;
    const int32_t *inner = (const int32_t *)a->indices + a_offsets[i];
    const int32_t *b_columns = b->indices, *relative = s->b_columns;
    if (s->terms == 0 || a_offsets[i + 1] - a_offsets[i] != s->terms ||
        !FN(are_shifted)(inner, inner[0], s->inner, s->terms))
        return false;
    for (int32_t t = 0; t < s->terms; relative += s->lengths[t++]) {
        const P begin = b_offsets[inner[t]];
        if (b_offsets[inner[t] + 1] - begin != s->lengths[t] ||
            !FN(are_shifted)(b_columns + begin, inner[0], relative, s->lengths[t]))
            return false;
    }
    return true;
}

/* `sums`, and in the piece's lanes its products added. Products are rounded, not fused with the
 * addition, as those of sorted rows are. */
static inline __m512i FN(add_piece)(const struct spl__piece *piece, const T *values, ACC scale,
                                    __m512i sums)
{
    if (sizeof(T) == sizeof(float)) {
        __m512 term =
            _mm512_mul_ps(_mm512_set1_ps((float)scale), _mm512_maskz_loadu_ps(piece->from, values));
        __asm__("" : "+v"(term));
        term = _mm512_maskz_expand_ps(piece->to, term);
        const __m512 old = _mm512_castsi512_ps(sums);
        return _mm512_castps_si512(_mm512_mask_add_ps(old, piece->to, old, term));
    }
    const __mmask8 from = (__mmask8)piece->from, to = (__mmask8)piece->to;
    __m512d term =
        _mm512_mul_pd(_mm512_set1_pd((double)scale), _mm512_maskz_loadu_pd(from, values));
    __asm__("" : "+v"(term));
    term = _mm512_maskz_expand_pd(to, term);
    const __m512d old = _mm512_castsi512_pd(sums);
    return _mm512_castpd_si512(_mm512_mask_add_pd(old, to, old, term));
}

static inline void FN(store_first)(T *to, __m512i lanes, int64_t count)
{
    const __mmask16 some = spl__first_lanes(count);
    if (sizeof(T) == sizeof(float))
        _mm512_mask_storeu_epi32(to, some, lanes);
    else
        _mm512_mask_storeu_epi64(to, (__mmask8)some, lanes);
}

static inline void FN(sum_pieces)(const spl__shape *s, const spl_sparse *a, const spl_sparse *b,
                                  int64_t i, T alpha, T *values)
{
    const P *b_offsets = b->offsets, first = ((const P *)a->offsets)[i];
    const I *inner = (const I *)a->indices + first;
    const T *a_values = (const T *)a->values + first, *b_values = b->values;
    const struct spl__piece *piece = s->piece, *end = piece + s->pieces;
    for (int32_t k = 0; k < s->found; k += FN(SHAPE_LANES)) {
        const uint8_t register_of_sums = (uint8_t)(k / FN(SHAPE_LANES));
        __m512i sums = _mm512_setzero_si512();
        for (; piece < end && piece->sums == register_of_sums; piece++)
            sums = FN(add_piece)(piece, b_values + b_offsets[inner[piece->term]] + piece->first,
                                 (ACC)alpha * a_values[piece->term], sums);
        FN(store_first)(values + k, sums, s->found - k);
    }
}

/* Row i of C if it has the shape: writes it, and returns its length; else -1. */
static inline int64_t FN(repeat_row)(const spl_sparse *a, const spl_sparse *b, T alpha, int64_t i,
                                     void *workspace, I *columns, T *values)
{
    spl__shape *s = &((spl__sum_head *)workspace)->shape;
    if (sizeof(I) != sizeof(int32_t) || !FN(has_shape)(s, a, b, i))
        return -1;
    const int32_t base = (int32_t)((const I *)a->indices)[((const P *)a->offsets)[i]];
    for (int32_t k = 0; columns && k < s->found; k += SPL__KEY_LANES)
        _mm512_mask_storeu_epi32(
            columns + k, spl__first_lanes(s->found - k),
            _mm512_add_epi32(_mm512_loadu_si512(s->columns + k), _mm512_set1_epi32(base)));
    FN(sum_pieces)(s, a, b, i, alpha, values);
    s->wait = 0;
    s->next_wait = 1;
    return s->found;
}

/* ---- making a shape ---- */

/* Columns of C, and the position in C's row of each product. */
static inline void FN(position_products)(spl__shape *s, const uint32_t *keys, int bits,
                                         int32_t base, uint8_t *position)
{
    uint32_t last = UINT32_MAX;
    int32_t number = -1;
    for (int32_t k = 0; k < s->products; k++) {
        const uint32_t column = keys[k] >> bits;
        number += column != last;
        last = column;
        s->columns[number] = (int32_t)column - base;
        position[keys[k] & ((1U << bits) - 1)] = (uint8_t)number;
    }
}

/* The entries of term t that go to a register of sums. False: they are not in order, or there are
 * too many pieces. */
static inline bool FN(cut_term)(spl__shape *s, int32_t t, int32_t first, int32_t sums,
                                const uint8_t *position)
{
    int32_t begin = s->lengths[t], count = 0;
    uint32_t to = 0;
    for (int32_t e = 0; e < s->lengths[t]; e++) {
        if (e > 0 && position[first + e] <= position[first + e - 1])
            return false;
        if (position[first + e] / FN(SHAPE_LANES) != sums)
            continue;
        begin = e < begin ? e : begin;
        to |= 1U << position[first + e] % FN(SHAPE_LANES);
        count++;
    }
    if (count > 0 && s->pieces == SPL__SHAPE_PIECES)
        return false;
    if (count > 0)
        s->piece[s->pieces++] = (struct spl__piece){.term = (uint8_t)t,
                                                    .first = (uint8_t)begin,
                                                    .sums = (uint8_t)sums,
                                                    .from = (uint16_t)spl__first_lanes(count),
                                                    .to = (uint16_t)to};
    return true;
}

static inline bool FN(cut_terms)(spl__shape *s, int32_t terms, const uint8_t *position)
{
    s->pieces = 0;
    for (int32_t sums = 0; sums * FN(SHAPE_LANES) < s->found; sums++)
        for (int32_t t = 0, first = 0; t < terms; first += s->lengths[t++])
            if (!FN(cut_term)(s, t, first, sums, position))
                return false;
    return true;
}

static __attribute__((noinline)) void FN(make_shape)(spl__shape *s, const spl_sparse *a,
                                                     const spl_sparse *b, int64_t i,
                                                     const FN(accumulator) *sums)
{
    const P *b_offsets = b->offsets, first = ((const P *)a->offsets)[i];
    const I *inner = (const I *)a->indices + first, *b_columns = b->indices;
    uint8_t position[SPL__MOST_KEYS];
    int32_t *relative = s->b_columns;
    const int32_t terms = s->last[0];
    s->products = s->last[1];
    s->found = s->last[2];
    for (int32_t t = 0; t < terms; t++) {
        const P begin = b_offsets[inner[t]], end = b_offsets[inner[t] + 1];
        s->inner[t] = (int32_t)(inner[t] - inner[0]);
        s->lengths[t] = (int32_t)(end - begin);
        for (P q = begin; q < end; q++)
            *relative++ = (int32_t)(b_columns[q] - inner[0]);
    }
    FN(position_products)(s, sums->keys, sums->position_bits, (int32_t)inner[0], position);
    s->terms = FN(cut_terms)(s, terms, position) ? terms : 0;
}

/* Makes the shape of row i, which has been sorted, if the row before had as many terms, products
 * and columns; seldom, where earlier shapes were of no use. */
static inline void FN(remember_row)(const spl_sparse *a, const spl_sparse *b, int64_t i,
                                    void *workspace, const FN(accumulator) *sums, int64_t found)
{
    enum { MOST_WAIT = 1024 };
    spl__shape *s = &((spl__sum_head *)workspace)->shape;
    const P *a_offsets = a->offsets;
    const int64_t terms = a_offsets[i + 1] - a_offsets[i];
    if (sizeof(I) != sizeof(int32_t) || !sums->keys || terms > SPL__SHAPE_TERMS ||
        found > SPL__SHAPE_COLUMNS || sums->count < SPL__SHAPE_PRODUCTS)
        return;
    const int32_t now[3] = {(int32_t)terms, (int32_t)sums->count, (int32_t)found};
    const bool same = memcmp(now, s->last, sizeof now) == 0;
    memcpy(s->last, now, sizeof now);
    if (!same || s->wait-- > 0)
        return;
    s->wait = s->next_wait;
    s->next_wait = s->next_wait < MOST_WAIT ? 2 * s->next_wait : MOST_WAIT;
    FN(make_shape)(s, a, b, i, sums);
}
