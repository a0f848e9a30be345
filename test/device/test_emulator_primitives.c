/* SPDX-License-Identifier: Apache-2.0 */
/* sort against the obvious loop. */
#include <stdlib.h>
#include <string.h>

#include "lib/plugins.h"
#include "lib/testing.h"

enum { MOST = 1000 };
static const int64_t counts[] = {0, 1, 2, 17, 255, MOST};
enum { COUNTS = sizeof counts / sizeof counts[0] };

static void for_both_widths(void (*try)(const rig *r, int64_t count))
{
    for (int width = 0; width < PLUGIN_WIDTHS; width++) {
        rig r = rig_with(width, NULL, NULL);
        for (int i = 0; i < COUNTS; i++)
            try(&r, counts[i]);
        rig_close(&r);
    }
}

static uint64_t mixed(uint64_t i)
{
    i *= 0x9E3779B97F4A7C15u;
    return i ^ i >> 29;
}

static void put_word(void *words, int bytes, int64_t i, uint64_t value)
{
    memcpy((char *)words + i * bytes, &value, (size_t)bytes); /* the low bytes come first */
}

static uint64_t get_word(const void *words, int bytes, int64_t i)
{
    uint64_t value = 0;
    memcpy(&value, (const char *)words + i * bytes, (size_t)bytes);
    return value;
}

/* ----------------------------------------------------------------------------------------- sort */

typedef struct pair {
    uint64_t key, value;
} pair;

/* Insertion sort by the lowest `bits` bits: stable, and too simple to be wrong. */
static void sort_obviously(pair *pairs, int64_t count, int bits)
{
    const uint64_t mask = bits == 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
    for (int64_t i = 1; i < count; i++) {
        const pair p = pairs[i];
        int64_t k = i;
        for (; k > 0 && (pairs[k - 1].key & mask) > (p.key & mask); k--)
            pairs[k] = pairs[k - 1];
        pairs[k] = p;
    }
}

static void try_sort_of(const rig *r, spl__sort_pairs s)
{
    static pair pairs[MOST];
    char keys[8 * MOST], values[8 * MOST];
    size_t bytes = 0;
    testing_case("%d lanes, sort of %d pairs of %d and %d bytes by %d bits", r->lanes, (int)s.count,
                 s.key_bytes, s.value_bytes, s.bits);
    for (int64_t i = 0; i < s.count; i++) {
        put_word(keys, s.key_bytes, i, mixed((uint64_t)i % 300));
        put_word(values, s.value_bytes, i, (uint64_t)i);
        pairs[i] = (pair){get_word(keys, s.key_bytes, i), (uint64_t)i};
    }
    s.keys = rig_put(r, keys, sizeof keys);
    s.values = rig_put(r, values, sizeof values);
    s.sorted_keys = rig_alloc(r, sizeof keys);
    s.sorted_values = rig_alloc(r, sizeof values);
    EXPECT(r->driver->sort(r->device, NULL, &bytes, &s, NULL) == SPL_OK);
    void *temporary = rig_alloc(r, bytes);
    EXPECT(r->driver->sort(r->device, temporary, &bytes, &s, NULL) == SPL_OK);
    rig_get(r, keys, s.sorted_keys, sizeof keys);
    rig_get(r, values, s.sorted_values, sizeof values);
    sort_obviously(pairs, s.count, s.bits);
    for (int64_t i = 0; i < s.count; i++) {
        EXPECT(get_word(keys, s.key_bytes, i) == pairs[i].key);
        EXPECT(get_word(values, s.value_bytes, i) == pairs[i].value);
    }
    void *const arrays[] = {s.keys, s.values, s.sorted_keys, s.sorted_values, temporary};
    for (int i = 0; i < 5; i++)
        rig_free(r, arrays[i]);
}

static void try_sort(const rig *r, int64_t count)
{
    for (int key_bytes = 4; key_bytes <= 8; key_bytes += 4)
        for (int value_bytes = 4; value_bytes <= 8; value_bytes += 4)
            for (int bits = 0; bits <= 8 * key_bytes; bits += bits % 8 == 0 ? 3 : 5)
                try_sort_of(r, (spl__sort_pairs){.count = count,
                                                 .key_bytes = key_bytes,
                                                 .value_bytes = value_bytes,
                                                 .bits = bits});
}

static void sort_is_stable_and_right(void **state)
{
    (void)state;
    for_both_widths(try_sort);
}

/* Arrays that are too short are refused, not overrun. */
static void short_arrays_are_refused(void **state)
{
    (void)state;
    rig r = rig_with(0, NULL, NULL);
    size_t bytes;
    void *words = rig_alloc(&r, 400), *temporary = rig_alloc(&r, 1 << 16);
    const spl__sort_pairs pairs = {100, 4, 8, 32, words, words, words, words};
    EXPECT(r.driver->sort(r.device, temporary, &bytes, &pairs, NULL) == SPL_INVALID_ARGUMENT);
    const spl__sort_pairs too_many_bits = {1, 4, 8, 33, words, words, words, words};
    EXPECT(r.driver->sort(r.device, temporary, &bytes, &too_many_bits, NULL) ==
           SPL_INVALID_ARGUMENT);
    rig_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sort_is_stable_and_right),
        cmocka_unit_test(short_arrays_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
