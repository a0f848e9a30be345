/* SPDX-License-Identifier: Apache-2.0 */
#include "format/narrow_values.h"

#include "core/checked.h"
#include "core/lanes.h"
#include "core/threads/team_seconds.h"
#include "core/types.h"

#include <math.h>
#include <string.h>

enum {
    PIECE = 1 << 14,
    AT_ONCE = 1 << 10,
    SAMPLE = 256
}; /* PIECE: values between two reads of the other threads' results */

/* ---- all values ---- */

/* A predicate on `count` values from number `first` on. */
typedef struct question question;
struct question {
    bool (*holds)(const question *q, int64_t first, int64_t count);
    const spl_sparse *csr;
    double scale;
};

/* Whether the predicate holds for the values 0 to count-1; stops as soon as a thread has found a
 * counterexample. */
static bool holds_for_all(const question *q, int64_t count, int threads)
{
    int fails = 0;
#pragma omp parallel for num_threads(spl__team(spl__threads_for(count, threads))) schedule(static)
    for (int64_t p = 0; p < count; p += PIECE) {
        int known;
#pragma omp atomic read
        known = fails;
        if (!known && !q->holds(q, p, spl__min_i64(PIECE, count - p))) {
#pragma omp atomic write
            fails = 1;
        }
    }
    return !fails;
}

/* Whether each value equals its neighbour. */
static bool are_same(const question *q, int64_t first, int64_t count)
{
    const size_t size = spl__type_size(q->csr->type);
    const char *values = (const char *)q->csr->values + (size_t)first * size;
    return memcmp(values, values + size, (size_t)count * size) == 0;
}

/* ---- whole numbers, and f32 ---- */

static void widen(const spl_sparse *csr, int64_t first, int64_t count, double *wide)
{
    if (csr->type == SPL_F64) {
        memcpy(wide, (const double *)csr->values + first, (size_t)count * sizeof *wide);
        return;
    }
    for (int64_t i = 0; i < count; i++)
        wide[i] = ((const float *)csr->values)[first + i];
}

typedef int64_t words __attribute__((vector_size(SPL__REGISTER_BYTES)));
enum { WIDE = SPL__REGISTER_BYTES / sizeof(double) };

/* Bits in lanes whose value is no 16-bit integer times `scale`, a power of two. The sum with
 * 1.5*2^52 has no bits below 1. */
static SPL__INLINED words not_multiples(spl__lanes_f64 value, double scale)
{
    const double times = 1 / scale, rounding = 0x1.8p52, most = INT16_MAX;
    spl__lanes_f64 number = value * times, again = (number + rounding - rounding) * scale;
    words bits, again_bits;
    memcpy(&bits, &value, sizeof bits);
    memcpy(&again_bits, &again, sizeof again_bits);
    return (bits ^ again_bits) | ~((number <= most) & (number >= -most));
}

static bool are_multiples(const double *values, int64_t count, double scale)
{
    const int64_t whole = count - count % WIDE;
    spl__lanes_f64 value;
    words wrong = {0};
    for (int64_t i = 0; i < whole; i += WIDE) {
        memcpy(&value, values + i, sizeof value);
        wrong |= not_multiples(value, scale);
    }
    value = (spl__lanes_f64){0};
    memcpy(&value, values + whole, (size_t)(count - whole) * sizeof *values);
    wrong |= not_multiples(value, scale);
    for (int lane = 1; lane < WIDE; lane++)
        wrong[0] |= wrong[lane];
    return wrong[0] == 0;
}

static bool in_f32(const double *values, int64_t count)
{
    int wrong = 0;
    for (int64_t i = 0; i < count; i++)
        wrong |= !((double)(float)values[i] == values[i]);
    return !wrong;
}

static bool are_whole(const question *q, int64_t first, int64_t count)
{
    double wide[AT_ONCE];
    if (q->csr->type == SPL_F64)
        return are_multiples((const double *)q->csr->values + first, count, q->scale);
    for (int64_t p = 0; p < count; p += AT_ONCE) {
        int64_t some = spl__min_i64(AT_ONCE, count - p);
        widen(q->csr, first + p, some, wide);
        if (!are_multiples(wide, some, q->scale))
            return false;
    }
    return true;
}

static bool are_in_f32(const question *q, int64_t first, int64_t count)
{
    return in_f32((const double *)q->csr->values + first, count);
}

/* ---- a sample ---- */

/* The exponent of the lowest set bit of a finite number other than 0. */
static int lowest_bit(double value)
{
    int exponent;
    int64_t digits = (int64_t)ldexp(frexp(value, &exponent), 53);
    return exponent - 53 + __builtin_ctzll((unsigned long long)digits);
}

/* The exponent of a power of two that divides the sample, with a margin for larger and for finer
 * numbers that the sample lacks. */
static int exponent_of(const double *sample, int64_t count)
{
    enum { BITS = 12 };
    double largest = 0;
    int lowest = INT32_MAX;
    for (int64_t i = 0; i < count; i++) {
        if (sample[i] == 0 || !isfinite(sample[i]))
            continue;
        largest = fmax(largest, fabs(sample[i]));
        lowest = lowest_bit(sample[i]) < lowest ? lowest_bit(sample[i]) : lowest;
    }
    int exponent = largest > 0 ? ilogb(largest) - BITS : 0;
    return lowest < exponent ? lowest : exponent;
}

static int64_t take_sample(const spl_sparse *csr, double *sample)
{
    int64_t count = spl__min_i64(SAMPLE, csr->nnz);
    for (int64_t i = 0; i < count; i++)
        widen(csr, csr->nnz / count * i, 1, &sample[i]);
    return count;
}

/* ---- forms ---- */

/* Whether scaling cannot cause underflow or overflow in the type. */
static bool is_moderate(int exponent, spl_type type)
{
    const int most = type == SPL_F64 ? 900 : 100;
    return exponent > -most && exponent < most;
}

spl__narrow_form spl__narrow_values_find(const spl_sparse *csr, bool narrow, int threads)
{
    double sample[SAMPLE];
    question q = {.holds = are_same, .csr = csr};
    if (csr->nnz > 0 && holds_for_all(&q, csr->nnz - 1, threads))
        return (spl__narrow_form){.form = DEVICE_NARROW_ONE};
    if (!narrow || csr->nnz == 0 || (csr->type != SPL_F64 && csr->type != SPL_F32))
        return (spl__narrow_form){0};
    int64_t count = take_sample(csr, sample);
    int exponent = exponent_of(sample, count);
    q = (question){are_whole, csr, ldexp(1, exponent)};
    if (is_moderate(exponent, csr->type) && are_multiples(sample, count, q.scale) &&
        holds_for_all(&q, csr->nnz, threads))
        return (spl__narrow_form){.form = SPL__VALUES_WHOLE, .exponent = exponent};
    q.holds = are_in_f32;
    if (csr->type == SPL_F64 && in_f32(sample, count) && holds_for_all(&q, csr->nnz, threads))
        return (spl__narrow_form){.form = DEVICE_NARROW_F32};
    return (spl__narrow_form){0};
}

/* ---- distinct values ---- */

/* An open-addressing hash table of the values' bits, at most a quarter full. */
typedef struct value_set {
    uint64_t words[4 * SPL__DISTINCT_MOST];
    bool taken[4 * SPL__DISTINCT_MOST];
    int64_t count;
} value_set;

static void add_word(value_set *set, uint64_t word)
{
    enum { SLOTS = 4 * SPL__DISTINCT_MOST, GOLDEN_SHIFT = 64 - 10 };
    uint64_t slot = word * 0x9e3779b97f4a7c15u >> GOLDEN_SHIFT;
    while (set->taken[slot] && set->words[slot] != word)
        slot = (slot + 1) % SLOTS;
    set->count += !set->taken[slot];
    set->taken[slot] = true;
    set->words[slot] = word;
}

int64_t spl__distinct_values(spl__watch *watch, const spl_sparse *csr)
{
    const size_t size = spl__type_size(csr->type);
    value_set set = {.count = 0};
    for (int64_t p = 0;
         p < csr->nnz && set.count <= SPL__DISTINCT_MOST && spl__watch_goes_on_at(watch, p); p++) {
        uint64_t word = 0;
        memcpy(&word, (const char *)csr->values + (size_t)p * size, size);
        add_word(&set, word);
    }
    return set.count > SPL__DISTINCT_MOST ? -1 : set.count;
}

double spl__fewest_value_bytes(const spl__narrow_form *form, int64_t distinct, spl_type type)
{
    double bytes = spl__narrow_form_bytes(form, type);
    if (distinct == 0)
        return 0;
    return distinct > 0 && bytes > 1 ? 1 : bytes;
}

/* ---- storing ---- */

static void store_whole(const double *wide, double times, int16_t *to)
{
    int16_t numbers[SPL__NARROWED_AT_ONCE];
    for (int i = 0; i < SPL__NARROWED_AT_ONCE; i++)
        numbers[i] = (int16_t)(wide[i] * times);
    memcpy(to, numbers, sizeof numbers);
}

static void store_f32(const double *wide, float *to)
{
    float narrow[SPL__NARROWED_AT_ONCE];
    for (int i = 0; i < SPL__NARROWED_AT_ONCE; i++)
        narrow[i] = (float)wide[i];
    memcpy(to, narrow, sizeof narrow);
}

/* Stores in place: writes overwrite only values that have been read. */
void spl__narrow_values_store(const spl__narrow_form *form, spl_type type, void *values,
                              int64_t count)
{
    const double times = ldexp(1, -form->exponent);
    const spl_sparse array = {.type = type, .values = values};
    for (int64_t p = 0; p < count; p += SPL__NARROWED_AT_ONCE) {
        double wide[SPL__NARROWED_AT_ONCE];
        widen(&array, p, SPL__NARROWED_AT_ONCE, wide);
        if (form->form == SPL__VALUES_WHOLE)
            store_whole(wide, times, (int16_t *)values + p);
        else
            store_f32(wide, (float *)values + p);
    }
}
