/* SPDX-License-Identifier: Apache-2.0 */
/* order_row.h: sorts a row of C, columns and values, whose columns are distinct, and few enough for
 * spl__sum_is_sorted; to another place or its own. A template, after sum_row.h.
 *
 * With AVX-512 keys of column and position are sorted in registers; a row of up to 32 entries never
 * leaves them, and rows of up to 16 entries together are sorted at once, by keys of row, column and
 * position. Without, a column's place is the number of columns that are smaller. Neither has a
 * branch that depends on columns. A row should have been written some time before: a register that
 * is loaded soon after its parts were stored waits for all of them. */

/* A row of at most one entry. */
static inline void FN(copy_entry)(const I *columns, const T *values, int64_t count, I *to_columns,
                                  T *to_values)
{
    if (count == 0)
        return;
    *to_columns = *columns;
    *to_values = *values;
}

#ifdef __AVX512VL__

enum { FN(ORDER_LANES) = SPL__KEY_LANES * sizeof(float) / sizeof(T) };

/* Lanes of a block that belong to a row of which `count` entries are left. */
static inline __mmask16 FN(lanes_of)(int64_t count)
{
    return spl__first_lanes(count > 0 ? count : 0);
}

/* Up to 16 columns, as 32 bits. */
static inline __m512i FN(load_columns)(const I *columns, __mmask16 some)
{
    if (sizeof(I) == sizeof(int32_t))
        return _mm512_maskz_loadu_epi32(some, columns);
    const __m512i low = _mm512_maskz_loadu_epi64((__mmask8)some, columns),
                  high = _mm512_maskz_loadu_epi64((__mmask8)(some >> 8), columns + 8);
    return _mm512_inserti64x4(_mm512_castsi256_si512(_mm512_cvtepi64_epi32(low)),
                              _mm512_cvtepi64_epi32(high), 1);
}

static inline void FN(store_columns)(I *columns, __mmask16 some, __m512i column)
{
    if (sizeof(I) == sizeof(int32_t)) {
        _mm512_mask_storeu_epi32(columns, some, column);
        return;
    }
    _mm512_mask_storeu_epi64(columns, (__mmask8)some,
                             _mm512_cvtepu32_epi64(_mm512_castsi512_si256(column)));
    _mm512_mask_storeu_epi64(columns + 8, (__mmask8)(some >> 8),
                             _mm512_cvtepu32_epi64(_mm512_extracti64x4_epi64(column, 1)));
}

/* Keys of block b of a row: its columns and their positions. */
static inline spl__keys FN(keys_of)(const I *columns, int64_t count, int b, int bits)
{
    const __mmask16 some = FN(lanes_of)(count - b * SPL__KEY_LANES);
    const __m512i lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15),
                  position = _mm512_add_epi32(lanes, _mm512_set1_epi32(b * SPL__KEY_LANES)),
                  column = FN(load_columns)(columns + b * SPL__KEY_LANES, some);
    return (spl__keys)_mm512_mask_or_epi32(spl__last_keys(), some,
                                           _mm512_slli_epi32(column, (unsigned)bits), position);
}

static inline __m512i FN(load_lanes)(const T *values, int64_t count)
{
    const __mmask16 some = FN(lanes_of)(count);
    return sizeof(T) == sizeof(float) ? _mm512_maskz_loadu_epi32(some, values)
                                      : _mm512_maskz_loadu_epi64((__mmask8)some, values);
}

static inline void FN(store_lanes)(T *to, __m512i lanes, int64_t count)
{
    const __mmask16 some = FN(lanes_of)(count);
    if (sizeof(T) == sizeof(float))
        _mm512_mask_storeu_epi32(to, some, lanes);
    else
        _mm512_mask_storeu_epi64(to, (__mmask8)some, lanes);
}

/* Of up to four registers of values those at the positions of the keys of register r, which stand
 * in the lowest bits. */
static inline __m512i FN(pick_values)(const spl__keys *keys, int r, const __m512i *values,
                                      int registers)
{
    if (sizeof(T) == sizeof(float))
        return _mm512_permutex2var_epi32(values[0], (__m512i)keys[r], values[registers - 1]);
    const __m512i key = (__m512i)keys[r / 2],
                  at = _mm512_cvtepu32_epi64(r % 2 ? _mm512_extracti64x4_epi64(key, 1)
                                                   : _mm512_castsi512_si256(key)),
                  low = _mm512_permutex2var_epi64(values[0], at, values[1]);
    if (registers == 2)
        return low;
    return _mm512_mask_blend_epi64(_mm512_test_epi64_mask(at, _mm512_set1_epi64(SPL__KEY_LANES)),
                                   low, _mm512_permutex2var_epi64(values[2], at, values[3]));
}

/* A row of at most 16 or 32 entries. */
static inline __attribute__((always_inline)) void FN(order_blocks)(const I *columns,
                                                                   const T *values, int64_t count,
                                                                   int bits, I *to_columns,
                                                                   T *to_values, int blocks)
{
    enum { LANES = FN(ORDER_LANES), MOST = 2 * SPL__KEY_LANES / FN(ORDER_LANES) };
    spl__keys keys[2];
    __m512i value[MOST];
    const int registers = blocks * SPL__KEY_LANES / LANES;
#pragma GCC unroll 2
    for (int b = 0; b < blocks; b++) {
        keys[b] = FN(keys_of)(columns, count, b, bits);
        spl__keys_sort_block(&keys[b]);
    }
    if (blocks > 1)
        spl__keys_merge(keys, 2);
#pragma GCC unroll 4
    for (int r = 0; r < registers; r++)
        value[r] = FN(load_lanes)(values + r * LANES, count - r * LANES);
#pragma GCC unroll 2
    for (int b = 0; b < blocks; b++)
        FN(store_columns)(to_columns + b * SPL__KEY_LANES, FN(lanes_of)(count - b * SPL__KEY_LANES),
                          _mm512_srli_epi32((__m512i)keys[b], (unsigned)bits));
#pragma GCC unroll 4
    for (int r = 0; r < registers; r++)
        FN(store_lanes)(to_values + r * LANES, FN(pick_values)(keys, r, value, registers),
                        count - r * LANES);
}

/* Sorts together the first rows that fit a register, of at most `rows`; returns their number, 0 if
 * the first one does not fit. Row k ends before ends[k]; the arrays begin with the first row, at
 * `begin`. */
static inline int64_t FN(order_together)(const P *ends, int64_t rows, P begin, int column_bits,
                                         const I *columns, const T *values, I *to_columns,
                                         T *to_values)
{
    enum { LANE_BITS = 4, REGISTERS = SPL__KEY_LANES / FN(ORDER_LANES) };
    const int row_bits = 32 - LANE_BITS - column_bits;
    const int64_t most = spl__min_i64(rows, row_bits > 0 ? 1 << row_bits : 0);
    __m512i row = _mm512_setzero_si512(), value[2];
    int64_t taken = 0;
    for (; taken < most && ends[taken] - begin <= SPL__KEY_LANES; taken++) {
        const __mmask16 later = (__mmask16)(~0U << (ends[taken] - begin));
        row = _mm512_mask_add_epi32(row, later, row, _mm512_set1_epi32(1));
    }
    if (taken == 0)
        return 0;
    const int64_t count = (int64_t)(ends[taken - 1] - begin);
    const __mmask16 some = spl__first_lanes(count);
    const __m512i lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15),
                  column = _mm512_or_si512(_mm512_slli_epi32(row, (unsigned)column_bits),
                                           FN(load_columns)(columns, some));
    spl__keys key = (spl__keys)_mm512_mask_or_epi32(spl__last_keys(), some,
                                                    _mm512_slli_epi32(column, LANE_BITS), lanes);
    spl__keys_sort_block(&key);
#pragma GCC unroll 2
    for (int r = 0; r < REGISTERS; r++)
        value[r] = FN(load_lanes)(values + r * FN(ORDER_LANES), count - r * FN(ORDER_LANES));
    FN(store_columns)(to_columns, some,
                      _mm512_and_si512(_mm512_srli_epi32((__m512i)key, LANE_BITS),
                                       _mm512_set1_epi32((1 << column_bits) - 1)));
#pragma GCC unroll 2
    for (int r = 0; r < REGISTERS; r++)
        FN(store_lanes)(to_values + r * FN(ORDER_LANES), FN(pick_values)(&key, r, value, REGISTERS),
                        count - r * FN(ORDER_LANES));
    return taken;
}

static __attribute__((noinline)) void FN(order_many)(const I *columns, const T *values,
                                                     int64_t count, int bits, I *to_columns,
                                                     T *to_values)
{
    _Alignas(SPL__LINE) uint32_t keys[SPL__MOST_KEYS];
    T copy[SPL__MOST_KEYS];
    memcpy(copy, values, (size_t)count * sizeof(T));
    for (int b = 0; b * SPL__KEY_LANES < count; b++)
        _mm512_store_si512(keys + b * SPL__KEY_LANES,
                           (__m512i)FN(keys_of)(columns, count, b, bits));
    spl__sort_keys(keys, count);
    for (int64_t k = 0; k < count; k++) {
        to_columns[k] = (I)(keys[k] >> bits);
        to_values[k] = copy[keys[k] & ((1U << bits) - 1)];
    }
}

static inline void FN(order_row)(const I *columns, const T *values, int64_t count, int bits,
                                 I *to_columns, T *to_values)
{
    if (count <= 1)
        FN(copy_entry)(columns, values, count, to_columns, to_values);
    else if (count <= SPL__KEY_LANES)
        FN(order_blocks)(columns, values, count, bits, to_columns, to_values, 1);
    else if (count <= 2 * SPL__KEY_LANES)
        FN(order_blocks)(columns, values, count, bits, to_columns, to_values, 2);
    else
        FN(order_many)(columns, values, count, bits, to_columns, to_values);
}

#else

static inline int64_t FN(order_together)(const P *ends, int64_t rows, P begin, int column_bits,
                                         const I *columns, const T *values, I *to_columns,
                                         T *to_values)
{
    (void)ends, (void)rows, (void)begin, (void)column_bits;
    (void)columns, (void)values, (void)to_columns, (void)to_values;
    return 0;
}

/* Puts two entries in order, without a branch. */
static inline void FN(order_two)(const I *columns, const T *values, I *to_columns, T *to_values)
{
    const I column[2] = {columns[0], columns[1]};
    const T value[2] = {values[0], values[1]};
    const int swapped = column[1] < column[0];
    to_columns[0] = column[swapped];
    to_columns[1] = column[!swapped];
    to_values[0] = value[swapped];
    to_values[1] = value[!swapped];
}

#ifdef __AVX2__

/* A row of at most 16 entries, in registers: copying them by calls takes as long as this does. */
static inline __attribute__((always_inline)) void FN(order_block)(const I *columns, const T *values,
                                                                  int64_t count, I *to_columns,
                                                                  T *to_values, int registers)
{
    enum { LANES = 8 };
    const __m256i lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    __m256i own[2], place[2];
    _Alignas(SPL__LINE) int32_t column[2 * LANES], at[2 * LANES];
    T value[2 * LANES];
#pragma GCC unroll 2
    for (int r = 0; r < registers; r++) {
        const __m256i some = _mm256_cmpgt_epi32(_mm256_set1_epi32((int)count - r * LANES), lanes);
        own[r] = _mm256_maskload_epi32((const int *)columns + r * LANES, some);
        place[r] = _mm256_setzero_si256();
    }
    for (int64_t j = 0; j < count; j++) {
        const __m256i other = _mm256_set1_epi32((int)columns[j]);
        value[j] = values[j];
        IN_TURN(j);
#pragma GCC unroll 2
        for (int r = 0; r < registers; r++)
            place[r] = _mm256_sub_epi32(place[r], _mm256_cmpgt_epi32(own[r], other));
    }
#pragma GCC unroll 2
    for (int r = 0; r < registers; r++) {
        _mm256_store_si256((__m256i *)(column + r * LANES), own[r]);
        _mm256_store_si256((__m256i *)(at + r * LANES), place[r]);
    }
    for (int64_t k = 0; k < count; k++) {
        to_columns[at[k]] = (I)column[k];
        to_values[at[k]] = value[k];
    }
}

#endif

static SPL__APART void FN(order_many)(const I *columns, const T *values, int64_t count,
                                      I *to_columns, T *to_values)
{
    enum { LANES = 8 };
    typedef I lanes __attribute__((vector_size(LANES * sizeof(I))));
    I own[SPL__FEW_KEYS + LANES];
    T copy[SPL__FEW_KEYS];
    memcpy(own, columns, (size_t)count * sizeof(I));
    memset(own + count, 0, LANES * sizeof(I));
    memcpy(copy, values, (size_t)count * sizeof(T));
    for (int64_t k = 0; k < count; k += LANES) {
        lanes some, places = {0};
        memcpy(&some, own + k, sizeof some);
        for (int64_t j = 0; j < count; j++)
            places -= own[j] < some;
        for (int64_t l = 0; l < LANES && k + l < count; l++) {
            to_columns[places[l]] = own[k + l];
            to_values[places[l]] = copy[k + l];
        }
    }
}

static inline void FN(order_row)(const I *columns, const T *values, int64_t count, int bits,
                                 I *to_columns, T *to_values)
{
    (void)bits;
    if (count <= 1)
        FN(copy_entry)(columns, values, count, to_columns, to_values);
    else if (count == 2)
        FN(order_two)(columns, values, to_columns, to_values);
#ifdef __AVX2__
    else if (count <= 8 && sizeof(I) == sizeof(int32_t))
        FN(order_block)(columns, values, count, to_columns, to_values, 1);
    else if (count <= 16 && sizeof(I) == sizeof(int32_t))
        FN(order_block)(columns, values, count, to_columns, to_values, 2);
#endif
    else
        FN(order_many)(columns, values, count, to_columns, to_values);
}

#endif
