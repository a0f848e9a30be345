/* SPDX-License-Identifier: Apache-2.0 */
/* sort: simple loops, in stream order. It overwrites everything that it is allowed to: temporary
 * memory and sources. */
#include <string.h>

#include "device/emulator/emu_device.h"
#include "device/emulator/emu_message.h"

enum { TAINT = 0xA5, DIGIT_BITS = 8, DIGITS = 1 << DIGIT_BITS };

/* Checks that `count` elements of that size are in one array. */
static spl_status check_array(spl__emu_device *device, const void *array, int64_t count,
                              int32_t element_bytes)
{
    if (count == 0 ||
        spl__emu_arena_holds(&device->arena, array, (size_t)count * (size_t)element_bytes))
        return SPL_OK;
    return spl__emu_fail(SPL_INVALID_ARGUMENT,
                         "%lld elements of %d bytes at %p are not in one array of the device",
                         (long long)count, (int)element_bytes, array);
}

static bool is_word(int32_t bytes)
{
    return bytes == 4 || bytes == 8;
}

/* ----------------------------------------------------------------------------------------- sort */

typedef struct sort_work {
    void *temporary;
    size_t temporary_bytes;
    spl__sort_pairs pairs;
} sort_work;

typedef struct side {
    char *keys, *values;
} side;

static uint64_t key_at(const spl__sort_pairs *pairs, const char *keys, int64_t i)
{
    uint64_t key = 0; /* little endian, like all devices */
    memcpy(&key, keys + i * pairs->key_bytes, (size_t)pairs->key_bytes);
    return key;
}

static void move_pair(const spl__sort_pairs *pairs, side from, int64_t i, side to, int64_t k)
{
    memcpy(to.keys + k * pairs->key_bytes, from.keys + i * pairs->key_bytes,
           (size_t)pairs->key_bytes);
    memcpy(to.values + k * pairs->value_bytes, from.values + i * pairs->value_bytes,
           (size_t)pairs->value_bytes);
}

/* One stable pass by the digit of the key that begins at bit `shift`. */
static void sort_by_digit(const spl__sort_pairs *pairs, side from, side to, int shift)
{
    int64_t begin[DIGITS + 1] = {0};
    const int bits = pairs->bits - shift < DIGIT_BITS ? pairs->bits - shift : DIGIT_BITS;
    const uint64_t mask = ((uint64_t)1 << bits) - 1;
    for (int64_t i = 0; i < pairs->count; i++)
        begin[(key_at(pairs, from.keys, i) >> shift & mask) + 1]++;
    for (int d = 0; d < DIGITS; d++)
        begin[d + 1] += begin[d];
    for (int64_t i = 0; i < pairs->count; i++)
        move_pair(pairs, from, i, to, begin[key_at(pairs, from.keys, i) >> shift & mask]++);
}

static void do_sort(spl__emu_stream *stream, void *payload)
{
    const sort_work *work = payload;
    const spl__sort_pairs *pairs = &work->pairs;
    const side source = {pairs->keys, pairs->values},
               result = {pairs->sorted_keys, pairs->sorted_values};
    side from = source, to = result;
    (void)stream;
    memset(work->temporary, TAINT, work->temporary_bytes);
    for (int shift = 0; shift < pairs->bits; shift += DIGIT_BITS) {
        sort_by_digit(pairs, from, to, shift);
        const side swap = from;
        from = to;
        to = swap;
    }
    for (int64_t i = 0; from.keys == source.keys && i < pairs->count; i++)
        move_pair(pairs, source, i, result, i);
    memset(source.keys, TAINT, (size_t)(pairs->count * pairs->key_bytes));
    memset(source.values, TAINT, (size_t)(pairs->count * pairs->value_bytes));
}

static spl_status sort_in(spl__emu_device *device, const sort_work *work, spl__emu_stream *stream)
{
    const spl__sort_pairs *pairs = &work->pairs;
    SPL__EMU_TRY(spl__emu_stream_report(stream));
    SPL__EMU_TRY(check_array(device, work->temporary, (int64_t)work->temporary_bytes, 1));
    SPL__EMU_TRY(check_array(device, pairs->keys, pairs->count, pairs->key_bytes));
    SPL__EMU_TRY(check_array(device, pairs->sorted_keys, pairs->count, pairs->key_bytes));
    SPL__EMU_TRY(check_array(device, pairs->values, pairs->count, pairs->value_bytes));
    SPL__EMU_TRY(check_array(device, pairs->sorted_values, pairs->count, pairs->value_bytes));
    return pairs->count > 0 ? spl__emu_enqueue(stream, do_sort, work, sizeof *work) : SPL_OK;
}

spl_status spl__emu_sort(void *device, void *temporary, size_t *bytes, const spl__sort_pairs *pairs,
                         void *stream)
{
    if (!is_word(pairs->key_bytes) || !is_word(pairs->value_bytes) || pairs->count < 0 ||
        pairs->bits < 0 || pairs->bits > 8 * pairs->key_bytes)
        return spl__emu_fail(SPL_INVALID_ARGUMENT,
                             "sort of %lld pairs of %d and %d bytes by %d bits",
                             (long long)pairs->count, (int)pairs->key_bytes,
                             (int)pairs->value_bytes, (int)pairs->bits);
    const size_t need = ((size_t)pairs->count / 16 + 1) * 64; /* as much as a device would want */
    if (temporary == NULL) {
        *bytes = need;
        return SPL_OK;
    }
    spl__emu_stream *s = spl__emu_enter(device, stream);
    const spl_status status = sort_in(device, &(sort_work){temporary, need, *pairs}, s);
    spl__emu_leave(device);
    return status;
}
