/* SPDX-License-Identifier: Apache-2.0 */
/* scan_row.h: sorts a row of C that has just been placed, and whose columns are near each other, by
 * reading the positions of all columns between its first and its last: those of this row have grown
 * to its own. A template, after order_row.h and place_row.h. */

#ifdef __AVX512VL__

/* Columns from the first to the last one, for each of a row, up to which scanning pays. */
enum { FN(SCANNED_SPAN) = 16 };

/* copy[k] = values[at[k]]; writes by whole registers. */
static inline void FN(copy_scanned)(const T *values, const uint32_t *at, int64_t count, T *copy)
{
    for (int64_t k = 0; k < count; k += FN(ORDER_LANES)) {
        const __m512i some = _mm512_maskz_loadu_epi32(spl__first_lanes(count - k), at + k);
        _mm512_storeu_si512(copy + k, sizeof(T) == sizeof(float)
                                          ? _mm512_i32gather_epi32(some, values, sizeof(float))
                                          : _mm512_i32gather_epi64(_mm512_castsi512_si256(some),
                                                                   values, sizeof(double)));
    }
}

/* Columns first to last that the row has, in order, and their positions in it. Writes up to a
 * register more of both. */
static inline void FN(scan_columns)(const FN(places) *row, int64_t first, int64_t last, I *columns)
{
    const __m512i lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15),
                  begin = _mm512_set1_epi32((int32_t)row->first);
    for (int64_t c = first, k = 0; c <= last; c += SPL__KEY_LANES) {
        const __mmask16 some = spl__first_lanes(last + 1 - c);
        const __m512i at = _mm512_maskz_loadu_epi32(some, row->positions + c),
                      column = _mm512_add_epi32(lanes, _mm512_set1_epi32((int32_t)c));
        const __mmask16 own = _mm512_mask_cmpge_epu32_mask(some, at, begin);
        FN(store_columns)(columns + k, UINT16_MAX, _mm512_maskz_compress_epi32(own, column));
        _mm512_storeu_si512(row->at + k,
                            _mm512_maskz_compress_epi32(own, _mm512_sub_epi32(at, begin)));
        k += __builtin_popcount(own);
    }
}

#else

enum { FN(SCANNED_SPAN) = 3 };

static inline void FN(copy_scanned)(const T *restrict values, const uint32_t *restrict at,
                                    int64_t count, T *restrict copy)
{
    for (int64_t k = 0; k < count; k++)
        copy[k] = values[at[k]];
}

static inline void FN(scan_columns)(const FN(places) *row, int64_t first, int64_t last,
                                    I *restrict columns)
{
    uint32_t *restrict at = row->at;
    for (int64_t c = first, k = 0; c <= last; c++) {
        const uint32_t position = row->positions[c];
        columns[k] = (I)c;
        at[k] = position - row->first;
        k += position >= row->first;
    }
}

#endif

/* Sorts a row if its columns are near enough. There is room for a register more. */
static SPL__APART void FN(scan_row)(const FN(places) *row, int64_t count, I *columns, T *values)
{
    I first = columns[0], last = columns[0];
    for (int64_t k = 1; k < count; k++) {
        first = columns[k] < first ? columns[k] : first;
        last = columns[k] > last ? columns[k] : last;
    }
    if ((int64_t)(last - first) >= FN(SCANNED_SPAN) * count)
        return;
    FN(scan_columns)(row, first, last, columns);
    FN(copy_scanned)(values, row->at, count, row->copy);
    memcpy(values, row->copy, (size_t)count * sizeof(T));
}

/* Whether columns are in order. */
static inline bool FN(is_ascending)(const I *columns, int64_t count)
{
    bool ascending = true;
    for (int64_t k = 1; k < count; k++)
        ascending &= columns[k] > columns[k - 1];
    return ascending;
}
